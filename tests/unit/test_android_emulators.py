"""Finding, starting and identifying an emulator: with scripts for adb, and with the real adb over a stand-in for the emulator."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from unibench.errors import EnvironmentFault, Unavailable, UsageError
from unibench_android_world import AndroidWorldSettings, emulators
from unibench_guests.simdevice import userland

STAND_IN = """import sys, threading, time
from pathlib import Path
from unibench_guests.simdevice import SimulatedDevice
from unibench_guests.simdevice.adbd import AdbDevice

said = sys.argv[1:]
Path(r"{folder}/said").write_text(" ".join(said))
if said[said.index("-avd") + 1] != "AndroidWorldAvd":
    sys.exit("PANIC: Unknown AVD name [" + said[1] + "], use -list-avds to see valid list.")
device = SimulatedDevice(Path(r"{folder}/device"))
device.shell("settings put global airplane_mode_on 1")
device.keep("ready")
device.shell("settings put global airplane_mode_on 0")
device.verbs["getprop"] = lambda device, words, verb=device.verbs["getprop"], up=time.monotonic() + 1.5: (
    "\\n" if words == ["sys.boot_completed"] and time.monotonic() < up else verb(device, words)
)
phone = AdbDevice(device, int(said[said.index("-port") + 1]))
phone.announce({server})
threading.Event().wait()
"""


def program(folder: Path, name: str, script: str) -> str:
    path = folder / name
    path.write_text(script)
    path.chmod(0o755)
    return str(path)


def adb(folder: Path, script: str) -> str:
    return program(folder, "adb", f"#!/bin/sh\n{script}\n")


def build_of(adb: str) -> str:
    return emulators.Phone(adb, 5554).build()


@pytest.fixture(autouse=True)
def no_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(emulators.AS_EMULATOR, raising=False)


def test_an_emulators_build(tmp_path: Path) -> None:
    script = '[ "$*" = "-s emulator-5554 shell getprop ro.build.fingerprint" ] && echo google/sdk_gphone64/13'
    assert build_of(adb(tmp_path, script)) == "google/sdk_gphone64/13"


def test_a_simulated_device_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="emulator-5554 is unibench's simulated device and no emulator"):
        build_of(adb(tmp_path, "echo unibench/simdevice"))


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo google/x; echo 'error: closed' >&2; exit 1", "emulator-5554 does not say its build: error: closed"),
        ("exit 0", "emulator-5554 does not say its build: status 0"),
        ("exec sleep 30", "emulator-5554 did not say its build within 0.2 s"),
    ],
)
def test_a_phone_that_does_not_say_its_build_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, says: str) -> None:
    if "sleep" in script:
        monkeypatch.setattr(emulators, "ANSWER_SECONDS", 0.2)
    with pytest.raises(EnvironmentFault, match=says):
        build_of(adb(tmp_path, script))


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo 'Physical size: 1080x2400'", ""),
        ("echo 'Physical size: 1440x3120'; echo 'Override size: 1080x2400'", ""),
        ("echo 'Physical size: 1440x3120'", "emulator-5554 has a screen of 1440x3120 pixels, not 1080x2400"),
        ("exit 1", "a screen of unknown pixels"),
    ],
)
def test_a_screen_of_another_size_than_agents_are_told_is_refused(tmp_path: Path, script: str, says: str) -> None:
    phone = emulators.Phone(adb(tmp_path, script), 5554)
    if says:
        with pytest.raises(Unavailable, match=says):
            phone.check_screen()
    else:
        phone.check_screen()


def test_a_phone_that_never_boots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulators, "BOOT_SECONDS", 0.2)
    settings = AndroidWorldSettings(console_port=5578)
    silent = adb(tmp_path, '[ "$3" = get-state ] && echo device')
    with pytest.raises(Unavailable, match=r"emulator-5578 did not boot within 0\.2 s"), emulators.up(silent, settings, tmp_path):
        pass


def test_an_adb_that_talks_on_its_stderr_is_understood(tmp_path: Path) -> None:
    """It says each time that another version's server was there, or that a library is old."""
    talks = adb(tmp_path, 'echo "* daemon started successfully" >&2; [ "$3" = get-state ] && echo device || echo 1')
    with emulators.up(talks, AndroidWorldSettings(console_port=5582), tmp_path) as phone:
        assert phone.look(1) == ""


def test_an_adb_that_writes_no_text_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulators, "BOOT_SECONDS", 0.2)
    phone = emulators.Phone(adb(tmp_path, r"printf '\377\376'"), 5554)
    assert phone.look(1) == "\ufffd\ufffd"
    assert phone.build() == "\ufffd\ufffd"
    with pytest.raises(Unavailable, match="did not boot"):
        phone.wait_until_booted()
    path = program(tmp_path, "emulator", "#!/bin/sh\nprintf '\\377\\n'\n")
    assert emulators.virtual_devices(AndroidWorldSettings(emulator_path=path)) == "virtual devices here: \ufffd"


def test_an_adb_that_goes_away_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulators, "BOOT_SECONDS", 0.2)
    phone = emulators.Phone(str(tmp_path / "gone"), 5554)
    with pytest.raises(Unavailable, match=r"did not boot within .*No such file"):
        phone.wait_until_booted()
    with pytest.raises(EnvironmentFault, match=r"did not say its build: .*No such file"):
        phone.build()
    with pytest.raises(Unavailable, match=r"did not load the snapshot 'a': .*No such file"):
        phone.load_snapshot("a")


def test_an_adb_that_hangs_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulators, "ANSWER_SECONDS", 2.0)
    hangs = adb(tmp_path, f"echo asked >> '{tmp_path}/asked'; exec sleep 30")
    assert "timed out after 2.0 seconds" in emulators.Phone(hangs, 5554).look(10)
    assert (tmp_path / "asked").read_text() == "asked\n"


def test_a_snapshots_name_is_no_second_command(tmp_path: Path) -> None:
    for name in ("ready\nkill", "ready\rkill"):
        with pytest.raises(UsageError, match="is no name of a snapshot"):
            emulators.Phone(adb(tmp_path, "exit 0"), 5554).load_snapshot(name)


def test_an_endless_log_is_not_read_whole(tmp_path: Path) -> None:
    """Only its end is: this one would not fit into memory."""
    path = program(tmp_path, "emulator", "#!/bin/sh\ntruncate -s 8T \"$1\"; echo; echo 'PANIC: out of disk'; exit 1\n")
    started = emulators.Started([path, str(tmp_path / "emulator.log")], tmp_path)
    with pytest.raises(Unavailable, match="ended with status 1: PANIC: out of disk"):
        while True:
            started.check()
            time.sleep(0.02)


def test_an_emulator_does_not_outlive_a_killed_session(tmp_path: Path) -> None:
    """Though nobody is left who could end the process group."""
    path = program(tmp_path, "emulator", f"#!/bin/sh\necho $$ > '{tmp_path}/pid'; exec sleep 60\n")
    session = (
        "import os, signal, time; from pathlib import Path; from unibench_android_world import emulators\n"
        f"emulators.Started([{path!r}], Path({str(tmp_path)!r}))\n"
        f"while not Path({str(tmp_path / 'pid')!r}).exists() or not Path({str(tmp_path / 'pid')!r}).read_text(): time.sleep(0.01)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", session], check=False, timeout=60).returncode == -9
    emulator = Path("/proc") / (tmp_path / "pid").read_text().strip()
    for _ in range(100):
        try:
            state = (emulator / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return
        if state == "Z":
            return
        time.sleep(0.05)
    raise AssertionError("it is still there")


def test_a_user_without_a_home_finds_what_is_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(path: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", none)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(Unavailable, match="there is no emulator on PATH"):
        emulators.find_emulator("")


def test_where_no_lock_can_be_made_no_phone_is_driven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def refuse(path: Any, *args: Any, **kwargs: Any) -> int:
        if str(path).endswith("-5584.lock"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *args, **kwargs)

    ready = adb(tmp_path, '[ "$3" = get-state ] && echo device || echo 1')
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(Unavailable, match=r"unibench-emulator-\d+-5584.lock cannot be had: Permission denied"):  # noqa: SIM117
        with emulators.up(ready, AndroidWorldSettings(console_port=5584), tmp_path):
            pass


def test_two_sessions_do_not_share_a_phone(tmp_path: Path) -> None:
    ready = adb(tmp_path, '[ "$3" = get-state ] && echo device || echo 1')
    settings = AndroidWorldSettings(console_port=5580)
    with emulators.up(ready, settings, tmp_path), pytest.raises(Unavailable, match="another session drives emulator-5580"):  # noqa: SIM117
        with emulators.up(ready, settings, tmp_path):
            pass
    with emulators.up(ready, settings, tmp_path) as phone:
        assert phone.serial == "emulator-5580", "it is free again"


@pytest.mark.parametrize(
    ("says", "refused"), [("Other\\r\\nOK", True), ("Mine\\r\\nOK", False), ("", False), ("KO: unknown command", False)]
)
def test_another_virtual_device_is_not_taken_for_the_one_asked_for(tmp_path: Path, says: str, refused: bool) -> None:
    running = adb(tmp_path, f"case $3 in get-state) echo device;; emu) printf '{says}';; *) echo 1;; esac")
    settings = AndroidWorldSettings(console_port=5576, avd="Mine")
    with contextlib.ExitStack() as stack:
        if refused:
            stack.enter_context(pytest.raises(Unavailable, match=r"emulator-5576 is the virtual device 'Other', not 'Mine'; end it, or"))
        stack.enter_context(emulators.up(running, settings, tmp_path))


def test_a_missing_program_is_named_with_its_mend(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"there is no emulator at .*none; install it with Android Studio, or --set emulator_path=PATH"):
        emulators.find_emulator(str(tmp_path / "none"))


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo 'INFO    | Storing crashdata'; echo Pixel_6; echo AndroidWorldAvd", "virtual devices here: Pixel_6, AndroidWorldAvd"),
        ("exit 0", "there is no virtual device here; make one in Android Studio"),
    ],
)
def test_the_virtual_devices_are_named(tmp_path: Path, script: str, says: str) -> None:
    path = program(tmp_path, "emulator", f"#!/bin/sh\n{script}\n")
    assert emulators.virtual_devices(AndroidWorldSettings(emulator_path=path)) == says
    assert "install it with Android Studio" in emulators.virtual_devices(AndroidWorldSettings(emulator_path="/none"))


@pytest.mark.skipif(
    bool(userland.missing()) or shutil.which("adb") is None,
    reason="apt install adb mksh toybox, then: pytest tests/unit/test_android_emulators.py",
)
class TestStarting:
    """With the real adb. What is started is a simulated device behind an emulator's command line."""

    @pytest.fixture
    def settings(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AndroidWorldSettings]:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            server = free.getsockname()[1]
        monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(server))
        (tmp_path / "emulator.py").write_text(STAND_IN.format(folder=tmp_path, server=server))
        path = program(tmp_path, "emulator", f"#!/bin/sh\nexec '{sys.executable}' '{tmp_path / 'emulator.py'}' \"$@\"\n")
        yield AndroidWorldSettings(avd="AndroidWorldAvd", emulator_path=path, console_port=free_pair(), grpc_port=8599)
        subprocess.run(["adb", "kill-server"], capture_output=True, timeout=20, check=False)

    def test_it_is_booted_used_and_ended(self, settings: AndroidWorldSettings, tmp_path: Path) -> None:
        adb = emulators.find_adb("")
        with emulators.up(adb, settings, tmp_path) as phone:
            assert phone.run("shell", "getprop sys.boot_completed").stdout == "1\n", "nobody gets it before it has booted"
            said = (tmp_path / "said").read_text()
            ports = f"-port {settings.console_port} -grpc 8599"
            assert said == f"-avd AndroidWorldAvd {ports} -no-snapshot -no-window -no-audio -no-boot-anim"
        with socket.socket() as gone:
            assert gone.connect_ex(("127.0.0.1", settings.console_port)) != 0, "it ended with the session"

    def test_it_is_brought_to_a_snapshot(self, settings: AndroidWorldSettings, tmp_path: Path) -> None:
        adb = emulators.find_adb("")
        airplane = ("shell", "settings get global airplane_mode_on")
        with emulators.up(adb, settings, tmp_path) as phone:
            assert phone.run(*airplane).stdout == "0\n"
            phone.load_snapshot("ready")
            assert phone.run(*airplane).stdout == "1\n"
            with pytest.raises(Unavailable, match=r"did not load the snapshot 'redy': KO: there is no snapshot redy; see: adb -s emulator"):
                phone.load_snapshot("redy")
        with emulators.up(adb, settings.model_copy(update={"snapshot": "ready"}), tmp_path) as phone:
            assert phone.run(*airplane).stdout == "1\n"

    def test_one_that_does_not_start_says_why(self, settings: AndroidWorldSettings, tmp_path: Path) -> None:
        wrong = settings.model_copy(update={"avd": "Other"})
        says = r"the emulator ended with status 1: PANIC: Unknown AVD name \[Other\].*; it was started with: .*emulator -avd Other -port"
        with pytest.raises(Unavailable, match=says), emulators.up(emulators.find_adb(""), wrong, tmp_path):
            pass

    def test_it_goes_with_its_session(self, settings: AndroidWorldSettings, tmp_path: Path) -> None:
        """A killed session's process group goes, and the emulator is in it."""
        with emulators.up(emulators.find_adb(""), settings, tmp_path):
            listed = subprocess.run(["pgrep", "-g", str(os.getpgrp()), "-f", str(tmp_path / "emulator")], capture_output=True, check=False)
            assert listed.returncode == 0


def free_pair() -> int:
    """An even port that is free, as is the next one; from above, as simulated devices of other tests take the first pair from below."""
    for port in range(5574, 5554, -2):
        with socket.socket() as first, socket.socket() as second:
            if first.connect_ex(("127.0.0.1", port)) and second.connect_ex(("127.0.0.1", port + 1)):
                return port
    raise AssertionError("all ports are taken")
