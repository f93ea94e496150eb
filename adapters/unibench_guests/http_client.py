"""HTTP to a machine that is not trusted: every answer is bounded in size and time, and nothing in it is taken on faith."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from unibench.errors import EnvironmentFault
from unibench_guests.deadline import TimedTransport, within
from unibench_guests.errors import GuestRefused

MIB = 1 << 20


@dataclass(frozen=True)
class Answer:
    """What a guest said, whole and within its bounds."""

    route: str
    status: int
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    def json(self) -> Any:
        """
        Raises:
            EnvironmentFault: it is no JSON.
        """
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise EnvironmentFault(f"the guest answered {self.route} with {_short(self.text)!r}, which is no JSON") from None

    def object(self) -> dict[str, Any]:
        """
        Raises:
            EnvironmentFault: it is no JSON object.
        """
        value = self.json()
        if not isinstance(value, dict):
            raise EnvironmentFault(f"the guest answered {self.route} with {_short(self.text)!r}, which is no JSON object")
        return value

    def refusal(self) -> GuestRefused:
        """The error that this answer means."""
        said = self.text
        try:
            value = json.loads(self.body)
        except (ValueError, RecursionError):
            pass
        else:
            if isinstance(value, dict):
                said = str(value.get("message") or value.get("error") or said)
        return GuestRefused(f"the guest refused {self.route} ({self.status}): {_short(said)}", status=self.status, detail=said[:4000])


def _short(text: str) -> str:
    """One line of it, which does to a terminal what text does and no more."""
    line = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in " ".join(text[:4000].split()))
    return line if len(line) <= 200 else line[:197] + "..."


class GuestHttp:
    """One guest's HTTP server.

    Args:
        url: its address.
        seconds: the deadline of a request, unless one is given with it.
        most: the most bytes of an answer, likewise.
    """

    def __init__(self, url: str, *, seconds: float = 60.0, most: int = 64 * MIB) -> None:
        self.url = url
        self._seconds, self._most = seconds, most
        # No proxies from the environment, no redirects, no compression (a small answer could unpack to a huge one).
        headers = {"Accept-Encoding": "identity"}
        self._http = httpx.Client(base_url=url, transport=TimedTransport(), trust_env=False, headers=headers, follow_redirects=False)

    def ask(
        self,
        method: str,
        route: str,
        *,
        json: Any = None,
        form: Mapping[str, str] | None = None,
        files: Mapping[str, tuple[str, bytes]] | None = None,
        params: Mapping[str, str] | None = None,
        seconds: float | None = None,
        most: int | None = None,
        accept: Container[int] = (200,),
    ) -> Answer:
        """Sends a request, and waits for the whole answer.

        Raises:
            GuestRefused: its status is none of ``accept``.
            EnvironmentFault: no answer, a broken one, one too large or too late.
        """
        seconds, most = seconds or self._seconds, most or self._most
        more: dict[str, Any] = {"data": form, "files": files, "params": params}
        if json is not None:
            more["json"] = json
        body = bytearray()
        try:
            timeout = httpx.Timeout(seconds, connect=min(seconds, 10.0))
            with within(seconds), self._http.stream(method, route, timeout=timeout, **more) as response:
                if response.headers.get("content-encoding", "identity") != "identity":
                    raise EnvironmentFault(f"the guest answered {route} compressed, unasked")
                for chunk in response.iter_raw():
                    body += chunk
                    if len(body) > most:
                        raise EnvironmentFault(f"the guest answered {route} with more than {most} bytes")
                status = response.status_code
        except httpx.TimeoutException:
            raise EnvironmentFault(f"the guest did not answer {route} within {seconds:g} s") from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise EnvironmentFault(f"the guest cannot be reached ({route}): {_short(str(error)) or type(error).__name__}") from None
        answer = Answer(route, status, bytes(body))
        if status not in accept:
            raise answer.refusal()
        return answer

    def close(self) -> None:
        """Lets go of its connections; safe to call twice."""
        self._http.close()
