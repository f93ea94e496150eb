"""Compares what verifiers read with what descriptors say: ``python -m unibench_golden_checks.android_world.prove_reads [GLOB…]``.

Each task is judged untouched and in its golden state on the simulated device in process, while every adb command and every look at the
screen or the answer is noted.
"""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from typing import Any
from unittest import mock

from unibench.errors import UnibenchError, UnknownName
from unibench.golden.control import Control, Role, all_controls
from unibench_android_world import FACE, AndroidWorldSettings
from unibench_android_world.session import AndroidWorldSession, open_session
from unibench_android_world.suite import AndroidWorldSuite
from unibench_android_world.verifiers import JUDGED_BY_THE_SCREEN, reads
from unibench_golden_checks.android_world.controls import MODULE

_KINDS = (
    (r"am stack list|dumpsys activity", "foreground activity"),
    (r"settings get", "settings"),
    (r"content query", "content provider"),
    (r"date \+", "device clock"),
    (r"clipper\.get", "clipboard"),
    (r"/(databases|app_db)\b", "databases"),
    (r"^pull |\b(ls|cat|find|stat|test|wc|md5sum)\b|\[ -[def] ", "files"),
)
_NO_READING = re.compile(r"whoami|^root$|am (start|force-stop|broadcast -a clipper\.set)|input keyevent|mkdir|chmod|rm -r")


class Notes:
    """What was read, by kind, and commands of no known kind."""

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self.other: set[str] = set()

    def command(self, args: Sequence[str]) -> None:
        text = " ".join(args).removeprefix("shell ")
        for pattern, kind in _KINDS:
            if re.search(pattern, text):
                self.kinds.add(kind)
                return
        if not _NO_READING.search(text):
            self.other.add(text)


@contextmanager
def _noting(env: Any, notes: Notes) -> Iterator[None]:
    """Notes what is asked of the device and of upstream's environment meanwhile."""
    from unibench_android_world.inprocess import Adb

    run, plain = Adb.execute_command, type(env)

    def execute_command(self: Any, args: Sequence[str], *rest: Any, **named: Any) -> bytes:
        notes.command(args)
        return run(self, args, *rest, **named)

    class Watched(plain):  # type: ignore[misc, valid-type]
        def __getattribute__(self, name: str) -> Any:
            if name == "interaction_cache":
                notes.kinds.add("answer")
            elif name == "get_state":
                notes.kinds.add("UI tree")
            return super().__getattribute__(name)

    env.__class__ = Watched
    try:
        with mock.patch.object(Adb, "execute_command", execute_command):
            yield
    finally:
        env.__class__ = plain


def found(session: AndroidWorldSession, suite: AndroidWorldSuite, task: str, notes: Notes) -> None:
    """Judges the task untouched and in its golden states, and notes what is read."""
    spec = suite.draw(task, 0)
    goldens = [each for each in all_controls(MODULE, spec) if each.role is Role.GOLDEN]
    untouched: list[Control | None] = [None]
    for control in untouched + goldens:
        session.reset(spec)
        if control is not None:
            if control.build is not None:
                control.build(session.handle)
            for action in control.final:
                session.act(action)
        # One that raises (RetroPlayingQueue untouched) has read too.
        with _noting(session.handle.env, notes), suppress(sqlite3.Error):
            session.verify()


def main(globs: list[str]) -> int:
    """Writes a line for each task whose verifier reads otherwise than is said; 1 if there are any.

    Raises:
        UnknownName: no task has such a name.
        Unavailable: there is no upstream, or no simulated device, on this machine.
    """
    suite = AndroidWorldSuite()
    for glob in globs:
        if not any(fnmatchcase(task, glob) for task in suite.classes):
            raise UnknownName.among("task of android_world", glob, suite.classes)
    chosen = [task for task in suite.classes if any(fnmatchcase(task, glob) for glob in globs or ["*"])]
    session = open_session(suite, AndroidWorldSettings(), FACE.substrate("simdevice"))
    differ = 0
    try:
        for task in chosen:
            notes = Notes()
            found(session, suite, task, notes)
            said = set(reads()[task])
            if notes.kinds != said or notes.other:
                differ += 1
                sys.stdout.write(f"{task}: said {sorted(said)}, seen {sorted(notes.kinds)}{_unknown(notes)}\n")
                sys.stdout.flush()
    finally:
        session.close()
    screen = sum(task in JUDGED_BY_THE_SCREEN for task in chosen)
    judged = f"{len(chosen)} tasks judged ({screen} of them untouched alone: the screen decides)"
    sys.stdout.write(f"{judged}, {differ} read otherwise than is said\n")
    return 1 if differ else 0


def _unknown(notes: Notes) -> str:
    return f", of no known kind: {sorted(notes.other)[:3]}" if notes.other else ""


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UnibenchError as problem:
        sys.stderr.write(f"{problem}\n")
        sys.exit(problem.exit_code)
