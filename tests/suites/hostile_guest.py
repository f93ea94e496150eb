"""A guest's services on loopback ports that answer as an attacker would, and what tells whether it reached this machine."""

from __future__ import annotations

import contextlib
import io
import json
import os
import secrets
import socket
import struct
import tarfile
import textwrap
import threading
import time
import zipfile
import zlib
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MIB = 1 << 20
Behaviour = Callable[[BaseHTTPRequestHandler], None]


def png(width: int, height: int, pixels: bytes | None = None, parts: int = 1) -> bytes:
    """A grey PNG that says it has so many pixels, in so many chunks; black, unless other (compressed) pixels are given."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packed = zlib.compress(bytes((width + 1) * height)) if pixels is None else pixels
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    size = -(-len(packed) // parts)
    body = b"".join(chunk(b"IDAT", packed[at : at + size]) for at in range(0, len(packed), size))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + body + chunk(b"IEND", b"")


SCREEN = png(1920, 1080)


def bomb(megabytes: int) -> bytes:
    """Zeros, compressed a thousandfold."""
    packer = zlib.compressobj(9)
    return b"".join([*(packer.compress(bytes(MIB)) for _ in range(megabytes)), packer.flush()])


# -- behaviours ----------------------------------------------------------------------------------


def says(body: Any, status: int = 200, **headers: str) -> Behaviour:
    """An answer: bytes, a text as it is, or a JSON value."""
    data = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()

    def behave(asked: BaseHTTPRequestHandler) -> None:
        asked.send_response(status)
        for name, value in headers.items():
            asked.send_header(name.replace("_", "-"), value)
        asked.send_header("Content-Length", str(len(data)))
        asked.end_headers()
        asked.wfile.write(data)

    return behave


def output(text: str) -> Behaviour:
    return says({"output": text, "error": "", "returncode": 0, "status": "success"})


def raw(*parts: bytes, every: float = 0.0, endless: bool = False) -> Behaviour:
    """Bytes as they are, the last of them for ever if wanted."""

    def behave(asked: BaseHTTPRequestHandler) -> None:
        asked.close_connection = True
        for part in parts:
            asked.wfile.write(part)
        while endless:
            time.sleep(every)
            asked.wfile.write(parts[-1])

    return behave


def silent(asked: BaseHTTPRequestHandler) -> None:
    asked.close_connection = True
    asked.connection.settimeout(60)
    while asked.connection.recv(1 << 16):
        pass


def hangs_up(asked: BaseHTTPRequestHandler) -> None:
    asked.close_connection = True


def in_turn(*behaviours: Behaviour) -> Behaviour:
    """Another answer each time; the last one from then on."""
    left = list(behaviours)
    return lambda asked: (left.pop(0) if len(left) > 1 else left[0])(asked)


OK = b"HTTP/1.1 200 OK\r\n"
HONEST: dict[str, Behaviour] = {
    "/platform": says("Linux"),
    "/screenshot": says(SCREEN),
    "/accessibility": says({"AT": "<desktop-frame/>"}),
    "/terminal": says({"output": None, "status": "success"}),
    "/execute": output(""),
    "/file": says({"error": "File not found"}, 404),
}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024  # a flood of connections is not to wait for dropped ones


class Service:
    """One port of a guest; what it was not told to do is honest."""

    def __init__(self) -> None:
        self.does: dict[str, Behaviour] = {}
        self.asked: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self) -> None:
                route = self.path.partition("?")[0]
                outer.asked.append(route)
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                behave = outer.does.get(route) or outer.does.get("*") or HONEST.get(route) or says({"status": "success"})
                with contextlib.suppress(OSError):
                    behave(self)

            do_GET = do_POST = do_PUT = _answer

            def handle(self) -> None:
                with contextlib.suppress(OSError):
                    super().handle()

            def log_message(self, *args: object) -> None:
                pass

        self._server = _Server(("127.0.0.1", 0), Handler)
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


# -- the canary ----------------------------------------------------------------------------------


class Canary:
    """A file, a port and a word of this machine that no guest must touch, reach or leave behind."""

    def __init__(self, folder: Path) -> None:
        self.word = f"unibench-canary-{secrets.token_hex(6)}"
        self.file = folder / "canary"
        self.file.write_text(f"secret of {self.word}")
        common = map(Path, ("/", "/tmp", "/var/tmp", "/dev/shm", "/etc", "/usr/local/bin"))
        self._places = (folder, Path.home(), Path.cwd(), *common)
        self._port = socket.create_server(("127.0.0.1", 0))
        self._port.settimeout(0.01)
        self.port: int = self._port.getsockname()[1]

    def payload(self) -> str:
        """Python that writes, deletes, reads, connects, kills and leaves a process behind, wherever it can."""
        places = [str(place) for place in self._places]
        return textwrap.dedent(
            f"""
            import os, signal, socket, subprocess
            for place in {places!r}:
                try:
                    open(os.path.join(place, {self.word!r}), "w").write("was here")
                except OSError:
                    pass
            for act in (lambda: os.unlink({str(self.file)!r}), lambda: socket.create_connection(("127.0.0.1", {self.port}), 1)):
                try:
                    act()
                except OSError:
                    pass
            for pid in range(1, 5000):
                if pid != os.getpid() and pid != os.getppid():
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except OSError:
                        pass
            subprocess.Popen(["sh", "-c", "sleep 600; : {self.word}"], start_new_session=True)
            """
        )

    def sings(self) -> None:
        """Raises AssertionError if this machine was touched."""
        assert self.file.read_text() == f"secret of {self.word}"
        for place in self._places:
            assert not (place / self.word).exists(), f"a file was left in {place}"
        try:
            self._port.accept()
        except TimeoutError:
            pass
        else:
            raise AssertionError("a port of this machine was reached")
        until = time.monotonic() + 5
        while (left := self._processes()) and time.monotonic() < until:
            time.sleep(0.05)
        assert not left, f"processes were left: {left}"

    def _processes(self) -> list[int]:
        found = []
        for each in Path("/proc").iterdir():
            if each.name.isdigit() and int(each.name) != os.getpid():
                with contextlib.suppress(OSError):
                    if self.word.encode() in (each / "cmdline").read_bytes():
                        found.append(int(each.name))
        return found

    def close(self) -> None:
        self._port.close()


# -- files -----------------------------------------------------------------------------------------


def docx(document: str) -> bytes:
    """A Word file with this document.xml; without one if it is empty."""
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{main}"/></Types>'
    )
    leads = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
        'Target="word/document.xml" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>'
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book:
        for name, text in {"[Content_Types].xml": types, "_rels/.rels": leads, "word/document.xml": document}.items():
            if text:
                book.writestr(name, text)
    return file.getvalue()


def huge_docx(megabytes: int) -> bytes:
    """A Word file whose document.xml is that large, and well-formed."""
    file = io.BytesIO(docx(""))
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as book:
        before, _, after = paragraph("|").partition("|")
        with book.open("word/document.xml", "w", force_zip64=True) as part:
            part.write(before.encode())
            for _ in range(megabytes):
                part.write(b" " * MIB)
            part.write(after.encode())
    return file.getvalue()


WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def paragraph(text: str, before: str = "") -> str:
    return f"{before}<w:document {WORD}><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>"


def laughs(depth: int = 9) -> str:
    """A document type whose entity ``&e9;`` stands for a thousand million laughs."""
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, depth + 1))
    return f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "ha">{entities}]>'


def tar(**members: tarfile.TarInfo | bytes) -> bytes:
    """A tar with files (bytes) and links under the given names, ``__`` for a slash."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, what in members.items():
            path = name.replace("__", "/")
            if isinstance(what, bytes):
                info = tarfile.TarInfo(path)
                info.size = len(what)
                archive.addfile(info, io.BytesIO(what))
            else:
                what.name = path
                archive.addfile(what)
    return file.getvalue()


def link(target: str) -> tarfile.TarInfo:
    made = tarfile.TarInfo()
    made.type, made.linkname = tarfile.SYMTYPE, target
    return made
