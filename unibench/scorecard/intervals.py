"""Intervals for a mean: Wilson for one binary result a task, else a bootstrap over tasks."""

from __future__ import annotations

from collections.abc import Sequence

LEVEL = 0.95
RESAMPLES = 5000

Interval = tuple[float, float]


def wilson(passed: int, n: int) -> Interval:
    """Wilson's score interval for a proportion at the 95 % level (Wilson 1927); does not collapse at 0 or 1."""
    from scipy.stats import binomtest

    found = binomtest(passed, n).proportion_ci(confidence_level=LEVEL, method="wilson")
    return (float(found.low), float(found.high))


def over_tasks(means: Sequence[float]) -> Interval | None:
    """A percentile bootstrap over task means at the 95 % level, seeded; None for fewer than two tasks.

    Tasks are resampled, never episodes: episodes of one task are not independent.
    """
    import numpy as np
    from scipy.stats import bootstrap

    if len(means) < 2:
        return None
    if len(set(means)) == 1:
        return (means[0], means[0])
    found = bootstrap(
        (np.asarray(means, float),),
        np.mean,
        confidence_level=LEVEL,
        n_resamples=RESAMPLES,
        method="percentile",
        rng=np.random.default_rng(0),
    )
    return (float(found.confidence_interval.low), float(found.confidence_interval.high))
