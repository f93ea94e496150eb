"""The device's root folder: mksh and toybox with their libraries, and a stub for each framework verb."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from unibench.errors import Unavailable

SOCKET = "dev/framework.sock"
"""Where the stubs reach the framework's verbs, inside the root."""

_STUB = """#!/system/bin/sh
toybox printf '%s\\0' "${0##*/}" "$@" | toybox nc -U /dev/framework.sock | { read -r rc; toybox cat; exit $rc; }
"""
_HIDDEN = frozenset({"chroot", "insmod", "losetup", "mknod", "modprobe", "mount", "nsenter", "rmmod", "umount", "unshare"})
"""Toybox commands that get no name in ``/system/bin``: they reach outside the root."""


_PROGRAMS = {"mksh": "mksh", "toybox": "toybox", "ldd": "libc-bin", "cp": "coreutils"}
"""What a device is built with, and Debian's package of it."""


def missing() -> list[str]:
    """The packages that this machine lacks to build a device."""
    return [package for program, package in _PROGRAMS.items() if shutil.which(program) is None]


def make(root: Path, verbs: Iterable[str]) -> None:
    """Builds the root folder.

    Args:
        root: where; made if need be.
        verbs: the framework verbs that get a stub.

    Raises:
        Unavailable: mksh, toybox or what they are copied with is not installed.
    """
    if lacking := missing():
        raise Unavailable(f"the simulated device needs {', '.join(lacking)}; apt install {' '.join(lacking)}")
    for folder in ("system/bin", "lib", "lib64", "dev", "tmp", "data/data", "data/local/tmp", "data/media/0", "storage/emulated", "proc"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    _link(root / "storage/emulated/0", "../../data/media/0")
    _link(root / "sdcard", "storage/emulated/0")
    _link(root / "bin", "system/bin")
    _null(root / "dev/null")
    binaries = root / "system/bin"
    for name in ("toybox", "mksh"):
        source = Path(str(shutil.which(name))).resolve()
        shutil.copy2(source, binaries / name)
        _libraries(source, root)
    own = set(verbs)
    for name in subprocess.run(["toybox"], capture_output=True, text=True, check=True).stdout.split():
        if name not in own | _HIDDEN:
            _link(binaries / name, "toybox")
    _link(binaries / "sh", "mksh")
    for name in own:
        stub = binaries / name
        stub.write_text(_STUB, encoding="utf-8")
        stub.chmod(0o755)


def _link(path: Path, target: str) -> None:
    if not os.path.lexists(path):
        path.symlink_to(target)


def _null(path: Path) -> None:
    """A real null device where we may make one; a file, emptied before each command, elsewhere."""
    if path.exists():
        return
    if (
        os.geteuid() == 0
        and subprocess.run(["mknod", "-m", "666", str(path), "c", "1", "3"], capture_output=True, check=False).returncode == 0
    ):
        return
    path.touch()


def _libraries(binary: Path, root: Path) -> None:
    listed = subprocess.run(["ldd", str(binary)], capture_output=True, text=True, check=True).stdout
    for library in re.findall(r"(/lib\S+)", listed):
        source = Path(library)
        target = root / ("lib64" if "ld-linux" in source.name else "lib") / source.name
        if not target.exists():
            shutil.copy2(source.resolve(), target)
    for loader in re.findall(r"(/lib/ld-\S+)", listed):  # arm64 keeps its loader in /lib
        target = root / "lib" / Path(loader).name
        if not target.exists():
            shutil.copy2(Path(loader).resolve(), target)
