"""adb's file service: stat, list, send and receive (SYNC.TXT of the Android Open Source Project, version 1)."""

from __future__ import annotations

import os
import struct
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from unibench_guests.simdevice.device import SimulatedDevice

_CHUNK = 64 * 1024
"""The longest DATA that the protocol knows."""
_PATH = 1024


class ProtocolError(Exception):
    """The other side does not speak the protocol."""


class Sync:
    """The service over one stream.

    Args:
        device: the device.
        read: gives exactly so many bytes.
        write: sends bytes.
    """

    def __init__(self, device: SimulatedDevice, read: Callable[[int], Awaitable[bytes]], write: Callable[[bytes], Awaitable[None]]) -> None:
        self._device = device
        self._read = read
        self._write = write

    async def serve(self) -> None:
        """Answers requests until QUIT.

        Raises:
            ProtocolError: a request that is none.
        """
        while True:
            name, length = struct.unpack("<4sI", await self._read(8))
            if name == b"QUIT":
                return
            if length > _PATH:
                raise ProtocolError(f"a path of {length} bytes")
            path = (await self._read(length)).decode(errors="surrogateescape")
            try:
                if name == b"STAT":
                    await self._stat(path)
                elif name == b"LIST":
                    await self._list(path)
                elif name == b"RECV":
                    await self._receive(path)
                elif name == b"SEND":
                    await self._send(path)
                else:
                    raise ProtocolError(f"the request {name!r}")
            except (OSError, ValueError) as error:
                await self._fail(str(getattr(error, "strerror", None) or error))

    async def _fail(self, why: str) -> None:
        text = why.encode(errors="replace")[:_PATH]
        await self._write(struct.pack("<4sI", b"FAIL", len(text)) + text)

    async def _stat(self, path: str) -> None:
        mode = size = seconds = 0
        try:
            found = self._device.path(path).lstat()
            mode, size, seconds = found.st_mode, found.st_size & 0xFFFFFFFF, int(found.st_mtime)
        except (OSError, ValueError):
            pass  # a mode of 0 says that there is nothing
        await self._write(struct.pack("<4s3I", b"STAT", mode, size, seconds))

    async def _list(self, path: str) -> None:
        said = b""
        try:
            for entry in sorted(self._device.path(path).iterdir()):
                found, name = entry.lstat(), os.fsencode(entry.name)
                said += struct.pack("<4s4I", b"DENT", found.st_mode, found.st_size & 0xFFFFFFFF, int(found.st_mtime), len(name)) + name
        except OSError:
            said = b""
        await self._write(said + struct.pack("<4s4I", b"DONE", 0, 0, 0, 0))

    async def _receive(self, path: str) -> None:
        """A file to the other side."""
        self._device.settle_times()
        found = self._device.path(path)
        if found.exists() and not found.is_file() and not found.is_dir():
            raise OSError(22, "Invalid argument")  # to open a pipe would wait for its other end
        with found.open("rb") as file:
            while data := file.read(_CHUNK):
                await self._write(struct.pack("<4sI", b"DATA", len(data)) + data)
        self._device.settle_times()
        await self._write(struct.pack("<4sI", b"DONE", 0))

    async def _send(self, said: str) -> None:
        """A file from the other side, which appears whole or not at all."""
        path, _, _ = said.rpartition(",")
        target = self._device.path(path)
        problem = ""
        partial: Path | None = None
        try:
            try:
                with self._device.lock:
                    target.parent.mkdir(parents=True, exist_ok=True)
                if target.is_dir() or path.endswith("/"):
                    raise IsADirectoryError(21, "Is a directory")
                if target.exists() and not target.is_file():
                    raise OSError(22, "Invalid argument")
                handle, name = tempfile.mkstemp(prefix=".adb-", dir=self._device.root / "tmp")
                os.close(handle)
                partial = Path(name)
            except OSError as error:
                problem = f"couldn't create file: {error.strerror}"
            with (partial or Path(os.devnull)).open("wb") as file:
                while True:
                    kind, number = struct.unpack("<4sI", await self._read(8))
                    if kind == b"DONE":
                        break
                    if kind != b"DATA" or number > _CHUNK:
                        raise ProtocolError(f"{kind!r} with {number} in a file")
                    file.write(await self._read(number))
            if partial is not None:
                with self._device.lock:
                    partial.chmod(0o660)
                    partial.replace(target)
                partial = None
                seconds = min(number, 2**31)
                os.utime(target, (seconds, seconds))
                self._device.settle_times()
        finally:
            if partial is not None:
                partial.unlink(missing_ok=True)
        if problem:
            await self._fail(problem)
        else:
            await self._write(struct.pack("<4sI", b"OKAY", 0))
