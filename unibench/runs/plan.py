"""What is to run: the instances drawn for the chosen tasks, and those that a ledger drops, with the reason on record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from unibench.golden.results import Ledger
from unibench.runs.policy import AppliedLedger
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
    *,
    golden: bool = False,
) -> RunPlan:
    """Decides by the ledger which of the instances run; with ``golden``, also by which recipes can be played as actions."""
    tasks = list(dict.fromkeys(spec.task for spec in specs))
    descriptors = dict(zip(tasks, suite.describe_all(tasks), strict=True))
    applied = AppliedLedger(suite, substrate, ledger, policy)
    unplayable = dict(zip(tasks, suite.call("unplayable", tasks=tasks)[0], strict=True)) if golden else {}
    planned: list[Planned] = []
    dropped: dict[tuple[str, str], Dropped] = {}
    for spec in specs:
        reason, whole_task = applied.why_dropped(spec)
        missing = suite.unavailable(spec.task)
        if missing:
            dropped[(spec.task, "")] = Dropped(task=spec.task, reason=f"unavailable: {'; '.join(missing)}")
        elif unplayable.get(spec.task):
            dropped[(spec.task, "")] = Dropped(task=spec.task, reason=f"golden recipe not playable: {unplayable[spec.task]}")
        elif reason:
            one = "" if whole_task else spec.digest
            dropped[(spec.task, one)] = Dropped(task=spec.task, spec=one, reason=reason)
        else:
            planned.append(Planned(spec, descriptors[spec.task], applied.of_instance(spec)))
    return RunPlan(tuple(planned), tuple(dropped.values()), len(tasks))
