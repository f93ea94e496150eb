"""Programs run for the REST server: bounded output, and a deadline for the whole process group."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

MOST_OUTPUT = 16 << 20
LAUNCHED = Path("/tmp/session/launched.log")


@dataclass
class Finished:
    output: str
    error: str
    returncode: int


class Late(Exception):
    """A program passed its deadline and was ended, with its process group."""


def command_of(data: dict[str, Any]) -> tuple[str | list[str], bool]:
    """The command of a request, ``~/`` spelled out, and whether the shell runs it.

    Upstream splits a text unless the shell runs it, and gives a list with ``shell`` to :mod:`subprocess` as it is.
    """
    shell = bool(data.get("shell", False))
    command = data.get("command", "" if shell else [])
    if isinstance(command, str):
        return (command, True) if shell else (shlex.split(command), False)
    return [str(Path(each).expanduser()) if each.startswith("~/") else each for each in map(str, command)], shell


def run(
    command: str | Sequence[str], *, shell: bool = False, seconds: float = 120.0, cwd: Path | None = None, merge: bool = False
) -> Finished:
    """Runs a program to the end of its output.

    Raises:
        Late: it, or what it left with its output, did not end in time.
        OSError: it cannot be started.
    """
    child = subprocess.Popen(
        command,
        shell=shell,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if merge else subprocess.PIPE,
        start_new_session=True,
    )
    outputs = [bytearray(), bytearray()]
    readers = [
        threading.Thread(target=_read, args=(pipe, kept), daemon=True)
        for pipe, kept in zip((child.stdout, child.stderr), outputs, strict=True)
        if pipe is not None
    ]
    for reader in readers:
        reader.start()
    until = time.monotonic() + seconds
    for reader in readers:
        reader.join(max(0.0, until - time.monotonic()))
    try:
        if any(reader.is_alive() for reader in readers):
            raise subprocess.TimeoutExpired(command, seconds)
        child.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        raise Late(f"Command '{command}' timed out after {seconds:g} seconds") from None
    output, error = (bytes(kept).decode(errors="replace").replace("\r\n", "\n") for kept in outputs)
    return Finished(output, error, child.returncode)


def _read(pipe: IO[bytes], kept: bytearray) -> None:
    with pipe:
        while data := pipe.read1(1 << 16):  # type: ignore[attr-defined]
            if len(kept) < MOST_OUTPUT:
                kept += data[: MOST_OUTPUT - len(kept)]


def launch(command: str | Sequence[str], *, shell: bool = False) -> None:
    """Starts a program and leaves it to itself.

    Raises:
        OSError: it cannot be started.
    """
    with LAUNCHED.open("ab") as log:
        child = subprocess.Popen(command, shell=shell, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    threading.Thread(target=child.wait, daemon=True).start()
