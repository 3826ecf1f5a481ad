"""What readers take a map for: sizes of clusters, distances between them, clusters in noise, axes. Measured."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

FEWEST_IN_CLUSTER = 5


def _groups(labels: tuple[str, ...]) -> list[np.ndarray]:
    names = np.asarray(labels)
    groups = [np.flatnonzero(names == name) for name in dict.fromkeys(labels)]
    return [g for g in groups if len(g) >= FEWEST_IN_CLUSTER]


def _widths(values: np.ndarray, groups: list[np.ndarray]) -> np.ndarray:
    return np.array([np.sqrt(values[g].var(axis=0).sum()) for g in groups])


def _gaps(values: np.ndarray, groups: list[np.ndarray]) -> np.ndarray:
    centers = [values[g].mean(axis=0) for g in groups]
    return np.array([np.linalg.norm(a - b) for a, b in combinations(centers, 2)])


def _slope(true: np.ndarray, seen: np.ndarray) -> float | None:
    """The slope of log `seen` on log `true`, by least squares; None where the truth hardly varies."""
    usable = (true > 0) & (seen > 0)
    if usable.sum() < 3:
        return None
    x, y = np.log(true[usable]), np.log(seen[usable])
    if x.std() < 0.3:
        return None
    return float(np.cov(x, y, bias=True)[0, 1] / x.var())


def size_kept(features: np.ndarray, layout: np.ndarray, labels: tuple[str, ...]) -> float | None:
    """How the labelled clusters' widths on the map follow their widths in the original.

    1: in proportion; 0: all made equally wide. The slope of the logarithms, over at least three clusters whose true
    widths differ; None elsewhere. A width is the root of a cluster's total variance.
    """
    groups = _groups(labels)
    return _slope(_widths(features, groups), _widths(layout, groups)) if len(groups) >= 3 else None


def distance_kept(features: np.ndarray, layout: np.ndarray, labels: tuple[str, ...]) -> float | None:
    """The same for the distances between the centers of the labelled clusters."""
    groups = _groups(labels)
    return _slope(_gaps(features, groups), _gaps(layout, groups)) if len(groups) >= 3 else None


def by_chance(labels: tuple[str, ...]) -> float:
    """The share of all other points that have a point's own label, over all points."""
    counts = np.unique(np.asarray(labels), return_counts=True)[1]
    return float((counts * (counts - 1)).sum() / max(1, len(labels) * (len(labels) - 1)))


def clusters_seen(values: np.ndarray) -> int:
    """How many clusters HDBSCAN (Campello et al. 2013; scikit-learn) sees, each of at least 1 in 60 of the points."""
    from sklearn.cluster import HDBSCAN

    smallest = max(FEWEST_IN_CLUSTER, len(values) // 60)
    if len(values) <= smallest:
        return 0
    model: Any = HDBSCAN
    found = model(min_cluster_size=smallest, copy=True).fit_predict(values)
    return int(found.max()) + 1


def turned(layout: np.ndarray, degrees: float = 40.0) -> np.ndarray:
    """The map turned about its middle."""
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return (layout - layout.mean(axis=0)) @ turn
