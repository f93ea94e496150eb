"""Machine after machine in one process: nothing of the earlier ones is left. ``benchmarks/desktop.py`` does it two hundred times."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from pathlib import Path

import pytest

from unibench_guests.box import state_folder
from unibench_guests.client import GuestClient
from unibench_guests.launcher import _family
from unibench_guests.local import Desktop, LocalDesktop

pytestmark = pytest.mark.usefixtures("installed")
RESETS = 5


def held(folder: Path) -> dict[str, object]:
    """What this process and its machines hold."""
    sockets = 0
    for pid in _family(os.getpid()):
        for link in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                sockets += str(link.readlink()).startswith("socket:")
            except OSError:
                continue
    return {
        "below": len(_family(os.getpid())),
        "see our mounts": sum(str(folder) in _text(each) for each in Path("/proc").glob("[0-9]*/mountinfo")),
        "mounts": _text(Path("/proc/self/mounts")),
        "sockets": sockets,
        "open files": len(list(Path("/proc/self/fd").iterdir())),
        "threads": threading.active_count(),
        "box folders": len(list(state_folder().glob("box-*"))),
        "files": sum(len(files) for _, _, files in os.walk(folder)),
    }


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def test_resets_leave_no_process_mount_socket_or_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for folder in (tmp_path, tmp_path.parent):
        folder.chmod(0o755)
    before = held(tmp_path)
    with LocalDesktop(Desktop(screen=(800, 600))) as desktop:
        used(desktop)
        first = held(tmp_path)
        for _ in range(RESETS):
            desktop.reset()
            used(desktop)
        assert grown(first, tmp_path) == {}
        assert int(str(first["below"])) > int(str(before["below"])), "the machine is seen at all"
        assert first["see our mounts"] != 0
    closed = held(tmp_path)
    home = {"files": first["files"]}  # the prepared template of a home stays
    assert {**closed, "files": 0} == {**before, "files": 0}
    assert int(str(closed["files"])) < int(str(home["files"]))


def grown(first: dict[str, object], folder: Path) -> dict[str, object]:
    """What is held and was not at first, once a machine that has just booted is through with its own connections."""
    until = time.monotonic() + 10
    while True:
        now = held(folder)
        more = {name: value for name, value in now.items() if value != first[name] and not (name == "sockets" and value < first[name])}  # type: ignore[operator]
        if not more or time.monotonic() > until:
            return more
        time.sleep(0.2)


def used(desktop: LocalDesktop) -> None:
    """Does something in it: a socket, a background process that lets go of everything, a file."""
    with GuestClient(desktop.url) as guest:
        guest.upload("/home/user/a.txt", b"a")
        guest.execute("(setsid sleep 600 > /dev/null 2>&1 < /dev/null &); exit 0", shell=True).check("sleep")
        assert guest.screen_size() == (800, 600)
