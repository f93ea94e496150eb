"""Nonsense over the adb protocol and into the shell: the device stays up, and nothing leaves its root."""

from __future__ import annotations

import asyncio
import os
import random
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from unibench_guests.simdevice import SimulatedDevice, userland
from unibench_guests.simdevice.adbd import CLSE, CNXN, MAX_PAYLOAD, OKAY, OPEN, WRTE, Connection

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
