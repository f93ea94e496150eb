"""The conformance suite on the example plug-in, in a foreign environment of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import pytest

from tests.conftest import ROOT
from unibench import registry
from unibench.actions import Answer, Done, Infeasible, Native, Type
from unibench.errors import UnibenchError
from unibench.testing import SuiteContract


@pytest.fixture(autouse=True, scope="module")
def in_its_own_environment(foreign: Path) -> None:
    patch = pytest.MonkeyPatch()
    patch.setenv("UNIBENCH_PYTHON_NOTEBOOK", str(foreign))
    yield
    patch.undo()


class TestNotebook(SuiteContract):
    suite: ClassVar[str] = "notebook"
    tasks: ClassVar[tuple[str, ...]] = ("write-note", "count-notes", "tick-note", "stay-light")
    golden: ClassVar[tuple[str, ...]] = ("write-note", "count-notes", "tick-note", "print-note", "stay-light")
    upstream_modules: ClassVar[tuple[str, ...]] = ("unibench_notebook.app",)


def test_the_environment_is_foreign(foreign: Path) -> None:
    code = (
        "import numpy, pydantic, importlib.util as u;"
        "print(numpy.__version__, pydantic.VERSION, u.find_spec('gymnasium'), u.find_spec('typer'))"
    )
    said = subprocess.run([str(foreign), "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["1.26.4", "2.10.6", "None", "None"]


def test_the_spawn_variable_is_needed_and_set() -> None:
    with registry.open_suite("notebook") as remote:
        assert remote.tasks()
    face = registry.find_face("notebook")
    without = face.settings.parse({"spawn_variable": "false"})
    with registry.open_suite("notebook", without) as remote, pytest.raises(UnibenchError, match="NOTEBOOK_HOME must be set"):
        remote.tasks()


def test_a_verifier_that_acts_first_consumes_the_episode() -> None:
    with registry.open_suite("notebook") as remote:
        spec = remote.draw("write-note", 0)
        remote.reset(spec)
        assert remote.describe("write-note").acts_first == ("press save",)
        remote.act(Type(text=f"buy {spec.params['word']}"))
        before = remote.observe(["notes"])["notes"]
        assert remote.verify().passed
        assert len(remote.observe(["notes"])["notes"]) == len(before) + 1


def test_the_last_answer_counts_and_ends_nothing() -> None:
    with registry.open_suite("notebook") as remote:
        spec = remote.draw("count-notes", 0)
        remote.reset(spec)
        assert not remote.act(Answer(text="many")).ended
        assert not remote.act(Answer(text=str(len(spec.params["notes"])))).ended  # type: ignore[arg-type]
        assert remote.act(Done()).ended
        verdict = remote.verify()
        assert verdict.passed
        assert verdict.descriptor.row == "answer-match+page-state"
        assert [child.passed for child in verdict.children] == [True, True]


def test_refusal_passes_only_where_it_is_right() -> None:
    with registry.open_suite("notebook") as remote:
        for task, passes in (("print-note", True), ("write-note", False)):
            remote.reset(remote.draw(task, 0))
            remote.act(Infeasible(reason="cannot"))
            assert remote.verify().passed is passes


def test_a_missing_button_is_the_actions_error() -> None:
    with registry.open_suite("notebook") as remote:
        remote.reset(remote.draw("tick-note", 0))
        assert remote.act(Native(dialect="notebook", code="fold")).error == "there is no button 'fold'"


def test_the_plugin_is_well_typed_against_the_installed_wheel(foreign: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--python-executable", str(foreign), "--no-incremental"]
    done = subprocess.run(command, cwd=ROOT / "examples" / "notebook_suite", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
