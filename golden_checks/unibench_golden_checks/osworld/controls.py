"""OSWorld's golden module: which recipe a task has."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import ModuleType

from unibench.actions import Done, Infeasible
from unibench.golden.control import BELOW_GOLDEN, PASSED, Control, Provenance, Role
from unibench.golden.results import ControlRun
from unibench.task import InstanceSpec
from unibench_golden_checks.osworld import (
    artefacts,
    calc_edits,
    documents,
    files,
    impress_edits,
    office,
    stand_ins,
    uno_bridge,
    workbook,
    writer_edits,
)
from unibench_golden_checks.osworld.artefacts import artefact_controls
from unibench_golden_checks.osworld.documents import document_controls
from unibench_golden_checks.osworld.files import file_controls
from unibench_osworld import FOLDERS
from unibench_osworld.task_files import TaskFile, TaskSet, task_set

BY_WORDS = Provenance(source="instruction", means="nothing", note="the task asks for what the machine cannot do")


def refusal_controls() -> list[Control]:
    """A task that cannot be done: only saying so is right."""
    return [
        Control("golden", Role.GOLDEN, PASSED, BY_WORDS, final=(Infeasible(reason="this cannot be done here"),)),
        Control("claims-infeasible", Role.TRIVIAL, PASSED, BY_WORDS, final=(Infeasible(reason="this cannot be done here"),)),
        Control("takes-it-back", Role.MUTANT, BELOW_GOLDEN, BY_WORDS, final=(Infeasible(reason="this cannot be done here"), Done())),
    ]


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
        return document_controls(task) or file_controls(task) or artefact_controls(task)

    def recipe_digest(self, task: str) -> str:
        text = "".join(inspect.getsource(module) for module in _modules(task)) + inspect.getsource(refusal_controls)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def repro(self, spec: InstanceSpec, goal: str, run: ControlRun, packages: Mapping[str, str]) -> str:
        return ""

    def true_at_start(self, task: str) -> bool:
        return False

    # Initial files that cannot be had

    @property
    def version(self) -> str:
        return stand_ins.version()

    def makes(self, place: str) -> bool:
        return stand_ins.recipe(place) is not None

    def make(self, place: str) -> bytes:
        wanted = stand_ins.recipe(place)
        assert wanted is not None
        return stand_ins.made(**wanted)


def _modules(task: str) -> tuple[ModuleType, ...]:
    """The modules that a task's recipe comes from."""
    if task in documents.TASKS:
        return (documents, office, uno_bridge, writer_edits, impress_edits, calc_edits)
    return (files,) if task in files.TASKS else (artefacts, workbook)


MODULE = OsworldGolden()
