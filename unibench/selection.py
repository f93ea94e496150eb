"""Choosing tasks by glob."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence

from unibench.errors import UnknownName


def select(tasks: Sequence[str], globs: Sequence[str] | None, suite: str) -> list[str]:
    """The tasks that match any of the globs (all, if there is no glob), in the suite's order.

    Raises:
        UnknownName: a glob matches none.
    """
    if not globs:
        return list(tasks)
    chosen: set[str] = set()
    for glob in globs:
        matching = set(fnmatch.filter(tasks, glob))
        if not matching:
            raise UnknownName.among(f"task of {suite}", glob, tasks, hint=f"(`unibench tasks {suite}` lists them)")
        chosen |= matching
    return [task for task in tasks if task in chosen]
