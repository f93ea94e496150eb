"""From a path on the device to the file on this machine, never outside the device's root."""

from __future__ import annotations

from pathlib import Path

_LINKS = 40
"""As many symbolic links are followed as Linux follows."""


def inside(root: Path, path: str, *, follow_last: bool = True) -> Path:
    """The file that a device path means.

    Symbolic links are read as the device reads them: an absolute target starts at the device's root, and ``..`` ends there.

    Args:
        root: the device's root folder.
        path: a path on the device; relative ones start at ``/``.
        follow_last: whether the last part is followed if it is a link.

    Raises:
        OSError: too many links.
    """
    parts = [part for part in path.split("/") if part]
    done: list[str] = []
    links = 0
    while parts:
        part = parts.pop(0)
        if part == ".":
            continue
        if part == "..":
            done = done[:-1]
            continue
        here = root.joinpath(*done, part)
        if here.is_symlink() and (parts or follow_last):
            links += 1
            if links > _LINKS:
                raise OSError(40, "Too many levels of symbolic links", path)
            target = str(here.readlink())
            if target.startswith("/"):
                done = []
            parts = [step for step in target.split("/") if step] + parts
            continue
        done.append(part)
    return root.joinpath(*done)
