"""The guest client against servers that are honest, rude or hostile: each answer becomes a value or a typed error."""

from __future__ import annotations

import base64
import gzip
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unibench.errors import EnvironmentFault, Unavailable
from unibench_guests.client import CommandResult, GuestClient
from unibench_guests.deadline import TimedTransport
from unibench_guests.errors import GuestRefused
from unibench_guests.http_client import Answer
from unibench_guests.png import png_size
from unibench_guests.windows import WindowsGuestClient

Route = Callable[[bytes], tuple[int, bytes]]


class Windows:
    """WindowsAgentArena's routes on a loopback port; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Any]] = []
        self.answers: dict[str, tuple[int, Any]] = {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer.asked.append((self.path, body))
                status, value = outer.answers.get(self.path, (404, "no such route"))
                data = value if isinstance(value, bytes) else (value if isinstance(value, str) else json.dumps(value)).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = _answer

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"


@pytest.fixture
def windows() -> Iterator[Windows]:
    running = Windows()
    yield running
    running.server.shutdown()
    running.server.server_close()


@pytest.fixture
def client(windows: Windows) -> Iterator[WindowsGuestClient]:
    with WindowsGuestClient(windows.url, seconds=5) as guest:
        yield guest


SETUP = ("create_folder", "create_file", "recycle", "close_all", "clear_task_files")
PREDICATES = {
    "folder_exists": ("Reports", "C:\\Users\\Docker"),
    "file_exists": ("a.txt", "C:\\Users\\Docker"),
    "is_details_view": ("C:\\Users\\Docker",),
    "are_files_sorted_by_modified_time": ("C:\\Users\\Docker",),
    "is_directory_read_only_for_user": ("C:\\Users\\Docker", "Docker"),
    "are_all_images_tagged": ("C:\\Users\\Docker", "2023Vacation"),
    "check_if_timer_started": ("0", "3", "0"),
    "check_if_world_clock_exists": ("Munich", "Germany"),
}


@pytest.mark.parametrize("name", PREDICATES)
def test_a_question_is_answered_yes_no_or_not_at_all(windows: Windows, client: WindowsGuestClient, name: str) -> None:
    ask = getattr(client, name)
    windows.answers[f"/{name}"] = (200, {"status": "success", "message": "it is so"})
    assert ask(*PREDICATES[name]) is True
    assert list(json.loads(windows.asked[-1][1]).values()) == list(PREDICATES[name])
    windows.answers[f"/{name}"] = (400, {"status": "error", "message": "it is not so"})
    assert ask(*PREDICATES[name]) is False
    windows.answers[f"/{name}"] = (400, {"error": "path required"})
    with pytest.raises(GuestRefused, match="path required"):
        ask(*PREDICATES[name])
    windows.answers[f"/{name}"] = (500, "Internal Server Error")
    with pytest.raises(GuestRefused, match="500"):
        ask(*PREDICATES[name])


def test_windows_paths_folders_and_view(windows: Windows, client: WindowsGuestClient) -> None:
    windows.answers |= {
        "/probe": (200, {"status": "Probe successful"}),
        "/documents_path": (200, {"documents_path": "C:\\Users\\Docker\\Documents"}),
        "/library_folders": (200, {"status": "success", "output": ["C:\\a", "C:\\b"]}),
        "/accessibility?backend=uia": (200, {"AT": "<desktop/>"}),
        "/obs_winagent": (
            200,
            {
                "image": base64.b64encode(b"png").decode(),
                "window_title": "Clock",
                "rect": [0, 0, 5, 6],
                "window_names_str": "Clock",
                "computer_clipboard": None,
            },
        ),
        "/execute_windows": (500, {"status": "error", "message": "NameError"}),
        "/revert_to_snapshot": (501, {"error": "Restore snapshot no implemented"}),
        **{f"/setup/{name}": (200, {"status": "success"}) for name in SETUP},
    }
    client.probe()
    assert client.documents_path() == "C:\\Users\\Docker\\Documents"
    assert client.library_folders("Documents") == ["C:\\a", "C:\\b"]
    assert client.accessibility_tree() == "<desktop/>"
    view = client.view()
    assert (view.image, view.window_title, view.rect, view.clipboard) == (b"png", "Clock", (0, 0, 5, 6), "")
    client.create_folder("C:\\a")
    client.create_file("C:\\a\\b", "text")
    assert json.loads(windows.asked[-1][1]) == {"path": "C:\\a\\b", "content": "text"}
    client.recycle("C:\\a\\b")
    client.close_all()
    client.clear_task_files()
    with pytest.raises(GuestRefused, match="NameError"):
        client.execute_windows("computer.nothing()")
    with pytest.raises(GuestRefused, match="no implemented") as refused:
        client.revert_to_snapshot("s")
    assert refused.value.status == 501


NO_PNG = [b"\x89PNG\r\n\x1a\n" + bytes(30), b"\x89PNG\r\n\x1a\n" + bytes(8) + struct.pack(">II", 10**6, 10**6) + bytes(20)]
NO_RESULT = [{}, {"output": 1, "error": "", "returncode": 0}, {"output": "", "error": "", "returncode": "0"}]
ENTITY = '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'
NONSENSE: dict[str, tuple[Callable[[GuestClient], object], list[Any]]] = {
    "/execute": (lambda g: g.execute("true"), ["", "[]", "null", *NO_RESULT]),
    "/screenshot": (lambda g: g.screenshot(), ["", "<html>", *NO_PNG]),
    "/accessibility": (lambda g: g.accessibility_tree(), ["", {"AT": None}, {"AT": ENTITY}, "[" * 100_000]),
    "/terminal": (lambda g: g.terminal(), ["x", {"output": 3}]),
    "/cursor_position": (lambda g: g.cursor_position(), ["{}", "[1]", '["a", "b"]']),
    "/screen_size": (lambda g: g.screen_size(), ["{}", {"width": "1", "height": 2}]),
    "/list_directory": (lambda g: g.list_directory("/"), ["{}", {"directory_tree": []}]),
    "/setup/upload": (lambda g: g.upload("/a", b"four"), ["File Uploaded: 3 bytes"]),
}


@pytest.mark.parametrize("route", NONSENSE)
def test_nonsense_is_the_environments_fault(windows: Windows, client: WindowsGuestClient, route: str) -> None:
    call, answers = NONSENSE[route]
    guest = GuestClient(windows.url, seconds=5)
    for answer in answers:
        windows.answers[route] = (200, answer)
        with pytest.raises(EnvironmentFault) as fault:
            call(guest)
        assert len(str(fault.value)) < 400
    guest.close()


def test_a_missing_file_is_none_and_a_refusal_is_none_of_the_agents_doing(windows: Windows, client: WindowsGuestClient) -> None:
    windows.answers["/file"] = (404, {"error": "File not found"})
    assert client.file("/nowhere") is None
    windows.answers["/file"] = (500, {"error": "Failed to serve file"})
    with pytest.raises(GuestRefused, match="Failed to serve"):
        client.file("/dev/mem")


def test_too_much_is_cut_off(windows: Windows, client: WindowsGuestClient) -> None:
    windows.answers["/file"] = (200, bytes(3 << 20))
    with pytest.raises(EnvironmentFault, match="more than 1048576 bytes"):
        client.file("/big", most=1 << 20)


def raw_server(answer: Callable[[socket.socket], None]) -> tuple[socket.socket, str]:
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                try:
                    connection.recv(65536)
                    answer(connection)
                except OSError:
                    pass

    threading.Thread(target=serve, daemon=True).start()
    return listening, f"http://127.0.0.1:{listening.getsockname()[1]}"


def _silent(connection: socket.socket) -> None:
    time.sleep(3)


def _dripping(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    for _ in range(60):
        connection.sendall(b"x")
        time.sleep(0.05)


def _compressed(connection: socket.socket) -> None:
    data = gzip.compress(bytes(10 << 20))
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(data) + data)


HOSTILE = {
    "silent": _silent,
    "dripping": _dripping,
    "compressed": _compressed,
    "closing": lambda c: None,
    "no http": lambda c: c.sendall(b"SSH-2.0-OpenSSH\r\n\r\n"),
    "short": lambda c: c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"),
    "redirecting": lambda c: c.sendall(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"),
    "broken chunks": lambda c: c.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_server_is_the_environments_fault(name: str) -> None:
    listening, url = raw_server(HOSTILE[name])
    with GuestClient(url, seconds=1) as guest, pytest.raises(EnvironmentFault):
        guest.platform()
    listening.close()


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with GuestClient(f"http://127.0.0.1:{port}") as guest, pytest.raises(EnvironmentFault, match="no guest answers"):
        guest.wait_ready(0.3)


def test_a_failed_command_says_so() -> None:
    with pytest.raises(GuestRefused, match="mkdir failed in the guest with status 1: no room"):
        CommandResult("", "no room", 1).check("mkdir")
    assert CommandResult("a", "", 0).check("echo").output == "a"


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_size_or_a_fault(data: bytes) -> None:
    for each in (data, b"\x89PNG\r\n\x1a\n" + data):
        try:
            width, height = png_size(each)
        except EnvironmentFault:
            continue
        assert 0 < width <= 16384 and 0 < height <= 16384


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=50).map(lambda t: json.dumps({"message": t}).encode()))
def test_any_refusal_is_one_short_line(body: bytes) -> None:
    said = str(Answer("/x", 500, body).refusal())
    assert "\n" not in said and len(said) < 300


def test_an_httpx_whose_connections_cannot_be_bounded_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(httpx.HTTPTransport, "__init__", lambda self, **arguments: None)
    with pytest.raises(Unavailable, match=r"has no HTTPTransport\._pool"):
        TimedTransport()
