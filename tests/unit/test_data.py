"""``unibench data`` and ``unibench install``: where data comes from, what is recorded, what is refused."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
import typer

from unibench import environments
from unibench.cli.common import Format
from unibench.cli.data import _check as show_check
from unibench.data import DataFace, Problem, bring, brought_folder, brought_source, remove
from unibench.environments import EnvironmentFace, environment_python, install
from unibench.errors import FileProblem, Unavailable, UsageError

FACE = DataFace(folders=("examples",), marker="list.json")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


def source(folder: Path, **files: str) -> Path:
    (folder / "examples").mkdir(parents=True)
    for name, text in {"list.json": "[]", **files}.items():
        (folder / "examples" / name).write_text(text)
    return folder


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True, text=True).stdout.strip()


def test_a_folders_data_replaces_what_was_there_as_a_whole(tmp_path: Path) -> None:
    first = bring("x", FACE, str(source(tmp_path / "a", old="1")))
    second = bring("x", FACE, str(source(tmp_path / "b", new="2")))
    assert {path.name for path in brought_folder("x").iterdir()} == {"list.json", "new", "unibench-source.json"}
    assert first.digest != second.digest and brought_source("x") == second
    assert not [path for path in brought_folder("x").parent.iterdir() if path.name != "x"]
    assert remove("x") and not remove("x")


def test_a_checkouts_commit_is_recorded_and_local_changes_are_said(tmp_path: Path) -> None:
    folder = source(tmp_path / "checkout")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    found = bring("x", FACE, str(folder))
    assert found.commit == git(folder, "rev-parse", "HEAD") and not found.dirty
    (folder / "examples" / "list.json").write_text("[1]")
    assert bring("x", FACE, str(folder)).dirty


def test_a_git_url_is_cloned(tmp_path: Path) -> None:
    folder = source(tmp_path / "upstream")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    found = bring("x", FACE, f"file://{folder}")
    assert found.source == f"file://{folder}" and found.commit == git(folder, "rev-parse", "HEAD")


def test_what_is_no_source_changes_nothing(tmp_path: Path) -> None:
    bring("x", FACE, str(source(tmp_path / "a")))
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileProblem, match=r"no list\.json"):
        bring("x", FACE, str(tmp_path / "empty"))
    with pytest.raises(FileProblem, match="no folder and no git URL"):
        bring("x", FACE, str(tmp_path / "absent"))
    with pytest.raises(UsageError, match="cannot clone"):
        bring("x", FACE, f"file://{tmp_path}/absent")
    assert brought_source("x").source == str(tmp_path / "a")


PROBLEM = Problem(task="a", rule="version-skew", message="no function f", fatal=True)
HARMLESS = Problem(task="b", rule="relative-path", message="x is relative")


def found_twice(folder: Path) -> list[Problem]:
    return [PROBLEM, PROBLEM, HARMLESS]


def found_harmless(folder: Path) -> list[Problem]:
    return [HARMLESS]


def left_out() -> str:
    return "steps were left unchecked -> install it"


@pytest.mark.parametrize(("check", "fatal"), [("found_twice", True), ("found_harmless", False)])
def test_the_check_merges_what_repeats_and_explains_itself(
    check: str, fatal: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    face = DataFace(folders=(), marker="x", check=f"{__name__}:{check}", unchecked=f"{__name__}:left_out")
    with pytest.raises(typer.Exit):
        show_check("x", face, tmp_path, Format.TABLE)
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "task rule fatal problem"
    assert ("a version-skew yes no function f (2×)" in lines) is fatal
    assert "b relative-path x is relative" in lines
    assert ("fatal: the task cannot be judged as written, or not by the evaluators here" in lines) is fatal
    assert lines[-1] == left_out()


def test_what_was_left_unchecked_is_no_part_of_the_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    face = DataFace(folders=(), marker="x", check=f"{__name__}:found_twice", unchecked=f"{__name__}:left_out")
    with pytest.raises(typer.Exit):
        show_check("x", face, tmp_path, Format.JSON)
    said = capsys.readouterr()
    assert [Problem.model_validate(each) for each in json.loads(said.out)] == found_twice(tmp_path)
    assert said.err.strip() == left_out()


def test_links_in_a_source_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    folder = source(tmp_path / "a")
    (folder / "examples" / "link").symlink_to(tmp_path / "secret")
    bring("x", FACE, str(folder))
    assert (brought_folder("x") / "link").is_symlink()


def test_a_missing_environment_says_how_to_make_it() -> None:
    with pytest.raises(Unavailable, match="unibench install x"):
        environment_python("x")


def test_a_wrong_checkout_is_refused_before_anything_is_made(tmp_path: Path, home: Path) -> None:
    face = EnvironmentFace(upstream=(), checkout="desktop_env", checkout_packages=("desktop_env",))
    with pytest.raises(UsageError, match="it has no folder desktop_env"):
        install("x", face, checkout=str(tmp_path))
    with pytest.raises(UsageError, match="on no package index"):
        install("x", face)
    assert not home.exists()


def test_the_record_of_a_source_is_readable(tmp_path: Path) -> None:
    bring("x", FACE, str(source(tmp_path / "a")))
    value = json.loads((brought_folder("x") / "unibench-source.json").read_text())
    assert value["kind"] == "unibench-data-source" and value["files"] == 1


def test_an_environments_scripts_run_from_where_it_is_in_the_end(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "_pip", lambda python, arguments: None)
    monkeypatch.setattr(environments, "_put_ourselves", lambda python, target: None)
    install("x", EnvironmentFace(upstream=("nothing",)))
    folder = environments.environment_folder("x")
    assert folder.is_relative_to(home)
    done = subprocess.run([folder / "bin" / "pip", "--version"], capture_output=True, text=True, check=True, timeout=60)
    assert str(folder) in done.stdout
    texts = [path.read_text(errors="replace") for path in (folder / "bin").iterdir() if not path.is_symlink()]
    assert not [text for text in (*texts, (folder / "pyvenv.cfg").read_text()) if ".x.part" in text]


def test_a_checkout_that_cannot_be_copied_is_said(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    os.mkfifo(tmp_path / "package" / "pipe")
    with pytest.raises(UsageError, match=r"the checkout .* cannot be copied: .*pipe` is a named pipe"):
        environments._copy_tree(tmp_path / "package", tmp_path / "copy")


def test_two_installs_at_once_do_not_build_in_one_folder(home: Path) -> None:
    face = EnvironmentFace(upstream=("no-such-package",))
    with pytest.raises(Unavailable, match="another install of a_suite is running; wait until it has ended"):
        install("a_suite", face, report=lambda text: install("a_suite", face) and None)
