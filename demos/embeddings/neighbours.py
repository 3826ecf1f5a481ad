"""Nearest neighbors in the original space: found once per data set and metric, for the largest k, then sliced."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demos.embeddings.memo import Memo
from demos.embeddings.points import Points

USUAL_K = 150
"""Found at first even where fewer are needed, so that perplexities up to 50 find them there."""

_found = Memo(4)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Each point's nearest other points, nearest first: `indices` [n, k] and `distances` [n, k]."""

    indices: np.ndarray
    distances: np.ndarray

    @property
    def k(self) -> int:
        """How many each point has."""
        return self.indices.shape[1]

    def first(self, k: int) -> Neighbours:
        """The nearest k of them."""
        return Neighbours(self.indices[:, :k], self.distances[:, :k])


def nearest(points: Points, metric: str, k: int) -> Neighbours:
    """The exact k nearest neighbors of every point (at most n - 1), by scikit-learn's brute force.

    What was found before for the same data and metric is sliced; a larger k is found anew and replaces it.
    """
    k = min(k, len(points) - 1)
    found = _found.get((points.key, metric))
    if found is None or found.k < k:
        found = _found.put(
            (points.key, metric), _search(points.features, metric, min(max(k, USUAL_K), len(points) - 1))
        )
    return found.first(k)


def forget() -> None:
    """Forgets all neighbors, so that the next search is cold."""
    _found.clear()


def _search(values: np.ndarray, metric: str, k: int) -> Neighbours:
    from sklearn.neighbors import NearestNeighbors

    distances, indices = NearestNeighbors(n_neighbors=k, algorithm="brute", metric=metric).fit(values).kneighbors()
    # A cosine distance of equal directions can come out a hair below zero.
    return Neighbours(indices.astype(np.int32), np.maximum(distances, 0.0))


def map_neighbours(layout: np.ndarray, k: int) -> np.ndarray:
    """The k nearest neighbors [n, k] of every point on a map [n, 2], nearest first."""
    from sklearn.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=k).fit(layout).kneighbors(return_distance=False)
