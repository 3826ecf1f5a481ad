"""Hard scenes with a known answer: one small sticker under noise; and captions of scenes that no training showed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from shared.stickers import (
    BACKGROUNDS,
    COLORS,
    KINDS,
    STYLES,
    Scene,
    Sticker,
    caption,
    is_for_testing,
    random_scene,
    render,
)

SIZE = 128  # pixels: the reader's own input
SMALL = (0.22, 0.32)
"""A sticker's size as a share of the picture. The reader was trained on single ones from 0.5 up."""
NOISE = 20.0
"""Standard deviation of the noise on values 0 to 255. With it FP32 is right on 0.85 to 0.95 of the scenes."""
COLORS_USED = 4
"""Each kind comes in so many of the colors: drawing a sticker for the first time is what takes long."""


@dataclass(frozen=True)
class HardScenes:
    """Pictures uint8 [n, 128, 128, 3] and the kind in each, as a position in KINDS [n]."""

    pictures: np.ndarray
    truth: np.ndarray


@lru_cache(maxsize=3)  # 2,000 scenes are 94 MiB
def hard_scenes(count: int, seed: int) -> HardScenes:
    """`count` scenes with one small sticker each, at random places, under noise; a longer list begins as a shorter."""
    rng, noise = random.Random(f"hard scenes {seed}"), np.random.default_rng([seed % 2**63, 7])
    pictures = np.empty((count, SIZE, SIZE, 3), np.uint8)
    truth = np.empty(count, int)
    for i in range(count):
        truth[i] = rng.randrange(len(KINDS))
        size = rng.uniform(*SMALL)
        x, y = (rng.uniform(size / 2 + 0.02, 1 - size / 2 - 0.02) for _ in "xy")
        color = list(COLORS)[rng.randrange(COLORS_USED)]
        sticker = Sticker(KINDS[int(truth[i])], color, x, y, size)
        clean = np.asarray(render(Scene((sticker,), None, rng.choice(list(BACKGROUNDS))), SIZE)[0], dtype=np.float32)
        pictures[i] = np.clip(clean + noise.normal(0, NOISE, clean.shape), 0, 255).round()
    pictures.setflags(write=False)
    truth.setflags(write=False)
    return HardScenes(pictures, truth)


def to_input(pictures: np.ndarray) -> Tensor:
    """uint8 [n, h, w, 3] as the reader's input, float [n, 3, h, w] from -1 to 1."""
    return torch.from_numpy(pictures.copy()).permute(0, 3, 1, 2).float().div_(127.5).sub_(1).contiguous()


@lru_cache(maxsize=8)
def test_scenes(count: int, seed: int) -> tuple[Scene, ...]:
    """`count` different scenes, not placed, that no training showed."""
    rng = random.Random(f"captions {seed}")
    found: dict[str, Scene] = {}
    while len(found) < count:
        scene = random_scene(rng)
        if is_for_testing(scene):
            found.setdefault(caption(scene), scene)
    return tuple(found.values())


def captions(count: int, seed: int) -> list[str]:
    """Captions of test scenes, in all styles."""
    return [caption(scene, STYLES[i % len(STYLES)]) for i, scene in enumerate(test_scenes(count, seed))]
