"""Metrics of what was generated that need a whole set of pictures. Each names its direction."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import stats
from scipy.linalg import sqrtm

from shared.intervals import LEVEL, Interval

GROUPS = 10


def frechet_distance(first: np.ndarray, second: np.ndarray) -> float:
    """Fréchet distance between two Gaussians fitted to features [n, d] and [m, d]; lower is better, 0 at least.

    |m1 - m2|^2 + tr(C1 + C2 - 2 (C1 C2)^(1/2)), Heusel et al. 2017, arXiv 1706.08500, eq. 6; the trace of the root is
    taken of the symmetric (C1^(1/2) C2 C1^(1/2))^(1/2), which has the same eigenvalues. Few samples make it too large:
    compare only distances of equally many. Raises ValueError for fewer than two samples a side.
    """
    if len(first) < 2 or len(second) < 2:
        raise ValueError("A Fréchet distance needs at least two samples a side")
    means = first.mean(0) - second.mean(0)
    one, other = (np.atleast_2d(np.cov(x, rowvar=False)) for x in (first, second))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fewer samples than features: singular, and still with a root
        root = np.real(sqrtm(one))
        product = root @ other @ root
        both = np.real(sqrtm((product + product.T) / 2))
    return max(0.0, float(means @ means + np.trace(one) + np.trace(other) - 2 * np.trace(both)))


def frechet_interval(first: np.ndarray, second: np.ndarray, groups: int = GROUPS) -> Interval:
    """The distance with its 95% interval, by leaving out one group of samples at a time from `first` and `second`,
    which are paired [n, d] (the grouped jackknife, Shao and Tu 1995, section 1.2).

    Without enough samples for three groups of two there is no interval.
    """
    value, n = frechet_distance(first, second), len(first)
    groups = min(groups, n // 2)
    if groups < 3:
        return Interval(value, None, None, n)
    member = np.arange(n) % groups
    left = np.array([frechet_distance(first[member != g], second[member != g]) for g in range(groups)])
    error = float(np.sqrt((groups - 1) / groups * ((left - left.mean()) ** 2).sum()))
    reach = float(stats.t.ppf((1 + LEVEL) / 2, groups - 1)) * error
    return Interval(value, max(0.0, value - reach), value + reach, n)


def expected_calibration_error(sure: np.ndarray, right: np.ndarray, bins: int = 15) -> float:
    """Mean distance of accuracy and confidence over equally wide bins, weighted by their counts (Guo et al. 2017,
    arXiv 1706.04599, eq. 3); 0..1."""
    which = np.minimum((sure * bins).astype(int), bins - 1)
    return float(
        sum(
            (which == b).mean() * abs(right[which == b].mean() - sure[which == b].mean())
            for b in range(bins)
            if (which == b).any()
        )
    )
