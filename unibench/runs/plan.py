"""What is to run: the instances drawn for the chosen tasks, and those that a ledger drops, with the reason on record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from unibench.errors import UsageError
from unibench.golden.results import Ledger
from unibench.order import After, chains
from unibench.runs.policy import AppliedLedger
from unibench.runs.records import Checked, Dropped, LedgerPolicy, LedgerUse
from unibench.session.remote import RemoteSuite
from unibench.settings import Substrate
from unibench.step_limit import StepLimit, check_limit, steps_of
from unibench.task import InstanceSpec
from unibench.verdict import VerifierDescriptor


@dataclass(frozen=True)
class Planned:
    """One instance to run.

    Attributes:
        after: digests of instances that must have run before, on the same machine.
        steps: the budget in steps; None is the task's own.
    """

    spec: InstanceSpec
    descriptor: VerifierDescriptor
    checked: Checked
    after: tuple[str, ...] = ()
    steps: int | None = None


@dataclass(frozen=True)
class RunPlan:
    """The instances to run in order, and what is dropped."""

    planned: tuple[Planned, ...]
    dropped: tuple[Dropped, ...]
    tasks: int
    ledger: LedgerUse


MAX_INSTANCES = 100_000
"""More instances than anybody runs; a slip of the keyboard would draw for hours."""


def draw(suite: RemoteSuite, tasks: Sequence[str], seeds: Sequence[int]) -> list[InstanceSpec]:
    """One instance a task and seed, all of a seed together, so that an interrupted run has seen every task.

    Raises:
        UsageError: that would be more than ``MAX_INSTANCES``.
    """
    if (count := len(tasks) * len(seeds)) > MAX_INSTANCES:
        raise UsageError(
            f"{len(tasks)} tasks with {len(seeds)} seeds each are {count} instances, and a run has at most {MAX_INSTANCES}; "
            "choose fewer seeds (--seeds) or tasks (-t, --limit)"
        )
    return [suite.draw(task, seed) for seed in seeds for task in tasks]


def plan_run(
    suite: RemoteSuite,
    substrate: Substrate,
    specs: Sequence[InstanceSpec],
    ledger: Ledger | None,
    policy: LedgerPolicy,
    *,
    ledger_file: Path | None = None,
    golden: bool = False,
    max_steps: StepLimit | None = None,
) -> RunPlan:
    """Decides by the ledger which of the instances run; with ``golden``, also by which recipes can be played as actions.

    Raises:
        UsageError: ``max_steps`` is a multiple of human steps, and the suite does not know them.
    """
    known = {task.id: task for task in suite.tasks()}
    tasks = list(dict.fromkeys(spec.task for spec in specs))
    check_limit(max_steps, [known[task] for task in tasks if task in known])
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
            planned.append(Planned(spec, descriptors[spec.task], applied.of_instance(spec), steps=steps_of(max_steps, known[spec.task])))
    ordered, without = in_order(planned, {name: task.after for name, task in known.items()}, {task for task, _ in dropped})
    here = [task for task in tasks if not (each := dropped.get((task, ""))) or not each.reason.startswith("unavailable: ")]
    return RunPlan(tuple(ordered), (*dropped.values(), *without), len(tasks), applied.use(here, len(tasks), ledger_file))


def in_order(planned: Sequence[Planned], after: After, dropped: set[str]) -> tuple[list[Planned], list[Dropped]]:
    """The instances in an order that respects ``after``, and those that cannot run for a predecessor that does not.

    A task's predecessors are those of the same seed and index.
    """
    if not any(after.get(each.spec.task) for each in planned):
        return list(planned), []
    rounds: dict[tuple[int, int], dict[str, Planned]] = {}
    for each in planned:
        rounds.setdefault((each.spec.seed, each.spec.index), {})[each.spec.task] = each
    kept: list[Planned] = []
    without: list[Dropped] = []
    for of_seed in rounds.values():
        running: dict[str, str] = {}
        for task in (task for chain in chains(list(of_seed), after) for task in chain):
            spec = of_seed[task].spec
            missing = [each for each in after.get(task, ()) if each not in running]
            if missing:
                why = "was dropped" if missing[0] in dropped or missing[0] in of_seed else "is not in this run"
                without.append(Dropped(task=task, spec=spec.digest, reason=f"comes after {missing[0]}, which {why}"))
            else:
                running[task] = spec.digest
                kept.append(replace(of_seed[task], after=tuple(running[each] for each in after.get(task, ()))))
    return kept, without
