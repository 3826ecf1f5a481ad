"""The data sets by name: digits, the sticker world, made-up shapes whose truth is known, and what a visitor brings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from demos.embeddings.points import Points, prepare, sample
from demos.embeddings.settings import EmbeddingSettings, GridSettings, StabilitySettings
from shared.demo import DemoError, Progress

AnySettings = EmbeddingSettings | GridSettings | StabilitySettings
SHAPE_SEED = 7


def load(settings: AnySettings, progress: Progress) -> Points:
    """The data set that the settings name, sampled to `n_points` and ready to be laid out.

    Raises DemoError where it can't be had or holds nothing to lay out, and whatever `progress` raises.
    """
    name, most = settings.dataset, settings.n_points
    if name == "digits":
        points = digits()
    elif name in SHAPES:
        points = SHAPES[name](most)
    elif name == "stickers":
        from demos.embeddings.pictures import sticker_pictures

        points = sticker_pictures(most, progress)
    elif name in ("joint", "untrained"):
        from demos.embeddings.pictures import pictures_and_captions

        points = pictures_and_captions(most, progress, trained=name == "joint")
    elif name == "text":
        from demos.embeddings.pictures import lines_of_text

        points = lines_of_text(settings.text, most, progress)
    else:
        from demos.embeddings.upload import read_upload

        if not settings.upload:
            raise DemoError(
                "The data set is “upload”, and no file is there yet: choose one under More, or another data set."
            )
        points = read_upload(settings.upload, settings.label_column, most, progress)
    return prepare(sample(points, most), settings.standardize)


def digits() -> Points:
    """scikit-learn's 1,797 handwritten digits of 8x8 pixels, 0 to 16."""
    from sklearn.datasets import load_digits

    found: Any = load_digits()
    thumbs = np.clip(np.rint(255 - found.images * (255 / 16)), 0, 255).astype(np.uint8)
    labels = tuple(str(t) for t in found.target)
    return Points("handwritten digits, 8×8 pixels", found.data, labels, thumbs=thumbs)


def clusters(count: int) -> Points:
    """Six round clusters in a plane, widths 0.4 to 4 apart by a factor of ten, laid into ten dimensions by a rotation.

    The original distances are exactly those of the plane.
    """
    rng = np.random.default_rng(SHAPE_SEED)
    centers = np.array([[0, 0], [6, 1], [9, 7], [-28, 2], [-22, 22], [34, -16]], dtype=float)
    widths = np.array([0.4, 0.8, 1.5, 0.4, 4.0, 2.5])
    which = np.arange(count) % len(centers)
    plane = centers[which] + rng.normal(size=(count, 2)) * widths[which, None]
    rotation = np.linalg.qr(rng.normal(size=(10, 10)))[0][:2]
    labels = tuple(f"width {widths[i]:g}, {'ABCDEF'[i]}" for i in which)
    return Points("six clusters of different width and distance", plane @ rotation, labels, truth=plane)


def rings(count: int) -> Points:
    """Two linked rings in three dimensions; seen from the side as the true shape."""
    turn = 2 * np.pi * (np.arange(count) // 2) / max(1, (count + 1) // 2)
    first = np.stack([np.cos(turn), np.sin(turn), np.zeros(count)], 1)
    second = np.stack([1 + np.cos(turn), np.zeros(count), np.sin(turn)], 1)
    which = np.arange(count) % 2
    space = np.where(which[:, None] == 0, first, second)
    return Points("two linked rings", space, tuple(("ring 1", "ring 2")[i] for i in which), truth=_seen(space))


def trefoil(count: int) -> Points:
    """A trefoil knot in three dimensions, in eight stretches along its length; one closed line, without clusters."""
    turn = 2 * np.pi * np.arange(count) / count
    space = np.stack([np.sin(turn) + 2 * np.sin(2 * turn), np.cos(turn) - 2 * np.cos(2 * turn), -np.sin(3 * turn)], 1)
    labels = tuple(f"stretch {1 + 8 * i // count}" for i in range(count))
    return Points("a trefoil knot", space, labels, truth=space[:, :2])


def noise(count: int) -> Points:
    """Pure noise: independent normal numbers in 50 dimensions; the true shape is its first two, one round cloud."""
    values = np.random.default_rng(SHAPE_SEED).normal(size=(count, 50))
    return Points("pure noise in 50 dimensions", values, truth=values[:, :2])


SHAPES: dict[str, Callable[[int], Points]] = {"clusters": clusters, "rings": rings, "trefoil": trefoil, "noise": noise}


def _seen(space: np.ndarray) -> np.ndarray:
    """[n, 3] seen from a slant, without perspective: [n, 2]."""
    toward = np.array([[0.94, 0.0, -0.34], [-0.17, 0.87, -0.46]])
    return space @ toward.T
