"""A drawing made into what the models were trained on: white on black, 28x28, the digit 20 pixels large, centered."""

from __future__ import annotations

import numpy as np
from PIL import Image

from shared.demo import DemoError

SIZE, BOX = 28, 20
FAINTEST = 0.15
"""Ink darker than this share of the range counts as drawn."""
LEAST_INK, MOST_INK = 0.002, 0.6
"""Shares of the canvas: below, nothing was drawn; above, it is filled."""
LARGEST = 1_400
"""Pixels on a side that are looked at: a photo's millions would take half a minute to become 28x28."""


def ink_of(picture: Image.Image) -> np.ndarray:
    """How much ink each pixel holds, float32 [height, width] from 0 to 1, whatever the ground's color.

    A transparent ground counts as ground: where the picture has alpha that varies, alpha is the ink. Else the middle
    color of the border is the ground, and the distance to it the ink, so white on black and black on
    white are the same drawing.
    """
    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        alpha = np.asarray(picture.convert("RGBA"), dtype=np.float32)[..., 3] / 255
        if alpha.min() < 0.5:
            return alpha / alpha.max() if alpha.max() > FAINTEST else np.zeros_like(alpha)
    colors = np.asarray(picture.convert("RGB"), dtype=np.float32) / 255
    border = np.concatenate([colors[0], colors[-1], colors[:, 0], colors[:, -1]])
    distance = np.abs(colors - np.median(border, axis=0)).max(axis=2)
    reach = distance.max()
    return distance / reach if reach > FAINTEST else np.zeros_like(distance)


def center(ink: np.ndarray) -> np.ndarray:
    """Ink [height, width] as MNIST holds it: float32 [28, 28], the digit in 20 pixels, its mass in the middle.

    LeCun et al. 1998, section III.
    """
    rows, columns = np.flatnonzero(ink.max(axis=1) > FAINTEST), np.flatnonzero(ink.max(axis=0) > FAINTEST)
    if not len(rows):
        return np.zeros((SIZE, SIZE), dtype=np.float32)
    cut = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    scale = BOX / max(cut.shape)
    size = (max(1, round(cut.shape[1] * scale)), max(1, round(cut.shape[0] * scale)))
    small = Image.fromarray((cut * 255).astype(np.uint8)).resize(size, Image.Resampling.BOX if scale < 0.5 else 2)
    values = np.asarray(small, dtype=np.float32) / 255
    # A pen much finer than MNIST's leaves gray once made small: the darkest point becomes full ink again.
    values = np.clip(values / max(float(np.quantile(values, 0.98)), 0.2), 0, 1)
    mass = values.sum()
    down = (values.sum(axis=1) @ np.arange(size[1])) / mass
    right = (values.sum(axis=0) @ np.arange(size[0])) / mass
    top = int(np.clip(round(SIZE / 2 - 0.5 - down), 0, SIZE - size[1]))
    left = int(np.clip(round(SIZE / 2 - 0.5 - right), 0, SIZE - size[0]))
    canvas = np.zeros((SIZE, SIZE), dtype=np.float32)
    canvas[top : top + size[1], left : left + size[0]] = values
    return canvas


def read_drawing(picture: Image.Image, what: str = "The drawing") -> np.ndarray:
    """A drawing as one digit, float32 [28, 28]. Raises DemoError where nothing, or everything, is drawn on."""
    ink = ink_of(_made_smaller(picture))
    share = float((ink > 0.5).mean())
    if share == 0 or (ink > FAINTEST).sum() < max(12, LEAST_INK * 0.1 * ink.size):
        raise DemoError(f"{what} is blank: draw a digit, or choose an example.")
    if share > MOST_INK:
        raise DemoError(f"{what} is filled ({share:.0%} ink): draw a digit with a thinner pen.")
    return center(ink)


def read_pair(picture: Image.Image) -> np.ndarray:
    """A drawing as two digits side by side, float32 [28, 56]: the left half and the right half, each on its own."""
    picture = _made_smaller(picture)
    middle = max(1, picture.width // 2)
    halves = (
        picture.crop((0, 0, middle, picture.height)),
        picture.crop((picture.width - middle, 0, picture.width, picture.height)),
    )
    read = []
    for half, side in zip(halves, ("left", "right"), strict=True):
        read.append(read_drawing(half, f"The {side} half of the drawing"))
    return np.concatenate(read, axis=1)


def _made_smaller(picture: Image.Image) -> Image.Image:
    """The picture, or a smaller copy of it where a side has more than LARGEST pixels."""
    factor = -(-max(picture.size) // LARGEST)
    if factor <= 1:
        return picture
    clear = "A" in picture.mode or "transparency" in picture.info
    return picture.convert("RGBA" if clear else "RGB").reduce(factor)
