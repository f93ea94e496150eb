"""What a run says before it plays."""

from __future__ import annotations

from unibench.runs.records import Dropped
from unibench.runs.remarks import REASONS, dropped_counts, dropped_reasons


def test_what_drops_a_task_is_told_apart() -> None:
    dropped = [
        Dropped(task="a", reason="unavailable: no GIMP"),
        Dropped(task="b", reason="invalid: flaky"),
        Dropped(task="c", spec="1", reason="invalid on this instance: flaky"),
        Dropped(task="c", spec="2", reason="vacuous: doing nothing is right on this instance"),
        Dropped(task="d", spec="3", reason="comes after a, which was dropped"),
        Dropped(task="e", reason="golden recipe not playable: it writes files"),
    ]
    assert dropped_counts(dropped) == [
        "unavailable: 1 task",
        "golden recipe not playable: 1 task",
        "without the task that they come after: 1 task",
        "dropped by the ledger: 2 tasks",
    ]
    assert dropped_reasons(dropped[:2]) == ["unavailable: 1 task", "  a: no GIMP", "dropped by the ledger: 1 task", "  b: invalid: flaky"]


def test_many_reasons_and_tasks_stay_short() -> None:
    same = [Dropped(task=f"t{n}", reason="unavailable: no GIMP") for n in range(9)]
    assert dropped_reasons(same) == ["unavailable: 9 tasks", "  t0, t1, t2 and 6 more: no GIMP"]
    each = [Dropped(task=f"t{n}", reason=f"not valid: {n}") for n in range(REASONS + 2)]
    assert dropped_reasons(each)[-1] == "  and 2 more reasons"
    assert len(dropped_reasons(each)) == REASONS + 2
