"""What a run says before it plays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.test_files import MACHINE
from unibench.runs.policy import AppliedLedger
from unibench.runs.records import Dropped, LedgerUse
from unibench.runs.remarks import REASONS, dropped_counts, dropped_reasons, ledger_remarks
from unibench.session.remote import RemoteSuite
from unibench_browsergym.miniwob import FACE, MiniwobSettings


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


def test_what_a_ledger_lacks_and_what_is_stale_is_said_with_the_command() -> None:
    assert ledger_remarks("s", LedgerUse(file="s.ledger.json", tasks=3)) == []
    use = LedgerUse(file="s.ledger.json", lacks=("a/1",), stale=("b", "c", "d", "e"), tasks=6, options=("--set", "k=x y"))
    assert ledger_remarks("s", use) == [
        "stale in the ledger, so not applied: 4 tasks (another verifier or recipe); make them again: "
        "unibench golden-check s --set 'k=x y' -t b -t c -t d -t …",
        "s.ledger.json has no entry for 1 of 6 tasks; add it: unibench golden-check s --set 'k=x y' -t a/1",
    ]
    other = LedgerUse(file="l.json", lacks=("a", "b"), tasks=2, differs=("machine digest 1 -> 2",))
    assert ledger_remarks("s", other) == [
        "l.json has no entry for 2 of 2 tasks (it was made under other conditions: machine digest 1 -> 2); make one: "
        "unibench golden-check s -t a -t b"
    ]


@pytest.mark.parametrize(
    ("file", "output"),
    [(None, ()), ("miniwob.ledger.json", ()), ("old/l.json", ("-o", "old/l.json")), ("/home/me/l.json", ("-o", "…/l.json"))],
)
def test_the_command_is_for_the_runs_own_machine_settings_and_ledger(file: str | None, output: tuple[str, ...]) -> None:
    path = Path(file) if file else None
    with RemoteSuite(FACE, "unibench_browsergym.miniwob:FACE") as suite:
        assert AppliedLedger(suite, MACHINE, None, "ignore").use([], 1, path).options == output
    with RemoteSuite(FACE, "unibench_browsergym.miniwob:FACE", MiniwobSettings(allow_any_url=True, slow_mo=5)) as suite:
        other = MACHINE.model_copy(update={"name": "chrome"})
        found = AppliedLedger(suite, other, None, "ignore").use([], 1, path).options
    assert found == ("--substrate", "chrome", "--set", "slow_mo=5.0", "--set", "allow_any_url=true", *output)
