"""Tasks that must run after others on the same machine (``Task.after``): in which order, and which belong together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from unibench.errors import ContractBroken

After = Mapping[str, Sequence[str]]
"""For a task, the tasks that must have run before it."""


def chains(tasks: Sequence[str], after: After) -> list[list[str]]:
    """The tasks as groups that hang together, each in an order that respects ``after``; most groups are one task.

    Groups, and tasks that need not wait for one another, stay in the order that they came in. Only the given tasks are
    looked at: whether a predecessor is missing is the caller's question.

    Raises:
        ContractBroken: tasks wait for one another in a circle; a bug in the adapter.
    """
    among = set(tasks)
    chosen = {task: [each for each in after.get(task, ()) if each in among] for task in tasks}
    if not any(chosen.values()):
        return [[task] for task in tasks]
    try:
        order = list(TopologicalSorter(chosen).static_order())
    except CycleError as error:
        raise ContractBroken(f"these tasks come after one another in a circle: {' -> '.join(error.args[1])}") from None
    group = {task: task for task in tasks}

    def head(task: str) -> str:
        while group[task] != task:
            task = group[task]
        return task

    for task, before in chosen.items():
        for each in before:
            group[head(task)] = head(each)
    found: dict[str, list[str]] = {}
    for task in tasks:
        found.setdefault(head(task), [])
    for task in order:
        found[head(task)].append(task)
    return list(found.values())
