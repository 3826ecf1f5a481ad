"""How far to believe a map: trustworthiness, continuity, neighbor overlap, distance correlation, silhouette.

Exact up to MOST_EXACT points; above, over a seeded sample of points whose distances to all others are computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from demos.embeddings.memo import Memo
from demos.embeddings.neighbours import map_neighbours, nearest
from demos.embeddings.points import Points
from shared.intervals import Interval, mean_interval

K = 15
MOST_EXACT = 5000
ANCHORS = 1500
PAIRS = 50_000
BLOCK = 256

_ranks = Memo(2)


def usable_k(count: int) -> int:
    """K, or as many neighbors as trustworthiness is defined for: fewer than half of the points."""
    return max(0, min(K, (count - 1) // 2))


@dataclass(frozen=True, eq=False)
class Original:
    """What the measures need of the original space, computed once for all maps.

    `anchors` [m]: the points measured, all of them up to MOST_EXACT. `ranks` [m, n]: how near each other point is to
    an anchor, 1 the nearest, itself 0. `neighbours` [m, k]: the anchors' nearest. `pairs` [p, 2] with their
    `distances` [p].
    """

    k: int
    anchors: np.ndarray
    ranks: np.ndarray
    neighbours: np.ndarray
    pairs: np.ndarray
    distances: np.ndarray
    count: int

    @property
    def exact(self) -> bool:
        """Whether every point was measured."""
        return len(self.anchors) == self.count

    @property
    def all_pairs(self) -> bool:
        """Whether every pair of points was measured."""
        return len(self.pairs) == self.count * (self.count - 1) // 2


def original(points: Points, metric: str, still_wanted: Callable[[], None] = lambda: None) -> Original:
    """The original space as the measures need it, remembered per data set and metric."""
    found = _ranks.get((points.key, metric))
    return found or _ranks.put((points.key, metric), _original(points, metric, still_wanted))


def _original(points: Points, metric: str, still_wanted: Callable[[], None]) -> Original:
    count = len(points)
    rng = np.random.default_rng(0)
    anchors = np.arange(count) if count <= MOST_EXACT else np.sort(rng.permutation(count)[:ANCHORS])
    k = usable_k(count)
    ranks = ranks_of(points.features, anchors, metric, still_wanted)
    neighbours = nearest(points, metric, max(1, k)).indices[anchors]
    pairs = _draw_pairs(count, rng)
    distances = pair_distances(points.features, pairs, metric)
    return Original(k, anchors, ranks, neighbours, pairs, distances, count)


def ranks_of(
    values: np.ndarray, anchors: np.ndarray, metric: str, still_wanted: Callable[[], None] = lambda: None
) -> np.ndarray:
    """For each anchor the rank [m, n] of every other point by distance: 1 the nearest; an anchor's own is 0.

    Ties are ordered as scikit-learn's `trustworthiness` orders them.
    """
    from sklearn.metrics import pairwise_distances

    count = len(values)
    if len(anchors) < count:
        distances = pairwise_distances(values[anchors], values, metric=metric)
    else:
        distances = pairwise_distances(values, metric=metric)
    ranks = np.empty(distances.shape, dtype=np.uint16 if count < 2**16 else np.uint32)
    places = np.arange(1, count, dtype=ranks.dtype)
    for start in range(0, len(anchors), BLOCK):
        still_wanted()
        block = distances[start : start + BLOCK]
        rows = np.arange(len(block))
        block[rows, anchors[start : start + BLOCK]] = np.inf
        order = np.argsort(block, axis=1)
        own = np.zeros((len(block), count), dtype=ranks.dtype)
        np.put_along_axis(own, order[:, : count - 1], np.broadcast_to(places, (len(block), count - 1)), axis=1)
        ranks[start : start + BLOCK] = own
    return ranks


@dataclass(frozen=True, eq=False)
class Faith:
    """The measures of one map. Per anchor: `trust`, `kept` (continuity) and `overlap`, each 0..1."""

    trust: np.ndarray
    kept: np.ndarray
    overlap: np.ndarray
    trustworthiness: Interval
    continuity: Interval
    neighbour_overlap: Interval
    distance_correlation: Interval
    silhouette: Interval | None


def faith(
    source: Original, layout: np.ndarray, labels: tuple[str, ...], still_wanted: Callable[[], None] = lambda: None
) -> Faith:
    """Every measure of a map [n, 2]. Raises ValueError where there are too few points for any neighbor.

    Trustworthiness and continuity: Venna and Kaski (2001), as scikit-learn's `trustworthiness` has it, and the same
    with the two spaces exchanged. Neighbor overlap: the share of the k nearest in the original that are among the k
    nearest on the map. Distance correlation: Spearman's, over pairs.
    """
    k, count = source.k, source.count
    if k < 1:
        raise ValueError("There are too few points for a neighbor's rank")
    on_map = map_neighbours(layout, k)[source.anchors]
    penalty = 2.0 / (k * (2.0 * count - 3.0 * k - 1.0))
    false_ones = np.take_along_axis(source.ranks, on_map, axis=1).astype(np.int64) - k
    trust = 1.0 - penalty * np.maximum(false_ones, 0).sum(axis=1)
    map_ranks = ranks_of(layout, source.anchors, "euclidean", still_wanted)
    torn = np.take_along_axis(map_ranks, source.neighbours[:, :k], axis=1).astype(np.int64) - k
    kept = 1.0 - penalty * np.maximum(torn, 0).sum(axis=1)
    overlap = (on_map[:, :, None] == source.neighbours[:, None, :k]).any(axis=2).mean(axis=1)
    still_wanted()
    return Faith(
        trust,
        kept,
        overlap,
        mean_interval(trust, high=1.0),
        mean_interval(kept, high=1.0),
        mean_interval(overlap, low=0.0, high=1.0),
        rank_correlation(source, layout),
        silhouette(layout[source.anchors], [labels[i] for i in source.anchors] if labels else []),
    )


def point_trust(faith_: Faith, source: Original) -> np.ndarray:
    """Each point's own trust [n], NaN for points that were not measured: 1 where all its neighbors on the map are
    true ones."""
    own = np.full(source.count, np.nan)
    own[source.anchors] = np.clip(faith_.trust, 0.0, 1.0)
    return own


def rank_correlation(source: Original, layout: np.ndarray) -> Interval:
    """Spearman's correlation of distances in the original and on the map (scipy's `spearmanr`).

    Over all pairs where they are few: no error. Else over sampled pairs, with the interval of Bonett and Wright
    (2000). Where either space has all distances equal there is no correlation: NaN.
    """
    from scipy.stats import spearmanr

    if len(source.pairs) < 3:
        return Interval(math.nan, None, None, len(source.pairs))
    on_map = pair_distances(layout, source.pairs, "euclidean")
    if np.ptp(on_map) == 0 or np.ptp(source.distances) == 0:
        return Interval(math.nan, None, None, len(source.pairs))
    found: Any = spearmanr(source.distances, on_map)
    value = float(found.statistic)
    if source.all_pairs:
        return Interval(value, value, value, len(source.pairs))
    error = 1.959964 * math.sqrt((1 + value**2 / 2) / (len(source.pairs) - 3))
    middle = math.atanh(min(max(value, -0.999999), 0.999999))
    return Interval(value, math.tanh(middle - error), math.tanh(middle + error), len(source.pairs))


def silhouette(layout: np.ndarray, labels: list[str]) -> Interval | None:
    """The mean silhouette of the labels on the map (Rousseeuw 1987; scikit-learn), or None with fewer than two
    labels, or as many labels as points."""
    from sklearn.metrics import silhouette_samples

    if not 2 <= len(set(labels)) <= len(labels) - 1:
        return None
    return mean_interval(silhouette_samples(layout, np.unique(labels, return_inverse=True)[1]), low=-1.0, high=1.0)


def _draw_pairs(count: int, rng: np.random.Generator) -> np.ndarray:
    if count * (count - 1) // 2 <= PAIRS:
        return np.stack(np.triu_indices(count, 1), axis=1)
    first = rng.integers(0, count, PAIRS)
    second = (first + rng.integers(1, count, PAIRS)) % count
    return np.stack([first, second], axis=1)


def pair_distances(values: np.ndarray, pairs: np.ndarray, metric: str) -> np.ndarray:
    """The distances [p] of the pairs [p, 2]; cosine is one minus the cosine, 1 for a zero vector."""
    first, second = values[pairs[:, 0]], values[pairs[:, 1]]
    if metric != "cosine":
        return np.linalg.norm(first - second, axis=1)
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    dots = np.einsum("pd,pd->p", first, second)
    return 1.0 - np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)
