"""WindowsAgentArena in its session process: OSWorld's suite with other tasks, tables, machine and evaluator package."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from unibench.data import Problem
from unibench.environments import site_packages
from unibench.settings import Settings
from unibench.suite import SuiteFace
from unibench_osworld.describe import Upstream
from unibench_osworld.suite import OsworldSuite
from unibench_osworld.task_check import Known, check_tasks, installed_source, used_getters
from unibench_osworld.task_files import TaskSet, find_folder, task_set
from unibench_windows_agent_arena import EXAMPLES, FACE, FOLDERS, NAME
from unibench_windows_agent_arena.tables import getter, metric, tables

KNOWN = Known(*tables(), windows=True)


class WindowsAgentArenaSuite(OsworldSuite):
    """WindowsAgentArena's 154 tasks. Without its own evaluators, OSWorld's functions of the same name serve, and the record says so."""

    name: ClassVar[str] = NAME
    face: ClassVar[SuiteFace] = FACE
    os_type: ClassVar[str] = "Windows"
    steps: ClassVar[int] = 15
    known: ClassVar[Known] = KNOWN

    @cached_property
    def files(self) -> TaskSet:
        examples = os.environ.get("UNIBENCH_WINDOWS_AGENT_ARENA_EXAMPLES", EXAMPLES["normal"])
        return task_set(self.name, FOLDERS, examples=examples)

    @cached_property
    def grader_suite(self) -> str:
        """The suite whose environment judges: its own where it is installed, else OSWorld's."""
        return self.name if site_packages(self.name) is not None else "osworld"

    @cached_property
    def evaluators(self) -> Upstream:
        return Upstream("desktop_env", self.package_version, metric, getter)

    def upstream(self) -> Mapping[str, str]:
        whose = "microsoft/WindowsAgentArena" if self.grader_suite == self.name else "xlang-ai/OSWorld"
        return {"desktop_env": f"{self.package_version} of {whose}", "tasks": self.files.version}

    def unavailable(self, task: str, settings: Settings, substrate: str) -> tuple[str, ...]:
        reasons = list(super().unavailable(task, settings, substrate))
        if substrate != "remote":
            needed = {name: getter(name).windows for name in used_getters(self.files[task]) if getter(name).windows}
            reasons += [f"the getter {name} needs {what} of Windows" for name, what in needed.items()]
        return tuple(reasons)


def check_folder(folder: Path) -> Sequence[Problem]:
    """All problems of a folder's tasks, of both levels, for ``unibench data --check``."""
    root = find_folder(folder, FOLDERS)
    source = installed_source(NAME)
    found = [p for examples in EXAMPLES.values() for p in check_tasks(TaskSet.load(root, examples=examples), source, KNOWN)]
    return list(dict.fromkeys(found))
