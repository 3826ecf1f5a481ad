"""A placed scene as a picture, with the exact mask of every sticker."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageColor

from shared.stickers.drawing import sprite
from shared.stickers.palette import BACKGROUNDS
from shared.stickers.scene import Scene, place


def render(scene: Scene, size: int, seed: int = 0) -> tuple[Image.Image, np.ndarray]:
    """The picture, RGB, `size` by `size` pixels, and which pixels show which sticker: bool [stickers, size, size].

    A scene that is not placed yet is placed by `seed`. A pixel belongs to the sticker that covers more than half of
    it and lies on top; later stickers lie over earlier ones. The border is part of the sticker.
    """
    if not 8 <= size <= 2048:
        raise ValueError(f"size must be from 8 to 2048 pixels, not {size}")
    if not scene.placed:
        scene = place(scene, seed)
    assert scene.background is not None  # place() has filled what was open
    pixels = np.empty((size, size, 3), dtype=np.uint8)
    pixels[:] = ImageColor.getrgb(BACKGROUNDS[scene.background])
    masks = np.zeros((len(scene.stickers), size, size), dtype=bool)
    for index, sticker in enumerate(scene.stickers):
        assert (
            sticker.color is not None and sticker.x is not None and sticker.y is not None and sticker.size is not None
        )
        side = max(1, round(sticker.size * size))
        left, top = round(sticker.x * size - side / 2), round(sticker.y * size - side / 2)
        art = np.asarray(sprite(sticker.kind, sticker.color, side))
        rows, columns = slice(max(top, 0), min(top + side, size)), slice(max(left, 0), min(left + side, size))
        art = art[rows.start - top : rows.stop - top, columns.start - left : columns.stop - left]
        # Source-over with premultiplied colors (Porter and Duff 1984), rounded.
        through = 255 - art[..., 3:].astype(np.uint16)
        mixed = art[..., :3] + (pixels[rows, columns] * through + 127) // 255
        pixels[rows, columns] = np.minimum(mixed, 255)
        covered = np.zeros((size, size), dtype=bool)
        covered[rows, columns] = art[..., 3] > 127
        masks[:index] &= ~covered
        masks[index] = covered
    return Image.fromarray(pixels), masks
