"""``unibench android …``: replay instances from their records; serve the simulated device; is it what it claims to be?"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from unibench.errors import EnvironmentFault, Unavailable, UnknownName, UsageError
from unibench.files import check_writable

if TYPE_CHECKING:
    from unibench.golden.results import ControlRun


def record(transcript: Path, task: list[str] | None = None, substrate: str = "emulator", set: list[str] | None = None) -> Iterator[str]:
    """Golden-check tasks on a phone, and write down each adb command and what the phone said.

    Each command goes through a process of the recorder's: ten seconds to a minute a task.
    """
    from unibench import registry
    from unibench.golden.check import GoldenCheck, Plan
    from unibench.golden.ledger import coverage
    from unibench_android_world import FACE, AndroidWorldSettings
    from unibench_android_world.emulators import find_adb
    from unibench_guests.simdevice import recording
    from unibench_guests.simdevice import transcript as tools

    if transcript.exists():
        raise UsageError(f"{transcript} is there already; name another file, or remove it")
    check_writable(transcript)
    settings = AndroidWorldSettings.parse({"transport": "adb", **_pairs(set)})
    with tempfile.TemporaryDirectory() as folder:
        program = recording.recorder(Path(folder), find_adb(settings.adb_path), transcript)
        recorded = settings.model_copy(update={"adb_path": str(program)})
        with registry.open_suite(FACE.name, settings, substrate) as remote:
            known = [each.id for each in remote.tasks()]
        chosen = [name for name in known if any(fnmatchcase(name, glob) for glob in task or ["*"])]
        if not chosen:
            raise UnknownName.among(
                "task of android_world", ", ".join(task or []), known, hint="(`unibench tasks android_world` lists them)"
            )
        yield f"recording {len(chosen)} tasks: ten seconds to a minute each"
        check = GoldenCheck(Plan(lambda: registry.open_suite(FACE.name, recorded, substrate), chosen))
        ledger = check.run()
    yield f"golden check on {ledger.substrate.name} ({ledger.substrate.digest}): {coverage(ledger)}"
    about, calls = tools.read(transcript)
    yield f"{len(calls)} commands of {about.device}: {transcript}"


def replay(ledger: Path, task: list[str] | None = None, set: list[str] | None = None) -> Iterator[str]:
    """Bring a ledger's instances up again from their records, on a fresh device, and compare goal and verdicts.

    The golden and the untouched state of each instance are built again. --set K=V changes a setting that affects no score
    (transport=adb takes the real adb client and server); adb_path, emulator_path and emulator_arguments are never taken from the
    ledger. Exits with 1 if anything differs.
    """
    from unibench import registry
    from unibench.golden.ledger import read_ledger
    from unibench.golden.results import ControlRun, Outcome
    from unibench_android_world import FACE

    known = read_ledger(ledger)
    if known.suite != FACE.name:
        raise UsageError(f"{ledger} is a ledger of {known.suite}, not of {FACE.name}")
    settings = FACE.settings.recorded(known.settings, _pairs(set))
    entries = [entry for entry in known.entries if any(fnmatchcase(entry.task, glob) for glob in task or ["*"])]
    if task and not entries:
        raise UnknownName.among(f"task in {ledger}", ", ".join(task), [entry.task for entry in known.entries])
    compared = differing = 0
    with registry.open_suite(FACE.name, settings, known.substrate.name) as remote:
        for entry in entries:
            for check in entry.instances:
                spec = check.spec.model_dump(mode="json")
                for run in check.runs:
                    if run.control not in ("untouched", "golden") or run.outcome is not Outcome.JUDGED or run.repeat:
                        continue
                    reply, _ = remote.call("run_control", spec=spec, control=run.control, shot="never")
                    again = ControlRun.model_validate(reply["run"])
                    compared += 1
                    was, now = (_said(each) for each in (run, again))
                    if (check.goal, was) != (reply["goal"], now):
                        differing += 1
                        yield f"{entry.task}, seed {check.spec.seed}, {run.control}: recorded {was}, now {now}; {reply['goal']}"
    if not compared:
        raise UsageError(f"{ledger} holds no judged state, golden or untouched, that could be built again")
    yield f"{compared} states built again from their records: {compared - differing} the same, {differing} not"
    if differing:
        raise SystemExit(1)


def _pairs(set: list[str] | None) -> dict[str, str]:
    """Settings as the command line gives them.

    Raises:
        UsageError: one is not K=V.
    """
    for pair in set or []:
        if "=" not in pair:
            raise UsageError(f"--set {pair!r} is not K=V")
    return dict(pair.split("=", 1) for pair in set or [])


def _said(run: ControlRun) -> str:
    return f"{run.judgement.status} {run.judgement.score}" if run.judgement is not None else f"{run.outcome}: {run.message}"


def conform(transcript: Path, bare: bool = False) -> Iterator[str]:
    """Run a transcript's commands on a fresh simulated device, and print every difference. Exits with 1 if there are any.

    The device has AndroidWorld's apps, for which the suite's own environment is needed; with --bare it has none. Its command lines are run
    in the device's root, which is no wall: replay only a transcript that you trust.
    """
    from unibench.session.python import python_for
    from unibench_android_world import FACE
    from unibench_guests.simdevice import transcript as tools

    tools.read(transcript)
    python = sys.executable if bare else str(python_for(FACE))
    yield from _inside(python, "unibench_android_world.conform", str(transcript), *(["--bare"] if bare else []))


def phone() -> Iterator[str]:
    """Serve a simulated device as an emulator is served, by adb and gRPC, until it is interrupted. It is no emulator: no app runs on it.

    For a fault's repro.py, and for trying a program against upstream's load_and_setup_env.
    """
    from unibench.session.python import python_for
    from unibench_android_world import FACE

    python = str(python_for(FACE))
    os.execve(python, [python, "-m", "unibench_android_world.served"], {**os.environ, **FACE.environment(FACE.settings())})
    yield


def leaks(task: list[str] | None = None) -> Iterator[str]:
    """Set tasks up and tear them down on the simulated device, and print what each leaves behind for the next one.

    What two runs of one task differ in shows as well: the files that it rewrites. Exits with 1 if anything is left.
    """
    from unibench.session.python import python_for
    from unibench_android_world import FACE

    yield from _inside(str(python_for(FACE)), "unibench_android_world.leaks", *(task or []))


def reads(task: list[str] | None = None) -> Iterator[str]:
    """Judge tasks on the simulated device, and compare what their verifiers read with what their descriptors say.

    Each is judged untouched and in its golden states. Exits with 1 if any reads otherwise.
    """
    from unibench.session.python import python_for
    from unibench_android_world import FACE

    yield from _inside(str(python_for(FACE)), "unibench_golden_checks.android_world.prove_reads", *(task or []))


def _inside(python: str, module: str, *arguments: str) -> Iterator[str]:
    """Runs a module in another Python, and gives its lines as they come.

    Raises:
        UsageError, Unavailable: the module ended with their exit codes.
        EnvironmentFault: it broke, or was ended from outside.
    """
    from unibench_android_world import FACE

    command = [python, "-u", "-m", module, *arguments]
    variables = {**os.environ, **FACE.environment(FACE.settings())}
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, encoding="utf-8", errors="backslashreplace", env=variables) as child,
    ):
        assert child.stdout is not None
        spoke = over = False
        try:
            for line in child.stdout:
                spoke = True
                yield line.rstrip("\n")
            over = True
        finally:
            if not over:
                child.terminate()
        status = child.wait()
        log.seek(0)
        said = log.read().decode(errors="backslashreplace").strip()
    name = module.rpartition(".")[2]
    if status not in (0, 1) or not spoke or (status and "Traceback (most recent call last)" in said):
        kind = {UsageError.exit_code: UsageError, Unavailable.exit_code: Unavailable}.get(status, EnvironmentFault)
        shown = (said.splitlines() or [f"{name} ended with status {status}"])[-1]
        raise kind(shown if kind is not EnvironmentFault else f"{name} broke: {shown}", detail=said)
    if status:
        raise SystemExit(1)
