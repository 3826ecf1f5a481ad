"""How far a picture's colors are from those that the sticker world is drawn with: the harm of too much guidance.

Too much guidance leaves blotches and fringes of colors that no sticker and no background has, long before values reach
the ends of 0..255. (Found by looking: at guidance 12 and more grounds become blotchy, and `saturation` does not move.)
"""

from __future__ import annotations

from functools import cache

import numpy as np
from PIL import Image, ImageColor
from scipy.spatial import KDTree

from shared.stickers import BACKGROUNDS, COLORS
from shared.stickers.art import paint

FAR = 5.0
"""CIE 1976 color difference in Lab; from about 2.3 on two colors can be told apart (Mahy et al. 1994)."""


def world_colors() -> tuple[str, ...]:
    """Every flat color that a scene can have, as hex: grounds, each body color with its two shades, and the few colors
    that stay as they are."""
    paints = [paint.Paint(body) for body in COLORS.values()]
    shades = [shade for p in paints for shade in (p.body, p.dark, p.light)]
    fixed = (paint.INK, paint.WHITE, paint.GLASS, paint.WOOD, paint.LEAF, paint.METAL, paint.CREAM, paint.BLUSH)
    return tuple(dict.fromkeys((*BACKGROUNDS.values(), *shades, *fixed)))


def off_palette(picture: Image.Image) -> float:
    """Share of pixels, 0..1, whose color is more than FAR from each of `world_colors`: from the nearest one,
    sqrt((L - L')^2 + (a - a')^2 + (b - b')^2) in CIE Lab under D65 (CIE 015:2018, section 8.2.1; scikit-image's
    `rgb2lab`). A true render has some, where edges blend two colors."""
    pixels = _lab(np.asarray(picture.convert("RGB"))).reshape(-1, 3)
    distance, _ = _tree().query(pixels)
    return float((distance > FAR).mean())


@cache
def _tree() -> KDTree:
    return KDTree(_lab(np.array([[ImageColor.getrgb(color) for color in world_colors()]], dtype=np.uint8))[0])


def _lab(pixels: np.ndarray) -> np.ndarray:
    from skimage.color import rgb2lab

    return rgb2lab(pixels)
