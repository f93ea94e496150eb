"""Which runs may stand in one table: those of one protocol. What differs is listed, and may be allowed on record.

Runs of several suites make a section each. Within a suite the agents may differ, and the machine by name, for it is in
every row; the settings that change no score; and unibench's patch version. All else must be the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from unibench.errors import UnknownName, UsageError
from unibench.record import Record, digest
from unibench.runs.records import Manifest, Protocol

INSTANCES = "instances"
FIELDS: tuple[str, ...] = (*(name for name in Protocol.model_fields if name not in ("suite", "settings_digest")), INSTANCES)
"""What may differ between two runs, by the names that ``--allow-diff`` takes."""


class DifferentProtocols(UsageError):
    """Runs under different protocols were put into one table."""


class Difference(Record):
    """One field that differs between runs of one suite: its name, and its value in each run."""

    field: str
    values: dict[str, str]

    @property
    def line(self) -> str:
        """For people."""
        return f"{self.field} ({'; '.join(f'{run}: {value}' for run, value in self.values.items())})"


def check_together(manifests: Mapping[str, Manifest], allowed: Sequence[str] = ()) -> dict[str, tuple[Difference, ...]]:
    """The differences that were allowed, by suite.

    Args:
        manifests: by the run's name.
        allowed: names of fields that may differ.

    Raises:
        DifferentProtocols: more differs than was allowed; the message lists it.
        UnknownName: there is no field of that name.
    """
    for name in allowed:
        if name not in FIELDS:
            raise UnknownName.among("field of the protocol", name, FIELDS)
    suites: dict[str, dict[str, Manifest]] = {}
    for run, manifest in manifests.items():
        suites.setdefault(manifest.protocol.suite, {})[run] = manifest
    found = {suite: differences(group) for suite, group in suites.items()}
    refused = {suite: [each for each in differing if each.field not in allowed] for suite, differing in found.items()}
    for suite, differing in refused.items():
        if differing:
            flags = " ".join(f"--allow-diff {each.field}" for each in differing)
            raise DifferentProtocols(
                f"these runs of {suite} do not belong in one table, for they differ in {', '.join(each.line for each in differing)}; "
                f"show each by itself, or allow it on record: {flags}"
            )
    return found


def differences(manifests: Mapping[str, Manifest]) -> tuple[Difference, ...]:
    """What differs between runs of one suite."""
    found = []
    for field in FIELDS:
        values = {run: _value(field, manifest) for run, manifest in manifests.items()}
        if field == "substrate":
            names = {run: manifest.protocol.substrate.name for run, manifest in manifests.items()}
            differs = len({digest(value) for value in values.values()}) > len(set(names.values()))
        else:
            differs = len({digest(_key(field, manifest, values[run])) for run, manifest in manifests.items()}) > 1
        if differs:
            found.append(Difference(field=field, values={run: _text(field, value, values) for run, value in values.items()}))
    return tuple(found)


def _value(field: str, manifest: Manifest) -> Any:
    if field == INSTANCES:
        return f"{len(manifest.specs)}, digest {digest(sorted(manifest.specs))[:8]}"
    return manifest.protocol.model_dump(mode="json")[field]


def _key(field: str, manifest: Manifest, value: Any) -> Any:
    """What must be the same."""
    if field == "settings":
        return manifest.protocol.settings_digest
    if field == "unibench":
        return str(value).split(".")[:2]
    return value


def _text(field: str, value: Any, values: Mapping[str, Any]) -> str:
    """A value in few words; of a mapping, only what is not the same in all."""
    if isinstance(value, dict):
        value = {name: each for name, each in value.items() if any(other.get(name) != each for other in values.values())}
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
