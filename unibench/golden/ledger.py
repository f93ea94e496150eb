"""The ledger: which tasks' verifiers were checked, with what result, and whether an entry still speaks for the task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from unibench.files import read_record, write_atomic
from unibench.golden.results import Decision, Fault, Ledger
from unibench.record import digest
from unibench.settings import Settings, Substrate
from unibench.verdict import VerifierDescriptor


def entry_key(
    suite: str, upstream: Mapping[str, str], task: str, descriptor: VerifierDescriptor, substrate: Substrate, settings: Settings
) -> str:
    """What an entry speaks for; another key makes it stale."""
    return digest(
        {
            "suite": suite,
            "upstream": dict(upstream),
            "task": task,
            "descriptor": descriptor.digest,
            "substrate": substrate.model_dump(mode="json"),
            "settings": settings.digest,
        }
    )


def write_ledger(path: Path, ledger: Ledger) -> None:
    """Writes it atomically.

    Raises:
        FileProblem: it cannot be written.
    """
    write_atomic(path, ledger.model_dump_json(indent=1) + "\n")


def read_ledger(path: Path) -> Ledger:
    """Reads a ledger.

    Raises:
        FileProblem: the file is none, or of another version.
    """
    return read_record(path, Ledger, "ledger")


def coverage(ledger: Ledger, total: int | None = None) -> str:
    """The one line that is always printed: "valid 171, invalid 12, undecided 186 of 369"."""
    count = Counter(entry.decision for entry in ledger.entries)
    missing = (total or len(ledger.entries)) - len(ledger.entries)
    rest = f", not reached {missing}" if missing else ""
    line = ", ".join(f"{decision} {count[decision]}" for decision in Decision)
    return f"{line}{rest} of {total or len(ledger.entries)}"


def new_faults(ledger: Ledger, baseline: Ledger) -> list[tuple[str, Fault]]:
    """The faults that the baseline does not have, as (task, fault): another task, reason or control is a new one."""
    known = {(entry.task, fault.reason, fault.control) for entry in baseline.entries for fault in entry.faults}
    found: dict[tuple[str, str, str], tuple[str, Fault]] = {}
    for entry in ledger.entries:
        for fault in entry.faults:
            key = (entry.task, fault.reason, fault.control)
            if key not in known:
                found.setdefault(key, (entry.task, fault))
    return list(found.values())
