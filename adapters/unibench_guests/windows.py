"""The routes that WindowsAgentArena's guest server has beside OSWorld's.

Source: WindowsAgentArena's ``src/win-arena-container/vm/setup/server/main.py``. It has none of ``/run_python``, ``/run_bash_script``
and ``/execute_with_verification``, and answers a question with 200 for yes and 400 for no.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any

from unibench.errors import EnvironmentFault
from unibench_guests.client import GuestClient, harmless_xml, typed


@dataclass(frozen=True)
class WindowsView:
    """What ``/obs_winagent`` shows.

    Attributes:
        image: a screenshot of the window in front, as the server encoded it.
        rect: its left, top, right and bottom, in pixels.
    """

    image: bytes
    window_title: str
    rect: tuple[int, ...]
    window_names: str
    clipboard: str


class WindowsGuestClient(GuestClient):
    """A Windows guest with WindowsAgentArena's server."""

    def probe(self) -> None:
        """
        Raises:
            EnvironmentFault: the server does not answer.
        """
        self.http.ask("GET", "/probe", seconds=10)

    def accessibility_tree(self, seconds: float = 120.0, backend: str = "uia") -> str:
        """The tree of one of the two backends, ``uia`` or ``win32``."""
        return harmless_xml(typed(self.http.ask("GET", "/accessibility", params={"backend": backend}, seconds=seconds), "AT", str))

    def view(self) -> WindowsView:
        """The window in front."""
        answer = self.http.ask("GET", "/obs_winagent")
        value, rect = answer.object(), typed(answer, "rect", list)
        try:
            image = base64.b64decode(typed(answer, "image", str), validate=True)
        except binascii.Error:
            raise EnvironmentFault("the guest's image is not in base64") from None
        if not all(isinstance(each, int) for each in rect):
            raise EnvironmentFault("the guest's window lies at no position")
        title, names = typed(answer, "window_title", str), str(value.get("window_names_str") or "")
        return WindowsView(image, title, tuple(rect), names, str(value.get("computer_clipboard") or ""))

    def update_computer(self, state: dict[str, Any]) -> None:
        """Tells the server's ``computer`` what was seen (rectangles, window, screenshot, scale, clipboard)."""
        self.http.ask("POST", "/update_computer", json=state)

    def execute_windows(self, command: str) -> None:
        """Runs Python in the server's own process, with its ``computer``. It raises also where the code prints "error"."""
        self.http.ask("POST", "/execute_windows", json={"command": command}, seconds=100)

    def shutdown(self) -> None:
        """Shuts Windows down."""
        self.http.ask("POST", "/shutdown")

    def documents_path(self) -> str:
        return typed(self.http.ask("POST", "/documents_path"), "documents_path", str)

    def library_folders(self, name: str) -> list[str]:
        """The folders of a library (``Documents``)."""
        found = typed(self.http.ask("POST", "/library_folders", json={"library_name": name}), "output", list)
        return [str(each) for each in found]

    def folder_exists(self, folder_name: str, path: str) -> bool:
        return self._holds("/folder_exists", folder_name=folder_name, path=path)

    def file_exists(self, file_name: str, path: str) -> bool:
        return self._holds("/file_exists", file_name=file_name, path=path)

    def is_details_view(self, path: str) -> bool:
        """Whether the Explorer shows a folder in its details view."""
        return self._holds("/is_details_view", path=path)

    def are_files_sorted_by_modified_time(self, directory: str) -> bool:
        return self._holds("/are_files_sorted_by_modified_time", directory=directory)

    def is_directory_read_only_for_user(self, directory: str, user: str) -> bool:
        return self._holds("/is_directory_read_only_for_user", directory=directory, user=user)

    def are_all_images_tagged(self, directory: str, tag: str) -> bool:
        return self._holds("/are_all_images_tagged", directory=directory, tag=tag)

    def check_if_timer_started(self, hours: str, minutes: str, seconds: str) -> bool:
        return self._holds("/check_if_timer_started", hours=hours, minutes=minutes, seconds=seconds)

    def check_if_world_clock_exists(self, city: str, country: str) -> bool:
        return self._holds("/check_if_world_clock_exists", city=city, country=country)

    def create_folder(self, path: str) -> None:
        self.http.ask("POST", "/setup/create_folder", json={"path": path})

    def create_file(self, path: str, content: str = "") -> None:
        self.http.ask("POST", "/setup/create_file", json={"path": path, "content": content})

    def recycle(self, path: str) -> None:
        """Moves a file into the recycle bin."""
        self.http.ask("POST", "/setup/recycle", json={"path": path})

    def close_all(self) -> None:
        """Closes all windows."""
        self.http.ask("POST", "/setup/close_all", json={})

    def clear_task_files(self) -> None:
        """Empties the folders that tasks write to."""
        self.http.ask("POST", "/setup/clear_task_files", json={})

    def save_state(self, name: str) -> None:
        self.http.ask("POST", "/save_state", form={"snapshot_name": name})

    def revert_to_snapshot(self, name: str) -> None:
        """Not implemented by any known server: raises what the guest says."""
        self.http.ask("POST", "/revert_to_snapshot", json={"snapshot_name": name})

    def _holds(self, route: str, **asked: str) -> bool:
        """The answer to a question. A 400 means no, and also a question that lacks something: only the first has a status."""
        answer = self.http.ask("POST", route, json=asked, accept=(200, 400))
        if answer.status == 200:
            return True
        if answer.object().get("status") != "error":
            raise answer.refusal()
        return False
