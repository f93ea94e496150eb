"""Files that a rule judges, other than office documents."""

from __future__ import annotations

from unibench.golden.control import Control
from unibench_osworld.task_files import TaskFile

TASKS: dict[str, object] = {}


def file_controls(task: TaskFile) -> list[Control]:
    return []
