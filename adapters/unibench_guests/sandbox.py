"""Runs code that is not trusted: graders that evaluate a guest's text, files that an agent wrote.

It sees the system's programs and what is named, read-only; has a small scratch folder in memory, no network but the loopback
ports that are named, and bounds on time, memory, processes and output. What it made comes back through its output.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal

from unibench_guests.box import SYSTEM, Box, Mount, Plan

MIB = 1 << 20
WORK = "/tmp/work"
"""The scratch folder, and the working folder of what runs."""


@dataclass(frozen=True)
class Limits:
    """Bounds of a run.

    Attributes:
        seconds: when it is killed.
        memory: bytes of all its processes together, and the address space of each (four times as much: libraries map freely).
        processes: most processes and threads.
        output: bytes kept of stdout and of stderr; the rest is read and thrown away.
        scratch: bytes of its scratch folder, in memory.
    """

    seconds: float = 60.0
    memory: int = 2048 * MIB
    processes: int = 128
    output: int = 4 * MIB
    scratch: int = 512 * MIB


Ended = Literal["exit", "signal", "deadline", "memory"]


@dataclass(frozen=True)
class Ran:
    """What became of a run.

    Attributes:
        ended: by itself, by a signal, at its deadline or at its memory's bound.
        returncode: its exit status if it ended by itself; 128 and the signal otherwise.
        truncated: it wrote more than was kept.
    """

    ended: Ended
    returncode: int
    stdout: bytes
    stderr: bytes
    truncated: bool
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether it ended by itself with status 0."""
        return self.ended == "exit" and self.returncode == 0


@dataclass(frozen=True)
class Sees:
    """What a run sees beside the system.

    Attributes:
        read_only: files and folders of the host, at the same paths.
        at: files and folders of the host, read-only, by the absolute path where the run finds them.
        ports: loopback ports of the host that it reaches under the same numbers.
        environment: its environment variables; nothing else is passed on.
    """

    read_only: Sequence[Path] = ()
    at: Mapping[str, Path] = field(default_factory=dict)
    ports: Sequence[int] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


def python_paths() -> list[Path]:
    """What this interpreter and the packages that it can import need to see."""
    named = [Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable), Path(os.path.realpath(sys.executable))]
    found = [path for path in [*named, *(Path(each) for each in sys.path if each)] if path.exists() and path.is_absolute()]
    inside = ("/usr/",)
    kept: list[Path] = []
    for path in sorted(set(found), key=lambda each: len(each.parts)):
        if not str(path).startswith(inside) and not any(path.is_relative_to(each) for each in kept):
            kept.append(path)
    return kept


def run(argv: Sequence[str], *, stdin: bytes = b"", sees: Sees | None = None, limits: Limits | None = None) -> Ran:
    """Runs a program in the sandbox, to its end or its bounds.

    Raises:
        Unavailable: there is no bubblewrap, or the system does not let it work.
    """
    sees, limits = sees or Sees(), limits or Limits()
    start = time.monotonic()
    box = Box(_plan(argv, sees, limits), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert box.stdin and box.stdout and box.stderr
    outputs = [_Kept(limits.output), _Kept(limits.output)]
    threads = [
        threading.Thread(target=outputs[0].read, args=(box.stdout,), daemon=True),
        threading.Thread(target=outputs[1].read, args=(box.stderr,), daemon=True),
        threading.Thread(target=_feed, args=(box.stdin, stdin), daemon=True),
    ]
    for thread in threads:
        thread.start()
    with box:
        late = not box.wait(max(0.0, start + limits.seconds - time.monotonic()))
        box.end()
        for thread in threads:
            thread.join(5)
    ended, returncode = _outcome(box, late)
    stdout, stderr = (bytes(kept.data) for kept in outputs)
    return Ran(ended, returncode, stdout, stderr, any(kept.more for kept in outputs), time.monotonic() - start)


def run_python(argv: Sequence[str], *, stdin: bytes = b"", sees: Sees | None = None, limits: Limits | None = None) -> Ran:
    """Runs this Python in the sandbox, with the packages that it can import here.

    Args:
        argv: the interpreter's arguments: ``["-c", code]``, ``["-m", module]``, ``[script]``.
    """
    sees = sees or Sees()
    importable = os.pathsep.join(path for path in sys.path if path and Path(path).exists())
    environment = {"PYTHONPATH": importable, "PYTHONDONTWRITEBYTECODE": "1", **sees.environment}
    seen = Sees([*python_paths(), *sees.read_only], sees.at, sees.ports, environment)
    return run([sys.executable, *argv], stdin=stdin, sees=seen, limits=limits)


def _plan(argv: Sequence[str], sees: Sees, limits: Limits) -> Plan:
    named = {str(path): path for path in sees.read_only} | dict(sees.at)
    mounts = [*SYSTEM, Mount("tmpfs", "/tmp", size=limits.scratch), Mount("tmpfs", "/dev/shm", size=limits.scratch)]
    mounts += [Mount("ro", target, str(source.absolute())) for target, source in sorted(named.items())]
    environment = {"HOME": WORK, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TMPDIR": "/tmp", **sees.environment}
    return Plan(
        argv=argv,
        mounts=mounts,
        environment=environment,
        reach={port: port for port in sees.ports},
        memory=limits.memory,
        processes=limits.processes,
        limits={"AS": 4 * limits.memory, "CORE": 0, "FSIZE": limits.scratch, "NOFILE": 1024},
        chdir=WORK,
        user=1000,
        hostname="sandbox",
    )


class _Kept:
    """The first bytes of a pipe; the rest is read, so that the writer does not wait for ever, and thrown away."""

    def __init__(self, most: int) -> None:
        self.data = bytearray()
        self.more = False
        self._most = most

    def read(self, pipe: IO[bytes]) -> None:
        while chunk := os.read(pipe.fileno(), 1 << 16):
            room = self._most - len(self.data)
            self.data += chunk[:room]
            self.more = self.more or len(chunk) > room


def _feed(pipe: IO[bytes], data: bytes) -> None:
    try:
        with pipe:
            pipe.write(data)
    except BrokenPipeError:  # it did not read all
        pass


def _outcome(box: Box, late: bool) -> tuple[Ended, int]:
    if late:
        return "deadline", 128 + signal.SIGKILL
    if box.ended == "memory":
        return "memory", 128 + signal.SIGKILL
    code = os.waitstatus_to_exitcode(box.status or 0)
    # Bubblewrap ends with 128 and the signal that ended its program.
    if code < 0 or code > 128:
        return "signal", 128 - code if code < 0 else code
    return "exit", code
