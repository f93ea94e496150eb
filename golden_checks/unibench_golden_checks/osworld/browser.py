"""The guest's Chromium through its DevTools, for what a user does on its own pages (settings, bookmarks, history)."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import websocket

from unibench.errors import EnvironmentFault
from unibench.golden.control import RecipeFailed
from unibench_guests.http_client import GuestHttp
from unibench_osworld.machines import BROWSER
from unibench_osworld.session import DesktopHandle

_SECONDS = 20.0


class Browser:
    """The running browser of a guest.

    Raises:
        RecipeFailed: its DevTools do not answer.
    """

    def __init__(self, handle: DesktopHandle) -> None:
        host, port = handle.machine.targets[BROWSER]
        self._address = f"{host}:{port}"
        self.version = self._wait()["Browser"]

    def _wait(self) -> dict[str, Any]:
        until = time.monotonic() + _SECONDS
        while True:
            try:
                found: dict[str, Any] = self._get("/json/version")
                return found
            except EnvironmentFault as error:
                if time.monotonic() > until:
                    raise RecipeFailed(f"the browser's DevTools do not answer: {error}") from None
                time.sleep(0.1)

    def _get(self, path: str, method: str = "GET") -> Any:
        http = GuestHttp(f"http://{self._address}", seconds=_SECONDS)
        try:
            # Chromium refuses a Host that is neither an address nor localhost.
            return http.ask(method, path).json()
        finally:
            http.close()

    def tabs(self) -> list[str]:
        """The addresses of the open tabs, the one used last first."""
        return [str(each["url"]) for each in self._get("/json/list") if each.get("type") == "page"]

    @contextmanager
    def page(self, url: str) -> Iterator[Page]:
        """A tab of its own at that address, closed in the end."""
        target = self._get(f"/json/new?{url}", "PUT")
        try:
            with Page(f"ws://{self._address}/devtools/page/{target['id']}") as page:
                page.wait("document.readyState === 'complete'")
                yield page
        finally:
            http = GuestHttp(f"http://{self._address}", seconds=_SECONDS)
            with contextlib.suppress(EnvironmentFault):
                http.ask("GET", f"/json/close/{target['id']}")
            http.close()


class Page:
    """One tab; a context manager."""

    def __init__(self, address: str) -> None:
        self._socket = websocket.create_connection(address, timeout=_SECONDS, suppress_origin=True, redirect_limit=0, http_no_proxy=["*"])
        self._next = 0

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One call of the DevTools protocol."""
        self._next += 1
        self._socket.send(json.dumps({"id": self._next, "method": method, "params": params}))
        until = time.monotonic() + 3 * _SECONDS
        while time.monotonic() < until:
            answer: dict[str, Any] = json.loads(self._socket.recv())
            if answer.get("id") == self._next:
                if "error" in answer:
                    raise RecipeFailed(f"{method}: {answer['error'].get('message')}")
                result: dict[str, Any] = answer["result"]
                return result
        raise RecipeFailed(f"{method}: the browser says much, but not that")

    def script(self, expression: str) -> Any:
        """The value of an expression in the page; a promise is awaited.

        Raises:
            RecipeFailed: it threw.
        """
        found = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            details = found["exceptionDetails"]
            raise RecipeFailed(f"{expression!r}: {details.get('exception', {}).get('description') or details.get('text')}")
        return found["result"].get("value")

    def wait(self, expression: str, seconds: float = _SECONDS) -> Any:
        """Waits until an expression is true."""
        until = time.monotonic() + seconds
        while not (value := self.script(expression)):
            if time.monotonic() > until:
                raise RecipeFailed(f"{expression!r} did not come true in {seconds:g} s")
            time.sleep(0.05)
        return value

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *error: object) -> None:
        self._socket.close()
