"""The guest API's routes over a path-mapped guest: answers as WindowsAgentArena's server gives them.

Source: WindowsAgentArena's ``src/win-arena-container/vm/setup/server/main.py`` at 6d39ed8.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unibench.errors import EnvironmentFault, Unavailable
from unibench_guests.local.guest.http_basics import Handler, Refused, Reply, Request, Route, as_json, as_text
from unibench_guests.pathmapped.commands import Gap, execute
from unibench_guests.pathmapped.paths import HOME, TRASH, NotAllowed, NotMapped, expand

if TYPE_CHECKING:
    from unibench_guests.pathmapped.guest import PathMappedGuest

NEEDS = {
    "/screenshot": "a screen",
    "/accessibility": "UI Automation",
    "/obs_winagent": "windows",
    "/screen_size": "a screen",
    "/window_size": "windows",
    "/wallpaper": "a desktop background",
    "/cursor_position": "a pointer",
    "/is_details_view": "UI Automation",
    "/are_files_sorted_by_modified_time": "UI Automation",
    "/is_directory_read_only_for_user": "Windows' rights",
    "/are_all_images_tagged": "Windows' properties of files",
    "/library_folders": "Explorer's libraries",
    "/check_if_timer_started": "UI Automation",
    "/check_if_world_clock_exists": "UI Automation",
    "/setup/change_wallpaper": "a desktop background",
    "/setup/download_file": "a network",
    "/update_computer": "a screen",
    "/execute_windows": "a screen",
    "/start_recording": "a screen",
    "/end_recording": "a screen",
    "/save_state": "snapshots",
    "/revert_to_snapshot": "snapshots",
    "/shutdown": "Windows",
}
"""What each route that is a gap would need."""
_GET = ("/screenshot", "/accessibility", "/obs_winagent", "/cursor_position")


def handler(guest: PathMappedGuest) -> type[Handler]:
    """The request handler of a guest's server."""
    routes = {key: _guarded(guest, key[1], route) for key, route in Routes(guest).table().items()}

    class GuestHandler(Handler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if (self.command, path) not in self.routes:
                with guest.lock:
                    guest.gaps.append(f"{self.command} {path}: no such route")
            self._serve()

        do_POST = do_GET

    GuestHandler.routes = routes
    return GuestHandler


def _guarded(guest: PathMappedGuest, name: str, route: Route) -> Route:
    """One request at a time; what it does not do is remembered."""

    def guarded(request: Request) -> Reply:
        with guest.lock:
            try:
                return route(request)
            except NotAllowed as error:
                return as_json({"status": "error", "message": str(error)}, 500)
            except (Gap, NotMapped) as missing:
                guest.gaps.append(f"{name}: {missing}")
                return as_json({"status": "error", "message": f"the path-mapped guest has no {missing}"}, 500)
            except (EnvironmentFault, Unavailable) as error:
                guest.gaps.append(f"{name}: {error}")
                return as_json({"status": "error", "message": str(error)}, 500)
            except (OSError, ValueError) as error:
                # What Windows would say here is not known. A file that is not there is answered by the routes themselves.
                said = f"{type(error).__name__}: {error}".replace(str(guest.root), "")
                guest.gaps.append(f"{name}: {said}")
                return as_json({"status": "error", "message": said}, 500)

    return guarded


class Routes:
    """What each route does."""

    def __init__(self, guest: PathMappedGuest) -> None:
        self._guest = guest

    def table(self) -> dict[tuple[str, str], Route]:
        """The routes by method and path."""
        found: dict[tuple[str, str], Route] = {
            ("GET", "/probe"): lambda request: as_json({"status": "Probe successful", "message": "Service is operational"}),
            ("GET", "/platform"): lambda request: as_text("Windows"),
            # Upstream's server cannot tell on Windows; OSWorld's controllers only look whether it answers at all.
            ("GET", "/terminal"): lambda request: as_text("Currently not implemented for platform Windows.", 500),
            ("POST", "/execute"): self.execute,
            ("POST", "/setup/execute"): self.execute,
            ("POST", "/setup/launch"): self.launch,
            ("POST", "/setup/open_file"): self.open_file,
            ("POST", "/setup/activate_window"): self.no_window,
            ("POST", "/setup/close_window"): self.no_window,
            ("POST", "/setup/close_all"): lambda request: as_text("All windows closed successfully."),
            ("POST", "/setup/clear_task_files"): self.clear,
            ("POST", "/setup/create_folder"): self.create_folder,
            ("POST", "/setup/create_file"): self.create_file,
            ("POST", "/setup/recycle"): self.recycle,
            ("POST", "/setup/upload"): self.upload,
            ("POST", "/file"): self.file,
            ("POST", "/desktop_path"): lambda request: as_json({"desktop_path": HOME + "\\Desktop"}),
            ("POST", "/documents_path"): lambda request: as_json({"documents_path": HOME + "\\Documents"}),
            ("POST", "/folder_exists"): self.holds("folder_name", Path.is_dir),
            ("POST", "/file_exists"): self.holds("file_name", Path.is_file),
            ("POST", "/list_directory"): self.list_directory,
        }
        return found | {("GET" if path in _GET else "POST", path): _missing(what) for path, what in NEEDS.items()}

    def execute(self, request: Request) -> Reply:
        command = request.json().get("command") or []
        done = execute(self._guest.root, command)
        return as_json({"status": "success", "output": done.output, "error": done.error, "returncode": done.returncode})

    def launch(self, request: Request) -> Reply:
        """Upstream's server starts it through the shell, and says that it was launched also where there is no such program."""
        command = request.json().get("command") or []
        self._guest.launched.append(command if isinstance(command, str) else " ".join(map(str, command)))
        return as_text(f"{command} launched successfully")

    def open_file(self, request: Request) -> Reply:
        path = expand(_text(request.json(), "path"))
        if not self._guest.at(path).exists():
            return as_text(f"File not found: {path}", 404)
        raise Gap(f"program to open {path} with")

    def no_window(self, request: Request) -> Reply:
        return as_text(f"Window {_text(request.json(), 'window_name')} not found (empty results)", 404)

    def clear(self, request: Request) -> Reply:
        for file in self._guest.at(HOME + "\\Downloads").iterdir():
            if file.is_file():
                file.unlink()
        return as_text("All task files cleared successfully from 'C:\\\\Users\\\\Docker\\\\Downloads'.")

    def create_folder(self, request: Request) -> Reply:
        path = _text(request.json(), "path")
        target = self._guest.at(path)
        if target.exists():
            return as_json({"status": "success", "message": f"{path} already exists."})
        return self._made(path, lambda: target.mkdir(parents=True))

    def create_file(self, request: Request) -> Reply:
        data = request.json()
        path = _text(data, "path")
        target = self._guest.at(path)
        if target.is_dir():
            return as_json({"status": "error", "message": "path is not a file"}, 400)

        def make() -> None:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(str(data.get("content") or "").replace("\n", "\r\n").encode("cp1252"))

        return self._made(path, make)

    def _made(self, path: str, make: Callable[[], None]) -> Reply:
        try:
            make()
        except (OSError, UnicodeError):
            return as_json({"status": "error", "message": f"Failed to create {path}."}, 400)
        return as_json({"status": "success", "message": f"{path} created."})

    def recycle(self, request: Request) -> Reply:
        path = _text(request.json(), "path")
        source = self._guest.at(path)
        if not source.exists():
            return as_json({"status": "error", "message": f"Failed to recycle {path}"}, 400)
        number = sum(1 for _ in self._guest.at(TRASH).iterdir())
        shutil.move(source, self._guest.at(TRASH) / f"$R{number:06d}{source.suffix}")
        return as_json({"status": "success", "message": f"{path} recycled"})

    def upload(self, request: Request) -> Reply:
        form = request.form()
        if "file_path" not in form or "file_data" not in form:
            return as_json({"error": "file_path and file_data are required"}, 400)
        target = self._guest.at(expand(form["file_path"].decode(errors="replace")))
        try:
            target.write_bytes(form["file_data"])
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:  # no such folder: upstream's server makes none
            return as_json({"status": "error", "message": f"{type(error).__name__}: {error.strerror}"}, 500)
        return as_text("File Uploaded")

    def file(self, request: Request) -> Reply:
        form = request.form()
        if "file_path" not in form:
            return as_json({"error": "file_path is required"}, 400)
        target = self._guest.at(expand(form["file_path"].decode(errors="replace")))
        if target.is_dir():
            return as_json({"status": "error", "message": "Permission denied"}, 500)
        if not target.is_file():
            return as_json({"error": "File not found"}, 404)
        return Reply(kind="application/octet-stream", file=target)

    def holds(self, name: str, right: Callable[[Path], bool]) -> Route:
        """Whether a folder holds a file, or a folder."""

        def answer(request: Request) -> Reply:
            data = request.json()
            found, path = _text(data, name), _text(data, "path")
            there = right(self._guest.at(f"{path}\\{found}"))
            what = "exists" if there else "does not exist"
            return as_json({"status": "success" if there else "error", "message": f"{found} {what} in {path}."}, 200 if there else 400)

        return answer

    def list_directory(self, request: Request) -> Reply:
        folder = self._guest.at(_text(request.json(), "path"))
        if not folder.is_dir():
            return as_json({"error": "The provided path is not a directory"}, 400)
        return as_json({"directory_tree": _tree(folder)})


def _tree(folder: Path) -> dict[str, Any]:
    children = [
        _tree(each) if each.is_dir() else {"type": "file", "name": each.name}
        for each in sorted(folder.iterdir(), key=lambda each: each.name.lower())
    ]
    return {"type": "directory", "name": folder.name, "children": children}


def _text(data: dict[str, Any], name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str) or not value:
        raise Refused(400, f"{name} required")
    return value


def _missing(what: str) -> Route:
    def answer(request: Request) -> Reply:
        raise Gap(what)

    return answer
