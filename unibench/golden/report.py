"""``--report DIR``: faults as what a maintainer can act on the same day, one folder per cause.

A cause is the owner's file that decided × the reason × the control. The report says "accepts", "rejects", "raises on".
"""

from __future__ import annotations

import contextlib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment

from unibench.files import write_atomic
from unibench.golden.differ import difference
from unibench.golden.results import ControlRun, Entry, Fault, InstanceCheck, Ledger, Reason
from unibench.verdict import Source

Repro = Callable[[InstanceCheck, ControlRun], str]
"""Gives the script for one fault; empty if there can be none."""

VERBS = {
    Reason.GOLDEN_REJECTED: "rejects a right end state",
    Reason.UNTOUCHED_ACCEPTED: "accepts the untouched state",
    Reason.TRIVIAL_ACCEPTED: "accepts an agent that does nothing",
    Reason.MUTANT_ACCEPTED: "accepts a wrong end state",
    Reason.VERIFIER_RAISED: "raises",
    Reason.FLAKY: "judges the same state differently",
}


@dataclass
class Case:
    """One fault on one instance, with what proves it."""

    entry: Entry
    fault: Fault
    check: InstanceCheck
    run: ControlRun


@dataclass
class Cause:
    """All faults with the same deciding file, reason and control."""

    source: Source
    reason: Reason
    control: str
    cases: list[Case] = field(default_factory=list)
    number: int = 0

    @property
    def folder(self) -> str:
        stem = re.sub(r"[^a-z0-9]+", "-", self.source.path.lower().rsplit("/", 1)[-1].rsplit(".", 1)[0]).strip("-")
        return f"{self.number:02}-{stem}--{self.reason}--{self.control}"

    @property
    def verb(self) -> str:
        return VERBS[self.reason]

    @property
    def tasks(self) -> dict[str, list[Case]]:
        found: dict[str, list[Case]] = defaultdict(list)
        for case in self.cases:
            found[case.entry.task].append(case)
        return dict(found)


def _remove_old(folder: Path) -> None:
    """Takes away the causes of an earlier report in the same folder; nothing else that lies there."""
    for place in folder.glob("[0-9][0-9]-*--*--*"):
        for name in ("README.md", "repro.py", "end_state.png"):
            (place / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            place.rmdir()


def causes_of(ledger: Ledger) -> list[Cause]:
    """The ledger's faults by cause, the one with the most tasks first."""
    found: dict[tuple[str, str, str], Cause] = {}
    for entry in ledger.entries:
        checks = {check.spec.digest: check for check in entry.instances}
        for fault in entry.faults:
            check = checks[fault.spec]
            run = next(run for run in check.runs if run.control == fault.control and run.judgement is not None)
            source = _source(entry, run)
            key = (source.path, fault.reason, fault.control)
            cause = found.setdefault(key, Cause(source, fault.reason, fault.control))
            cause.cases.append(Case(entry, fault, check, run))
    return sorted(found.values(), key=lambda cause: (-len(cause.tasks), cause.folder))


def _source(entry: Entry, run: ControlRun) -> Source:
    """The file whose rule decided: the one that the evidence names, else the verifier's first."""
    descriptor = entry.descriptor
    decided = run.judgement.evidence.decided_by if run.judgement else ""
    for source in descriptor.sources:
        if source.path == decided:
            return source
    if descriptor.sources:
        return descriptor.sources[0]
    return Source(project=descriptor.owner, package="", version="", path=descriptor.implementation)


def write_report(folder: Path, ledger: Ledger, shots: Mapping[tuple[str, str], bytes], repro: Repro) -> int:
    """Writes the report and returns how many causes it has.

    Args:
        shots: screenshots of end states by instance digest and control.
        repro: gives the script that reproduces one fault.

    Raises:
        FileProblem: a file cannot be written.
    """
    environment = Environment(keep_trailing_newline=True, trim_blocks=True, lstrip_blocks=True)  # Markdown and Python, no HTML
    environment.filters["json"] = lambda value: json.dumps(value, ensure_ascii=False)
    environment.filters["differs"] = difference
    templates = files("unibench.golden") / "templates"
    cause_page = environment.from_string((templates / "cause.md.jinja").read_text(encoding="utf-8"))
    index_page = environment.from_string((templates / "index.md.jinja").read_text(encoding="utf-8"))
    causes = causes_of(ledger)
    _remove_old(folder)
    for number, cause in enumerate(causes, 1):
        case = cause.cases[0]
        cause.number = number
        place = folder / cause.folder
        shot = shots.get((case.check.spec.digest, cause.control))
        script = repro(case.check, case.run)
        write_atomic(place / "README.md", cause_page.render(cause=cause, case=case, ledger=ledger, shot=bool(shot), script=bool(script)))
        if script:
            write_atomic(place / "repro.py", script)
        if shot:
            write_atomic(place / "end_state.png", shot)
    write_atomic(folder / "README.md", index_page.render(causes=causes, ledger=ledger))
    return len(causes)
