"""Nonsense over the adb protocol and into the shell: the device stays up, and nothing leaves its root."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from unibench_guests.simdevice import SimulatedDevice, userland
from unibench_guests.simdevice.adbd import CLSE, CNXN, MAX_PAYLOAD, OKAY, OPEN, WRTE, Connection, serve_console
from unibench_guests.simdevice.sync import ProtocolError, Sync

pytestmark = pytest.mark.skipif(
    bool(userland.missing()),
    reason="apt install mksh toybox, then: pytest tests/unit/test_simdevice_fuzz.py",
)
ROUNDS = int(os.environ.get("UNIBENCH_FUZZ", "10000"))
"""Packets; a tenth as many shell lines. Both together take seconds."""


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimulatedDevice]:
    made = SimulatedDevice(tmp_path_factory.mktemp("device"), packages=("org.example.notes",))
    made.keep()
    yield made
    made.close()


class Writer:
    """The other side's end of a connection, kept in memory."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.closed = False

    def write(self, data: bytes) -> None:
        self.data += data

    async def drain(self) -> None:
        await asyncio.sleep(0)

    def close(self) -> None:
        self.closed = True

    async def wait_closed(self) -> None:
        pass


def packet(rng: random.Random) -> bytes:
    """A packet that is half sense: known names with odd numbers, odd names, lengths that lie."""
    command = rng.choice([CNXN, OPEN, OKAY, WRTE, CLSE, WRTE, rng.getrandbits(32)])
    services = [b"shell:echo x\0", b"shell,v2,raw:am kill x\0", b"sync:\0", b"root:\0", b"\xff\xfe:", b"", b"shell:", b"reboot:\0"]
    sync = [b"STAT", b"LIST", b"RECV", b"SEND", b"DATA", b"DONE", b"QUIT", b"ZZZZ"]
    paths = [b"/", b"/data", b"../../../../etc/passwd", b"/data/x,33188", b"\0\0", b"/dev/null,1", b"/" + b"a" * 300, b"\xff,x"]
    path = rng.choice(paths)
    request = struct.pack("<4sI", rng.choice(sync), rng.choice([len(path), 0, 5, 70000, 2**31])) + path
    data = rng.choice([rng.choice(services), request, rng.randbytes(rng.randrange(60))])
    length = rng.choice([len(data)] * 400 + [len(data) + 1, MAX_PAYLOAD + 1, 2**32 - 1])  # a lie ends the connection
    magic = command ^ 0xFFFFFFFF if rng.random() < 0.995 else rng.getrandbits(32)
    return struct.pack("<6I", command, rng.choice([0, 1, 2, 7, 2**32 - 1]), rng.choice([0, 1, 2, 3, 2**32 - 1]), length, 0, magic) + data


def outside(device: SimulatedDevice) -> set[str]:
    """The names beside the device's root, and what is directly in it."""
    return {entry.name for entry in device.root.parent.iterdir()}


def test_packets_of_nonsense(device: SimulatedDevice) -> None:
    rng = random.Random(20231015)
    beside = outside(device)

    async def one(packets: list[bytes]) -> None:
        reader, writer = asyncio.StreamReader(), Writer()
        running = asyncio.create_task(Connection(device, reader, writer).run())  # type: ignore[arg-type]
        for data in packets:
            reader.feed_data(data)
            await asyncio.sleep(0)
        reader.feed_eof()
        await asyncio.wait_for(running, 60)
        assert writer.closed

    async def all_of_them() -> None:
        for _ in range(ROUNDS // 20):
            await one([packet(rng) for _ in range(20)])
        left = asyncio.all_tasks() - {asyncio.current_task()}
        if left:
            await asyncio.wait(left, timeout=60)
        assert not [task for task in left if not task.done()], "a stream outlives its connection"

    asyncio.run(all_of_them())
    assert outside(device) == beside
    assert device.shell("echo alive").out == b"alive\n"
    assert not list((device.root / "tmp").glob(".adb-*"))


def line(rng: random.Random, outside: Path) -> str:
    """A command line of verbs, options, paths that lead out, quotes that do not close."""
    words = [
        *device_verbs, "-x", "--uri", "content://sms", "get", "put", "global", "'", '"', "`id`", "$(am)", "$HOME", ";", "|", "&&",
        "\\", "\n", "é", "../../../..", str(outside), f"> ../../../..{outside}/shell", "/data/data", "rm -r", "cp -a /data", "ln -s",
        "a" * 140_000, "\ud83d", "\0", "mkfifo /data/p", "rm -rf /data", "sleep 0.1 &",
        "*", "[", "-n a/b", "2147483648", "\x01", "%s", "{}", "select 1", "date +%s", "0", "-1", "", "sqlite3 /data/f.db",
        f"\"attach '{outside}/db' as x\"", "tap", "1e400", "nan",
    ]  # fmt: skip
    return " ".join(rng.choice(words) for _ in range(rng.randrange(1, 9)))


device_verbs = ("am", "content", "date", "dumpsys", "getprop", "input", "monkey", "pm", "settings", "sqlite3", "svc", "service", "wm")


def test_shell_lines_of_nonsense(device: SimulatedDevice, tmp_path: Path) -> None:
    rng = random.Random(7)
    beside = outside(device)
    for _ in range(ROUNDS // 10):
        done = device.shell(line(rng, tmp_path), seconds=20)
        assert 0 <= done.code <= 255
    assert list(tmp_path.iterdir()) == []
    assert outside(device) == beside
    device.restore()
    assert device.shell("echo alive").out == b"alive\n"


def console_line(rng: random.Random, outside: Path) -> bytes:
    """A line for the console: known commands with odd names, paths that lead out, bytes that are no text, lines too long."""
    names = [b"a", b"ready", b"..", b"../../x", os.fsencode(outside), b"a b", b"-rf", b"\xff\xfe", b"a\0b", b"\x1b[2J", b"x" * 300, b""]
    verbs = [b"save", b"load", b"list", b"del", b"save a\r\navd snapshot load"]
    words = rng.choice([
        [b"avd snapshot", rng.choice(verbs), rng.choice(names)],
        [b"avd snapshot", rng.choice([b"save", b"load"]), rng.choice([b"a", b"ready"])],
        [b"sms send", rng.choice(names), rng.choice([*names, b"hello"])],
        [rng.choice([b"auth", b"kill", b"gsm", b"", b"quit x"]), rng.choice(names)],
        [rng.randbytes(rng.randrange(40)), b"y" * rng.choice([1, 1, 1, 1, 70_000])],
    ])  # fmt: skip
    return b" ".join(words) + rng.choice([b"\n", b"\r\n"])


def test_console_lines_of_nonsense(device: SimulatedDevice, tmp_path: Path) -> None:
    """Each connection gets an answer to each line that the console takes, while commands run."""
    rng = random.Random(99)
    beside = outside(device)

    async def one(lines: list[bytes]) -> bytes:
        reader, writer = asyncio.StreamReader(), Writer()
        for data in lines:
            reader.feed_data(data)
        reader.feed_eof()
        running = asyncio.to_thread(device.shell, f"mkdir -p /data/w{rng.randrange(3)}/a; rm -r /data/w*; cp -r /data/local /data/w0")
        await asyncio.gather(asyncio.wait_for(serve_console(device, reader, writer), 60), running)  # type: ignore[arg-type]
        assert writer.closed
        return bytes(writer.data)

    for _ in range(ROUNDS // 100):
        said = asyncio.run(one([console_line(rng, tmp_path) for _ in range(5)] + [b"avd snapshot list\n"]))
        assert said.startswith(b"Android Console: ")
        assert said.rstrip().splitlines()[-1].startswith((b"OK", b"KO"))
    assert list(tmp_path.iterdir()) == []
    assert outside(device) == beside
    assert all("/" not in name for name in device.snapshots())
    assert {entry.name for entry in (device.root.parent / "kept").iterdir()} == {f"{name}.snapshot" for name in ["", *device.snapshots()]}
    device.restore()
    assert device.shell("echo alive").out == b"alive\n"


def file_request(rng: random.Random, outside: Path) -> bytes:
    """A request to the file service, mostly well formed: odd paths, pipes, links that lead out, files that end early or are too long."""
    paths = [
        b"/data", b"/data/pipe", b"/data/out/f", b"/data/loop/x", b"/data/new/a/b", b"/dev/null", b"/tmp", b"/" + b"d/" * 400, b"\xff\xfe",
        b"/data/" + b"n" * 300, b"/../.." + os.fsencode(outside) + b"/f", b"/data/a\0b", b"", b"/data/f", b"/system/bin/sh/x",
    ]  # fmt: skip
    name, path = rng.choice([b"STAT", b"LIST", b"RECV", b"SEND", b"SEND", b"STA2", b"QUIT"]), rng.choice(paths)
    if name != b"SEND":
        return struct.pack("<4sI", name, len(path)) + path
    path += rng.choice([b",33188", b",", b",-1", b"", b",99999999999999"])
    said = struct.pack("<4sI", name, len(path)) + path
    for _ in range(rng.randrange(3)):
        data = rng.randbytes(rng.choice([0, 10, 70_000]))
        said += struct.pack("<4sI", b"DATA", len(data)) + data
    return said + struct.pack("<4sI", rng.choice([b"DONE", b"DONE", b"DONE", b"DENT"]), rng.choice([0, 1, 2**32 - 1]))


def test_file_requests_of_nonsense(device: SimulatedDevice, tmp_path: Path) -> None:
    rng = random.Random(4)
    beside = outside(device)
    device.shell(f"echo x > /data/f; mkfifo /data/pipe; ln -s {tmp_path} /data/out; ln -s loop /data/loop")

    async def one(waiting: bytearray) -> bytes:
        said = bytearray()

        async def read(count: int) -> bytes:
            if len(waiting) < count:
                raise ConnectionError
            data = bytes(waiting[:count])
            del waiting[:count]
            return data

        async def write(data: bytes) -> None:
            said.extend(data)

        with contextlib.suppress(ConnectionError, ProtocolError):
            await asyncio.wait_for(Sync(device, read, write).serve(), 20)
        return bytes(said)

    answers = b"".join(
        asyncio.run(one(bytearray(b"".join(file_request(rng, tmp_path) for _ in range(rng.randrange(8)))))) for _ in range(ROUNDS // 4)
    )
    assert all(name in answers for name in (b"STAT", b"DENT", b"DATA", b"OKAY", b"FAIL")), "it got deep enough to mean something"
    assert not list((device.root / "tmp").glob(".adb-*"))
    assert list(tmp_path.iterdir()) == []
    assert outside(device) == beside
    device.restore()
