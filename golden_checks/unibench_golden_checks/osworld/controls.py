"""OSWorld's golden module: which recipe a task has."""

from __future__ import annotations

import hashlib
import inspect
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
    browser,
    calc_edits,
    chromium,
    device,
    documents,
    files,
    gimp,
    history,
    impress_edits,
    mail_profile,
    office,
    office_settings,
    on_screen,
    one_text,
    settings,
    stand_ins,
    terminal,
    thunderbird,
    uno_bridge,
    vlc,
    widgets,
    workbook,
    writer_edits,
)
from unibench_golden_checks.osworld.app_files import app_file_controls
from unibench_golden_checks.osworld.artefacts import artefact_controls
from unibench_golden_checks.osworld.documents import document_controls
from unibench_golden_checks.osworld.files import file_controls
from unibench_golden_checks.osworld.refusals import refusal_controls
from unibench_golden_checks.osworld.repro import script
from unibench_golden_checks.osworld.settings import Recipe
from unibench_guests.local.programs import MORE_APPLICATIONS
from unibench_osworld import FOLDERS
from unibench_osworld.task_files import TaskFile, TaskSet, task_set

_RECIPES = {
    chromium: (settings, browser),
    address_bar: (settings, browser, on_screen, widgets),
    device: (settings,),
    office_settings: (settings, office),
    history: (settings,),
    terminal: (settings, device),
    vlc: (settings,),
}
"""Modules with a table of recipes by task id, and what they stand on."""
_WITH_PROGRAM = {
    gimp: ("gimp", (settings, on_screen, widgets)),
    thunderbird: ("thunderbird", (settings, on_screen, widgets, app_files, mail_profile)),
}
"""Likewise, for machines that have the program; where it is not, the application's file may do (``app_files``)."""


def recipe_of(task: str) -> tuple[Recipe, tuple[ModuleType, ...]] | None:
    """A task's recipe, and the modules that it comes from."""
    for module, below in _RECIPES.items():
        if found := module.TABLE.get(task):
            return (found if isinstance(found, Recipe) else found()), (module, *below)
    for module, (program, below) in _WITH_PROGRAM.items():
        if (found := module.TABLE.get(task)) and Path(MORE_APPLICATIONS[program]).exists():
            return found, (module, *below)
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
        return (task in app_files.TASKS and recipe_of(task) is None) or task in files.TASKS

    def makes(self, place: str) -> bool:
        return stand_ins.recipe(place) is not None

    def make(self, place: str) -> bytes:
        wanted = stand_ins.recipe(place)
        assert wanted is not None
        return stand_ins.made(**wanted)


def _modules(task: str) -> tuple[ModuleType, ...]:
    """The modules that a task's recipe comes from."""
    if found := recipe_of(task):
        return found[1]
    if task in documents.TASKS:
        return (documents, office, uno_bridge, writer_edits, impress_edits, calc_edits)
    if task in app_files.TASKS:
        return (app_files,)
    return (files,) if task in files.TASKS else (artefacts, workbook, one_text)


MODULE = OsworldGolden()
