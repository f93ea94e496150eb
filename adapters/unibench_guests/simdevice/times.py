"""Access times as on Android, whose storage is mounted with ``noatime``: reading a file leaves its times alone."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


class AccessTimes:
    """Puts back the access times that reading changed.

    Args:
        folder: the storage whose files are looked after.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[tuple[int, int], int] = {}

    def keep(self) -> None:
        """To be called after all that reads or writes files: one that was not written since keeps the access time it had."""
        found: dict[tuple[int, int], int] = {}
        for entry in _files(str(self._folder)):
            try:
                now = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            key = (now.st_ino, now.st_mtime_ns)
            kept = self._known.get(key, now.st_atime_ns)
            if kept != now.st_atime_ns:
                with contextlib.suppress(FileNotFoundError):
                    os.utime(entry.path, ns=(kept, now.st_mtime_ns))
            found[key] = kept
        self._known = found

    def forget(self) -> None:
        """The files are others now, and their access times right."""
        self._known = {}
        self.keep()


def _files(folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    yield from _files(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    yield entry
    except (FileNotFoundError, NotADirectoryError):
        return
