"""What an adb says of the phone before a session takes it for an emulator."""

from __future__ import annotations

from pathlib import Path

import pytest

from unibench.errors import EnvironmentFault, UsageError
from unibench_android_world import machines


def adb(folder: Path, script: str) -> str:
    path = folder / "adb"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture(autouse=True)
def no_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(machines.AS_EMULATOR, raising=False)


def test_an_emulators_build(tmp_path: Path) -> None:
    script = '[ "$*" = "-s emulator-5554 shell getprop ro.build.fingerprint" ] && echo google/sdk_gphone64/13'
    assert machines.build_of(adb(tmp_path, script), 5554) == "google/sdk_gphone64/13"


def test_a_simulated_device_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="emulator-5554 is unibench's simulated device and no emulator"):
        machines.build_of(adb(tmp_path, "echo unibench/simdevice"), 5554)


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo google/x; echo 'error: closed' >&2; exit 1", "emulator-5554 does not say its build: error: closed"),
        ("exit 0", "emulator-5554 does not say its build: status 0"),
        ("exec sleep 30", "emulator-5554 did not say its build within 0.2 s"),
    ],
)
def test_a_phone_that_does_not_say_its_build_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, says: str) -> None:
    monkeypatch.setattr(machines, "ANSWER_SECONDS", 0.2)
    with pytest.raises(EnvironmentFault, match=says):
        machines.build_of(adb(tmp_path, script), 5554)
