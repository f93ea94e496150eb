"""What is to run: the instances drawn for the chosen tasks, and those that a ledger drops, with the reason on record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from unibench.golden.ledger import entry_key
from unibench.golden.results import Entry, Ledger
from unibench.runs.records import Checked, Dropped, LedgerPolicy
from unibench.session.remote import RemoteSuite
from unibench.settings import Substrate
from unibench.task import InstanceSpec
from unibench.verdict import VerifierDescriptor


@dataclass(frozen=True)
class Planned:
    """One instance to run."""

    spec: InstanceSpec
    descriptor: VerifierDescriptor
    checked: Checked


@dataclass(frozen=True)
class RunPlan:
    """The instances to run in order, and what is dropped."""

    planned: tuple[Planned, ...]
    dropped: tuple[Dropped, ...]
    tasks: int


def draw(suite: RemoteSuite, tasks: Sequence[str], seeds: Iterable[int]) -> list[InstanceSpec]:
    """One instance a task and seed, all of a seed together, so that an interrupted run has seen every task."""
    return [suite.draw(task, seed) for seed in seeds for task in tasks]


def plan_run(
    suite: RemoteSuite,
    substrate: Substrate,
    specs: Sequence[InstanceSpec],
    ledger: Ledger | None,
    policy: LedgerPolicy,
) -> RunPlan:
    """Decides by the ledger which of the instances run.

    An entry whose key is not this suite's, version's, machine's and settings' is stale: said, and not applied.
    """
    tasks = list(dict.fromkeys(spec.task for spec in specs))
    descriptors = dict(zip(tasks, suite.describe_all(tasks), strict=True))
    entries = {entry.task: entry for entry in ledger.entries} if ledger is not None else {}
    checked: dict[str, Checked] = {}
    for task in tasks:
        entry = entries.get(task)
        checked[task] = "unchecked" if entry is None else entry.decision.value
        if entry is not None:
            key = entry_key(suite.face.name, suite.upstream(), task, descriptors[task], substrate, suite.settings)
            spec = next(spec for spec in specs if spec.task == task)
            recipe = suite.call("controls", spec=spec.model_dump(mode="json"))[0]["recipe"]
            checked[task] = entry.decision.value if (entry.key, entry.recipe) == (key, recipe) else "stale"
    planned: list[Planned] = []
    dropped: dict[tuple[str, str], Dropped] = {}
    for spec in specs:
        reason = "" if policy == "ignore" else _why_dropped(spec, entries.get(spec.task), checked[spec.task], policy)
        missing = suite.unavailable(spec.task)
        if missing:
            dropped[(spec.task, "")] = Dropped(task=spec.task, reason=f"unavailable: {'; '.join(missing)}")
        elif reason:
            one = "" if reason.startswith(("invalid:", "not valid")) else spec.digest
            dropped[(spec.task, one)] = Dropped(task=spec.task, spec=one, reason=reason)
        else:
            planned.append(Planned(spec, descriptors[spec.task], _of_the_spec(spec, entries.get(spec.task), checked[spec.task])))
    return RunPlan(tuple(planned), tuple(dropped.values()), len(tasks))


def _of_the_spec(spec: InstanceSpec, entry: Entry | None, checked: Checked) -> Checked:
    """What the ledger says of one instance: of a task that is faulty on some, the others were never checked or are valid."""
    if entry is None or checked != "invalid" or not entry.mixed or spec.digest in entry.dropped:
        return checked
    return "valid" if any(check.spec.digest == spec.digest for check in entry.instances) else "unchecked"


def _why_dropped(spec: InstanceSpec, entry: Entry | None, checked: Checked, policy: LedgerPolicy) -> str:
    if policy == "valid-only" and checked != "valid":
        return f"not valid: {checked}"
    if entry is None or checked == "stale":
        return ""
    if any(check.vacuous and check.spec.digest == spec.digest for check in entry.instances):
        return "vacuous: doing nothing is right on this instance"
    if checked != "invalid":
        return ""
    reasons = ", ".join(entry.reasons)
    if not entry.mixed:
        return f"invalid: {reasons}"
    # Faulty on some instances only: those are dropped; instances that were never checked run.
    return f"invalid on this instance: {reasons}" if spec.digest in entry.dropped else ""
