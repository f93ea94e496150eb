"""Just enough of an HTTP server for the guest: routes, JSON, forms, uploads, files."""

from __future__ import annotations

import json
import os
import shutil
import socket
import traceback
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingMixIn, UnixStreamServer
from typing import Any, ClassVar

MOST_BODY = 1 << 30


@dataclass
class Request:
    """A request, with its whole body."""

    method: str
    path: str
    kind: str
    body: bytes

    def json(self) -> dict[str, Any]:
        try:
            value = json.loads(self.body or b"{}")
        except ValueError:
            raise Refused(400, "the body is no JSON") from None
        if not isinstance(value, dict):
            raise Refused(400, "the body is no JSON object")
        return value

    def form(self) -> dict[str, bytes]:
        """The fields of a form, uploads among them."""
        if self.kind.startswith("multipart/form-data"):
            return _multipart(self.kind, self.body)
        parsed = urllib.parse.parse_qs(self.body.decode(errors="replace"), keep_blank_values=True)
        return {name: values[0].encode() for name, values in parsed.items()}


@dataclass
class Reply:
    """An answer: bytes, or a file that is sent as it is."""

    body: bytes = b""
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    file: Path | None = None
    headers: dict[str, str] = field(default_factory=dict)


class Refused(Exception):
    """A request that gets a status and a line of text."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.reply = as_text(text, status)


def as_text(text: str, status: int = 200) -> Reply:
    return Reply(text.encode(errors="replace"), status)


def as_json(value: Any, status: int = 200) -> Reply:
    return Reply(json.dumps(value).encode(), status, "application/json")


def _multipart(kind: str, body: bytes) -> dict[str, bytes]:
    _, _, boundary = kind.partition("boundary=")
    mark = b"--" + boundary.split(";")[0].strip('" ').encode()
    fields: dict[str, bytes] = {}
    # Each part is "\r\n<headers>\r\n\r\n<data>\r\n"; the last mark is followed by "--".
    for part in (b"\r\n" + body).split(b"\r\n" + mark)[1:]:
        if part.startswith(b"--"):
            break
        head, blank, data = part.partition(b"\r\n\r\n")
        if not blank:
            raise Refused(400, "a part of the form has no end of its headers")
        name = _part_name(head)
        if name:
            fields[name] = data
    return fields


def _part_name(head: bytes) -> str:
    for line in head.decode(errors="replace").splitlines():
        if line.lower().startswith("content-disposition:"):
            for item in line.split(";")[1:]:
                key, _, value = item.strip().partition("=")
                if key.lower() == "name":
                    return value.strip('"')
    return ""


Route = Callable[[Request], Reply]


class Handler(BaseHTTPRequestHandler):
    """Answers by :attr:`routes`, keyed on method and path."""

    routes: ClassVar[dict[tuple[str, str], Route]] = {}
    protocol_version = "HTTP/1.1"

    def address_string(self) -> str:
        return "host"

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass

    def _serve(self) -> None:
        path = self.path.partition("?")[0]
        route = self.routes.get((self.command, path))
        try:
            if route is None:
                known = any(name == path for _, name in self.routes)
                raise Refused(405 if known else 404, f"no route {self.command} {path}")
            reply = route(Request(self.command, path, self.headers.get("Content-Type", ""), self._body()))
        except Refused as refused:
            reply = refused.reply
        except Exception as error:  # noqa: BLE001 - the server's border: a fault of one request is that request's answer
            traceback.print_exc()
            reply = as_json({"status": "error", "message": f"{type(error).__name__}: {error}"}, 500)
        self._send(reply)

    def _body(self) -> bytes:
        length = int(self.headers.get("Content-Length") or 0)
        if length > MOST_BODY:
            self.close_connection = True
            raise Refused(413, f"a body of {length} bytes is too large")
        return self.rfile.read(length)

    def _send(self, reply: Reply) -> None:
        file = None
        if reply.file is not None:
            try:
                file = reply.file.open("rb")
            except OSError as error:
                reply = as_json({"error": f"Failed to serve file: {error}"}, 500)
        size = os.fstat(file.fileno()).st_size if file else len(reply.body)
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.kind)
        self.send_header("Content-Length", str(size))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if file is None:
            self.wfile.write(reply.body)
            return
        with file:
            shutil.copyfileobj(file, self.wfile, 1 << 18)

    do_GET = do_POST = _serve


class Server(ThreadingMixIn, UnixStreamServer):
    """Serves on a Unix socket that listens already; a thread a connection."""

    daemon_threads = True

    def __init__(self, listening: socket.socket) -> None:
        super().__init__("", Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, _ = self.socket.accept()
        return connection, ("host", 0)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is none of ours."""
