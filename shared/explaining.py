"""Metrics of explanation maps: how well a map finds what it should, and whether what it marks matters.

A map is [height, width], any numbers, higher is more; a mask is bool of the same shape. SciPy is imported inside the
functions, so that drawing a page does not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

STEPS = 32
"""Into how many equal parts deletion and insertion cut the picture."""
FLAT = 1e-9
"""A map whose values differ by less marks nothing."""


def normalize(found: np.ndarray) -> np.ndarray:
    """The map brought to 0..1 by its least and greatest value; zeros where it is flat."""
    low, high = float(found.min()), float(found.max())
    if not high - low > FLAT:
        return np.zeros(found.shape, dtype=np.float32)
    return ((found - low) / (high - low)).astype(np.float32)


def is_flat(found: np.ndarray) -> bool:
    """Whether the map marks nothing: it is the same everywhere."""
    return not float(found.max()) - float(found.min()) > FLAT


def iou(found: np.ndarray, mask: np.ndarray, threshold: float) -> float:
    """Intersection over union of the normalized map above `threshold` with the mask, 0..1."""
    above = normalize(found) > threshold
    union = np.logical_or(above, mask).sum()
    return float(np.logical_and(above, mask).sum() / union) if union else 0.0


def iou_of_area(found: np.ndarray, mask: np.ndarray, area: float) -> float:
    """Intersection over union of the map's highest `area` (a share of the picture) with the mask: maps compared at
    like area. Ties are cut in the order of the pixels."""
    count = max(1, round(area * found.size))
    above = np.zeros(found.size, dtype=bool)
    above[np.argsort(-found, axis=None, kind="stable")[:count]] = True
    flat = mask.ravel()
    return float((above & flat).sum() / (above | flat).sum())


def pointing_game(found: np.ndarray, mask: np.ndarray) -> float:
    """1 where the map's peak lies in the mask, else 0 (Zhang et al. 2016, arXiv 1608.00507, section 4.1). Of several
    equal peaks, the share that does. A flat map has no peak: 0."""
    if is_flat(found):
        return 0.0
    peaks = found >= found.max()
    return float(mask[peaks].mean())


def energy_inside(found: np.ndarray, mask: np.ndarray) -> float:
    """The share of the normalized map's mass that lies in the mask, 0..1 (Wang et al. 2020, arXiv 1910.01279, section
    4.3). A flat map has no mass: 0."""
    mass = normalize(found).astype(np.float64)
    total = mass.sum()
    return float(mass[mask].sum() / total) if total > 0 else 0.0


def area(found: np.ndarray, threshold: float) -> float:
    """The share of the picture where the normalized map is above `threshold`, 0..1."""
    return float((normalize(found) > threshold).mean())


def agreement(first: np.ndarray, second: np.ndarray) -> float | None:
    """Spearman's rank correlation of two maps over the pixels, -1..1 (scipy); None where one is flat."""
    from scipy import stats

    if is_flat(first) or is_flat(second):
        return None
    return float(stats.spearmanr(first.ravel(), second.ravel()).statistic)  # pyright: ignore[reportAttributeAccessIssue]


def blur(pixels: np.ndarray) -> np.ndarray:
    """The picture [..., height, width, channels], Gaussian blurred with a standard deviation of 1/12 of its longer
    side: the baseline that shows no object."""
    from scipy import ndimage

    sigma = max(pixels.shape[-3:-1]) / 12
    spread = (0,) * (pixels.ndim - 3) + (sigma, sigma, 0)
    return ndimage.gaussian_filter(pixels.astype(np.float32), spread, mode="reflect")


def order_of(found: np.ndarray) -> np.ndarray:
    """For every pixel the part, 0 to STEPS - 1, in which it is taken: the highest first, ties in the order of the
    pixels; int [height, width]."""
    rank = np.empty(found.size, dtype=np.int64)
    rank[np.argsort(-found, axis=None, kind="stable")] = np.arange(found.size)
    return (rank * STEPS // found.size).reshape(found.shape)


def causal_frames(pixels: np.ndarray, found: np.ndarray, *, insert: bool) -> np.ndarray:
    """The frames of deletion or insertion, [STEPS + 1, height, width, 3], values as in `pixels` [height, width, 3].

    Deletion begins with the picture and blurs the map's highest parts first; insertion begins with the blurred picture
    and uncovers them first (Petsiuk et al. 2018, arXiv 1806.07421, section 3.3).
    """
    blurred = blur(pixels)
    parts = order_of(found)
    taken = parts[None] < np.arange(STEPS + 1)[:, None, None]
    keep = taken if insert else ~taken
    return np.where(keep[..., None], pixels.astype(np.float32), blurred)


def area_under(probabilities: np.ndarray) -> float:
    """The area under a curve of STEPS + 1 probabilities over shares of the picture from 0 to 1, 0..1."""
    return float(np.trapezoid(probabilities, dx=1 / (len(probabilities) - 1)))


def causal_curves(
    pixels: np.ndarray, found: np.ndarray, probability: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """The probabilities along deletion and insertion, each [STEPS + 1]. `probability` takes frames [n, h, w, 3]."""
    return (
        probability(causal_frames(pixels, found, insert=False)),
        probability(causal_frames(pixels, found, insert=True)),
    )
