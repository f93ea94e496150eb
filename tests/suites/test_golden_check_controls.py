"""A golden check of some controls only, on the example suite, which needs no browser."""

from __future__ import annotations

from pathlib import Path

from tests.suites.notebook_runs import unibench
from unibench.golden.ledger import read_ledger
from unibench.golden.results import Decision, Reason


def test_a_quick_look_calls_nothing_valid_and_keeps_the_whole_checks_ledger(tmp_path: Path) -> None:
    whole = unibench(tmp_path, "golden-check", "notebook", "-t", "tick-note")
    assert whole.returncode == 0, whole.stderr
    before = (tmp_path / "notebook.ledger.json").read_bytes()
    done = unibench(tmp_path, "golden-check", "notebook", "-t", "tick-note", "-t", "stay-light", "-c", "untouched")
    assert done.returncode == 0, done.stderr
    assert "controls were left out, so no task is called valid; no fault was seen on 2 tasks" in done.stdout
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
