"""What is said of a plan before it is played: what does not run and why, and what the ledger does not say."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from unibench.runs.records import Dropped, LedgerUse

_KINDS = {
    "unavailable": "unavailable: ",
    "golden recipe not playable": "golden recipe not playable: ",
    "without the task that they come after": "comes after ",
    "dropped by the ledger": "",
}
"""What drops a task, with the beginning of its reasons; the ledger's have many."""

REASONS = 5
"""As many reasons of a kind are said."""


def dropped_by_kind(dropped: Sequence[Dropped]) -> dict[str, list[Dropped]]:
    """What does not run, by what drops it: the machine, the recipes, the order of tasks, the ledger."""
    found: dict[str, list[Dropped]] = {}
    for kind, beginning in _KINDS.items():
        left = [each for each in dropped if not any(each in earlier for earlier in found.values())]
        if fitting := [each for each in left if each.reason.startswith(beginning)]:
            found[kind] = fitting
    return found


def counted(tasks: int) -> str:
    return "1 task" if tasks == 1 else f"{tasks} tasks"


def dropped_counts(dropped: Sequence[Dropped]) -> list[str]:
    """A line a kind: "unavailable: 1 task"."""
    return [f"{kind}: {counted(len({each.task for each in found}))}" for kind, found in dropped_by_kind(dropped).items()]


def dropped_reasons(dropped: Sequence[Dropped]) -> list[str]:
    """The lines of :func:`dropped_counts`, each followed by its reasons and three of the tasks that have it."""
    lines: list[str] = []
    for (kind, found), line in zip(dropped_by_kind(dropped).items(), dropped_counts(dropped), strict=True):
        tasks: dict[str, list[str]] = {}
        for each in found:
            tasks.setdefault(each.reason.removeprefix(f"{kind}: "), []).append(each.task)
        lines.append(line)
        for reason, names in list(tasks.items())[:REASONS]:
            names = list(dict.fromkeys(names))
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            lines.append(f"  {', '.join(names[:3])}{more}: {reason}")
        if len(tasks) > REASONS:
            lines.append(f"  and {len(tasks) - REASONS} more reasons")
    return lines


def golden_check(suite: str, use: LedgerUse, tasks: Sequence[str] = ()) -> str:
    """The command that checks tasks under the run's conditions; of more than three, the rest is for the reader to fill in."""
    named = [part for task in tasks[:3] for part in ("-t", task)]
    return shlex.join(["unibench", "golden-check", suite, *use.options, *named]) + (" -t …" if len(tasks) > 3 else "")


def lacks_remark(suite: str, use: LedgerUse) -> str:
    """That the ledger has no entry for some tasks; empty if it has one for each."""
    if not use.lacks:
        return ""
    # With another head, an entry would not be added to it.
    other = f" (it was made under other conditions: {'; '.join(use.differs)})" if use.differs else ""
    mend = f"{'make one' if use.differs else 'add it' if len(use.lacks) == 1 else 'add them'}: {golden_check(suite, use, use.lacks)}"
    return f"{use.file} has no entry for {len(use.lacks)} of {counted(use.tasks)}{other}; {mend}"


def stale_remark(suite: str, use: LedgerUse, of: str) -> str:
    """That entries are stale, by what differs.

    Args:
        of: what it is said of, with its number: "3 episodes".
    """
    why = "; ".join(use.differs) or ("another verifier or recipe" if use.file else "another version, machine, setting or recipe")
    again = f"make {'them' if len(use.stale) > 1 else 'it'} again: {golden_check(suite, use, use.stale)}"
    return f"stale in the ledger, so not applied: {of} ({why}); {again}"


def ledger_remarks(suite: str, use: LedgerUse) -> list[str]:
    """The lines on what the ledger does not say."""
    stale = stale_remark(suite, use, counted(len(use.stale))) if use.stale else ""
    return [line for line in (stale, lacks_remark(suite, use)) if line]
