"""95% intervals for what demos measure: shares, means, and mean differences on the same samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """A value with the ends of its 95% interval; the ends are None where one sample can't give any."""

    value: float
    low: float | None
    high: float | None
    n: int


def share_interval(successes: int, n: int) -> Interval:
    """A share of independent trials with Wilson's interval (Wilson 1927; scipy's `binomtest`). 0 <= share <= 1.

    One trial has no interval. Raises ValueError for no trials, or more successes than trials.
    """
    if n < 1:
        raise ValueError("A share needs at least one trial")
    if n == 1:
        return Interval(float(successes), None, None, 1)
    found = stats.binomtest(successes, n).proportion_ci(LEVEL, method="wilson")
    return Interval(successes / n, float(found.low), float(found.high), n)


def mean_interval(
    values: Sequence[float], *, low: float = -np.inf, high: float = np.inf, grain: float = 0.0
) -> Interval:
    """The mean with Student's t interval (scipy's `t.interval`), cut at the range [low, high] that values can have.

    `grain` is the least step by which one value can change. Values that are all equal would give an interval of no
    width from a handful of samples; the spread is therefore never taken to be less than if one of the n values were
    off by one grain. One value has no interval. Raises ValueError for no values.
    """
    sample = np.asarray(values, dtype=float)
    n = len(sample)
    if n < 1:
        raise ValueError("A mean needs at least one value")
    mean = float(sample.mean())
    if n == 1:
        return Interval(mean, None, None, 1)
    # One of n values off by g has the standard error g / n.
    error = max(float(stats.sem(sample)), grain / n)
    if error == 0:
        return Interval(mean, mean, mean, n)
    found = stats.t.interval(LEVEL, n - 1, loc=mean, scale=error)
    return Interval(mean, max(low, float(found[0])), min(high, float(found[1])), n)


def paired_difference(
    first: Sequence[float], second: Sequence[float], *, low: float = -np.inf, high: float = np.inf, grain: float = 0.0
) -> Interval:
    """Mean of second minus first over pairs of the same sample, with the t interval of the differences.

    Raises ValueError where the two are not of the same length.
    """
    differences = [b - a for a, b in zip(first, second, strict=True)]
    return mean_interval(differences, low=low, high=high, grain=grain)
