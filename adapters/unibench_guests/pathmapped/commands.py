"""The few commands that set-ups and getters of file tasks run: told as Windows tells them; any other is a gap."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from unibench.errors import EnvironmentFault
from unibench_guests.client import CommandResult
from unibench_guests.pathmapped.lines import joined, killed, linux_only
from unibench_guests.pathmapped.paths import expand, mapped
from unibench_guests.sandbox import Limits, Sees, run

HERE = Path(__file__).parent
ROOT = "/guest"
PROGRAM = "/unibench/pathmapped"
SECONDS = 20.0
_MOST = 64 << 20
_TEST_PATH = re.compile(r"(?s)^if \(Test-Path -Path '([^']*)'\) \{ '([^']*)' \}$")
_NEW_FOLDER = ["New-Item", "-ItemType", "Directory", "-Force", "-Path"]


class Gap(Exception):
    """What this guest cannot do."""


def execute(root: Path, command: str | Sequence[str]) -> CommandResult:
    """What a command prints, and its exit status.

    Raises:
        Gap: this guest does not know it.
        NotMapped: it names a path that this guest has no folder for.
    """
    words = command.split() if isinstance(command, str) else [str(each) for each in command]
    if not words:
        raise Gap("an empty command")
    line = command if isinstance(command, str) else " ".join(words)
    program = words[0].lower().removesuffix(".exe")
    if program == "python" and words[1:2] == ["-c"] and not isinstance(command, str):
        return _python(root, words[2])
    if joined(line):
        raise Gap(f"the joined commands {line[:200]!r}")
    if program == "cmd" and words[1:2] == ["/c"]:
        return _cmd(root, " ".join(words[2:]))
    if program == "powershell" and words[1:2] == ["-Command"]:
        return _powershell(root, words[2:])
    if ended := killed(line):
        return CommandResult("", f'ERROR: The process "{ended}" not found.\n', 128)
    if linux_only(line):
        return CommandResult("", "'sudo' is not recognized as an internal or external command,\noperable program or batch file.\n", 1)
    raise Gap(f"the command {line[:200]!r}")


def _python(root: Path, code: str) -> CommandResult:
    seen = Sees(at={ROOT: root, PROGRAM: HERE})
    # Its own folder alone is on the path: the standard library is all that it may import.
    argv = ["/usr/bin/python3", "-I", "-c", f"import sys, runpy; sys.path.insert(0, {PROGRAM!r}); sys.argv = ['-c']; "
            f"runpy.run_path({PROGRAM + '/sandboxed_python.py'!r}, run_name='__main__')"]  # fmt: skip
    done = run(argv, stdin=json.dumps({"code": code, "root": ROOT}).encode(), sees=seen, limits=Limits(seconds=SECONDS))
    try:
        said = json.loads(done.stdout)
        gap, result = str(said["gap"]), CommandResult(str(said["output"]), str(said["error"]), int(said["returncode"]))
    except (ValueError, KeyError, TypeError):
        detail = done.stderr.decode(errors="replace")[-2000:]
        raise EnvironmentFault(f"the guest's Python ended without an answer ({done.ended})", detail=detail) from None
    if gap:
        raise Gap(gap)
    return result


def _cmd(root: Path, line: str) -> CommandResult:
    name, *words = line.split()
    match name.lower(), words:
        case (("mkdir" | "md"), [folder]):
            target = mapped(root, expand(folder))
            if target.exists():
                return CommandResult("", f"A subdirectory or file {folder} already exists.\n", 1)
            target.mkdir(parents=True)
        case "copy", [source, target_path]:
            return _copied(mapped(root, expand(source)), mapped(root, expand(target_path)))
        case "fsutil", ["file", "createnew", path, size] if size.isdecimal():
            target = mapped(root, expand(path))
            if target.exists():
                return CommandResult("Error:  The file exists.\n", "", 1)
            if int(size) > _MOST:
                raise Gap(f"a file of {size} bytes")
            with target.open("wb") as file:
                file.truncate(int(size))
            return CommandResult(f"File {path} is created\n", "", 0)
        case _:
            raise Gap(f"cmd's {line[:200]!r}")
    return CommandResult("", "", 0)


def _copied(source: Path, target: Path) -> CommandResult:
    if not source.is_file():
        return CommandResult("", "The system cannot find the file specified.\n", 1)
    shutil.copyfile(source, target / source.name if target.is_dir() else target)
    return CommandResult("        1 file(s) copied.\n", "", 0)


def _powershell(root: Path, words: Sequence[str]) -> CommandResult:
    if list(words[:-1]) == _NEW_FOLDER:
        mapped(root, expand(words[-1])).mkdir(parents=True, exist_ok=True)
        return CommandResult("", "", 0)
    if len(words) == 1 and (found := _TEST_PATH.match(words[0])):
        there = mapped(root, found.group(1)).exists()
        return CommandResult(found.group(2) + "\n" if there else "", "", 0)
    raise Gap(f"PowerShell's {' '.join(words)[:200]!r}")
