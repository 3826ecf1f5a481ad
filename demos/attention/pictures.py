"""Maps as pictures: one color scale for every side, overlays, and small ones for strips."""

from __future__ import annotations

import numpy as np
from PIL import Image

from shared.explaining import normalize

OPACITY = 0.55
# From dark blue over teal to yellow: dark to light throughout, so that it reads in grey and for the color-blind.
_ANCHORS = np.array(
    [(23, 18, 66), (44, 62, 130), (30, 110, 142), (32, 158, 130), (120, 200, 80), (253, 231, 60)], dtype=np.float64
)


def colored(found: np.ndarray) -> Image.Image:
    """A map [height, width], normalized, in the scale's colors."""
    at = normalize(found) * (len(_ANCHORS) - 1)
    low = np.minimum(at.astype(int), len(_ANCHORS) - 2)
    share = (at - low)[..., None]
    mixed = _ANCHORS[low] * (1 - share) + _ANCHORS[low + 1] * share
    return Image.fromarray(mixed.round().astype(np.uint8))


def overlay(picture: Image.Image, found: np.ndarray, opacity: float = OPACITY) -> Image.Image:
    """The map laid over the picture; `found` has the picture's size."""
    return Image.blend(picture.convert("RGB"), colored(found), opacity)


def with_outline(picture: Image.Image, mask: np.ndarray) -> Image.Image:
    """The picture with the mask's edge drawn in white and black, so that it is seen on any ground."""
    from scipy.ndimage import binary_dilation, binary_erosion

    pixels = np.array(picture.convert("RGB"))
    pixels[binary_dilation(mask, iterations=2) & ~binary_dilation(mask)] = 0  # pyright: ignore[reportOperatorIssue]
    pixels[binary_dilation(mask) & ~binary_erosion(mask, border_value=1)] = 255  # pyright: ignore[reportOperatorIssue]
    return Image.fromarray(pixels)
