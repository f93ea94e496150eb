"""``unibench golden-check``."""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unibench.cli.common import (
    Format,
    FormatOption,
    SetOption,
    SubstrateOption,
    SuiteArgument,
    TaskOption,
    err,
    out,
    print_json,
    settings_from,
)
from unibench.errors import FileProblem, UsageError
from unibench.selection import select

if TYPE_CHECKING:
    from rich.console import Console

    from unibench.golden.check import GoldenCheck
    from unibench.golden.results import Entry, Fault, Ledger
    from unibench.settings import Settings

SAVE_SECONDS = 2.0
"""How often a growing ledger is saved."""

_ORDER = ["valid", "invalid", "undecided"]
_COLOUR = {"valid": "green", "invalid": "red", "undecided": "yellow"}
_FAILED = {"recipe-failed", "setup-failed", "environment-fault"}


def golden_check(
    suite: SuiteArgument,
    task: TaskOption = None,
    seeds: Annotated[int, typer.Option("--seeds", metavar="N", min=1, help="Instances a task, drawn from seeds 0 to N-1.")] = 1,
    repeat: Annotated[
        int, typer.Option("--repeat", metavar="K", min=1, help="Run each control K times; differing verdicts are flaky.")
    ] = 1,
    control: Annotated[
        list[str] | None,
        typer.Option(
            "--control",
            "-c",
            metavar="GLOB",
            help="Only these controls and the goldens, for a quick look: a task with others is not called valid. Repeatable.",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, help="Session processes side by side.")] = 1,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="PATH", help="The ledger's file; SUITE.ledger.json else (with -c SUITE.some-controls.ledger.json)."
        ),
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", metavar="LEDGER", help="Exit 1 if there are faults that this ledger does not have.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 if any task is invalid or undecided.")] = False,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="DIR", help="Write a folder per cause, with a repro.py that imports only upstream.")
    ] = None,
    substrate: SubstrateOption = None,
    set_: SetOption = None,
    format: FormatOption = Format.TABLE,
) -> None:
    """Check a suite's verifiers without an agent: right end states must pass, wrong ones must not.

    Builds each task's right end state, nearly right ones, and what trivial agents leave, and asks the task's own verifier.
    Writes the ledger: which tasks' verifiers are sound, which are not, and the evidence.
    """
    from unibench import registry
    from unibench.files import check_writable
    from unibench.golden.check import GoldenCheck, Plan
    from unibench.golden.ledger import new_faults, read_ledger

    face = registry.find_face(suite)
    settings = settings_from(face, set_)
    substrate = substrate or face.checked_on(settings)
    face.substrate(substrate)
    path = output or Path(f"{face.name}{'.some-controls' if control else ''}.ledger.json")
    check_writable(path)
    if report is not None:
        check_writable(report / "README.md")
    known = read_ledger(baseline) if baseline is not None else None
    if known is not None and known.suite != face.name:
        raise UsageError(f"{baseline} is a ledger of {known.suite}, not of {face.name}")
    with registry.open_suite(suite, settings, substrate) as remote:
        chosen = select(remote.tasks(), task, suite)
    plan = Plan(lambda: registry.open_suite(suite, settings, substrate), chosen, range(seeds), repeat, jobs, tuple(control or ()))
    check = GoldenCheck(plan)
    with _alone(path):
        ledger, kept = _run(check, path, settings, quiet=format is Format.JSON)
    fresh = new_faults(ledger, known) if known is not None else []
    if format is Format.JSON:
        print_json(ledger.model_dump_json(indent=1))
    else:
        _show(ledger)
        out().print(f"ledger: {kept}")
    if baseline is not None:
        _show_fresh(fresh, baseline, err() if format is Format.JSON else out())
    if report is not None:
        from unibench.golden.report import write_report

        with plan.open_suite() as remote:
            causes = write_report(report, ledger, check.shots, remote.repro)
        (err() if format is Format.JSON else out()).print(f"report: {causes} causes in {report}")
    if kept != path:
        raise FileProblem(f"the ledger could not be written to {path}; it is kept in {kept}")
    if fresh or (strict and any(entry.decision != "valid" for entry in ledger.entries)):
        raise typer.Exit(1)


def lock_path(path: Path) -> Path:
    """The lock that a golden check holds while it writes a ledger: beside it, so that all who write it see the same one."""
    path = path.resolve()
    return path.with_name(f".{path.name}.lock")


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keeps a second golden check from writing the same ledger."""
    from filelock import FileLock, Timeout

    lock = FileLock(lock_path(path))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise UsageError(f"another golden check is writing {path}; wait for it, or name another file with -o") from None
    except OSError as error:
        raise FileProblem(f"cannot lock {lock.lock_file}: {error.strerror or error}") from None
    try:
        yield
    finally:
        lock.release()


def _run(check: GoldenCheck, path: Path, settings: Settings, *, quiet: bool) -> tuple[Ledger, Path]:
    """Runs the check under a progress bar; the ledger is saved as it grows. Returns it and where it is kept."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from unibench.golden.ledger import LedgerFile, write_ledger

    console = err()
    counts: Counter[str] = Counter()
    saved = time.monotonic()
    saving = threading.Lock()
    file = LedgerFile(path, settings, console.print)
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[counts]}", markup=False),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=quiet or not console.is_terminal,
    )

    def finished(entry: Entry) -> None:
        nonlocal saved
        counts[entry.decision] += 1
        said = ", ".join(f"{name} {counts[name]}" for name in ("valid", "invalid", "undecided"))
        bar.update(row, advance=1, counts=said, description=f"checked {entry.task}")
        with saving:
            if time.monotonic() - saved > SAVE_SECONDS:
                saved = time.monotonic()
                # Should the disk be full now, the ledger is written at the end, elsewhere if need be.
                with suppress(FileProblem):
                    file.write(check.ledger())

    check.progress.finished = finished
    with bar:
        row = bar.add_task("starting", total=len(check.plan.tasks), counts="")
        try:
            ledger = check.run()
        except KeyboardInterrupt:
            bar.stop()
            # With nothing checked, the file stays as it is.
            if check.begun and (known := check.ledger()).entries:
                file.write(known)
                console.print(f"interrupted; what was checked is in {path}")
            sys.exit(130)
    try:
        file.write(ledger)
        return ledger, path
    except FileProblem as problem:
        spare = Path(tempfile.mkdtemp(prefix="unibench-")) / path.name
        console.print(f"{problem}; keeping it in {spare}")
        write_ledger(spare, ledger)
        return ledger, spare


def _show(ledger: Ledger) -> None:
    """The tables by result and reason, a line of evidence for each fault, and the coverage line."""
    from rich.table import Column, Table
    from rich.text import Text

    from unibench.golden.ledger import coverage
    from unibench.golden.results import Reason

    console = out()
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for entry in ledger.entries:
        for reason in entry.reasons or entry.notes or ("",):
            groups[(entry.decision, str(reason))].append(entry.task)
    table = Table("result", "reason", "tasks", "which", box=None, pad_edge=False)
    for (decision, reason), names in sorted(groups.items(), key=lambda group: (_ORDER.index(group[0][0]), group[0][1])):
        table.add_row(Text(decision, style=_COLOUR[decision]), reason, str(len(names)), _some(names))
    faulty = [entry for entry in ledger.entries if entry.faults]
    if faulty:
        evidence = Table(Column("task", overflow="fold"), "reason", "instances", "evidence", box=None, pad_edge=False)
        for entry in faulty:
            rate = f"mixed {entry.faulty}/{entry.checked}" if entry.mixed else f"{entry.faulty}/{entry.checked}"
            for reason, fault in _first_of_each(entry).items():
                evidence.add_row(entry.task, reason, rate, fault.line)
        console.print(evidence)
        console.print()
    quiet = [entry for entry in ledger.entries if entry.reasons == (Reason.NOT_CHECKED,) and "controls-left-out" in entry.notes]
    undecided = [entry for entry in ledger.entries if entry.decision == "undecided" and entry not in quiet]
    unclear: dict[str, list[str]] = defaultdict(list)
    for entry in undecided:
        unclear[_why(entry)].append(entry.task)
    for why, names in unclear.items():
        console.print(f"undecided {_some(names)}: {why}")
    if undecided:
        console.print()
    console.print(table)
    if some := sum("controls-left-out" in entry.notes for entry in ledger.entries):
        console.print(f"controls of {some} tasks were left out, so they are not called valid; no fault was seen on {len(quiet)} of them")
    if leaking := [entry.task for entry in ledger.entries if entry.left]:
        console.print(f"{len(leaking)} leave something behind for the next task (`left` in the ledger): {_some(leaking)}")
    console.print(f"{ledger.suite} on {ledger.substrate.name} ({ledger.substrate.fidelity}, {ledger.substrate.digest}): {coverage(ledger)}")


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _first_of_each(entry: Entry) -> dict[str, Fault]:
    first: dict[str, Fault] = {}
    for fault in entry.faults:
        first.setdefault(fault.reason, fault)
    return first


def _why(entry: Entry) -> str:
    if entry.unavailable or entry.error:
        return "; ".join(entry.unavailable) or entry.error
    messages = [
        f"{run.control}: {run.message}" for check in entry.instances for run in check.runs if run.message and run.outcome in _FAILED
    ]
    return messages[0] if messages else ", ".join(entry.reasons)


def _show_fresh(fresh: list[tuple[str, Fault]], baseline: Path, console: Console) -> None:
    console.print(f"new faults, which {baseline} does not have: {len(fresh)}")
    for task, fault in fresh:
        console.print(f"  {task}: {fault.reason}: {fault.line}")
