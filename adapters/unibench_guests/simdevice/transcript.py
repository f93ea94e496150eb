"""Transcripts of adb: what a real device said to each command, and whether the simulated one says the same.

A transcript is a file of JSON lines: the device that was recorded, then one a command; beside it lies a folder ``FILE.files`` with what was
pushed, by digest. The recorder is a program in adb's place that runs the real one and writes down what it did:
``python -m unibench_guests.simdevice.transcript``, with ``UNIBENCH_REAL_ADB`` and ``UNIBENCH_ADB_TRANSCRIPT`` set.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from pydantic import Field, ValidationError, model_validator

from unibench.errors import FileProblem
from unibench.record import Record
from unibench_guests.simdevice import client
from unibench_guests.simdevice.device import SimulatedDevice

REAL, FILE = "UNIBENCH_REAL_ADB", "UNIBENCH_ADB_TRANSCRIPT"
_OPTIONS = {"-P": 1, "-s": 1, "-H": 1, "-t": 1, "-L": 1, "-d": 0, "-e": 0, "-a": 0}
_RECORDED = {"shell", "push", "pull", "emu", "root"}

_CHANGING = (
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d(\.\d+)?)?( [+-]\d{4})?"), "<time>"),
    (re.compile(r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \w+ \d{4}"), "<date>"),
    (re.compile(r"(?<=date=)\d{10,}|(?<=date_sent=)\d{10,}|\b1[67]\d{8}\b"), "<epoch>"),
    (re.compile(r"(RootTask id|taskId|Recent #\d+: Task\{\w+ #\d+ .*? id)=\d+"), r"\1=<n>"),
    (re.compile(r"\d+(\.\d+)? [MKG]?B/s \(\d+ bytes in [\d.]+s\)"), "<speed>"),
    (re.compile(r"^total \d+$", re.MULTILINE), "total <n>"),
)  # fmt: skip
"""What differs from run to run on one and the same device."""
_NAME = re.compile(r"[^/\0]{1,60}", re.DOTALL)
"""A file's name: no place."""


class Recorded(Record):
    """What was recorded: a transcript's first line.

    Attributes:
        device: the build that the device says it has (``ro.build.fingerprint``); a simulated one's begins with ``unibench/``.
    """

    device: str

    @property
    def simulated(self) -> bool:
        """Whether a simulated device was recorded, so that the transcript says nothing about phones."""
        return self.device.startswith("unibench/")


class Call(Record):
    """One command.

    Attributes:
        args: adb's arguments, without those that choose server and device; of a file on the host, its name alone.
        code: the exit code.
        out: stdout and stderr, normalised.
        file: the digest of the file that was pushed or pulled; empty for others.
    """

    args: tuple[str, ...] = Field(min_length=1)
    code: int
    out: str
    file: str = Field(default="", pattern=r"^([0-9a-f]{32})?$")

    @model_validator(mode="after")
    def _names_no_place(self) -> Call:
        """A transcript may come from anyone: it gives files on this machine a name alone; conform puts them into a folder of its own."""
        match self.args:
            case ("push", name, _) | ("pull", _, name) if _NAME.fullmatch(name) and name not in (".", ".."):
                return self
            case ("push" | "pull", *_):
                raise ValueError(f"{self.args[0]} takes a file's name and a path on the phone")
        return self


def normalised(text: str) -> str:
    """A command's output without what differs from run to run."""
    text = text.replace("\r", "")
    for pattern, name in _CHANGING:
        text = pattern.sub(name, text)
    return text.strip()


def stripped(args: Sequence[str]) -> list[str]:
    """adb's arguments without those that choose server and device."""
    left = list(args)
    while left and left[0] in _OPTIONS:
        del left[: 1 + _OPTIONS[left[0]]]
    return left


def digest_of(path: Path) -> str:
    """A file's digest; empty if it is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:32] if path.is_file() else ""


def files_of(transcript: Path) -> Path:
    """The folder with what was pushed."""
    return transcript.with_name(transcript.name + ".files")


# -- recording -------------------------------------------------------------------------------------


def recorder(folder: Path, adb: str, transcript: Path) -> Path:
    """A program to be used in adb's place, which writes the transcript.

    Args:
        folder: where the program is put.
        adb: the real adb.
        transcript: the file; appended to if it is there.
    """
    program = folder / "adb"
    program.write_text(
        f'#!/bin/sh\n{REAL}={quote(adb)} {FILE}={quote(str(transcript.resolve()))} exec {quote(sys.executable)} -m {__name__} "$@"\n',
        encoding="utf-8",
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def record(args: Sequence[str], adb: str, transcript: Path) -> int:
    """Runs the real adb, passes on what it says, and writes it down. Gives its exit code.

    Written down are :data:`_RECORDED` but ``logcat``, and pushes and pulls of one file without options.
    """
    own = stripped(args)
    moves = own[:1] in (["push"], ["pull"])
    if not own or own[0] not in _RECORDED or "logcat" in own or (moves and len(own) != 3):
        return subprocess.run([adb, *args], check=False).returncode
    file = ""
    if own[0] == "push" and (file := digest_of(Path(own[1]))):
        files = files_of(transcript)
        files.mkdir(exist_ok=True)
        shutil.copyfile(own[1], files / file)
    done = subprocess.run([adb, *args], capture_output=True, check=False)
    sys.stdout.buffer.write(done.stdout)
    sys.stderr.buffer.write(done.stderr)
    if own[0] == "pull" and done.returncode == 0:
        file = digest_of(Path(own[2]))
    if moves:  # a place on this machine is nobody's business, and means nothing on another
        local = 1 if own[0] == "push" else 2
        own[local] = Path(own[local]).name[:60] or "file"
    text = "" if moves else (done.stdout + done.stderr).decode(errors="replace")
    shown = [word.encode(errors="surrogateescape").decode(errors="replace") for word in own]
    call = Call(args=tuple(shown), code=done.returncode, out=normalised(text), file=file)
    head = args[: len(args) - len(own)]
    with transcript.open("a", encoding="utf-8") as out:
        fcntl.flock(out, fcntl.LOCK_EX)
        out.seek(0, os.SEEK_END)
        if out.tell() == 0:
            out.write(Recorded(device=_build([adb, *head])).model_dump_json() + "\n")
        out.write(call.model_dump_json() + "\n")
    return done.returncode


def _build(adb: Sequence[str]) -> str:
    """The build of the device that this adb talks to."""
    said = subprocess.run([*adb, "shell", "getprop", "ro.build.fingerprint"], capture_output=True, text=True, check=False)
    return said.stdout.strip() or "unknown"


# -- replaying -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """Where the simulated device says something else."""

    number: int
    call: Call
    what: str
    recorded: str
    simulated: str

    def __str__(self) -> str:
        space = " " * len(self.what)
        command = " ".join(self.call.args)
        return f"{self.number}: adb {command}\n  {self.what}: recorded {self.recorded!r}\n  {space}  simulated {self.simulated!r}"


def read(transcript: Path) -> tuple[Recorded, list[Call]]:
    """What was recorded, and the commands.

    Raises:
        FileProblem: the file cannot be read, or is none.
    """
    try:
        lines = transcript.read_text(encoding="utf-8").removesuffix("\n").split("\n")  # JSON's strings hold other line ends
    except (OSError, UnicodeDecodeError) as error:
        raise FileProblem(f"the transcript {transcript} cannot be read: {error}") from None
    found = []
    try:
        about = Recorded.model_validate_json(lines[0])
    except ValidationError:
        raise FileProblem(f"{transcript}, line 1: it does not say which device was recorded") from None
    for number, line in enumerate(lines[1:], start=2):
        try:
            found.append(Call.model_validate_json(line))
        except ValidationError:
            raise FileProblem(f"{transcript}, line {number}: no command of a transcript") from None
    return about, found


def conform(device: SimulatedDevice, calls: Iterable[Call], files: Path) -> Iterator[Difference]:
    """Runs the commands on the device, in order, and gives every difference.

    Args:
        device: a device in the state that the recorded one had at first.
        calls: the commands.
        files: the folder with what was pushed.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, call in enumerate(calls, start=1):
            yield from _one(device, number, call, files, folder)


def _one(device: SimulatedDevice, number: int, call: Call, files: Path, folder: Path) -> Iterator[Difference]:
    args = list(call.args)
    device.gaps.clear()
    if args[0] == "push":
        if not (files / call.file).is_file():
            yield Difference(number, call, "file", call.file, "it is not in the transcript's folder, so it cannot be pushed")
            return
        shutil.copyfile(files / call.file, folder / args[1])
        args[1] = str(folder / args[1])
    elif args[0] == "pull":
        (folder / "pulled").unlink(missing_ok=True)
        args[2] = str(folder / "pulled")
    done = client.run(device, args)
    if done.code != call.code:
        yield Difference(number, call, "exit code", str(call.code), str(done.code))
    if args[0] == "pull":
        pulled = digest_of(folder / "pulled") if done.code == 0 else ""
        if pulled != call.file:
            yield Difference(number, call, "file", call.file, pulled)
    elif args[0] != "push" and not _same(call, said := normalised((done.out + done.err).decode(errors="replace"))):
        yield Difference(number, call, "output", call.out[:300], said[:300])
    if device.gaps:
        yield Difference(number, call, "not simulated", "", device.gaps[0])


def _same(call: Call, said: str) -> bool:
    """Whether a command said what was recorded. In which order ``find`` lists a folder is the file system's affair."""
    if re.search(r"\bfind\b", " ".join(call.args)):
        return sorted(said.splitlines()) == sorted(call.out.splitlines())
    return said == call.out


if __name__ == "__main__":
    sys.exit(record(sys.argv[1:], os.environ[REAL], Path(os.environ[FILE])))
