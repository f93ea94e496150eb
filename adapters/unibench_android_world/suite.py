"""AndroidWorld in its session process: upstream's own task classes, imported and unmodified."""

from __future__ import annotations

import hashlib
import importlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

from unibench.errors import InvalidSetting, Unavailable, UnibenchError, UnknownName
from unibench.settings import Settings
from unibench.suite import Finding, Session, Suite
from unibench.task import Budget, InstanceSpec, Task
from unibench.verdict import VerifierDescriptor
from unibench_android_world import FACE, AndroidWorldSettings, emulators, params, verifiers

_INSTALL = "make its environment with: unibench install android_world"


class AndroidWorldSuite(Suite):
    """The 116 tasks of upstream's registry ``android_world``."""

    name: ClassVar[str] = "android_world"

    def __init__(self) -> None:
        shared = Path(tempfile.gettempdir())
        try:
            from unibench_android_world import upstream

            upstream.sweep(shared)
            self.folder = upstream.own_folder()  # first: upstream asks for the place of temporary files while it is imported
            registry = importlib.import_module("android_world.registry")
            self._draw = importlib.import_module("android_world.suite_utils")._instantiate_task
        except ImportError as error:
            raise Unavailable(f"AndroidWorld needs its upstream: {error}; {_INSTALL}") from None
        upstream.quiet()
        upstream.remember_songs(importlib.import_module("android_world.task_evals.utils.user_data_generation"), self.folder)
        self.ffmpeg = upstream.provide_ffmpeg(self.folder)
        self._versions = upstream.versions()
        self.classes: dict[str, type[Any]] = dict(registry.TaskRegistry().get_registry("android_world"))

    def upstream(self) -> Mapping[str, str]:
        return self._versions

    def task_class(self, task: str) -> type[Any]:
        """Upstream's class for a task.

        Raises:
            UnknownName: there is no such task.
        """
        try:
            return self.classes[task]
        except KeyError:
            raise UnknownName.among("task of android_world", task, self.classes) from None

    @cached_property
    def _tasks(self) -> dict[str, Task]:
        path = files("android_world").joinpath("task_metadata.json")
        known = {entry["task_name"]: entry for entry in json.loads(path.read_text(encoding="utf-8"))}
        return {name: self._task(name, known.get(name, {})) for name in self.classes}

    def _task(self, name: str, known: Mapping[str, Any]) -> Task:
        return Task(
            suite=self.name,
            id=name,
            instruction=str(known.get("task_template", name)),
            budget=Budget(steps=self._steps(name)),
            tags=tuple(filter(None, (known.get("difficulty", ""), *known.get("tags", ())))),
            human_steps=int(known["optimal_steps"]) if known.get("optimal_steps") else None,
        )

    def _steps(self, name: str) -> int:
        """Upstream's budget (android_world/suite_utils.py at d9c569f7, ``_allocate_step_budget``)."""
        complexity = self.classes[name].complexity
        if not isinstance(complexity, int | float):  # a property of the instance
            complexity = self.classes[name](self._drawn(name, 0, 0)).complexity
        return int(10 * complexity)

    def task(self, name: str) -> Task:
        self.task_class(name)
        return self._tasks[name]

    def tasks(self) -> Sequence[Task]:
        return list(self._tasks.values())

    def draw(self, task: str, seed: int, index: int = 0) -> InstanceSpec:
        """The instance that upstream's ``create_suite(registry, n_task_combinations=index + 1, seed=seed)`` has at ``index``."""
        self.task_class(task)
        drawn = self._drawn(task, seed, index)
        return InstanceSpec(suite=self.name, task=task, seed=seed, index=index, params={"drawn": params.to_json(drawn)})

    def _drawn(self, task: str, seed: int, index: int) -> dict[str, Any]:
        """Upstream's own draw, caught before the task object changes it (MarkorTranscribeReceipt takes its image out)."""
        from android_world.env import device_constants
        from android_world.task_evals.single import markor

        from unibench_android_world import upstream

        cls = self.classes[task]

        class Caught:
            """What upstream's ``_instantiate_task`` takes for the task class: it gives the parameters back as they were drawn."""

            set_device_time = cls.set_device_time
            generate_random_params = cls.generate_random_params

            def __call__(self, drawn: dict[str, Any]) -> dict[str, Any]:
                return drawn

        with upstream.device_clock(markor, device_constants.DT):
            found: dict[str, Any] = self._draw(Caught(), seed=instance_seed(seed, task, index), env=None)
        return found

    def describe(self, task: str, settings: Settings) -> VerifierDescriptor:
        return verifiers.describe(task, self.task_class(task), self.classes, self._versions)

    def unavailable(self, task: str, settings: Settings, substrate: str) -> tuple[str, ...]:
        self.task_class(task)
        found = []
        if substrate == "simdevice" and task in verifiers.JUDGED_BY_THE_SCREEN:
            found.append("the screen decides, and the simulated device has no apps to show one; it needs an emulator")
        if task.startswith("Retro") and not self.ffmpeg:
            found.append("its set-up writes MP3 files with ffmpeg; apt install ffmpeg, or pip install imageio-ffmpeg")
        return tuple(found)

    def open(self, settings: Settings, substrate: str) -> Session:
        from unibench_android_world.session import open_session

        assert isinstance(settings, AndroidWorldSettings)
        check_settings(settings, substrate)
        return open_session(self, settings, FACE.substrate(substrate))

    def probe(self, settings: Settings) -> Sequence[Finding]:
        """Brings one task up on the simulated device, and looks for an emulator."""
        from unibench_android_world.session import open_session

        assert isinstance(settings, AndroidWorldSettings)
        found = [Finding(what=name, ok=True, detail=number) for name, number in self._versions.items()]
        mend = "apt install ffmpeg, or pip install imageio-ffmpeg"
        found.append(Finding(what="ffmpeg", ok=self.ffmpeg, detail="four tasks write MP3 files with it", mend="" if self.ffmpeg else mend))
        for machine in FACE.substrates:
            try:
                session = open_session(self, settings, machine)
                try:
                    session.reset(self.draw("SystemBrightnessMax", 0))
                    said = session.verify().status
                finally:
                    session.close()
                found.append(Finding(what=machine.name, ok=True, detail=f"SystemBrightnessMax came up; untouched: {said}"))
            except UnibenchError as error:
                more = f"; {emulators.virtual_devices(settings)}" if machine.name == "emulator" else ""
                found.append(Finding(what=machine.name, ok=False, detail=f"{error}{more}"))
        return found


def check_settings(settings: AndroidWorldSettings, substrate: str) -> None:
    """Refuses what a simulated device would ignore.

    Raises:
        InvalidSetting: a setting is given that is the emulator's.
    """
    for name in ("avd", "snapshot", "first_setup"):
        if substrate != "emulator" and getattr(settings, name):
            raise InvalidSetting(f"{name} needs --substrate emulator; this is {substrate}, which does not read it")


def instance_seed(seed: int, task: str, index: int) -> int:
    """Upstream's seed of an instance (android_world/suite_utils.py at d9c569f7, ``create_suite``)."""
    return int(hashlib.sha256(f"{seed}_{task}_{index}".encode()).hexdigest(), 16) % 2**32
