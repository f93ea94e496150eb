"""A client of OSWorld's guest REST API, for our local desktop, upstream's virtual machines and any guest that speaks it.

Source: OSWorld's ``desktop_env/server/main.py`` and ``desktop_env/controllers`` (state of April 2026). Upstream's own controllers
log what fails and go on; this client raises.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Self, TypeVar

from unibench.errors import EnvironmentFault
from unibench_guests.errors import GuestRefused
from unibench_guests.http_client import MIB, Answer, GuestHttp
from unibench_guests.png import png_size

Command = str | Sequence[str]
T = TypeVar("T")
_OPEN_SECONDS = 180.0


@dataclass(frozen=True)
class CommandResult:
    """What a command in the guest printed, and its exit status."""

    output: str
    error: str
    returncode: int

    def check(self, what: str) -> CommandResult:
        """Itself.

        Raises:
            GuestRefused: the command failed.
        """
        if self.returncode:
            said = (self.error or self.output).strip()
            raise GuestRefused(f"{what} failed in the guest with status {self.returncode}: {said[-200:]}", detail=said[-4000:])
        return self


def harmless_xml(text: str) -> str:
    """The text itself.

    Raises:
        EnvironmentFault: it declares a document type, and could unpack to anything.
    """
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise EnvironmentFault("the guest's accessibility tree declares a document type")
    return text


class GuestClient:
    """A guest by the address of its server; a context manager.

    Every method raises :class:`GuestRefused` where the guest's server says no, and :class:`EnvironmentFault` where it does not
    answer, or answers what cannot be.

    Args:
        url: ``http://127.0.0.1:5000``, say.
        seconds: the deadline of a request, unless its method says another.
    """

    def __init__(self, url: str, *, seconds: float = 60.0) -> None:
        self.http = GuestHttp(url, seconds=seconds)

    # What is to be seen

    def screenshot(self) -> bytes:
        """The screen with the pointer, as PNG."""
        data = self.http.ask("GET", "/screenshot", most=64 * MIB).body
        png_size(data)
        return data

    def accessibility_tree(self, seconds: float = 90.0) -> str:
        """The accessibility tree as XML, in upstream's names. It holds no document type, hence no entities."""
        return harmless_xml(typed(self.http.ask("GET", "/accessibility", seconds=seconds), "AT", str))

    def terminal(self) -> str | None:
        """The text of the terminal in front; None if there is none."""
        answer = self.http.ask("GET", "/terminal")
        return None if answer.object().get("output") is None else typed(answer, "output", str)

    def platform(self) -> str:
        """The guest's system: ``Linux``, ``Windows`` or ``Darwin``."""
        return self.http.ask("GET", "/platform", most=MIB).text.strip()

    def must_answer(self, seconds: float | None = None) -> None:
        """
        Raises:
            EnvironmentFault: the guest's server is not there, or in trouble of its own (5xx).
        """
        self.http.ask("GET", "/platform", seconds=seconds, most=MIB, accept=range(200, 500))

    def cursor_position(self) -> tuple[int, int]:
        """Where the pointer is, in pixels."""
        found = self.http.ask("GET", "/cursor_position").json()
        if not (isinstance(found, list) and len(found) == 2 and all(isinstance(each, int) for each in found)):
            raise EnvironmentFault("the guest's pointer is at no position")
        return found[0], found[1]

    def screen_size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return _size(self.http.ask("POST", "/screen_size"))

    def window_size(self, app_class_name: str) -> tuple[int, int]:
        """Width and height of the first window of a class."""
        return _size(self.http.ask("POST", "/window_size", form={"app_class_name": app_class_name}))

    def desktop_path(self) -> str:
        return typed(self.http.ask("POST", "/desktop_path"), "desktop_path", str)

    def wallpaper(self) -> bytes:
        """The wallpaper's image file."""
        return self.http.ask("POST", "/wallpaper").body

    def list_directory(self, path: str) -> dict[str, Any]:
        """The tree below a folder: ``{"type": "directory", "name": …, "children": […]}``."""
        return typed(self.http.ask("POST", "/list_directory", json={"path": path}), "directory_tree", dict)

    # Files

    def file(self, path: str, *, most: int = 256 * MIB) -> bytes | None:
        """A file's content; None if there is no such file."""
        answer = self.http.ask("POST", "/file", form={"file_path": path}, most=most, seconds=120, accept=(200, 404))
        return answer.body if answer.status == 200 else None

    def upload(self, path: str, data: bytes) -> None:
        """Writes a file, and the folders above it."""
        files = {"file_data": (PurePosixPath(path.replace("\\", "/")).name, data)}
        answer = self.http.ask("POST", "/setup/upload", form={"file_path": path}, files=files, seconds=600)
        said = answer.text
        # The server tells the size since 2025; before, only that it was done.
        if said.startswith("File Uploaded:") and said.split()[2:3] != [str(len(data))]:
            raise EnvironmentFault(f"the guest stored {said.removeprefix('File Uploaded: ')} of {path}, not {len(data)} bytes")

    def download(self, url: str, path: str, *, seconds: float = 1000.0) -> None:
        """Lets the guest fetch a file by itself."""
        self.http.ask("POST", "/setup/download_file", json={"url": url, "path": path}, seconds=seconds)

    # Programs

    def execute(self, command: Command, *, shell: bool = False, seconds: float = 130.0) -> CommandResult:
        """Runs a command to its end. The server itself gives it 120 s."""
        body = {"command": command if isinstance(command, str) else list(command), "shell": shell}
        return _result(self.http.ask("POST", "/execute", json=body, seconds=seconds), "returncode")

    def run_python(self, code: str, *, seconds: float = 60.0) -> CommandResult:
        """Runs a Python script. The server itself gives it 30 s."""
        return _result(self.http.ask("POST", "/run_python", json={"code": code}, seconds=seconds), "return_code")

    def run_bash_script(self, script: str, *, timeout: int = 30, working_dir: str | None = None) -> CommandResult:
        """Runs a bash script, its stderr merged into its output."""
        body = {"script": script, "timeout": timeout, "working_dir": working_dir}
        return _result(self.http.ask("POST", "/run_bash_script", json=body, seconds=timeout + 30), "returncode")

    def launch(self, command: Command, *, shell: bool = False) -> None:
        """Starts a program and leaves it to itself."""
        self.http.ask("POST", "/setup/launch", json={"command": command if isinstance(command, str) else list(command), "shell": shell})

    def open_file(self, path: str, *, seconds: float = _OPEN_SECONDS) -> None:
        """Opens a file with the program for its type, and waits until a window names it."""
        self.http.ask("POST", "/setup/open_file", json={"path": path}, seconds=seconds)

    # Windows

    def activate_window(self, name: str, *, strict: bool = False, by_class: bool = False) -> None:
        """Brings a window to the front, by a part of its title. Upstream's own server does not tell if there is none."""
        self.http.ask("POST", "/setup/activate_window", json={"window_name": name, "strict": strict, "by_class": by_class})

    def close_window(self, name: str, *, strict: bool = False, by_class: bool = False) -> None:
        """Closes a window, likewise."""
        self.http.ask("POST", "/setup/close_window", json={"window_name": name, "strict": strict, "by_class": by_class})

    def change_wallpaper(self, path: str) -> None:
        self.http.ask("POST", "/setup/change_wallpaper", json={"path": path})

    # Films

    def start_recording(self) -> None:
        self.http.ask("POST", "/start_recording")

    def end_recording(self) -> bytes:
        """The film, as MP4."""
        return self.http.ask("POST", "/end_recording", seconds=120, most=1024 * MIB).body

    def wait_ready(self, seconds: float) -> None:
        """Waits until the server answers.

        Raises:
            EnvironmentFault: it does not, within ``seconds``.
        """
        until = time.monotonic() + seconds
        while True:
            try:
                self.http.ask("GET", "/terminal", seconds=max(1.0, min(10.0, until - time.monotonic())))
                return
            except EnvironmentFault as fault:
                if time.monotonic() > until:
                    raise EnvironmentFault(f"no guest answers at {self.http.url} after {seconds:g} s: {fault}") from None
            time.sleep(0.05)

    def close(self) -> None:
        """Lets go of its connections; safe to call twice."""
        self.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def typed(answer: Answer, name: str, kind: type[T]) -> T:
    """A field of a JSON answer, of the type that it must have."""
    value = answer.object().get(name)
    if not isinstance(value, kind):
        raise EnvironmentFault(f"the guest answered {answer.route} without a {kind.__name__} {name!r}")
    return value


def _result(answer: Answer, status: str) -> CommandResult:
    value = answer.object()
    output, error = value.get("output"), value.get("error")
    if not isinstance(output, str) or not isinstance(error, str):
        raise EnvironmentFault(f"the guest answered {answer.route} without the texts 'output' and 'error'")
    return CommandResult(output, error, typed(answer, status, int))


def _size(answer: Answer) -> tuple[int, int]:
    return typed(answer, "width", int), typed(answer, "height", int)
