"""Machine after machine in one process: nothing of the earlier ones is left. ``benchmarks/desktop.py`` does it two hundred times."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import pytest

from benchmarks.desktop import held
from unibench_guests.client import GuestClient
from unibench_guests.local import Desktop, LocalDesktop

pytestmark = pytest.mark.usefixtures("installed")
RESETS = 5


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
        assert first["processes below this one"] > before["processes below this one"], "the machine is seen at all"
        assert first["processes of the machine that see a mount of ours"] != 0
    closed = held(tmp_path)
    files = "temporary files"  # the prepared template of a home stays
    assert {**closed, files: 0} == {**before, files: 0}
    assert closed[files] < first[files]


def grown(first: dict[str, int], folder: Path) -> dict[str, int]:
    """What is held and was not at first, once a machine that has just booted is through with its own connections."""
    until = time.monotonic() + 10
    while True:
        now = held(folder)
        more = {
            name: value for name, value in now.items() if value != first[name] and not (name.startswith("sockets") and value < first[name])
        }
        if not more or time.monotonic() > until:
            return more
        time.sleep(0.2)


def used(desktop: LocalDesktop) -> None:
    """Does something in it: a socket, a background process that lets go of everything, a file."""
    with GuestClient(desktop.url) as guest:
        guest.upload("/home/user/a.txt", b"a")
        guest.execute("(setsid sleep 600 > /dev/null 2>&1 < /dev/null &); exit 0", shell=True).check("sleep")
        assert guest.screen_size() == (800, 600)
