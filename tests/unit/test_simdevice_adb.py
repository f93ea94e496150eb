"""The simulated device through Debian's real adb client and server."""

from __future__ import annotations

import os
import random
import shutil
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from unibench_guests.simdevice import SimulatedDevice, recording, transcript, userland
from unibench_guests.simdevice.adbd import AdbDevice

pytestmark = pytest.mark.skipif(
    bool(userland.missing()) or shutil.which("adb") is None,
    reason="apt install adb mksh toybox, then: pytest tests/unit/test_simdevice_adb.py",
)

Adb = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, str]]:
    """An adb server of our own, on a port of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "ANDROID_ADB_SERVER_PORT": str(port)}
    yield environment
    subprocess.run(["adb", "kill-server"], env=environment, capture_output=True, timeout=20, check=False)


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimulatedDevice]:
    made = SimulatedDevice(tmp_path_factory.mktemp("device"))
    made.path("/data/media/0/Download").mkdir()
    yield made
    made.close()


@pytest.fixture(scope="module")
def phone(device: SimulatedDevice) -> Iterator[AdbDevice]:
    made = AdbDevice(device)
    yield made
    made.close()


def found(phone: AdbDevice, server: dict[str, str]) -> Adb:
    """adb for a device, once the server has found it by itself."""

    def adb(*words: str, seconds: float = 60) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(["adb", "-s", phone.serial, *words], env=server, capture_output=True, timeout=seconds, check=False)

    subprocess.run(["adb", "start-server"], env=server, capture_output=True, timeout=30, check=True)
    assert phone.announce(int(server["ANDROID_ADB_SERVER_PORT"]))
    for _ in range(50):
        if adb("get-state").stdout.strip() == b"device":
            return adb
        time.sleep(0.2)
    raise AssertionError(f"the adb server did not find {phone.serial}")


@pytest.fixture(scope="module")
def adb(phone: AdbDevice, server: dict[str, str]) -> Adb:
    return found(phone, server)


def test_exit_codes_and_both_streams_come_through(adb: Adb) -> None:
    done = adb("shell", "echo out; echo err >&2; exit 9")
    assert (done.returncode, done.stdout, done.stderr) == (9, b"out\n", b"err\n")
    assert adb("shell", "am kill x").returncode == 1
    assert adb("root").stdout == b"adbd is already running as root\n"


def test_quoting_is_the_devices(adb: Adb) -> None:
    text = 'It\'s "x" $HOME `id` \\ *'
    quoted = text.replace("'", "'\\''")
    assert adb("shell", f"echo -n '{quoted}'").stdout == text.encode()
    assert adb("shell", "echo", "a   b").stdout == b"a b\n", "the client joins its words, and the device's shell splits them again"


def test_a_hundred_megabytes_go_and_come_back(adb: Adb, tmp_path: Path) -> None:
    big = tmp_path / "big"
    big.write_bytes(random.Random(1).randbytes(1_000_000) * 100)
    assert adb("push", str(big), "/sdcard/Download/").returncode == 0
    assert adb("shell", "ls -l /sdcard/Download/big").stdout.split()[4] == b"100000000"
    assert adb("pull", "/sdcard/Download/big", str(tmp_path / "back")).returncode == 0
    assert (tmp_path / "back").read_bytes() == big.read_bytes()


def test_folders_are_pushed_and_pulled(adb: Adb, tmp_path: Path) -> None:
    (tmp_path / "in/deep er").mkdir(parents=True)
    (tmp_path / "in/deep er/é.txt").write_text("x")
    (tmp_path / "in/empty").write_bytes(b"")
    assert adb("push", str(tmp_path / "in"), "/sdcard/Download/tree").returncode == 0
    assert adb("pull", "/sdcard/Download/tree", str(tmp_path / "out")).returncode == 0
    assert (tmp_path / "out/deep er/é.txt").read_text() == "x"
    assert (tmp_path / "out/empty").read_bytes() == b""


def test_what_is_not_there_cannot_be_pulled(adb: Adb, tmp_path: Path) -> None:
    assert adb("pull", "/sdcard/nothing", str(tmp_path / "x")).returncode == 1
    (tmp_path / "file").write_text("x")
    for target in ("/dev/null/x", "/dev/null", "/sdcard/no-such-folder/"):
        assert adb("push", str(tmp_path / "file"), target).returncode != 0


def test_nothing_is_pushed_outside_the_root(adb: Adb, device: SimulatedDevice, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    outside = f"/../../../../../..{tmp_path}/outside"
    assert adb("push", str(tmp_path / "file"), outside).returncode == 0
    assert not (tmp_path / "outside").exists()
    assert device.path(outside).read_text() == "x"


def test_messages_come_in_through_the_console(adb: Adb) -> None:
    adb("emu", "sms", "send", "+15551234", "Hello, you there")
    assert b"body=Hello, you there" in adb("shell", "content query --uri content://sms/inbox").stdout


def test_services_that_are_not_known_leave_a_gap(adb: Adb, device: SimulatedDevice) -> None:
    for words in (("reboot",), ("emu", "gsm", "call", "1"), ("remount",)):
        device.gaps.clear()
        adb(*words)
        assert device.gaps, words
    device.gaps.clear()


def test_what_is_typed_into_a_shell_is_not_lost_in_silence(
    adb: Adb, device: SimulatedDevice, phone: AdbDevice, server: dict[str, str]
) -> None:
    subprocess.run(
        ["adb", "-s", phone.serial, "shell", "sleep 3; cat"], input=b"typed", env=server, capture_output=True, timeout=30, check=False
    )
    assert device.gaps == ["stdin of the shell command sleep 3; cat"]
    device.gaps.clear()


def test_what_is_recorded_through_the_real_client_conforms_on_a_fresh_device(
    adb: Adb, phone: AdbDevice, server: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "transcript.jsonl"
    program = recording.recorder(tmp_path, str(shutil.which("adb")), file)
    (tmp_path / "a b").write_text("text")
    for words in (
        ("shell", "mkdir -p '/data/x y' && echo 'it''s' > '/data/x y/z'; cat '/data/x y/z'; exit 3"),
        ("push", str(tmp_path / "a b"), "/data/x y/"),
        ("pull", "/data/x y/a b", str(tmp_path / "back")),
        ("shell", "ls -1 '/data/x y'"),
        ("pull", "/data/nothing", str(tmp_path / "back")),
    ):
        subprocess.run([str(program), "-s", phone.serial, *words], env=server, capture_output=True, timeout=60, check=False)
    about, calls = transcript.read(file)
    assert about.simulated
    assert [(call.code, call.out) for call in calls] == [(3, "its"), (0, ""), (0, ""), (0, "a b\nz"), (1, "")]
    fresh = SimulatedDevice(tmp_path / "device")
    try:
        assert list(transcript.conform(fresh, calls, recording.files_of(file))) == []
    finally:
        fresh.close()


def test_two_devices_at_once(adb: Adb, server: dict[str, str], tmp_path: Path) -> None:
    second = SimulatedDevice(tmp_path)
    other = AdbDevice(second)
    try:
        talk = found(other, server)
        talk("shell", "settings put system who second")
        adb("shell", "settings put system who first")
        assert talk("shell", "settings get system who").stdout == b"second\n"
        assert adb("shell", "settings get system who").stdout == b"first\n"
    finally:
        other.close()
        second.close()


def test_a_transfer_that_is_killed_leaves_nothing_and_the_device_works(adb: Adb, device: SimulatedDevice, phone: AdbDevice) -> None:
    """Speaks the protocol itself, to be sure that the transfer ends in its middle."""
    with socket.create_connection(("127.0.0.1", phone.console_port + 1)) as raw:

        def packet(name: bytes, first: int, second: int, data: bytes = b"") -> None:
            command = struct.unpack("<I", name)[0]
            raw.sendall(struct.pack("<6I", command, first, second, len(data), 0, command ^ 0xFFFFFFFF) + data)

        def reply() -> tuple[bytes, int, int]:
            header = raw.recv(24, socket.MSG_WAITALL)
            name, first, second, length = struct.unpack("<4s3I", header[:16])
            raw.recv(length, socket.MSG_WAITALL) if length else b""
            return name, first, second

        packet(b"CNXN", 0x01000001, 4096, b"host::\0")
        assert reply()[0] == b"CNXN"
        packet(b"OPEN", 7, 0, b"sync:\0")
        name, theirs, _ = reply()
        assert name == b"OKAY"
        path = b"/sdcard/Download/half,33188"
        packet(b"WRTE", 7, theirs, struct.pack("<4sI", b"SEND", len(path)) + path + struct.pack("<4sI", b"DATA", 60000) + b"x" * 1000)
        assert reply()[0] == b"OKAY"
    for _ in range(50):
        if not list((device.root / "tmp").glob(".adb-*")):
            break
        time.sleep(0.1)
    assert not list((device.root / "tmp").glob(".adb-*"))
    assert not device.path("/sdcard/Download/half").exists()
    assert adb("shell", "echo alive").stdout == b"alive\n"


def test_the_example_checks_a_phone(
    adb: Adb, device: SimulatedDevice, phone: AdbDevice, server: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import runpy

    example = runpy.run_path(str(Path(__file__).parents[2] / "examples/android/phone_check.py"))
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", server["ANDROID_ADB_SERVER_PORT"])
    base = "/data/data/org.example.notes/notes.db"
    adb("shell", f"mkdir -p /data/data/org.example.notes; sqlite3 {base} 'CREATE TABLE notes(id INTEGER PRIMARY KEY, title)'")
    assert example["main"].__globals__["CHECK"].descriptor.kind == "device-state"

    def do_it(prompt: str) -> str:
        adb(
            "shell",
            "mkdir -p /sdcard/Documents; echo 'buy milk today' > /sdcard/Documents/note.txt; settings put system screen_brightness 255",
        )
        adb("shell", f"sqlite3 {base} \"INSERT INTO notes(title) VALUES('milk')\"")
        return ""

    monkeypatch.setattr("builtins.input", do_it)
    assert example["main"](phone.serial) == 1.0
    monkeypatch.setattr("builtins.input", lambda prompt: "")
    assert example["main"](phone.serial) == 0.0, "no row is added the second time"
