"""Loopback ports that lead to whatever machine is the current one.

The grader's box is made once and keeps its ports; machines come and go, one an episode.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Mapping

from unibench_guests.carrying import Carrier

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
        self._carrier = Carrier()
        self._loop = asyncio.new_event_loop()
        self._servers: list[asyncio.Server] = []
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="relay")
        self._thread.start()
        # A daemon's thread stops in the middle of things when its process ends; what it carries must have ended before.
        atexit.register(self.close)
        asyncio.run_coroutine_threadsafe(self._open(names), self._loop).result(10)

    async def _open(self, names: tuple[int, ...]) -> None:
        for name in names:
            serve = self._carrier.serve(lambda name=name: self._connect(name))  # type: ignore[misc]
            server = await asyncio.start_server(serve, "127.0.0.1", 0)
            self._servers.append(server)
            self.ports[name] = server.sockets[0].getsockname()[1]

    async def _connect(self, name: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        target = self._targets.get(name)
        if target is None:
            raise ConnectionRefusedError(f"the machine has no port {name}")
        async with asyncio.timeout(_CONNECT_SECONDS):  # wait_for would swallow a cancellation that comes with the connection
            return await asyncio.open_connection(*target)

    def lead_to(self, targets: Mapping[int, tuple[str, int]]) -> None:
        """Connections go to these hosts and ports from now on; ports that are not named lead nowhere. Those to the last machine end."""
        self._targets = dict(targets)
        asyncio.run_coroutine_threadsafe(self._drop(), self._loop).result(10)

    @property
    def carried(self) -> int:
        """How many connections it carries now."""
        return len(self._carrier)

    async def _drop(self) -> None:
        await asyncio.gather(*self._carrier.drop(), return_exceptions=True)

    def close(self) -> None:
        """Closes the ports and ends what goes over them; safe to call twice."""
        atexit.unregister(self.close)
        if self._loop.is_closed():
            return

        async def stop() -> None:
            for server in self._servers:
                server.close()
            await asyncio.sleep(0)  # what was accepted just now has its task after this
            await self._drop()

        asyncio.run_coroutine_threadsafe(stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        if not self._thread.is_alive():
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()
