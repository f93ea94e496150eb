"""The ledger: which tasks' verifiers were checked, with what result, and whether an entry still speaks for the task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from unibench.errors import FileProblem
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


def kept_entries(path: Path, tasks: Sequence[str]) -> Ledger | None:
    """The ledger that is there already, without the tasks that are to be checked; None if there is none that can be read."""
    try:
        there = read_ledger(path)
    except FileProblem:
        return None
    return there.model_copy(update={"entries": tuple(entry for entry in there.entries if entry.task not in set(tasks))})


def merged(ledger: Ledger, there: Ledger | None) -> Ledger:
    """A ledger with the entries of other tasks that were there, if they were made under the same conditions."""
    same = ("suite", "upstream", "substrate", "settings_digest")
    if there is None or any(getattr(ledger, name) != getattr(there, name) for name in same):
        return ledger
    return ledger.model_copy(update={"entries": (*ledger.entries, *there.entries), "complete": ledger.complete and there.complete})


def ledger_digest(ledger: Ledger) -> str:
    """Names what a ledger says, whenever it was made: keys, recipes, decisions and dropped instances."""
    return digest([[e.task, e.key, e.recipe, e.decision, list(e.dropped)] for e in sorted(ledger.entries, key=lambda e: e.task)])


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
