"""From a run's records to rows: suite × verifier row × scale × substrate, all tasks and valid tasks side by side."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import Literal

from pydantic import JsonValue

from unibench.errors import FileProblem, UsageError
from unibench.record import SCHEMA_VERSION, Record
from unibench.runs.records import AgentIdentity, Dropped, EpisodeRecord, LedgerUse, Manifest
from unibench.scorecard.intervals import over_tasks, wilson
from unibench.scorecard.together import Difference
from unibench.settings import Substrate
from unibench.suite import Headline
from unibench.verdict import VerifierDescriptor


class MixedVerifierError(UsageError):
    """A mean over more than one kind of verifier was asked for."""


def mean_score(records: Sequence[EpisodeRecord]) -> float | None:
    """The mean of task means of one verifier row; None if nothing is scored.

    Raises:
        MixedVerifierError: the records are of several kinds; the message names them.
    """
    kinds = sorted({f"{record.row} ({record.scale})" for record in records})
    if len(kinds) > 1:
        raise MixedVerifierError(f"no mean over {len(kinds)} kinds of verifier: {', '.join(kinds)}; look at each row")
    means = task_means(records)
    return fmean(means.values()) if means else None


def task_means(records: Sequence[EpisodeRecord]) -> dict[str, float]:
    """The mean score of each task that has a scored episode."""
    found: dict[str, list[float]] = defaultdict(list)
    for record in records:
        if record.score is not None:
            found[record.spec.task].append(record.score)
    return {task: fmean(scores) for task, scores in found.items()}


class Row(Record):
    """One line of a scorecard.

    Attributes:
        tasks_shown: ``all`` that ran, or only those that the golden check found ``valid``.
        n, tasks: scored episodes, and their tasks.
        score: the mean of task means; None if nothing is scored.
        interval: at the 95 % level.
        method: how the interval was made.
        unscored: episodes without a score.
        bounds: the score if all unscored had failed, and if all had passed.
    """

    suite: str
    row: str
    scale: Literal["binary", "graded"]
    substrate: str
    fidelity: str
    tasks_shown: Literal["all", "valid"]
    n: int
    tasks: int
    score: float | None
    interval: tuple[float, float] | None
    method: str
    unscored: int
    bounds: tuple[float, float] | None
    outcomes: dict[str, int]


class Official(Record):
    """A suite's headline by upstream's own rule, whatever judged: the one mean over several kinds that is printed, and marked.

    Attributes:
        name, rule, source: what it is, upstream's rule in a sentence, and where that is written.
        n, tasks, of: episodes and tasks that count, and the official number of tasks.
        unscored: episodes without a score.
        kinds: the verifier rows that it mixes.
        valid_score, valid_tasks: the same over tasks that the golden check found valid; None without a ledger.
        lacks: why it is not yet upstream's own number; empty if it is.
    """

    suite: str
    name: str
    rule: str
    source: str
    score: float | None
    n: int
    tasks: int
    of: int
    unscored: int
    kinds: tuple[str, ...]
    valid_score: float | None = None
    valid_n: int = 0
    valid_tasks: int | None = None
    lacks: tuple[str, ...] = ()


class Scorecard(Record):
    """One run's scorecard.

    Attributes:
        run: the run's folder, as it was named.
        label: what the card's agent is called in a table, if not by its name and all its arguments.
        missing: what of the protocol is not on record; with anything missing it is a reference result.
        differences: what differs from other runs on the same card, and was allowed.
        without_cost: episodes under a budget of cost whose agent reported none.
    """

    schema_version: str = SCHEMA_VERSION
    kind: Literal["unibench-scorecard"] = "unibench-scorecard"
    run: str = ""
    label: str = ""
    agent: AgentIdentity
    suite: str
    upstream: dict[str, str]
    substrate: Substrate
    rows: tuple[Row, ...]
    official: Official
    checked: dict[str, int]
    dropped: tuple[Dropped, ...]
    verifiers: int
    largest_share: float
    largest_verifier: str
    protocol: dict[str, JsonValue]
    finished: int
    planned: int
    usage: dict[str, float]
    missing: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    without_cost: int = 0
    ledger: LedgerUse = LedgerUse()


def scorecard(
    manifest: Manifest,
    records: Sequence[EpisodeRecord],
    descriptors: dict[str, VerifierDescriptor],
    *,
    run: str = "",
    differences: Sequence[Difference] = (),
) -> Scorecard:
    """The scorecard of a run.

    Args:
        run: the run's name.
        differences: what differs from other runs on the same card, and was allowed.
    """
    groups: dict[tuple[str, str], list[EpisodeRecord]] = defaultdict(list)
    for record in records:
        groups[(record.row, record.scale)].append(record)
    rows: list[Row] = []
    for key in sorted(groups):
        rows.append(_row(manifest, groups[key], "all"))
        if any(record.checked != "unchecked" for record in records):
            rows.append(_row(manifest, [record for record in groups[key] if record.checked == "valid"], "valid", like=groups[key][0]))
    unknown = {record.descriptor for record in records} - set(descriptors)
    if unknown:
        raise FileProblem(f"the run is broken: it has no descriptor {sorted(unknown)[0]}")
    implementations = Counter(descriptors[record.descriptor].implementation for record in records)
    largest = implementations.most_common(1)[0] if implementations else ("", 0)
    usage: Counter[str] = Counter()
    for record in records:
        usage.update(record.usage)
    return Scorecard(
        run=run,
        agent=manifest.agent,
        suite=manifest.protocol.suite,
        upstream=manifest.protocol.upstream,
        substrate=manifest.protocol.substrate,
        rows=tuple(rows),
        official=official(manifest, records),
        checked=dict(Counter(record.checked for record in records)),
        dropped=manifest.dropped,
        verifiers=len(implementations),
        largest_share=largest[1] / len(records) if records else 0.0,
        largest_verifier=largest[0],
        protocol=manifest.protocol.model_dump(mode="json"),
        finished=len(records),
        planned=len(manifest.specs),
        usage=dict(usage),
        missing=missing(manifest),
        differences=tuple(differences),
        without_cost=sum("cost" not in record.usage for record in records) if manifest.protocol.max_cost is not None else 0,
        ledger=manifest.ledger,
    )


def official(manifest: Manifest, records: Sequence[EpisodeRecord]) -> Official:
    """The suite's headline by upstream's rule, over all episodes and over those of valid tasks."""
    rule = manifest.headline
    score, n, tasks = _headline(rule, records)
    valid = _headline(rule, [record for record in records if record.checked == "valid"])
    checked = any(record.checked != "unchecked" for record in records)
    of = rule.tasks or manifest.suite_tasks or manifest.tasks
    instances = min(Counter(record.spec.task for record in records).values(), default=0)
    lacks = [f"{tasks} of {of} tasks"] if tasks < of else []
    lacks += [f"{instances} of {rule.instances} instances a task"] if instances < (rule.instances or 0) else []
    lacks += [f"{len(records)} of {len(manifest.specs)} episodes"] if len(records) < len(manifest.specs) else []
    lacks += _other_than_upstreams(manifest)
    return Official(
        suite=manifest.protocol.suite,
        name=rule.name,
        rule=rule.rule,
        source=rule.source,
        score=score,
        n=n,
        tasks=tasks,
        of=of,
        unscored=sum(record.score is None for record in records),
        kinds=tuple(sorted({f"{record.row} ({record.scale})" for record in records})),
        valid_score=valid[0] if checked else None,
        valid_n=valid[1] if checked else 0,
        valid_tasks=valid[2] if checked else None,
        lacks=tuple(lacks),
    )


def _other_than_upstreams(manifest: Manifest) -> list[str]:
    protocol = manifest.protocol
    found = [f"settings that are not upstream's: {', '.join(manifest.not_upstreams)}"] if manifest.not_upstreams else []
    budgets = [name for name in ("max_steps", "max_seconds", "max_cost") if getattr(protocol, name) is not None]
    budgets += ["score_at_budget"] if protocol.score_at_budget != manifest.upstream_at_budget else []
    found += [f"a budget of the run's own: {', '.join(budgets)}"] if budgets else []
    return [*found, "a stand-in for the machine"] if protocol.substrate.fidelity == "stand-in" else found


def _headline(rule: Headline, records: Sequence[EpisodeRecord]) -> tuple[float | None, int, int]:
    """The score, and how many episodes and tasks count."""
    counts: dict[str, list[float]] = defaultdict(list)
    for record in records:
        if record.score is not None or rule.unscored == "zero":
            counts[record.spec.task].append(record.score or 0.0)
    every = [score for scores in counts.values() for score in scores]
    if not every:
        return None, 0, 0
    return fmean(every if rule.mean_over == "episodes" else map(fmean, counts.values())), len(every), len(counts)


def missing(manifest: Manifest) -> tuple[str, ...]:
    """What of the protocol is not on record."""
    protocol = manifest.protocol
    found = ["upstream's versions"] if not protocol.upstream else []
    found += ["the machine's digest"] if not protocol.substrate.digest else []
    # Built-in agents are known by their name and unibench's version.
    found += ["what the agent says of itself (describe())"] if ":" in manifest.agent.name and not manifest.agent.described else []
    return tuple(found)


def _row(manifest: Manifest, records: Sequence[EpisodeRecord], shown: Literal["all", "valid"], like: EpisodeRecord | None = None) -> Row:
    first = like or records[0]
    scored = [record for record in records if record.score is not None]
    means = task_means(records)
    interval, method = _interval(scored, means, first.scale)
    unscored = len(records) - len(scored)
    return Row(
        suite=manifest.protocol.suite,
        row=first.row,
        scale=first.scale,
        substrate=manifest.protocol.substrate.name,
        fidelity=manifest.protocol.substrate.fidelity,
        tasks_shown=shown,
        n=len(scored),
        tasks=len(means),
        score=fmean(means.values()) if means else None,
        interval=interval,
        method=method,
        unscored=unscored,
        bounds=_bounds(records) if unscored else None,
        outcomes=dict(Counter(str(record.outcome) for record in records)),
    )


def _interval(
    scored: Sequence[EpisodeRecord], means: dict[str, float], scale: Literal["binary", "graded"]
) -> tuple[tuple[float, float] | None, str]:
    if not scored:
        return None, ""
    if scale == "binary":
        # Several episodes a task are not independent: the task is the unit, and its mean the result.
        return wilson(fmean(means.values()), len(means)), "Wilson" if len(means) == len(scored) else "Wilson on task means"
    return over_tasks(list(means.values())), "bootstrap over tasks"


def _bounds(records: Sequence[EpisodeRecord]) -> tuple[float, float]:
    """The mean of task means if all that is unscored had scored 0, and if it had scored 1."""
    ends = []
    for instead in (0.0, 1.0):
        filled: dict[str, list[float]] = defaultdict(list)
        for record in records:
            filled[record.spec.task].append(instead if record.score is None else record.score)
        ends.append(fmean(fmean(scores) for scores in filled.values()))
    return (ends[0], ends[1])
