"""Turning maps so that they can be compared: Procrustes alignment, and how much is left that no turn removes."""

from __future__ import annotations

import numpy as np
from scipy.linalg import orthogonal_procrustes


def align(layout: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """The map [n, 2] shifted, turned, mirrored and scaled as a whole, to lie as near the reference [n, 2] as it can.

    Orthogonal Procrustes (Schönemann 1966; scipy's `orthogonal_procrustes`). The result has mean zero and the
    reference's mean square radius: its relative distances are the map's own. Where all points coincide, it is zero.
    """
    centered, target = layout - layout.mean(axis=0), reference - reference.mean(axis=0)
    size, wanted = np.linalg.norm(centered), np.linalg.norm(target)
    if size == 0 or wanted == 0:
        return centered
    turn, _ = orthogonal_procrustes(centered, target)
    return centered @ turn * (wanted / size)


def disparity(one: np.ndarray, other: np.ndarray) -> float:
    """The Procrustes disparity of two maps [n, 2]: 0 where a shift, turn, mirroring and scaling makes them equal, up
    to 1. Equals scipy's `spatial.procrustes` (Gower 1975)."""
    a, b = one - one.mean(axis=0), other - other.mean(axis=0)
    size_a, size_b = np.linalg.norm(a), np.linalg.norm(b)
    if size_a == 0 or size_b == 0:
        return 0.0 if size_a == size_b else 1.0
    _, singular_sum = orthogonal_procrustes(a / size_a, b / size_b)
    return float(np.clip(1.0 - singular_sum**2, 0.0, 1.0))


def principal(values: np.ndarray) -> np.ndarray:
    """The first two principal components [n, 2], scaled to a mean square radius of 1, each axis pointing to the side
    where its largest loading is positive, so that the same data is always turned the same way."""
    centered = values - values.mean(axis=0)
    scale = np.abs(centered).max()
    centered = centered / scale if scale > 0 else centered
    directions = (
        np.linalg.svd(centered, full_matrices=False)[2][:2] if min(centered.shape) <= 400 else _by_covariance(centered)
    )
    signs = np.sign(directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)])
    scores = centered @ (directions * signs[:, None]).T
    if scores.shape[1] == 1:
        scores = np.column_stack([scores, np.zeros(len(scores))])
    radius = np.sqrt((scores**2).sum(axis=1).mean())
    return scores / radius if radius > 0 else scores


def _by_covariance(centered: np.ndarray) -> np.ndarray:
    vectors = np.linalg.eigh(centered.T @ centered)[1]
    return vectors[:, ::-1][:, :2].T
