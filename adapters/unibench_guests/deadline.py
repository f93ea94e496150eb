"""An HTTP transport whose requests have one deadline over all: httpx's own timeouts begin anew with each byte that drips in."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import httpcore
import httpx

from unibench.errors import Unavailable

_until: ContextVar[float] = ContextVar("until", default=float("inf"))


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What is sent and received inside is over after so many seconds, or raises :class:`httpx.TimeoutException`."""
    token = _until.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _until.reset(token)


def _left(timeout: float | None, error: type[httpcore.TimeoutException]) -> float:
    left = min(_until.get() - time.monotonic(), float("inf") if timeout is None else timeout)
    if left <= 0:
        raise error("the deadline is over")
    return min(left, 1e6)


class _Stream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Backend(httpcore.SyncBackend):
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        return _Stream(super().connect_tcp(host, port, _left(timeout, httpcore.ConnectTimeout), local_address, socket_options))


class TimedTransport(httpx.HTTPTransport):
    """Plain HTTP within the deadline of :func:`within`.

    Raises:
        Unavailable: this httpx keeps its connections elsewhere, so that the deadline would not hold.
    """

    def __init__(self) -> None:
        super().__init__(trust_env=False)
        # httpx has no argument for it.
        if not hasattr(self, "_pool"):
            raise Unavailable(
                f"httpx {httpx.__version__} has no HTTPTransport._pool, by which requests are bounded in time; use httpx 0.28"
            )
        self._pool = httpcore.ConnectionPool(network_backend=_Backend())
