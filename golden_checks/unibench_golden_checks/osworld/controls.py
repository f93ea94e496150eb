"""OSWorld's golden module: which recipe a task has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import ModuleType

from unibench.golden.control import Control
from unibench.golden.results import ControlRun
from unibench.task import InstanceSpec
from unibench_golden_checks.osworld import (
    address_bar,
    app_files,
    artefacts,
    chromium,
    device,
    documents,
    files,
    gimp,
    history,
    office_settings,
    refusals,
    stand_ins,
    terminal,
    thunderbird,
    vlc,
)
from unibench_golden_checks.osworld.app_files import app_file_controls
from unibench_golden_checks.osworld.artefacts import artefact_controls
from unibench_golden_checks.osworld.documents import document_controls
from unibench_golden_checks.osworld.files import file_controls
from unibench_golden_checks.osworld.refusals import refusal_controls
from unibench_golden_checks.osworld.repro import script
from unibench_golden_checks.osworld.settings import Recipe
from unibench_golden_checks.sources import digest_of
from unibench_guests.local.programs import MORE_APPLICATIONS
from unibench_osworld import FOLDERS
from unibench_osworld.task_files import TaskFile, TaskSet, task_set

_RECIPES = (chromium, address_bar, device, office_settings, history, terminal, vlc)
"""Modules with a table of recipes by task id."""
_WITH_PROGRAM = {gimp: "gimp", thunderbird: "thunderbird"}
"""Likewise, for machines that have the program; where it is not, the application's file may do (``app_files``)."""


def recipe_of(task: str) -> tuple[Recipe, ModuleType] | None:
    """A task's recipe, and the module that it is in."""
    for module in _RECIPES:
        if found := module.TABLE.get(task):
            return (found if isinstance(found, Recipe) else found()), module
    for module, program in _WITH_PROGRAM.items():
        if (found := module.TABLE.get(task)) and Path(MORE_APPLICATIONS[program]).exists():
            return found, module
    return None


class OsworldGolden:
    """The port that ``unibench golden-check osworld`` drives."""

    @cached_property
    def _tasks(self) -> TaskSet:
        return task_set("osworld", FOLDERS)

    def controls(self, spec: InstanceSpec) -> Sequence[Control]:
        return self._controls(self._tasks[spec.task])

    def _controls(self, task: TaskFile) -> list[Control]:
        if task.infeasible:
            return refusal_controls()
        if found := recipe_of(task.id):
            return found[0].controls()
        return document_controls(task) or file_controls(task) or app_file_controls(task) or artefact_controls(task)

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
        return (task in app_files.TASKS and recipe_of(task) is None) or task in files.TASKS

    def makes(self, place: str) -> bool:
        return stand_ins.recipe(place) is not None

    def make(self, place: str) -> bytes:
        wanted = stand_ins.recipe(place)
        assert wanted is not None
        return stand_ins.made(**wanted)


def _module(task: str) -> ModuleType:
    """The module that a task's recipe is in."""
    if found := recipe_of(task):
        return found[1]
    return next((module for module in (documents, app_files, files) if task in module.TASKS), artefacts)


MODULE = OsworldGolden()
