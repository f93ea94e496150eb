"""From a run's records to rows: suite × verifier row × scale × substrate, all tasks and valid tasks side by side."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import Literal

from pydantic import JsonValue

from unibench.errors import FileProblem, UsageError
from unibench.record import SCHEMA_VERSION, Record
from unibench.runs.records import AgentIdentity, Dropped, EpisodeRecord, Manifest
from unibench.scorecard.intervals import over_tasks, wilson
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
    """A suite's headline by upstream's own rule: the mean over all tasks, whatever judged them."""

    suite: str
    score: float | None
    tasks: int
    of: int
    kinds: tuple[str, ...]


class Scorecard(Record):
    """One run's scorecard."""

    schema_version: str = SCHEMA_VERSION
    kind: Literal["unibench-scorecard"] = "unibench-scorecard"
    agent: AgentIdentity
    suite: str
    upstream: dict[str, str]
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


def scorecard(manifest: Manifest, records: Sequence[EpisodeRecord], descriptors: dict[str, VerifierDescriptor]) -> Scorecard:
    """The scorecard of a run."""
    groups: dict[tuple[str, str], list[EpisodeRecord]] = defaultdict(list)
    for record in records:
        groups[(record.row, record.scale)].append(record)
    rows: list[Row] = []
    for key in sorted(groups):
        rows.append(_row(manifest, groups[key], "all"))
        if any(record.checked != "unchecked" for record in records):
            rows.append(_row(manifest, [record for record in groups[key] if record.checked == "valid"], "valid", like=groups[key][0]))
    missing = {record.descriptor for record in records} - set(descriptors)
    if missing:
        raise FileProblem(f"the run is broken: it has no descriptor {sorted(missing)[0]}")
    implementations = Counter(descriptors[record.descriptor].implementation for record in records)
    largest = implementations.most_common(1)[0] if implementations else ("", 0)
    means = task_means(records)
    usage: Counter[str] = Counter()
    for record in records:
        usage.update(record.usage)
    return Scorecard(
        agent=manifest.agent,
        suite=manifest.protocol.suite,
        upstream=manifest.protocol.upstream,
        rows=tuple(rows),
        official=Official(
            suite=manifest.protocol.suite,
            score=fmean(means.values()) if means else None,
            tasks=len(means),
            of=manifest.tasks,
            kinds=tuple(sorted({f"{record.row} ({record.scale})" for record in records})),
        ),
        checked=dict(Counter(record.checked for record in records)),
        dropped=manifest.dropped,
        verifiers=len(implementations),
        largest_share=largest[1] / len(records) if records else 0.0,
        largest_verifier=largest[0],
        protocol=manifest.protocol.model_dump(mode="json"),
        finished=len(records),
        planned=len(manifest.specs),
        usage=dict(usage),
    )


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
