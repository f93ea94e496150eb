"""OSWorld's golden module: which recipe a task has."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping, Sequence
from functools import cached_property

from unibench.golden.control import Control
from unibench.golden.results import ControlRun
from unibench.task import InstanceSpec
from unibench_golden_checks.osworld import artefacts, browser, chromium, refusals, settings, workbook
from unibench_golden_checks.osworld.artefacts import artefact_controls
from unibench_golden_checks.osworld.refusals import refusal_controls
from unibench_golden_checks.osworld.settings import Recipe
from unibench_osworld import FOLDERS
from unibench_osworld.task_files import TaskFile, TaskSet, task_set

TABLE: dict[str, Recipe] = {**chromium.TABLE}
"""Recipes of single tasks, by task id."""


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
        if recipe := TABLE.get(task.id):
            return recipe.controls()
        return artefact_controls(task)

    def recipe_digest(self, task: str) -> str:
        text = "".join(inspect.getsource(module) for module in (artefacts, workbook)) + inspect.getsource(refusal_controls)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def repro(self, spec: InstanceSpec, goal: str, run: ControlRun, packages: Mapping[str, str]) -> str:
        return ""

    def true_at_start(self, task: str) -> bool:
        return False


MODULE = OsworldGolden()
