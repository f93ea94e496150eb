"""What is said of a plan before it is played: what does not run, and why."""

from __future__ import annotations

from collections.abc import Sequence

from unibench.runs.records import Dropped

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
