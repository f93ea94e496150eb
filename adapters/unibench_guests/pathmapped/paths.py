"""Windows paths, and the files of a folder that they stand for. Standard library only: the sandboxed Python uses it as well."""

from __future__ import annotations

import ntpath
import re
from pathlib import Path

HOME = r"C:\Users\Docker"
"""The user's profile; WindowsAgentArena's image has the user Docker."""
TRASH = r"C:\$Recycle.Bin"
ENVIRONMENT = {
    "USERPROFILE": HOME,
    "HOMEDRIVE": "C:",
    "HOMEPATH": r"\Users\Docker",
    "USERNAME": "Docker",
    "LOCALAPPDATA": HOME + r"\AppData\Local",
    "APPDATA": HOME + r"\AppData\Roaming",
    "TEMP": HOME + r"\AppData\Local\Temp",
    "TMP": HOME + r"\AppData\Local\Temp",
    "PUBLIC": r"C:\Users\Public",
    "PROGRAMDATA": r"C:\ProgramData",
    "SYSTEMDRIVE": "C:",
    "SYSTEMROOT": r"C:\Windows",
    "OS": "Windows_NT",
}
_VARIABLE = re.compile(r"%([^%]+)%")
_FORBIDDEN = set('<>"|?*') | {chr(n) for n in range(32)}
_DEVICES = {"con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10))}


class NotMapped(ValueError):
    """A path that this guest has no folder for: another drive, a share, or one that depends on a working folder."""


class NotAllowed(NotMapped):
    """A path that no Windows machine has a file at; its server answers with an error."""


def expand(path: str) -> str:
    """With ``~`` and ``%NAME%`` replaced, as ``ntpath.expanduser`` and ``expandvars`` do; unknown names stay."""
    if path == "~" or path.startswith(("~/", "~\\")):
        path = HOME + path[1:]
    return _VARIABLE.sub(lambda found: ENVIRONMENT.get(found.group(1).upper(), found.group(0)), path)


def parts(path: str) -> tuple[str, ...]:
    """The names below ``C:\\``, ``.`` and ``..`` resolved; either slash separates. A path without a drive is on C, too.

    Raises:
        NotMapped: it is no absolute path on drive C.
        NotAllowed: it is no path that Windows allows.
    """
    if not path:
        raise NotAllowed("an empty path")
    drive, rest = ntpath.splitdrive(ntpath.normpath(path))
    if drive.upper() not in ("C:", "") or not rest.startswith("\\"):
        raise NotMapped(f"{path!r} is no absolute path on drive C:")
    names = tuple(name for name in rest.split("\\") if name)
    for name in names:
        if name == ".." or ":" in name or _FORBIDDEN & set(name) or name.partition(".")[0].lower() in _DEVICES:
            raise NotAllowed(f"{path!r} is no path that Windows allows")
    return tuple(name.rstrip(" .") for name in names)


def mapped(root: Path, path: str) -> Path:
    """The file of the folder that a path stands for, there or not. Names are found in any case, as Windows does.

    Raises:
        NotMapped: the path has none.
    """
    here = root / "C"
    for name in parts(path):
        exact = here / name
        here = exact if exact.exists() else next((each for each in _entries(here) if each.name.lower() == name.lower()), exact)
        if here.is_symlink():
            raise NotMapped(f"{path!r} leads through a link")
    return here


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []
