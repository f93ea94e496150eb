"""Carries connections both ways between a listening socket and another one. Standard library alone: the launcher needs it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Awaitable, Callable, Sequence

Connect = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]
_CHUNK = 1 << 16
MOST = 256
"""Connections carried at a time; what asks for more is hung up on. Each takes two descriptors of the process that carries."""


class Carrier:
    """Connections that are carried now. An event loop keeps only weak references to its tasks, so that this keeps them."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def serve(self, connect: Connect) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]:
        """What a server of :func:`asyncio.start_server` calls for each connection; ``connect`` makes its other end."""

        def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if len(self._tasks) >= self._most:
                _hang_up(writer)
                return
            task = asyncio.get_running_loop().create_task(_carry(reader, writer, connect))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        return accepted

    def drop(self) -> list[asyncio.Task[None]]:
        """Hangs up all connections; gives what must still be waited for."""
        dropped = list(self._tasks)
        for task in dropped:
            task.cancel()
        return dropped


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connect: Connect) -> None:
    try:
        far_reader, far_writer = await connect()
    except (OSError, TimeoutError):
        writer.close()
        return
    except asyncio.CancelledError:
        _hang_up(writer)
        raise
    ways = [asyncio.ensure_future(_one_way(reader, far_writer)), asyncio.ensure_future(_one_way(far_reader, writer))]
    try:
        await asyncio.wait(ways)
    except asyncio.CancelledError:
        for each in (writer, far_writer):
            _hang_up(each)
        raise
    finally:
        await _end(ways)
        for each in (writer, far_writer):
            each.close()


async def _one_way(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Carries what is read until there is no more, or nobody to take it: a reader that stays silent does not hold it then."""
    ways = [asyncio.ensure_future(_pump(reader, writer)), asyncio.ensure_future(_lost(writer))]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await _end(ways)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
    with contextlib.suppress(OSError, RuntimeError):
        if writer.can_write_eof():
            writer.write_eof()


async def _lost(writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        await writer.wait_closed()


def _hang_up(writer: asyncio.StreamWriter) -> None:
    """Closes with a reset, so that what was cut off does not look like an answer that had come to its end."""
    found = writer.get_extra_info("socket")
    with contextlib.suppress(OSError, AttributeError):
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def _end(tasks: Sequence[asyncio.Future[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
