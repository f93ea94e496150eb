"""OSWorld's recipes for comparisons with a gold file, on a guest that has no programs which could write over what is put there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from unibench.golden.control import Control, Readback
from unibench_golden_checks.osworld.artefacts import artefact_controls as osworlds
from unibench_guests.client import Command, CommandResult
from unibench_guests.windows import WindowsGuestClient
from unibench_osworld.session import DesktopHandle
from unibench_osworld.task_files import TaskFile

_LOCK_FILES = "rm -f $(find ~ -name '.~lock.*' 2>/dev/null)"
"""The line of OSWorld's ``end_applications``, whose text stays there: it is in the digest of every recipe of OSWorld's that uses it."""


class NothingRuns(WindowsGuestClient):
    """A client of the path-mapped guest for recipes that end applications first: there is none to end, and no lock file of one."""

    def execute(self, command: Command, *, shell: bool = False, seconds: float = 130.0) -> CommandResult:
        if command == _LOCK_FILES or list(command[:3]) == ["pkill", "-9", "-x"]:
            return CommandResult("", "", 1)
        return super().execute(command, shell=shell, seconds=seconds)


def artefact_controls(task: TaskFile) -> list[Control]:
    """The golden by upstream's gold files, and its mutants; empty if a check is no comparison with a gold file."""
    return [replace(each, build=_on_files(each.build)) if each.build is not None else each for each in osworlds(task)]


def _on_files(build: Callable[[DesktopHandle], Readback]) -> Callable[[DesktopHandle], Readback]:
    def built(handle: DesktopHandle) -> Readback:
        with NothingRuns(handle.machine.url) as guest:
            return build(replace(handle, guest=guest))

    return built
