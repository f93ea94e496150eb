"""Loopback ports that lead to whatever machine is the current one.

The grader's box is made once and keeps its ports; machines come and go, one an episode.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Mapping

_CHUNK = 1 << 16
_CONNECT_SECONDS = 10.0


class Relay:
    """Carries connections from loopback ports of this machine to the guest's.

    Args:
        names: the guest's ports by the number that the grader knows them by (5000, 9222, 8080).

    Attributes:
        ports: the loopback port here for each of them.
    """

    def __init__(self, names: tuple[int, ...]) -> None:
        self.ports: dict[int, int] = {}
        self._targets: dict[int, tuple[str, int]] = {}
        self._loop = asyncio.new_event_loop()
        self._servers: list[asyncio.Server] = []
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="relay")
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._open(names), self._loop).result(10)

    async def _open(self, names: tuple[int, ...]) -> None:
        for name in names:
            server = await asyncio.start_server(lambda r, w, name=name: self._carry(name, r, w), "127.0.0.1", 0)  # type: ignore[misc]
            self._servers.append(server)
            self.ports[name] = server.sockets[0].getsockname()[1]

    def lead_to(self, targets: Mapping[int, tuple[str, int]]) -> None:
        """From now on, new connections go to these hosts and ports; ports that are not named lead nowhere."""
        self._targets = dict(targets)

    async def _carry(self, name: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        target = self._targets.get(name)
        try:
            if target is None:
                return
            far_reader, far_writer = await asyncio.wait_for(asyncio.open_connection(*target), _CONNECT_SECONDS)
        except (OSError, TimeoutError):
            return
        else:
            await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
            far_writer.close()
        finally:
            writer.close()

    def close(self) -> None:
        """Closes the ports; safe to call twice."""
        if self._loop.is_closed():
            return

        async def stop() -> None:
            for server in self._servers:
                server.close()
            carrying = asyncio.all_tasks() - {asyncio.current_task()}
            for task in carrying:
                task.cancel()
            await asyncio.gather(*carrying, return_exceptions=True)
            self._loop.stop()

        asyncio.run_coroutine_threadsafe(stop(), self._loop)
        self._thread.join(5)
        if not self._thread.is_alive():
            self._loop.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
    with contextlib.suppress(OSError, RuntimeError):
        if writer.can_write_eof():
            writer.write_eof()
