"""WindowsAgentArena's golden module: which recipe a task has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import ModuleType

from unibench.golden.control import Control
from unibench.golden.results import ControlRun
from unibench.task import InstanceSpec
from unibench_golden_checks.osworld import refusals
from unibench_golden_checks.osworld.refusals import refusal_controls
from unibench_golden_checks.sources import digest_of
from unibench_golden_checks.windows_agent_arena import app_files, artefacts, browsers, documents, explorer, stand_ins
from unibench_golden_checks.windows_agent_arena.artefacts import artefact_controls
from unibench_golden_checks.windows_agent_arena.repro import kept, script
from unibench_osworld.task_files import TaskFile, TaskSet, task_set
from unibench_windows_agent_arena import FOLDERS, NAME
from unibench_windows_agent_arena.suite import examples

_RECIPES = (explorer, app_files, browsers, documents)
"""Modules with a table of recipes by task id."""


class WindowsAgentArenaGolden:
    """The port that ``unibench golden-check windows-agent-arena`` drives."""

    @cached_property
    def _tasks(self) -> TaskSet:
        return task_set(NAME, FOLDERS, examples=examples())

    def controls(self, spec: InstanceSpec) -> Sequence[Control]:
        return self._controls(self._tasks[spec.task])

    def _controls(self, task: TaskFile) -> list[Control]:
        if task.infeasible:
            return refusal_controls()
        if file := app_files.FILES.get(task.id):
            return _kept(file.controls())
        for module in _RECIPES:
            if recipe := module.TABLE.get(task.id):
                return _kept(recipe.controls())
        return artefact_controls(task)

    def recipe_digest(self, task: str) -> str:
        return digest_of([_module(task).__name__, refusals.__name__])

    def repro(self, spec: InstanceSpec, goal: str, run: ControlRun, packages: Mapping[str, str]) -> str:
        return script(self._tasks[spec.task], run, packages)

    def true_at_start(self, task: str) -> bool:
        return False

    # Initial files that cannot be had

    @property
    def version(self) -> str:
        return stand_ins.version()

    def without_programs(self, task: str) -> bool:
        return False

    def makes(self, place: str) -> bool:
        return stand_ins.recipe(place) is not None

    def make(self, place: str) -> bytes:
        return stand_ins.make(place)


def _kept(controls: list[Control]) -> list[Control]:
    """The controls, with the user's files kept with what they made."""
    return [replace(each, build=kept(each.build)) if each.build is not None else each for each in controls]


def _module(task: str) -> ModuleType:
    """The module that a task's recipe is in."""
    if task in app_files.FILES:
        return app_files
    return next((module for module in _RECIPES if task in module.TABLE), artefacts)


MODULE = WindowsAgentArenaGolden()
