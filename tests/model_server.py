"""A local OpenAI-compatible chat endpoint whose replies a test writes."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


@dataclass
class Reply:
    """What the server sends.

    Attributes:
        hold: seconds before the first byte; ``drip`` seconds between the bytes, ``drip_head`` between those of a header without an end.
    """

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hold: float = 0.0
    drip: float = 0.0
    drip_head: float = 0.0


def says(text: Any, *, usage: Body | None = None, **kwargs: Any) -> Reply:
    """A chat completion; 100 prompt and 20 completion tokens unless told otherwise."""
    counted = {"prompt_tokens": 100, "completion_tokens": 20} if usage is None else usage
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    return Reply(json.dumps({"object": "chat.completion", "choices": [choice], "usage": counted or None}).encode(), **kwargs)


def broken(status: int, **headers: str) -> Reply:
    return Reply(
        json.dumps({"error": {"message": f"status {status}"}}).encode(), status, {k.replace("_", "-"): v for k, v in headers.items()}
    )


@dataclass
class ModelServer:
    """``answer`` makes the reply to each request; ``requests`` keeps the bodies, ``times`` when they came, ``keys`` who sent them."""

    answer: Callable[[Body], Reply]
    url: str = ""
    requests: list[Body] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


@contextmanager
def serving(answer: Callable[[Body], Reply] | list[Reply]) -> Iterator[ModelServer]:
    """A running server; a list of replies is given one after another, the last one for ever."""
    listed = list(answer) if isinstance(answer, list) else []

    def next_reply(_: Body) -> Reply:
        return listed.pop(0) if len(listed) > 1 else listed[0]

    model = ModelServer(next_reply if isinstance(answer, list) else answer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert self.path == "/v1/chat/completions", self.path
            model.requests.append(body)
            model.times.append(time.monotonic())
            model.keys.append(self.headers.get("Authorization"))
            reply = model.answer(body)
            time.sleep(reply.hold)
            try:
                if reply.drip_head:
                    self.wfile.write(b"HTTP/1.0 200 OK\r\nX-Slow: ")
                    while True:
                        self.wfile.write(b"a")
                        time.sleep(reply.drip_head)
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                if not reply.drip:
                    self.wfile.write(reply.body)
                    return
                for n in range(len(reply.body)):
                    self.wfile.write(reply.body[n : n + 1])
                    time.sleep(reply.drip)
            except (BrokenPipeError, ConnectionResetError):
                pass  # the client gave up, as it should

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
