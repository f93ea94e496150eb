"""OSWorld's REST API, as the guest's programs need it: every route that upstream's controllers call.

Answers are those of OSWorld's ``desktop_env/server/main.py`` (state of April 2026), except where upstream's hide an error;
``docs/local-desktop.md`` lists each difference.
"""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import commands
import screen
import windows
from http_basics import Handler, Refused, Reply, Request, Route, Server, as_json, as_text

PORT = 5000
HERE = Path(__file__).parent
OPEN_SECONDS = float(os.environ.get("UNIBENCH_OPEN_SECONDS", "120"))
TREE_SECONDS = 60.0
WINDOW_SECONDS = 3.0
MOST_FILE = 1 << 30


def expand(path: str) -> Path:
    return Path(os.path.expandvars(Path(path).expanduser()))


def required(data: dict[str, Any], name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str) or not value:
        raise Refused(400, f"{name} required")
    return value


def field(form: dict[str, bytes], name: str) -> str:
    if name not in form:
        raise Refused(400, f"{name} is required")
    return form[name].decode(errors="replace")


def error(message: str, status: int = 500) -> Reply:
    return as_json({"status": "error", "message": message}, status)


def execute(request: Request) -> Reply:
    try:
        command, shell = commands.command_of(request.json())
        done = commands.run(command, shell=shell)
    except (commands.Late, OSError, ValueError, IndexError) as problem:
        return error(str(problem))
    return as_json({"status": "success", "output": done.output, "error": done.error, "returncode": done.returncode})


def execute_with_verification(request: Request) -> Reply:
    data = request.json()
    verification = data.get("verification") or {}
    try:
        command, shell = commands.command_of(data)
        done = commands.run(command, shell=shell)
    except (commands.Late, OSError, ValueError, IndexError) as problem:
        return error(str(problem))
    answer = {"output": done.output, "error": done.error, "returncode": done.returncode}
    if not verification:
        return as_json({"status": "success", **answer})
    start, most = time.monotonic(), float(data.get("max_wait_time", 10))
    while time.monotonic() - start < most:
        if _holds(verification):
            return as_json({"status": "success", **answer, "verification": "passed", "wait_time": time.monotonic() - start})
        time.sleep(float(data.get("check_interval", 1)))
    return as_json({"status": "verification_failed", **answer, "verification": "failed", "wait_time": most}, 500)


def _holds(verification: dict[str, Any]) -> bool:
    if "window_exists" in verification:
        wanted = str(verification["window_exists"]).lower()
        if not any(wanted in title.lower() for title in windows.titles().values()):
            return False
    if "command_success" in verification:
        try:
            return commands.run(verification["command_success"], shell=True, seconds=5).returncode == 0
        except (commands.Late, OSError):
            return False
    return True


def launch(request: Request) -> Reply:
    try:
        command, shell = commands.command_of(request.json())
        commands.launch(command, shell=shell)
    except (OSError, ValueError, IndexError) as problem:
        return error(str(problem))
    return as_text(f"{command if isinstance(command, str) else ' '.join(command)} launched successfully")


def screenshot(request: Request) -> Reply:
    return Reply(screen.screenshot(), kind="image/png")


def _a11y(*what: str) -> str:
    try:
        done = commands.run([sys.executable, "-I", str(HERE / "a11y.py"), *what], seconds=TREE_SECONDS)
    except commands.Late:
        raise Refused(500, f"a program did not answer AT-SPI within {TREE_SECONDS:g} s") from None
    if done.returncode:
        raise Refused(500, f"the accessibility tree cannot be read: {done.error[-500:]}")
    return done.output


def accessibility(request: Request) -> Reply:
    return as_json({"AT": _a11y()})


def terminal(request: Request) -> Reply:
    # Upstream's clients ask this to see whether the guest is there; most guests have no such terminal.
    output = None
    if shutil.which("gnome-terminal") and (text := _a11y("terminal")):
        output = text[1:]
    return as_json({"output": output, "status": "success"})


def screen_size(request: Request) -> Reply:
    width, height = screen.screen_size()
    return as_json({"width": width, "height": height})


def window_size(request: Request) -> Reply:
    name = field(request.form(), "app_class_name")
    size = windows.size_of(name)
    if size is None:
        return as_json({"error": f"no window of class {name}"}, 404)
    return as_json({"width": size[0], "height": size[1]})


def desktop_path(request: Request) -> Reply:
    path = Path.home() / "Desktop"
    return as_json({"desktop_path": str(path)}) if path.exists() else as_json({"error": f"there is no {path}"}, 404)


def wallpaper(request: Request) -> Reply:
    done = commands.run(["gsettings", "get", "org.gnome.desktop.background", "picture-uri"], seconds=20)
    path = Path(urllib.request.url2pathname(done.output.strip().strip("'").removeprefix("file://")))
    if done.returncode or not path.is_file():
        raise Refused(404, f"Wallpaper file not found: {path}")
    return Reply(file=path, kind="image/png")


def change_wallpaper(request: Request) -> Reply:
    path = expand(required(request.json(), "path"))
    if not path.exists():
        raise Refused(404, f"File not found: {path}")
    done = commands.run(["gsettings", "set", "org.gnome.desktop.background", "picture-uri", f"file://{path}"], seconds=20)
    if done.returncode:
        raise Refused(500, f"Failed to change wallpaper. Error: {done.error}")
    return as_text("Wallpaper changed successfully")


def list_directory(request: Request) -> Reply:
    data = request.json()
    if not isinstance(data.get("path"), str):
        return as_json({"error": "Missing 'path' parameter"}, 400)
    if not Path(data["path"]).is_dir():
        return as_json({"error": "The provided path is not a directory"}, 400)
    return as_json({"directory_tree": _tree(Path(data["path"]), 40)})


def _tree(folder: Path, depth: int) -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    try:
        for path in folder.iterdir():
            deeper = depth > 0 and path.is_dir()
            found.append(_tree(path, depth - 1) if deeper else {"type": "file", "name": path.name})
    except OSError as problem:
        return {"error": str(problem)}
    return {"type": "directory", "name": folder.name, "children": found}


def get_file(request: Request) -> Reply:
    path = expand(field(request.form(), "file_path"))
    if not path.exists():
        return as_json({"error": "File not found"}, 404)
    if not path.is_file():
        return as_json({"error": f"Failed to serve file: {path} is no regular file"}, 500)
    if path.stat().st_size > MOST_FILE:
        return as_json({"error": f"Failed to serve file: {path} has more than {MOST_FILE} bytes"}, 500)
    return _attached(path)


def _attached(path: Path) -> Reply:
    name = path.name.encode("ascii", "replace").decode().replace('"', "")
    return Reply(file=path, kind="application/octet-stream", headers={"Content-Disposition": f'attachment; filename="{name}"'})


def upload(request: Request) -> Reply:
    form = request.form()
    if "file_path" not in form or "file_data" not in form:
        return as_json({"error": "file_path and file_data are required"}, 400)
    path = expand(field(form, "file_path"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(form["file_data"])
    except OSError as problem:
        with contextlib.suppress(OSError):
            path.unlink()
        return as_json({"error": f"Failed to upload file: {problem}"}, 500)
    return as_text(f"File Uploaded: {path.stat().st_size} bytes")


def download_file(request: Request) -> Reply:
    data = request.json()
    url, path = required(data, "url"), expand(required(data, "path"))
    if not url.startswith(("http://", "https://")):
        raise Refused(400, f"no http address: {url}")
    part = path.with_name(path.name + ".part")
    problem: Exception | None = None
    for _ in range(3):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with urllib.request.urlopen(url, timeout=300) as answer, part.open("wb") as file:
                shutil.copyfileobj(answer, file, 1 << 18)
                length = answer.headers.get("Content-Length")
            size = part.stat().st_size
            if length and int(length) != size:
                raise OSError(f"Download incomplete. Expected {length} bytes, got {size} bytes")
            part.replace(path)
            return as_text(f"File downloaded successfully: {size} bytes")
        except OSError as failed:
            problem = failed
            part.unlink(missing_ok=True)
    raise Refused(500, f"Failed to download {url}. No retries left. Error: {problem}")


def open_file(request: Request) -> Reply:
    """Opens a file with the program for its type, or starts a program, and waits for a window that names it."""
    asked = required(request.json(), "path")
    path = expand(asked)
    if path.exists():
        command, names = ["xdg-open", str(path)], (path.name, path.stem)
    elif shutil.which(asked):
        command, names = [asked], (asked, asked)
    else:
        raise Refused(404, f"Application/file not found: {asked}")
    commands.launch(command)
    if not windows.wait_for(*names, seconds=OPEN_SECONDS):
        raise Refused(500, f"Failed to find window for {names[0]} within {OPEN_SECONDS:g} seconds.")
    return as_text("File opened and window activated successfully")


def _window(request: Request, action: str, seconds: float) -> None:
    data = request.json()
    name = required(data, "window_name")
    if not windows.act(action, name, strict=bool(data.get("strict")), by_class=bool(data.get("by_class")), seconds=seconds):
        raise Refused(404, f"Window {name} not found")


def activate_window(request: Request) -> Reply:
    _window(request, "a", WINDOW_SECONDS)
    return as_text("Window activated successfully")


def close_window(request: Request) -> Reply:
    _window(request, "c", 0.0)
    return as_text("Window closed successfully.")


def run_python(request: Request) -> Reply:
    code = request.json().get("code")
    if not isinstance(code, str) or not code:
        return error("Code not supplied!", 400)
    try:
        with _script(code, ".py") as path:
            done = commands.run(["/usr/bin/python3", path], seconds=30)
    except commands.Late:
        late = {"error": "TimeoutExpired", "need_more": False, "output": None}
        return as_json({"status": "error", "message": "Execution timeout: Code took too long to execute", **late}, 500)
    problem = done.error or (f"Process exited with code {done.returncode}" if done.returncode else "")
    return as_json(
        {
            "status": "error" if done.returncode else "success",
            "message": "\n".join(each for each in (done.output, problem) if each),
            "need_more": False,
            "output": done.output,
            "error": problem,
            "return_code": done.returncode,
        }
    )


def run_bash_script(request: Request) -> Reply:
    data = request.json()
    script, seconds, named = data.get("script"), float(data.get("timeout", 100)), data.get("working_dir")

    def failed(output: str, status: int) -> Reply:
        return as_json({"status": "error", "output": output, "error": "", "returncode": -1}, status)

    if not isinstance(script, str) or not script:
        return failed("Script not supplied!", 400)
    folder = Path(named).expanduser() if named else None
    if folder and not folder.exists():
        return failed(f"Working directory does not exist: {folder}", 400)
    try:
        with _script(script, ".sh") as path:
            done = commands.run(["/bin/bash", path], seconds=seconds, cwd=folder, merge=True)
    except commands.Late:
        return failed(f"Script execution timed out after {seconds:g} seconds", 500)
    except OSError as problem:
        return failed(f"Failed to execute script: {problem}", 500)
    status = "error" if done.returncode else "success"
    return as_json({"status": status, "output": done.output, "error": "", "returncode": done.returncode})


@contextlib.contextmanager
def _script(text: str, suffix: str) -> Any:
    with tempfile.NamedTemporaryFile("w", suffix=suffix, encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
        file.flush()
        yield file.name


class Recording:
    """The screen as a film, by ffmpeg, one at a time."""

    path = Path(tempfile.gettempdir()) / "osworld_recording.mp4"
    child: subprocess.Popen[bytes] | None = None
    lock = threading.Lock()

    @classmethod
    def start(cls, request: Request) -> Reply:
        with cls.lock:
            if cls.child is not None and cls.child.poll() is None:
                return error("Recording is already in progress.", 400)
            if not shutil.which("ffmpeg"):
                return error("ffmpeg is required for recording but was not found in PATH.")
            width, height = screen.screen_size()
            grab = ["-f", "x11grab", "-draw_mouse", "1", "-s", f"{width}x{height}", "-i", os.environ["DISPLAY"]]
            command = ["ffmpeg", "-y", *grab, "-c:v", "libx264", "-r", "30", str(cls.path)]
            cls.path.unlink(missing_ok=True)
            cls.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                cls.child.wait(2)
                return error("Failed to start recording. ffmpeg terminated unexpectedly.")
            return as_json({"status": "success", "message": "Started recording successfully."})

    @classmethod
    def end(cls, request: Request) -> Reply:
        with cls.lock:
            child, cls.child = cls.child, None
            if child is None or child.poll() is not None:
                return error("No recording in progress to stop.", 400)
            try:
                child.communicate(b"q\n", timeout=15)
            except subprocess.TimeoutExpired:
                child.kill()
                child.communicate()
                return error("Recording process was unresponsive and had to be killed.")
            if not cls.path.is_file() or not cls.path.stat().st_size:
                return error("Recording failed. The output file is missing or empty.")
            return _attached(cls.path)


ROUTES: dict[tuple[str, str], Route] = {
    ("POST", "/execute"): execute,
    ("POST", "/setup/execute"): execute,
    ("POST", "/execute_with_verification"): execute_with_verification,
    ("POST", "/setup/execute_with_verification"): execute_with_verification,
    ("POST", "/setup/launch"): launch,
    ("GET", "/screenshot"): screenshot,
    ("GET", "/accessibility"): accessibility,
    ("GET", "/terminal"): terminal,
    ("GET", "/platform"): lambda request: as_text(platform.system()),
    ("GET", "/cursor_position"): lambda request: as_json(list(screen.pointer_position())),
    ("POST", "/screen_size"): screen_size,
    ("POST", "/window_size"): window_size,
    ("POST", "/desktop_path"): desktop_path,
    ("POST", "/wallpaper"): wallpaper,
    ("POST", "/setup/change_wallpaper"): change_wallpaper,
    ("POST", "/list_directory"): list_directory,
    ("POST", "/file"): get_file,
    ("POST", "/setup/upload"): upload,
    ("POST", "/setup/download_file"): download_file,
    ("POST", "/setup/open_file"): open_file,
    ("POST", "/setup/activate_window"): activate_window,
    ("POST", "/setup/close_window"): close_window,
    ("POST", "/run_python"): run_python,
    ("POST", "/run_bash_script"): run_bash_script,
    ("POST", "/start_recording"): Recording.start,
    ("POST", "/end_recording"): Recording.end,
}


def serve(listening: socket.socket) -> None:
    """Serves for ever."""
    Handler.routes = ROUTES
    Server(listening).serve_forever()
