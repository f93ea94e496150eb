"""Choosing tasks by glob: by their names, or by their tags."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from unibench.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from unibench.task import Task


def select(tasks: Sequence[Task], globs: Sequence[str] | None, suite: str) -> list[str]:
    """The names of the tasks that match any of the globs (all, if there is no glob), in the suite's order.

    A glob that matches no task's name is one of tags: ``split:small``, ``app:*``. Names come first, for ``*chrome*`` is meant so.

    Raises:
        UnknownName: a glob matches neither.
    """
    if not globs:
        return [task.id for task in tasks]
    chosen: set[str] = set()
    for glob in globs:
        matching = {task.id for task in tasks if fnmatchcase(task.id, glob)}
        matching = matching or {task.id for task in tasks if any(fnmatchcase(tag, glob) for tag in task.tags)}
        if not matching:
            tags = {tag for task in tasks for tag in task.tags}
            what = f"task or tag of {suite}" if tags else f"task of {suite}"
            hint = f"(`unibench tasks {suite}` lists {'both' if tags else 'them'})"
            raise UnknownName.among(what, glob, {*tags, *(task.id for task in tasks)}, hint=hint)
        chosen |= matching
    return [task.id for task in tasks if task.id in chosen]


def select_one(tasks: Sequence[str], text: str, suite: str) -> str:
    """The one task of that name; else the one that the glob, or beginning of a name, fits.

    Raises:
        UnknownName: it fits none.
        UsageError: it fits several; the message names three.
    """
    if text in tasks:
        return text
    fitting = [task for task in tasks if fnmatchcase(task, text)] or [task for task in tasks if task.startswith(text)]
    if not fitting:
        raise UnknownName.among(f"task of {suite}", text, tasks, hint=f"(`unibench tasks {suite}` lists them)")
    if len(fitting) > 1:
        more = f" and {len(fitting) - 3} more" if len(fitting) > 3 else ""
        raise UsageError(f"{text!r} fits {len(fitting)} tasks of {suite}: {', '.join(fitting[:3])}{more}; say which one")
    return fitting[0]
