"""WindowsAgentArena in its session process: OSWorld's suite with other tasks, tables, machine and evaluator package."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from unibench.data import Problem
from unibench.environments import site_packages
from unibench.settings import Settings
from unibench.suite import SuiteFace
from unibench_guests.windows import WindowsGuestClient
from unibench_osworld import DesktopSettings
from unibench_osworld.describe import Upstream
from unibench_osworld.suite import OsworldSuite
from unibench_osworld.task_check import Known, check_tasks, installed_source, without_evaluators
from unibench_osworld.task_files import TaskFile, TaskSet, find_folder, task_set
from unibench_osworld.upstream_source import UpstreamSource
from unibench_windows_agent_arena import EXAMPLES, FACE, FOLDERS, NAME, PATH_MAPPED
from unibench_windows_agent_arena.tables import getter, metric, tables
from unibench_windows_agent_arena.without_programs import definition_without, lacking

if TYPE_CHECKING:
    from unibench_osworld.machines import Machine

KNOWN = Known(*tables(), windows=True)
INSTALLING = f"unibench install {NAME} --from CHECKOUT"
"""The command that installs the suite's own evaluators, which are on no package index."""


def examples() -> str:
    """The folder of the level that this session process is for."""
    return os.environ.get("UNIBENCH_WINDOWS_AGENT_ARENA_EXAMPLES", EXAMPLES["normal"])


class WindowsAgentArenaSuite(OsworldSuite):
    """WindowsAgentArena's 154 tasks. Without its own evaluators, OSWorld's functions of the same name serve, and the record says so."""

    name: ClassVar[str] = NAME
    face: ClassVar[SuiteFace] = FACE
    os_type: ClassVar[str] = "Windows"
    steps: ClassVar[int] = 15
    known: ClassVar[Known] = KNOWN

    @cached_property
    def files(self) -> TaskSet:
        return task_set(self.name, FOLDERS, examples=examples())

    @cached_property
    def grader_suite(self) -> str:
        """The suite whose environment judges: its own where it is installed, else OSWorld's."""
        return judging()

    @cached_property
    def evaluators(self) -> Upstream:
        env = "desktop_env.envs.desktop_env" if self.grader_suite == self.name else "desktop_env.desktop_env"
        return Upstream("desktop_env", self.package_version, metric, getter, env)

    def upstream(self) -> Mapping[str, str]:
        whose = "microsoft/WindowsAgentArena" if self.grader_suite == self.name else "xlang-ai/OSWorld"
        return {"desktop_env": f"{self.package_version} of {whose}", "tasks": self.files.version}

    @property
    def installing(self) -> str:
        return INSTALLING

    @property
    def judges(self) -> str:
        return "" if self.grader_suite == self.name else in_place_of_own(self.package_version)

    def problems(self) -> list[Problem]:
        return check_levels(self.files.folder, self.source)

    @property
    def _skew_mend(self) -> str:
        return "" if self.grader_suite == self.name else f"its own evaluators: {self.installing}"

    def unavailable(self, task: str, settings: Settings, substrate: str) -> tuple[str, ...]:
        reasons = super().unavailable(task, settings, substrate)
        if substrate == PATH_MAPPED:
            reasons += tuple(lacking(self.files[task]))
        return reasons

    def _visited(self, task: TaskFile, settings: DesktopSettings) -> list[str]:
        """Nothing: on a Windows guest the browser has the guest's own network."""
        return []

    def machine(self, settings: DesktopSettings, substrate: str) -> Machine:
        if substrate == PATH_MAPPED:
            from unibench_windows_agent_arena.machines import PathMapped

            return PathMapped()
        return super().machine(settings, substrate)

    def client(self, url: str, settings: DesktopSettings) -> WindowsGuestClient:
        return WindowsGuestClient(url, seconds=settings.guest_seconds)

    def prepared(self, task: TaskFile, substrate: str) -> tuple[Mapping[str, Any], tuple[str, ...]]:
        return definition_without(task) if substrate == PATH_MAPPED else super().prepared(task, substrate)

    def lenient(self, task: TaskFile, settings: DesktopSettings) -> bool:
        """For a refusal, whose verifier looks at what the agent said alone; else what can be done without is left out (``prepared``)."""
        return settings.stand_ins and task.infeasible

    def stand_ins(self, task: str, settings: Settings) -> tuple[str, ...]:
        assert isinstance(settings, DesktopSettings)
        return tuple(self.store(settings).stand_ins(self.files[task]))


def judging() -> str:
    """The suite whose environment judges: this one where it is installed, else OSWorld's."""
    return NAME if site_packages(NAME) is not None else "osworld"


def in_place_of_own(version: str) -> str:
    """Whose evaluators serve where the suite's own are not installed."""
    return f"OSWorld's {version} in place of its own"


def check_levels(root: Path, source: UpstreamSource | None) -> list[Problem]:
    """The problems of the tasks of both levels; what both levels have, once."""
    found: list[Problem] = []
    for level in EXAMPLES.values():
        here = check_tasks(TaskSet.load(root, examples=level), source, KNOWN)
        before = set(found)
        found += [problem for problem in here if problem not in before]
    return found


def check_folder(folder: Path) -> Sequence[Problem]:
    """All problems of a folder's tasks, of both levels, for ``unibench data --check``; by the evaluators that would judge."""
    return check_levels(find_folder(folder, FOLDERS), installed_source(judging()))


def left_unchecked() -> str:
    """What :func:`check_folder` leaves out on this machine, or whose evaluators it takes, with the mend."""
    source = installed_source(judging())
    if source is None:
        return without_evaluators(INSTALLING)
    return "" if judging() == NAME else f"checked with {in_place_of_own(source.version)} -> {INSTALLING}"
