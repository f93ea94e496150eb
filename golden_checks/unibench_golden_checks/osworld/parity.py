"""On the same end states, what unibench's verdict says and what upstream's own ``evaluate()`` returns, task by task.

    python -m unibench_golden_checks.osworld.parity --assets MIRROR -t 'libreoffice_calc/*' -t 'os/*'

Each end state (golden, untouched, a mutant) is made once; unibench judges it, then upstream's DesktopEnv, in its own environment,
judges the same machine. What grading itself changes on the machine could tell them apart: where they differ, each judges a fresh one.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unibench.environments import environment_python
from unibench.errors import EnvironmentFault, Fault, UnibenchError, UsageError
from unibench.golden.control import CannotBuild, Control, Role, all_controls
from unibench_golden_checks.osworld.controls import MODULE
from unibench_osworld import OsworldSettings
from unibench_osworld.grader.client import cache_name
from unibench_osworld.machines import BROWSER, SERVER, VLC, VNC
from unibench_osworld.session import DesktopSession
from unibench_osworld.suite import OsworldSuite

HERE = Path(__file__).parent
SECONDS = 400.0
SAME, TYPED, DIFFERS, UNSTEADY, NOT_MADE = "same", "typed", "differs", "unsteady", "not made"


@dataclass(frozen=True)
class Row:
    """One end state.

    Attributes:
        ours: the verdict's ``raw``, or what the verdict or the fault says.
        upstream: what ``evaluate()`` returned, or raised.
        agree: ``same``; ``typed`` (upstream raised, or gave a number that hides a fault, and we say so); ``differs``; ``unsteady``
            (they differed on one machine, and agreed when each judged a fresh one); ``not made``.
    """

    task: str
    control: str
    ours: str
    upstream: str
    agree: str
    seconds: float

    def __str__(self) -> str:
        return f"{self.agree:9} {self.task:62} {self.control:24} {self.ours:32} {self.upstream:32} {self.seconds:5.0f} s"


def chosen(controls: Sequence[Control], names: Sequence[str]) -> list[Control]:
    """The named ones; without names the golden, the untouched and the first mutant."""
    if names:
        return [control for control in controls if any(fnmatch.fnmatch(control.name, name) for name in names)]
    found = {role: control for role in (Role.GOLDEN, Role.UNTOUCHED, Role.MUTANT) for control in reversed(controls) if control.role is role}
    return list(found.values())


def prepare(session: DesktopSession, suite: OsworldSuite, task: str, control: Control) -> None:
    """A fresh episode in that end state, up to but without the verifier."""
    session.reset(suite.draw(task, 0))
    if control.build is not None:
        control.build(session.handle)
    for action in control.final:
        session.act(action)


def upstreams(session: DesktopSession) -> str:
    """What upstream's ``evaluate()`` says of the machine as it is.

    Raises:
        EnvironmentFault: its process ended without a word.
    """
    episode, targets = session.episode, session.handle.machine.targets
    ports = [str(targets.get(port, ("", port))[1]) for port in (SERVER, BROWSER, VNC, VLC)]
    with tempfile.TemporaryDirectory() as folder:
        call: dict[str, Any] = {
            "address": ":".join([targets[SERVER][0], *ports]),
            "cache": folder,
            "task": episode.task.definition,
            "files": {cache_name(asset): str(asset.path) for asset in episode.assets},
            "made": episode.made,
            "history": episode.history,
            "password": session.handle.settings.client_password,
        }
        done = subprocess.run(
            [str(environment_python("osworld")), str(HERE / "upstreams_own.py")],
            input=json.dumps(call),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            cwd=folder,
            check=False,
        )
    try:
        answer = json.loads(done.stdout.strip().splitlines()[-1])
    except (ValueError, IndexError):
        raise EnvironmentFault("upstream's own evaluation ended without an answer", detail=done.stderr[-3000:]) from None
    return f"raised {answer['raised']}" if "raised" in answer else f"{answer['value']:g}"


def ours(session: DesktopSession) -> str:
    """What unibench's verdict says: upstream's number as it is, or the error."""
    try:
        verdict = session.verify()
    except EnvironmentFault as fault:
        return f"{type(fault).__name__}: {fault}"
    return f"unscored: {verdict.error.type}" if verdict.error is not None else f"{verdict.raw:g}"


def compared(mine: str, theirs: str) -> str:
    """How the two relate."""
    if mine == theirs:
        return SAME
    if mine.startswith("unscored: ") and (theirs == f"raised {mine.removeprefix('unscored: ')}" or "DownloadFailed" in mine):
        return TYPED
    return DIFFERS


def rows(suite: OsworldSuite, session: DesktopSession, task: str, names: Sequence[str] = ()) -> Iterator[Row]:
    """A row for each of a task's chosen end states.

    Raises:
        UsageError: the session's machine is no local desktop, which alone may be judged outside of the grader's box.
    """
    if session.substrate.name != "local":
        raise UsageError(f"parity is for the substrate local, and this is {session.substrate.name}")
    for control in chosen(all_controls(MODULE, suite.draw(task, 0)), names):
        start = time.monotonic()
        try:
            prepare(session, suite, task, control)
            mine, theirs = ours(session), upstreams(session)
            agree = compared(mine, theirs)
            if agree == DIFFERS:
                prepare(session, suite, task, control)
                again = upstreams(session)
                prepare(session, suite, task, control)
                mine, theirs = f"{mine}, then {ours(session)}", f"{theirs}, then {again}"
                agree = UNSTEADY if compared(mine.rpartition("then ")[2], again) != DIFFERS else DIFFERS
        except (CannotBuild, Fault, subprocess.TimeoutExpired) as error:
            mine, theirs, agree = f"{type(error).__name__}: {error}"[:60], "", NOT_MADE
        yield Row(task, control.name, mine, theirs, agree, time.monotonic() - start)


def status(found: Sequence[Row]) -> int:
    """The exit status: 0 if something was compared, and nothing differs or could not be made."""
    kinds = {row.agree for row in found}
    return 0 if kinds & {SAME, TYPED} and not kinds & {DIFFERS, NOT_MADE} else 1


def main(argv: Sequence[str] | None = None) -> int:
    """Compares what the arguments name, and gives the exit status; an error is one line."""
    try:
        return compare(argv)
    except UnibenchError as error:
        sys.stderr.write(f"parity: {error}\n")
        return error.exit_code


def compare(argv: Sequence[str] | None) -> int:
    """Prints a row for each end state, and what they come to.

    Raises:
        UnibenchError: the task files, the mirror or the evaluators are not there, or the machine does not start.
    """
    parser = argparse.ArgumentParser(prog="python -m unibench_golden_checks.osworld.parity", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-t", "--task", action="append", metavar="GLOB", help="only these tasks; repeatable")
    parser.add_argument("-c", "--control", action="append", default=[], metavar="GLOB", help="only these controls; repeatable")
    parser.add_argument("--tasks", default="", metavar="DIR", help="the task files; what `unibench data` brought else")
    parser.add_argument("--assets", default="", metavar="DIR", help="a mirror of what tasks download")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="at most so many tasks of each domain")
    given = parser.parse_args(argv)
    if given.tasks:
        os.environ["UNIBENCH_OSWORLD_TASKS"] = given.tasks
    suite = OsworldSuite()
    settings = OsworldSettings(assets=given.assets, pause=0.2, stand_ins=True)
    session = suite.open(settings, "local")
    assert isinstance(session, DesktopSession)
    found: list[Row] = []
    taken: dict[str, int] = {}
    try:
        for task in suite.files.tasks.values():
            if given.task and not any(fnmatch.fnmatch(task.id, glob) for glob in given.task):
                continue
            golden = any(control.role is Role.GOLDEN for control in all_controls(MODULE, suite.draw(task.id, 0)))
            full = given.limit and taken.get(task.domain, 0) >= given.limit
            if full or not golden or suite.unavailable(task.id, settings, "local"):
                continue
            taken[task.domain] = taken.get(task.domain, 0) + 1
            for row in rows(suite, session, task.id, given.control):
                found.append(row)
                sys.stdout.write(f"{row}\n")
                sys.stdout.flush()
    finally:
        session.close()
    counts = ", ".join(f"{kind} {sum(row.agree == kind for row in found)}" for kind in (SAME, TYPED, UNSTEADY, DIFFERS, NOT_MADE))
    sys.stdout.write(f"{len(found)} end states of {len({row.task for row in found})} tasks: {counts}\n")
    return status(found)


if __name__ == "__main__":
    sys.exit(main())
