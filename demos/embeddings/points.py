"""What a data set is: features with labels, texts, thumbnails and the true shape, whatever there is of them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from shared.demo import DemoError

FEWEST = 4
MODERATE = (1e-30, 1e30)
"""Numbers beyond are divided by the largest: squared they would overflow or vanish. No map or measure changes by it."""
SAMPLE_SEED = 20_240_607
"""Samples of a data set are drawn with this seed alone, so that another seed changes the layout and nothing else."""


@dataclass(frozen=True, eq=False)
class Points:
    """A data set as it is laid out.

    `features` [n, d]; `labels` one text a point, or none; `texts` what is shown of a point, or none; `thumbs`
    [n, h, w] or [n, h, w, 3] bytes, or none; `truth` [n, 2], the true shape seen straight. `rows` is how many there
    were before sampling. `notes` are sentences on what was dropped or sampled. Where the set has two modalities, `gap`
    is the modality gap and `pair_distance` the mean distance of a picture and its own caption. `model` and `weights`
    name what embedded it. `looks` gives labels a color of their own, one on light and one on dark.
    """

    title: str
    features: np.ndarray
    labels: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    thumbs: np.ndarray | None = None
    truth: np.ndarray | None = None
    rows: int = 0
    notes: tuple[str, ...] = ()
    gap: float | None = None
    pair_distance: float | None = None
    model: str = ""
    weights: str = ""
    looks: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    key: str = field(default="", init=False)

    def __post_init__(self) -> None:
        values = np.ascontiguousarray(self.features, dtype=np.float64)
        object.__setattr__(self, "features", values)
        object.__setattr__(self, "rows", self.rows or len(values))
        digest = hashlib.blake2b(values.tobytes(), digest_size=16)
        digest.update(repr(values.shape).encode())
        object.__setattr__(self, "key", digest.hexdigest())

    def __len__(self) -> int:
        return len(self.features)

    @property
    def sampled(self) -> bool:
        """Whether these are fewer than there were."""
        return len(self) < self.rows


def take(points: Points, wanted: Sequence[int] | np.ndarray) -> Points:
    """The points at those positions, with all that belongs to them."""
    at = np.asarray(wanted, dtype=int)
    return replace(
        points,
        features=points.features[at],
        labels=tuple(points.labels[i] for i in at) if points.labels else (),
        texts=tuple(points.texts[i] for i in at) if points.texts else (),
        thumbs=points.thumbs[at] if points.thumbs is not None else None,
        truth=points.truth[at] if points.truth is not None else None,
    )


def sample(points: Points, most: int) -> Points:
    """At most `most` of the points, in their order, always the same ones."""
    if len(points) <= most:
        return points
    chosen = np.sort(np.random.default_rng(SAMPLE_SEED).permutation(len(points))[:most])
    return take(points, chosen)


def prepare(points: Points, standardize: bool) -> Points:
    """The points ready to be laid out: constant columns left out, columns standardized if wanted.

    Raises DemoError, in one sentence, where there is nothing to lay out.
    """
    count = len(points)
    if count < FEWEST:
        rows = "row" if count == 1 else "rows"
        raise DemoError(f"At least {FEWEST} rows with numbers are needed, and there {_are(count)} {count} {rows}.")
    values = points.features
    if values.shape[1] == 0:
        raise DemoError("There is no column of numbers to lay out.")
    with np.errstate(over="ignore", invalid="ignore"):
        spread = values.std(axis=0)
    # Beyond this a column's squares overflow; far below it nothing real is lost.
    if not np.isfinite(spread).all() or np.abs(values).max() > 1e150:
        raise DemoError("Some numbers are too large to take distances of: divide the columns first, or leave them out.")
    varies = np.ptp(values, axis=0) > 0
    notes = list(points.notes)
    if not varies.any():
        raise DemoError(f"All {count:,} rows are the same, so there is nothing to lay out.")
    constant = int((~varies).sum())
    if constant and points.rows and points.title.startswith("your"):
        notes.append(f"{constant} constant column{'s' * (constant != 1)} left out.")
    values = values[:, varies]
    if standardize:
        values = values - values.mean(axis=0)
        values = values / np.abs(values).max(axis=0)  # a spread of denormal numbers would be 0
        values = values / values.std(axis=0)
    largest = float(np.abs(values).max())
    if not MODERATE[0] <= largest <= MODERATE[1]:
        values = values / largest
    return replace(points, features=values, notes=tuple(notes))


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
