"""A child's folder for temporary files: it goes with the child, or, if its supervisor was killed, when the next one starts."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path
from typing import IO

_MARK = ".unibench-scratch"
"""The file that a living supervisor holds locked: process numbers say nothing where containers share a folder."""


def make() -> tuple[Path, IO[str]]:
    """A new folder, and what keeps others from removing it while it is open.

    Raises:
        OSError: it cannot be written.
    """
    _sweep(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix="unibench-"))
    held = (folder / f"{_MARK}.part").open("w", encoding="utf-8")
    fcntl.flock(held, fcntl.LOCK_EX)
    (folder / f"{_MARK}.part").rename(folder / _MARK)
    return folder, held


def _sweep(shared: Path) -> None:
    """Removes what killed supervisors of this user left."""
    for mark in shared.glob(f"unibench-*/{_MARK}"):
        with contextlib.suppress(OSError):
            if mark.lstat().st_uid != os.geteuid() or mark.is_symlink():
                continue
            with mark.open("r+", encoding="utf-8") as held:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(mark.parent, ignore_errors=True)
