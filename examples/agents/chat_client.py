"""A client for OpenAI-compatible chat endpoints that knows whose fault it is when there is no answer.

Whatever keeps a reply from coming (no connection, a time-out, 429, 5xx, a body that is no chat completion) is tried again with growing
pauses, at least as long as the server's Retry-After asks for, and then raised as AgentUnavailable: an infrastructure fault, never scored.
"""

import asyncio
import email.utils
import json
import random
import time

import httpx

from unibench.agents import AgentUnavailable

MAX_BODY = 8 * 2**20
MAX_TOKENS = 2**53
AGAIN = {408, 409, 425, 429}


class Retry(Exception):
    """This call failed; another may not. ``after`` is how many seconds the server asks to wait."""

    def __init__(self, why: str, after: float = 0.0):
        super().__init__(why)
        self.after = after


class ChatClient:
    """One endpoint.

    Args:
        base_url: up to but without ``/chat/completions``.
        key: sent as a bearer token; None sends none.
        timeout: seconds for one call.
        retries: how often a failed call is tried again.
        pause: seconds before the first further try; doubled each time, up to 30.
    """

    def __init__(self, base_url: str, key: str | None, *, timeout: float = 60, retries: int = 4, pause: float = 1.0):
        self.url = base_url.rstrip("/") + "/chat/completions"
        self.timeout, self.retries, self.pause = timeout, retries, pause
        self.retried = 0
        # No redirects: the key goes to the named host and to no other.
        self._http = httpx.AsyncClient(headers={"Authorization": f"Bearer {key}"} if key else {}, follow_redirects=False)
        # httpx's own time-outs count from the last byte on: a server that drips would hold a call for ever. asyncio's end all of it.
        self._loop = asyncio.Runner()

    def complete(self, body: dict, *, deadline: float) -> dict:
        """The endpoint's reply to a request.

        Args:
            deadline: on ``time.monotonic()``'s clock; nothing is tried after it.

        Raises:
            AgentUnavailable: there is none.
        """
        for attempt in range(self.retries + 1):
            try:
                return self._once(body, min(time.monotonic() + self.timeout, deadline))
            except Retry as failed:
                wait = max(failed.after, min(30.0, self.pause * 2**attempt) * random.uniform(0.8, 1.2))
                if attempt == self.retries or time.monotonic() + wait >= deadline:
                    raise AgentUnavailable(f"the model does not answer ({attempt + 1} tries): {failed}") from None
                self.retried += 1
                time.sleep(wait)
        raise AssertionError("unreachable")

    def _once(self, body: dict, deadline: float) -> dict:
        try:
            reply, data = self._loop.run(self._posted(body, max(0.1, deadline - time.monotonic())))
        except TimeoutError:
            raise Retry("the reply takes too long") from None
        except httpx.HTTPError as error:
            raise Retry(f"{type(error).__name__}: {error}") from None
        except httpx.InvalidURL as error:
            raise AgentUnavailable(f"the endpoint's address is none: {error}") from None
        if reply.status_code in AGAIN or reply.status_code >= 500:
            raise Retry(f"HTTP {reply.status_code}: {_said(data)}", _retry_after(reply.headers.get("retry-after", "")))
        if reply.status_code != 200:
            raise AgentUnavailable(f"the endpoint refuses: HTTP {reply.status_code}: {_said(data)}")
        return _completion(data)

    async def _posted(self, body: dict, seconds: float) -> tuple[httpx.Response, bytes]:
        # Half a character (a lone surrogate) of a page's or the model's own cannot be sent.
        content = json.dumps(body, ensure_ascii=False).encode(errors="replace")
        request = self._http.build_request("POST", self.url, content=content, headers={"Content-Type": "application/json"}, timeout=seconds)
        async with asyncio.timeout(seconds):
            reply = await self._http.send(request, stream=True)
            try:
                data = bytearray()
                async for chunk in reply.aiter_bytes():
                    data += chunk
                    if len(data) > MAX_BODY:
                        raise Retry(f"the reply has more than {MAX_BODY} bytes")
            finally:
                await reply.aclose()
        return reply, bytes(data)

    def close(self) -> None:
        self._loop.run(self._http.aclose())
        self._loop.close()


def _completion(data: bytes) -> dict:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise Retry(f"the reply is no JSON: {_said(data)}") from None
    choices = found.get("choices") if isinstance(found, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, dict) or not isinstance(first.get("message"), dict):
        raise Retry(f"the reply is no chat completion: {_said(data)}")
    if not _is_content(first["message"].get("content")):
        raise Retry(f"the reply's content is no text: {_said(data)}")
    usage = found.get("usage")
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")] if isinstance(usage, dict) else []
    if any(isinstance(count, (int, float)) and not 0 <= count <= MAX_TOKENS for count in counts):
        raise Retry(f"the reply's usage is no count of tokens: {_said(data)}")
    return found


def _is_content(content: object) -> bool:
    """Whether it is a text, text in parts, or nothing (a refusal, say)."""
    if isinstance(content, list):
        return all(isinstance(part, dict) and isinstance(part.get("text", ""), str) for part in content)
    return content is None or isinstance(content, str)


def _said(data: bytes) -> str:
    return bytes(data[:200]).decode(errors="replace")


def _retry_after(value: str) -> float:
    """Seconds, from a number or a date."""
    try:
        return max(0.0, float(value)) if value else 0.0
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return 0.0
