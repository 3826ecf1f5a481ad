"""A map as a still picture, for the note card, the gallery and whoever has no script; and the colors of its points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from PIL import Image, ImageDraw

SIZE = (720, 480)
MARGIN = 1.08
SHARPER = 2

CATEGORIES: tuple[str, ...] = (
    "#3f90da", "#d98a00", "#bd1f01", "#7c8c8a", "#832db6", "#a96b59", "#e76300", "#97890f", "#4f6472", "#2f9fae",
)  # fmt: skip
"""For labels, in their order: near Petroff's ten (2021, arXiv 2107.02270), chosen to be told apart by the
color-blind; darkened where one was faint on white."""
CATEGORIES_DARK: tuple[str, ...] = (
    "#6aaef0", "#ffb340", "#ff7a5c", "#b4c2c0", "#c58bea", "#d19a88", "#ff8a3d", "#d6c84a", "#9fb0bd", "#92dadd",
)  # fmt: skip
SHAPES = ("circle", "square", "triangle")
"""Beyond ten labels the colors come again with another shape."""
MOST_LABELS = len(CATEGORIES) * len(SHAPES)
PLAIN, PLAIN_DARK = "#3f6d9c", "#8fbbe6"
UNKNOWN = "#9aa0a6"
TRUST: tuple[str, ...] = ("#b3261e", "#e5812b", "#e0c04c", "#7fa8b8", "#2f6690")
"""Own trust, lowest first: false neighbors stand out warm."""


def frame(layouts: Sequence[np.ndarray]) -> tuple[float, float]:
    """How far right and up the widest of the maps reaches from the middle: one frame for all sides."""
    reach = np.max([np.abs(layout).max(axis=0) for layout in layouts], axis=0) * MARGIN
    return max(float(reach[0]), 1e-9), max(float(reach[1]), 1e-9)


def dot_radius(count: int) -> float:
    """A point's radius in pixels of a picture 720 wide."""
    return float(np.clip(105 / np.sqrt(max(count, 1)), 1.3, 6))


def order(count: int) -> np.ndarray:
    """In which order the points are drawn: shuffled, always the same way, so that no label lies over all others."""
    return np.random.default_rng(0).permutation(count)


def draw(
    layout: np.ndarray,
    reach: tuple[float, float],
    labels: np.ndarray,
    trust: np.ndarray | None,
    size: tuple[int, int] = SIZE,
    colors: Sequence[str] = CATEGORIES,
) -> Image.Image:
    """The map [n, 2] in a frame, on no ground: colored by label (below 0: none) or, if given, by own trust [n]."""
    width, height = size[0] * SHARPER, size[1] * SHARPER
    picture = Image.new("RGBA", (width, height), (255, 255, 255, 0))
    pen = ImageDraw.Draw(picture)
    scale = min(width / (2 * reach[0]), height / (2 * reach[1]))
    radius = dot_radius(len(layout)) * SHARPER * size[0] / SIZE[0]
    xs, ys = width / 2 + layout[:, 0] * scale, height / 2 - layout[:, 1] * scale
    looks, shapes = point_looks(labels, trust, colors)
    for i in order(len(layout)).tolist():
        x, y, color, shape = float(xs[i]), float(ys[i]), looks[i], shapes[i]
        if shape == 0:
            pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=color)
        elif shape == 1:
            pen.rectangle((x - radius * 0.85, y - radius * 0.85, x + radius * 0.85, y + radius * 0.85), fill=color)
        else:
            pen.polygon(
                [(x, y - radius * 1.2), (x - radius * 1.1, y + radius * 0.8), (x + radius * 1.1, y + radius * 0.8)],
                fill=color,
            )
    return picture.resize(size, Image.Resampling.LANCZOS)


def palette(shared: Mapping[str, np.ndarray], dark: bool = False) -> tuple[str, ...]:
    """The labels' colors: their own, where the data set has such, else the usual ones."""
    if "label_looks" in shared:
        return tuple(str(look) for look in shared["label_looks"][:, int(dark)])
    return CATEGORIES_DARK if dark else CATEGORIES


def point_looks(
    labels: np.ndarray, trust: np.ndarray | None, colors: Sequence[str] = CATEGORIES
) -> tuple[list[str], list[int]]:
    """Each point's color and the number of its shape."""
    known = (labels >= 0) & (labels < MOST_LABELS)
    shapes = np.where(known, labels // len(colors), 0)
    if trust is not None:
        return [trust_color(float(t)) for t in trust], shapes.tolist()
    if (labels < 0).all():
        return [PLAIN] * len(labels), shapes.tolist()
    return [colors[int(i) % len(colors)] if k else UNKNOWN for i, k in zip(labels, known, strict=True)], shapes.tolist()


def trust_color(trust: float) -> str:
    """The color of a trust of 0..1, in steps: below 0.8, 0.9, 0.95, 0.99 and above; grey where it was not measured."""
    if np.isnan(trust):
        return UNKNOWN
    return TRUST[int(np.searchsorted(TRUST_STEPS, trust, side="right"))]


TRUST_STEPS = (0.8, 0.9, 0.95, 0.99)
