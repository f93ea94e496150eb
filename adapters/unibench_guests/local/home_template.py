"""The folder below a guest's home, in the form that an overlay needs: owned by the guest's user, and never written again."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from pathlib import Path

from unibench_guests.box import ROOTS_STAND_IN, state_folder

_KEPT_SECONDS = 7 * 86400.0


def prepared(source: Path) -> Path:
    """A copy of a template, made on first use and kept in :func:`state_folder`; its name follows the template's content.

    Guests never write to it: each boot lays a fresh layer over it. One that no boot used for a week is removed.

    Raises:
        Unavailable: the folder for it is not ours.
        OSError: the template cannot be read.
    """
    ready = state_folder() / f"home-{_fingerprint(source)}"
    for old in state_folder().glob("home-*"):
        if old != ready and time.time() - old.stat().st_mtime > _KEPT_SECONDS:
            shutil.rmtree(old, ignore_errors=True)
    if ready.is_dir():
        os.utime(ready)
        return ready
    part = Path(tempfile.mkdtemp(prefix="box-home-", dir=state_folder()))
    try:
        copy = part / "home"
        shutil.copytree(source, copy, symlinks=True)
        for folder, folders, files in os.walk(copy):
            for path in [Path(folder), *(Path(folder) / name for name in [*folders, *files])]:
                if not path.is_symlink():
                    path.chmod(path.stat().st_mode | (0o755 if path.is_dir() else 0o644))
                if os.geteuid() == 0:
                    os.chown(path, ROOTS_STAND_IN, ROOTS_STAND_IN, follow_symlinks=False)
        # Another process may have been faster; its copy is as good.
        with contextlib.suppress(FileExistsError, OSError):
            copy.rename(ready)
        os.utime(ready)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return ready


def _fingerprint(source: Path) -> str:
    """Changes when a file's name, size, mode or time of change does."""
    found = hashlib.sha256(str(source).encode())
    for path in sorted(source.rglob("*")):
        facts = path.lstat()
        found.update(f"{path.relative_to(source)}\0{facts.st_mode}\0{facts.st_size}\0{facts.st_mtime_ns}\0".encode())
    return found.hexdigest()[:16]
