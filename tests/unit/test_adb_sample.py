"""The recorded sample (see tests/data/README.md) on a fresh device, and on altered transcripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from unibench_guests.simdevice import SimulatedDevice, userland
from unibench_guests.simdevice.recording import files_of
from unibench_guests.simdevice.transcript import Call, conform, read

pytestmark = pytest.mark.skipif(bool(userland.missing()), reason="apt install mksh toybox, then: pytest tests/unit/test_adb_sample.py")

SAMPLE = Path(__file__).parents[1] / "data/adb_sample.jsonl"
PACKAGES = ("com.android.camera2", "com.google.androidenv.accessibilityforwarder")


@pytest.fixture
def device(tmp_path: Path) -> Iterator[SimulatedDevice]:
    made = SimulatedDevice(tmp_path, packages=PACKAGES)
    for folder in ("/data/data/android_world/snapshots/com.android.camera2", "/sdcard/Pictures", "/sdcard/Movies"):
        made.path(folder).mkdir(parents=True)
    for flag in ("SET_GRPC", "ENABLE_ACCESSIBILITY_TREE_LOGS"):
        action = f"accessibility_forwarder.intent.action.{flag}"
        made.receivers[action] = lambda device, asked: f"Broadcasting: Intent {{ act={asked['action']} }}\nBroadcast completed: result=0\n"
    yield made
    made.close()


def differing(device: SimulatedDevice, calls: list[Call]) -> list[tuple[int, str]]:
    return [(each.number, each.what) for each in conform(device, calls, files_of(SAMPLE))]


def test_the_sample_says_that_a_simulated_device_was_recorded() -> None:
    about, calls = read(SAMPLE)
    assert (about.device, about.simulated) == ("unibench/simdevice", True)
    assert {call.args[0] for call in calls} == {"shell", "push"}


def test_the_device_still_says_what_was_recorded(device: SimulatedDevice) -> None:
    assert differing(device, read(SAMPLE)[1]) == []


def first(calls: list[Call], meant: Callable[[Call], bool]) -> int:
    return next(number for number, call in enumerate(calls) if meant(call))


@pytest.mark.parametrize(
    ("meant", "altered", "what"),
    [
        (lambda call: call.args[:2] == ("shell", "whoami"), {"out": "shell"}, "output"),
        (lambda call: call.out == "IMG_1.jpg", {"out": "IMG_2.jpg"}, "output"),
        (lambda call: call.args[:2] == ("shell", "date"), {"out": "Sun Oct 15 2023"}, "output"),
        (lambda call: call.args[1] == "rm", {"code": 1}, "exit code"),
        (lambda call: call.args[0] == "push", {"file": "0" * 32}, "file"),
    ],
)
def test_an_altered_transcript_differs_there(
    device: SimulatedDevice, meant: Callable[[Call], bool], altered: dict[str, object], what: str
) -> None:
    calls = read(SAMPLE)[1]
    number = first(calls, meant)
    calls[number] = calls[number].model_copy(update=altered)
    assert (number + 1, what) in differing(device, calls)


def test_a_command_that_was_not_run_shows_in_what_comes_after(device: SimulatedDevice) -> None:
    calls = read(SAMPLE)[1]
    push = first(calls, lambda call: call.args[0] == "push")
    del calls[push]
    assert differing(device, calls)[0][0] == push + 1, "chmod of a file that was not pushed"
