"""Steps of recipes on the path-mapped guest, which have the user's files at hand, and how its state is read back through its API."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

from pydantic import JsonValue

from unibench.environments import site_packages
from unibench.golden.control import Provenance, RecipeFailed
from unibench_golden_checks.osworld import stand_ins as osworlds
from unibench_golden_checks.osworld.settings import Make, Read
from unibench_guests.pathmapped import PathMappedGuest
from unibench_guests.pathmapped.paths import HOME
from unibench_osworld.session import DesktopHandle
from unibench_windows_agent_arena import NAME
from unibench_windows_agent_arena.machines import PathMapped

DESKTOP, DOCUMENTS, DOWNLOADS, PICTURES = (f"{HOME}\\{name}" for name in ("Desktop", "Documents", "Downloads", "Pictures"))
BY_FILES = Provenance(source="instruction", means="file", note="done to the files of the path-mapped guest, as the programs would")
_PROGRAM = Path(__file__).with_name("make_file.py")
_OURS = ("styled_docx", "seven_zip")
PROGRAMS = (osworlds.PROGRAM, _PROGRAM)


def guest_of(handle: DesktopHandle) -> PathMappedGuest:
    """The guest itself.

    Raises:
        RecipeFailed: the machine is another.
    """
    if not isinstance(handle.machine, PathMapped):
        raise RecipeFailed("these recipes make their states on the path-mapped guest only; use --substrate path-mapped")
    return handle.machine.guest


def put(path: str, data: bytes | str | Callable[[], bytes]) -> Make:
    """A file with this content, in place of what was there."""

    def make(handle: DesktopHandle) -> list[JsonValue]:
        content = data.encode() if isinstance(data, str) else data if isinstance(data, bytes) else data()
        target = guest_of(handle).at(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        return [["put", path, hashlib.sha256(content).hexdigest()[:16]]]

    return make


def folder(path: str) -> Make:
    """A folder."""

    def make(handle: DesktopHandle) -> list[JsonValue]:
        guest_of(handle).at(path).mkdir(parents=True, exist_ok=True)
        return [["folder", path]]

    return make


def moved(source: str, target: str) -> Make:
    """A file or folder moved."""

    def make(handle: DesktopHandle) -> list[JsonValue]:
        guest = guest_of(handle)
        shutil.move(guest.at(source), guest.at(target))
        return [["move", source, target]]

    return make


def copied(source: str, target: str) -> Make:
    """A file or folder copied."""

    def make(handle: DesktopHandle) -> list[JsonValue]:
        guest = guest_of(handle)
        (shutil.copytree if guest.at(source).is_dir() else shutil.copyfile)(guest.at(source), guest.at(target))
        return [["copy", source, target]]

    return make


def removed(path: str) -> Make:
    """A file or folder gone."""

    def make(handle: DesktopHandle) -> list[JsonValue]:
        target = guest_of(handle).at(path)
        if target.is_dir():
            shutil.rmtree(target)
        else:
            target.unlink()
        return [["remove", path]]

    return make


def text_of(path: str) -> Read:
    """A file's text; None if it is not there."""

    def read(handle: DesktopHandle) -> JsonValue:
        data = handle.guest.file(path)
        return data.decode(errors="replace") if data is not None else None

    return read


def words_of(path: str) -> Read:
    """The words of a text file, sorted; none if it is not there."""

    def read(handle: DesktopHandle) -> JsonValue:
        found: list[JsonValue] = []
        found += sorted(str(text_of(path)(handle) or "").split())
        return found

    return read


def bytes_of(handle: DesktopHandle, path: str) -> bytes:
    """A file that must be there."""
    data = handle.guest.file(path)
    if data is None:
        raise RecipeFailed(f"there is no {path}")
    return data


def names_in(*paths: str) -> Read:
    """What folders hold, sorted, folders with a backslash, their contents with their path; None for a folder that is not there."""

    def read(handle: DesktopHandle) -> JsonValue:
        guest = guest_of(handle)
        found: dict[str, JsonValue] = {}
        for path in paths:
            root = guest.at(path)
            inside = sorted(root.rglob("*")) if root.is_dir() else []
            names: list[JsonValue] = [str(each.relative_to(root)).replace("/", "\\") + ("\\" if each.is_dir() else "") for each in inside]
            found[path] = names if root.is_dir() else None
        return found

    return read


def state(**reads: Read) -> Read:
    """Several reads, by name."""
    return lambda handle: {name: read(handle) for name, read in reads.items()}


@cache
def _once(wanted: str) -> bytes:
    """Made once only: an archive with a password differs each time."""
    made_from = json.loads(wanted)
    suite = NAME if site_packages(NAME) is not None else "osworld"
    return osworlds.made(_PROGRAM if made_from["kind"] in _OURS else osworlds.PROGRAM, suite, **made_from)


def made(**wanted: JsonValue) -> bytes:
    """A file by ``make_file.py``, this suite's or OSWorld's, in the environment of the evaluators.

    Raises:
        Unavailable: that is not installed, or lacks a library.
    """
    return _once(json.dumps(wanted, sort_keys=True))
