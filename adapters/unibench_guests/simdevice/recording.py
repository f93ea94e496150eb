"""Writes down what an adb says: a program in its place, which runs the real one.

It is run once a command, so it imports the standard library alone (``UNIBENCH_REAL_ADB`` and ``UNIBENCH_ADB_TRANSCRIPT`` are set for it).
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from shlex import quote

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


def recorder(folder: Path, adb: str, transcript: Path) -> Path:
    """A program to be used in adb's place, which writes the transcript.

    Args:
        folder: where the program is put.
        adb: the real adb.
        transcript: the file; appended to if it is there.
    """
    program = folder / "adb"
    ours = f"{quote(sys.executable)} -IS {quote(__file__)}"
    program.write_text(
        f'#!/bin/sh\n{REAL}={quote(adb)} {FILE}={quote(str(transcript.resolve()))} exec {ours} "$@"\n',
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
    call = {"args": shown, "code": done.returncode, "out": normalised(text), "file": file}
    head = args[: len(args) - len(own)]
    with transcript.open("a", encoding="utf-8") as out:
        fcntl.flock(out, fcntl.LOCK_EX)
        out.seek(0, os.SEEK_END)
        if out.tell() == 0:
            out.write(_line({"device": _build([adb, *head])}))
        out.write(_line(call))
    return done.returncode


def _build(adb: Sequence[str]) -> str:
    """The build of the device that this adb talks to."""
    said = subprocess.run([*adb, "shell", "getprop", "ro.build.fingerprint"], capture_output=True, text=True, check=False)
    return said.stdout.strip() or "unknown"


def _line(said: dict[str, object]) -> str:
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    sys.exit(record(sys.argv[1:], os.environ[REAL], Path(os.environ[FILE])))
