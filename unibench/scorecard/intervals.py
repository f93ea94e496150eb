"""Intervals for a mean: Wilson for one binary result a task, else a bootstrap over tasks."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

LEVEL = 0.95
RESAMPLES = 5000

Interval = tuple[float, float]


def wilson(mean: float, n: int) -> Interval:
    """Wilson's score interval at the 95 % level (Wilson 1927); does not collapse at 0 or 1.

    In closed form, since the mean of task means is no count, which scipy's ``proportion_ci`` insists on.
    """
    z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
    centre = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(mean * (1 - mean) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return (max(0.0, centre - half), min(1.0, centre + half))


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
