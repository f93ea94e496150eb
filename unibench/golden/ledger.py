"""The ledger: which tasks' verifiers were checked, with what result, and whether an entry still speaks for the task."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
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


class LedgerFile:
    """A ledger's file while a golden check writes it: nothing that was there before is lost.

    If what is there was made under the same conditions, each entry stays until its task has a new one; if not, the file is copied
    beside it first.

    Args:
        settings: those of the golden check.
        said: told what was set aside, and why.
    """

    def __init__(self, path: Path, settings: Settings, said: Callable[[str], None]) -> None:
        self._path = path
        self._settings = settings
        self._said = said
        self._there: Ledger | None = None
        self._read = False

    def write(self, ledger: Ledger) -> None:
        """Writes it, with the entries that stay.

        Raises:
            FileProblem: it cannot be written, or what is there cannot be set aside.
        """
        if not self._read:
            self._there = self._kept(ledger)
            self._read = True
        if (there := self._there) is not None:
            new = {entry.task for entry in ledger.entries}
            old = (entry for entry in there.entries if entry.task not in new)
            merged = {"entries": (*ledger.entries, *old), "complete": ledger.complete and there.complete}
            ledger = ledger.model_copy(update=merged)
        write_ledger(self._path, ledger)

    def _kept(self, ledger: Ledger) -> Ledger | None:
        if not self._path.exists() or not self._path.stat().st_size:
            return None
        try:
            there = read_ledger(self._path)
        except FileProblem as problem:
            self._said(f"{problem}; it is kept as {set_aside(self._path)}; -o writes to another file instead")
            return None
        differing = differences(there, ledger.suite, ledger.upstream, ledger.substrate, self._settings)
        if not differing:
            return there
        count = len(there.entries)
        self._said(
            f"{self._path} was made under other conditions ({'; '.join(differing)}): its {count} "
            f"{'entry is' if count == 1 else 'entries are'} set aside in {set_aside(self._path)}; -o writes to another file instead"
        )
        return None


def set_aside(path: Path) -> Path:
    """Copies a file to ``NAME.bak`` beside it, numbered if that is there, and returns the copy's path.

    Raises:
        FileProblem: it cannot be read or written.
    """
    copy, number = path.with_name(f"{path.name}.bak"), 1
    while copy.exists() or copy.is_symlink():
        number += 1
        copy = path.with_name(f"{path.name}.bak{number}")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FileProblem(f"cannot read {path}: {error.strerror or error}") from None
    write_atomic(copy, data)
    return copy


def differences(ledger: Ledger, suite: str, upstream: Mapping[str, str], substrate: Substrate, settings: Settings) -> list[str]:
    """What differs between a ledger's head and the conditions now, as "name old -> new"; nothing if its entries speak for them."""
    before, now = dict(ledger.upstream), dict(upstream)
    found = [_change("suite", ledger.suite, suite)] if ledger.suite != suite else []
    found += [_change(name, before.get(name), now.get(name)) for name in sorted({*before, *now}) if before.get(name) != now.get(name)]
    for name in type(substrate).model_fields:
        old, new = getattr(ledger.substrate, name), getattr(substrate, name)
        if old != new:
            found.append(_change("machine" if name == "name" else f"machine {name}", old, new))
    if ledger.settings_digest != settings.digest:
        changed = {name: value for name, value in settings.score_affecting().items() if ledger.settings.get(name) != value}
        found += [_change(f"setting {name}", ledger.settings.get(name), value) for name, value in changed.items()]
        # A setting that is no more, or that has come to affect scores.
        found += [] if changed else ["which settings affect scores"]
    return found


def _change(name: str, old: object, new: object) -> str:
    return f"{name} {_said(old)} -> {_said(new)}"


def _said(value: object) -> str:
    return "none" if value is None or value == "" else value if isinstance(value, str) else json.dumps(value)


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
