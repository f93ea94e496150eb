"""Transcripts of adb: what a real device said to each command, and whether the simulated one says the same.

A transcript is a file of JSON lines: the device that was recorded, then one a command; beside it lies a folder ``FILE.files`` with what was
pushed, by digest. ``recording.py`` writes it.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field, ValidationError, model_validator

from unibench.errors import FileProblem
from unibench.record import Record
from unibench_guests.simdevice import client
from unibench_guests.simdevice.device import SimulatedDevice
from unibench_guests.simdevice.recording import digest_of, normalised

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
    """Whether a command said what was recorded.

    In which order ``find`` lists a folder is the file system's affair; whether adb passes on the console's last OK is its version's.
    """
    if re.search(r"\bfind\b", " ".join(call.args)):
        return sorted(said.splitlines()) == sorted(call.out.splitlines())
    if call.args[0] == "emu":
        return _without_ok(said) == _without_ok(call.out)
    return said == call.out


def _without_ok(said: str) -> list[str]:
    lines = said.splitlines()
    return lines[:-1] if lines[-1:] == ["OK"] else lines
