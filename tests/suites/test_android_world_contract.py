"""AndroidWorld with its upstream, on the simulated device. Needs an environment that holds upstream; CI has none."""

from __future__ import annotations

import os
from typing import ClassVar

import pytest

from unibench import registry
from unibench.errors import Unavailable
from unibench.task import InstanceSpec
from unibench.testing import SuiteContract
from unibench.verdict import Status
from unibench_guests.simdevice import userland

needs_upstream = pytest.mark.skipif(
    not os.environ.get("UNIBENCH_PYTHON_ANDROID_WORLD") or bool(userland.missing()),
    reason="needs android_world (unibench install android_world) and apt install mksh toybox; then: "
    "UNIBENCH_PYTHON_ANDROID_WORLD=PYTHON pytest tests/suites/test_android_world_contract.py",
)


@needs_upstream
class TestAndroidWorld(SuiteContract):
    suite: ClassVar[str] = "android_world"
    tasks: ClassVar[tuple[str, ...]] = ("SystemBrightnessMax", "ExpenseAddSingle", "SimpleCalendarEventsOnDate", "MarkorCreateFolder")
    golden: ClassVar[tuple[str, ...]] = ("SystemBrightnessMax", "SimpleCalendarAddOneEvent", "SimpleSmsResend", "SystemWifiTurnOnVerify")
    upstream_modules: ClassVar[tuple[str, ...]] = ("android_world", "android_env")
    substrate: ClassVar[str | None] = "simdevice"

    def test_all_116_tasks_are_there(self) -> None:
        assert len(self.remote.tasks()) == 116

    def test_the_file_that_a_verifier_hands_on_to_is_among_those_that_judge(self) -> None:
        sources = [source.path for source in self.remote.describe("FilesMoveFile").sources]
        assert sources[0].endswith("single/files.py")
        assert "android_world/task_evals/common_validators/file_validators.py" in sources

    def test_a_composites_parts_are_judged_apart(self) -> None:
        self.remote.reset(self.remote.draw("TurnOffWifiAndTurnOnBluetooth", 0))
        verdict = self.remote.verify()
        assert [child.status for child in verdict.children] == [Status.FAIL, Status.FAIL]
        assert verdict.descriptor.scale == "graded"

    def test_the_same_record_gives_the_same_initial_state_on_a_fresh_device(self) -> None:
        """TasksDueNextWeek draws uuids, SimpleSmsReply writes times, RetroPlaylistDuration draws before it seeds."""
        for task in ("TasksDueNextWeek", "SimpleSmsReply", "RecipeDeleteDuplicateRecipes2"):
            spec = self.remote.draw(task, 30)
            first = self.remote.reset(spec)
            with registry.open_suite(self.suite, self.remote.settings, self.substrate) as fresh:
                again = fresh.reset(InstanceSpec.model_validate_json(spec.model_dump_json()))
            assert (again.brief, again.initial_state) == (first.brief, first.initial_state)

    def test_verifiers_read_what_their_descriptors_say(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from unibench_android_world import commands

        tasks = ["SystemWifiTurnOn", "RetroSavePlaylist", "SimpleSmsSend", "TasksDueOnDate"]
        assert list(commands.reads(tasks))[-1].startswith("4 tasks judged (0 of them untouched alone")

    def test_no_emulator_is_said(self) -> None:
        settings = registry.find_face(self.suite).settings.parse({"adb_path": "/nowhere/adb"})
        with registry.open_suite(self.suite, settings, "emulator") as remote, pytest.raises(Unavailable, match="no adb"):
            remote.open()
