"""A golden check of some controls only, on the example suite, which needs no browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from tests.suites.notebook_runs import unibench
from unibench.errors import EnvironmentFault, UnknownName
from unibench.golden.check import GoldenCheck, Plan
from unibench.golden.ledger import read_ledger
from unibench.golden.results import Decision, Reason


def test_a_quick_look_calls_nothing_valid_and_keeps_the_whole_checks_ledger(tmp_path: Path) -> None:
    whole = unibench(tmp_path, "golden-check", "notebook", "-t", "tick-note")
    assert whole.returncode == 0, whole.stderr
    before = (tmp_path / "notebook.ledger.json").read_bytes()
    done = unibench(tmp_path, "golden-check", "notebook", "-t", "tick-note", "-t", "stay-light", "-c", "untouched")
    assert done.returncode == 0, done.stderr
    assert "controls of 2 tasks were left out, so they are not called valid; no fault was seen on 2 of them" in done.stdout
    assert "valid 0, invalid 0, undecided 2 of 2" in done.stdout
    entry = read_ledger(tmp_path / "notebook.some-controls.ledger.json").entries[0]
    assert [run.control for run in entry.instances[0].runs] == ["untouched", "golden"]
    assert (entry.decision, entry.reasons, entry.notes) == (Decision.UNDECIDED, (Reason.NOT_CHECKED,), ("controls-left-out",))
    assert (tmp_path / "notebook.ledger.json").read_bytes() == before
    assert unibench(tmp_path, "golden-check", "notebook", "-t", "tick-note", "-c", "untouched", "--strict", "-o", "s").returncode == 1


def test_every_control_by_name_is_a_whole_check(tmp_path: Path) -> None:
    done = unibench(tmp_path, "golden-check", "notebook", "-t", "tick-note", "-c", "*", "-o", "l.json", "--strict")
    assert done.returncode == 0, done.stdout
    assert read_ledger(tmp_path / "l.json").entries[0].decision is Decision.VALID


def test_a_control_that_no_task_has_is_said_before_anything_runs(tmp_path: Path) -> None:
    done = unibench(tmp_path, "golden-check", "notebook", "-t", "tick-note", "-c", "goldn")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "did you mean 'golden'" in done.stderr
    assert not list(tmp_path.glob("*.json"))


class Suite:
    """Tasks with the controls that they are named after; ``broken`` and ``absent`` cannot be drawn."""

    def unavailable(self, task: str) -> tuple[str, ...]:
        return ("it is not here",) if task == "absent" else ()

    def draw(self, task: str, seed: int, index: int) -> Any:
        if task in ("broken", "absent"):
            raise EnvironmentFault("the machine went away")
        return cast(Any, self)

    def model_dump(self, mode: str) -> dict[str, Any]:
        return {}

    def call(self, method: str, **params: Any) -> tuple[Any, list[bytes]]:
        return {"controls": [{"control": name} for name in ("golden", "untouched")]}, []

    def kill(self) -> None:
        """It has no process."""


@pytest.mark.parametrize(
    ("tasks", "glob", "complains"),
    [
        (["broken", "whole"], "golden", False),
        (["absent", "whole"], "golden", False),
        (["whole", "broken"], "one-cell", False),
        (["absent"], "golden", False),
        (["absent", "whole"], "goldn", True),
    ],
)
def test_a_task_that_cannot_be_drawn_does_not_end_the_look_for_controls(tasks: list[str], glob: str, complains: bool) -> None:
    suite: Any = Suite()
    check = GoldenCheck(Plan(lambda: suite, tasks, controls=[glob]))
    if complains:
        with pytest.raises(UnknownName, match="goldn"):
            check._check_globs(suite)
    else:
        check._check_globs(suite)
