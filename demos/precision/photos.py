"""Real photos for the ImageNet classifier: of those that come with scikit-image, in seeded crops."""

from __future__ import annotations

import random
from functools import lru_cache

import numpy as np
from PIL import Image
from torch import Tensor

from shared.imagenet import INPUT_SIZE, prepare

NAMES = ("chelsea", "coffee", "rocket", "stereo_motorcycle")
"""Those that show what ImageNet has a class for: a cat, a cup, a rocket, a motorcycle. Of a retina or a galaxy the
network is sure of nothing in FP32 either, and which of its guesses comes first says nothing of a format."""
SHARES = (0.7, 0.95)
"""A crop's side as a share of the photo's shorter side: large enough that the subject stays in it."""


@lru_cache(maxsize=1)
def photos() -> tuple[Image.Image, ...]:
    """The photos that lie in scikit-image's own package; nothing is downloaded."""
    from skimage import data

    found = []
    for name in NAMES:
        loaded = getattr(data, name)()
        pixels = loaded[0] if isinstance(loaded, tuple) else loaded
        picture = Image.fromarray(np.asarray(pixels)[..., :3])
        picture.thumbnail((640, 640))
        found.append(picture)
    return tuple(found)


@lru_cache(maxsize=3)
def photo_crops(count: int, seed: int) -> tuple[Image.Image, ...]:
    """`count` square crops at 224 pixels, photo after photo, some mirrored."""
    rng, made = random.Random(f"photo crops {seed}"), []
    for i in range(count):
        photo = photos()[i % len(photos())]
        side = round(rng.uniform(*SHARES) * min(photo.size))
        left, top = rng.randint(0, photo.width - side), rng.randint(0, photo.height - side)
        square = photo.crop((left, top, left + side, top + side))
        square = square.resize((INPUT_SIZE, INPUT_SIZE), Image.Resampling.BICUBIC)
        made.append(square.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if rng.random() < 0.5 else square)
    return tuple(made)


def photo_inputs(count: int, seed: int) -> Tensor:
    """The crops as the classifier's input [n, 3, 224, 224]."""
    return prepare(photo_crops(count, seed))
