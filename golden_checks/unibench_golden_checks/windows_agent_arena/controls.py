"""WindowsAgentArena's golden module: which recipe a task has."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import ModuleType

from unibench.golden.control import Control
from unibench.golden.results import ControlRun
from unibench.task import InstanceSpec
from unibench_golden_checks.osworld import app_files as osworld_app_files
from unibench_golden_checks.osworld import artefacts as osworld_artefacts
from unibench_golden_checks.osworld import one_text, settings, workbook
from unibench_golden_checks.osworld.refusals import refusal_controls
from unibench_golden_checks.windows_agent_arena import app_files, artefacts, browsers, documents, explorer, making, stand_ins
from unibench_golden_checks.windows_agent_arena.artefacts import artefact_controls
from unibench_golden_checks.windows_agent_arena.repro import kept, script
from unibench_osworld.task_files import TaskFile, TaskSet, task_set
from unibench_windows_agent_arena import FOLDERS, NAME
from unibench_windows_agent_arena.suite import examples

_RECIPES: dict[ModuleType, tuple[ModuleType, ...]] = {
    explorer: (settings, making),
    app_files: (settings, making),
    browsers: (settings, making, explorer),
    documents: (settings, making),
}
"""Modules with a table of recipes by task id, and what they stand on."""


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
        text = "".join(inspect.getsource(module) for module in _modules(task)) + inspect.getsource(refusal_controls)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

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


def _modules(task: str) -> tuple[ModuleType, ...]:
    """The modules that a task's recipe comes from."""
    if task in app_files.FILES:
        return (app_files, osworld_app_files)
    for module, below in _RECIPES.items():
        if task in module.TABLE:
            return (module, *below)
    return (artefacts, osworld_artefacts, workbook, one_text)


MODULE = WindowsAgentArenaGolden()
