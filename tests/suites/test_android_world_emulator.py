"""The emulator's path (load_and_setup_env with ports and an adb, actions, observations, runs, repro.py) over a served simulated device.

Needs an environment that holds upstream, and adb; CI has none. What only an emulator has (boot, forwarder, pixels, touches) is not shown.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from unibench import registry
from unibench.actions import Back, Done, Home, Native, OpenApp, Wait
from unibench.errors import InvalidSetting, UsageError
from unibench.golden.ledger import read_ledger
from unibench.runs.store import RunStore
from unibench.session.remote import RemoteSuite
from unibench.verdict import Status
from unibench_android_world.emulators import AS_EMULATOR
from unibench_guests.simdevice import userland

pytestmark = pytest.mark.skipif(
    not os.environ.get("UNIBENCH_PYTHON_ANDROID_WORLD") or bool(userland.missing()) or shutil.which("adb") is None,
    reason="needs android_world (unibench install android_world) and apt install mksh toybox adb; then: "
    "UNIBENCH_PYTHON_ANDROID_WORLD=PYTHON pytest tests/suites/test_android_world_emulator.py",
)


def unibench(here: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "unibench", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=here, timeout=600)


@pytest.fixture(scope="module")
def phone() -> Iterator[dict[str, str]]:
    """A served simulated device: its ports."""
    command = [sys.executable, "-m", "unibench", "android", "phone"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as served:
        assert served.stdout and served.stderr
        said = served.stdout.readline() + served.stdout.readline()
        found = re.search(r"--console-port (\d+) --grpc-port (\d+) --has-forwarder", said)
        assert found, said + served.stderr.read()
        yield {"console_port": found[1], "grpc_port": found[2], "install_forwarder": "false", "settle_seconds": "0"}
        served.terminate()


def sets(phone: dict[str, str]) -> list[str]:
    return [word for name, value in phone.items() for word in ("--set", f"{name}={value}")]


def adb(phone: dict[str, str], *words: str) -> str:
    command = ["adb", "-s", f"emulator-{phone['console_port']}", "shell", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.fixture(scope="class")
def remote(phone: dict[str, str]) -> Iterator[RemoteSuite]:
    """The session for the substrate ``emulator``, on it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(AS_EMULATOR, "1")
        with registry.open_suite("android_world", registry.find_face("android_world").settings.parse(phone), "emulator") as opened:
            yield opened


def test_a_simulated_device_does_not_pass_for_an_emulator(phone: dict[str, str]) -> None:
    settings = registry.find_face("android_world").settings.parse(phone)
    says = f"emulator-{phone['console_port']} is unibench's simulated device and no emulator"
    with registry.open_suite("android_world", settings, "emulator") as refused, pytest.raises(UsageError, match=says):
        refused.open()


def test_the_emulators_settings_are_not_ignored_elsewhere() -> None:
    settings = registry.find_face("android_world").settings.parse({"snapshot": "ready"})
    with (
        registry.open_suite("android_world", settings, "simdevice") as refused,
        pytest.raises(InvalidSetting, match="snapshot needs"),
    ):
        refused.open()


class TestSession:
    def test_an_episode_by_an_emulators_path(self, remote: RemoteSuite, phone: dict[str, str]) -> None:
        machine = remote.open()
        assert (machine.digest, machine.fidelity) == ("unibench/simdevice", "stand-in"), "what it is stands on record"
        instance = remote.reset(remote.draw("SystemWifiTurnOff", 0))
        assert instance.brief.text == "Turn wifi off."
        seen = remote.observe(["screenshot", "ui", "ui_elements", "a11y_forest", "activity"])
        assert seen["screenshot"].array().shape[2] == 3
        assert seen["ui"].startswith("[0] ")
        assert seen["ui_elements"][0]["bbox_pixels"]
        assert "nexuslauncher" in seen["activity"]
        assert seen["a11y_forest"]["windows"][0]["tree"]["nodes"][0]["package_name"] in seen["activity"]
        assert remote.verify().status is Status.FAIL
        adb(phone, "svc", "wifi", "disable")
        assert remote.verify().status is Status.PASS

    def test_actions_reach_the_phone_in_both_languages(self, remote: RemoteSuite, phone: dict[str, str]) -> None:
        remote.reset(remote.draw("SystemBrightnessMax", 0))
        assert remote.act(OpenApp(name="camera")).error == ""
        assert "com.android.camera2" in remote.observe(["activity"])["activity"]
        assert remote.act(Home()).error == ""
        assert "nexuslauncher" in remote.observe(["activity"])["activity"]
        native = Native(dialect="android_world", code=json.dumps({"action_type": "open_app", "app_name": "settings"}))
        assert remote.act(native).error == ""
        assert "com.android.settings" in remote.observe(["activity"])["activity"]
        assert remote.act(Back()).error == ""
        assert remote.act(Wait(seconds=0.1)).error == ""
        assert "No activities found" in remote.act(OpenApp(name="org.not.there")).error, "the agent's mistake, not the phone's"
        assert "no JSONAction" in remote.act(Native(dialect="android_world", code='{"action_type": "fly"}')).error
        assert remote.act(Native(dialect="android_world", code='{"action_type": "status", "goal_status": "complete"}')).ended
        assert remote.act(Done()).ended


def test_a_run_and_its_replay(phone: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent says that it is done, which is right in one task; then each episode is played again and nothing differs."""
    monkeypatch.setenv(AS_EMULATOR, "1")
    tasks = ("-t", "SystemBluetoothTurnOnVerify", "-t", "SimpleCalendarEventsOnDate")
    done = unibench(tmp_path, "run", "android_world", "-a", "claims-done", *tasks, "-o", "r", "--max-steps", "2x", *sets(phone))
    assert done.returncode == 0, done.stderr
    with RunStore(tmp_path / "r") as store:
        manifest, records = store.manifest(), store.episodes()
    assert manifest is not None
    assert (manifest.protocol.substrate.digest, manifest.protocol.max_steps) == ("unibench/simdevice", "2x")
    assert {record.spec.task: record.score for record in records} == {"SystemBluetoothTurnOnVerify": 1.0, "SimpleCalendarEventsOnDate": 0.0}
    for episode in ("0", "1"):
        again = unibench(tmp_path, "replay", "r", episode, "--strict")
        assert again.returncode == 0, again.stdout + again.stderr
        assert "the same as recorded" in again.stdout


def test_a_run_starts_the_emulator_that_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is started is a simulated device behind an emulator's command line; it ends with the run."""
    monkeypatch.setenv(AS_EMULATOR, "1")
    python = os.environ["UNIBENCH_PYTHON_ANDROID_WORLD"]
    stand_in = tmp_path / "emulator"
    served = f'\'{python}\' -m unibench_android_world.served --console-port "$4" --grpc-port "$6"'
    stand_in.write_text(f"#!/bin/sh\necho \"$@\" > '{tmp_path}/said'\nexec {served}\n")
    stand_in.chmod(0o755)
    where = {"avd": "AndroidWorldAvd", "emulator_path": str(stand_in), "console_port": "5582", "grpc_port": "8582"}
    settings = sets({**where, "install_forwarder": "false", "settle_seconds": "0"})
    done = unibench(tmp_path, "run", "android_world", "-a", "claims-done", "-t", "SystemBluetoothTurnOnVerify", "-o", "r", *settings)
    assert done.returncode == 0, done.stderr
    with RunStore(tmp_path / "r") as store:
        assert [record.score for record in store.episodes()] == [1.0]
    assert (tmp_path / "said").read_text().startswith("-avd AndroidWorldAvd -port 5582 -grpc 8582 -no-snapshot")
    assert subprocess.run(["pgrep", "-f", "console-port 5582"], capture_output=True, check=False).returncode == 1


def test_a_golden_check_says_what_a_task_leaves_behind(tmp_path: Path) -> None:
    """Wi-Fi is off when the task is done, and upstream's tear-down leaves it so; doing nothing leaves it as it was."""
    tasks = ("-t", "SystemWifiTurnOff", "-t", "ClockStopWatchRunning")
    check = unibench(tmp_path, "golden-check", "android_world", *tasks, "--substrate", "simdevice", "--report", "rep", "-o", "l.json")
    assert check.returncode == 0, check.stderr
    assert "1 leave something behind for the next task (`left` in the ledger): SystemWifiTurnOff" in check.stdout
    entries = {entry.task: entry for entry in read_ledger(tmp_path / "l.json").entries}
    runs = {run.control: run.left for run in entries["SystemWifiTurnOff"].instances[0].runs}
    assert "changed setting global wifi_on" in runs["golden"]
    assert runs["untouched"] == ()
    assert '`SystemWifiTurnOff` | "changed setting global wifi_on"' in (tmp_path / "rep/README.md").read_text()


def test_a_faults_script_runs_with_upstream_alone(phone: dict[str, str], tmp_path: Path) -> None:
    check = unibench(tmp_path, "golden-check", "android_world", "-t", "MarkorDeleteNote", "--substrate", "simdevice", "--report", "rep")
    assert check.returncode == 0, check.stderr
    assert not list(tmp_path.glob("rep/*/end_state.png")), "there is no screen to show"
    script = next(tmp_path.glob("rep/*--mutant-accepted--all-deleted/repro.py"))
    ports = ["--console-port", phone["console_port"], "--grpc-port", phone["grpc_port"], "--has-forwarder"]
    command = [os.environ["UNIBENCH_PYTHON_ANDROID_WORLD"], str(script), *ports]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, env={**os.environ, "PYTHONHASHSEED": "0"})
    assert done.returncode == 1, done.stdout + done.stderr
    assert "is_successful() says 1.0; a sound verifier says less than 1.0" in done.stdout


@pytest.mark.parametrize(("lacks", "machine", "mend"), [("adb", "emulator", "apt install adb"), ("mksh", "simdevice", "apt install mksh")])
def test_doctor_says_what_is_missing(tmp_path: Path, lacks: str, machine: str, mend: str) -> None:
    for place in ("/usr/sbin", "/usr/bin"):
        for program in Path(place).iterdir():
            if program.name != lacks and not (tmp_path / program.name).is_symlink():
                (tmp_path / program.name).symlink_to(program)
    command = [sys.executable, "-m", "unibench", "doctor", "android_world", "-f", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PATH": str(tmp_path)}, timeout=200)
    assert done.returncode == 3, done.stderr
    found = {finding["what"]: finding for finding in json.loads(done.stdout)["android_world"]}
    assert (found[machine]["ok"], mend in found[machine]["detail"]) == (False, True)
    assert found["simdevice"]["ok"] is (lacks != "mksh")
