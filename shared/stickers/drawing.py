"""Turns a drawing into a sticker: an RGBA picture with a white die-cut border, at any size."""

from __future__ import annotations

import io
from functools import lru_cache

import numpy as np
import resvg_py
from PIL import Image, ImageColor
from scipy.ndimage import distance_transform_edt

from shared.stickers.art import DRAWINGS
from shared.stickers.art.paint import WHITE, Paint
from shared.stickers.palette import COLORS

MASTER = 768  # pixels; every sticker is drawn once at this size and made smaller from there
BORDER = 3.5  # width of the die-cut border, in units of the 100 by 100 box


def to_svg(kind: str, color: str) -> str:
    """The drawing as an SVG document. The box is 100 by 100 with room for the border around it."""
    fragment = DRAWINGS[kind](Paint(COLORS[color]))
    m = BORDER
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-m} {-m} {100 + 2 * m} {100 + 2 * m}" '
        f'stroke-linecap="round" stroke-linejoin="round">{fragment}</svg>'
    )


@lru_cache(maxsize=512)
def _master(kind: str, color: str) -> Image.Image:
    png = bytes(resvg_py.svg_to_bytes(svg_string=to_svg(kind, color), width=MASTER, height=MASTER))
    art = Image.open(io.BytesIO(png)).convert("RGBA")
    alpha = np.asarray(art, dtype=np.float32)[..., 3] / 255
    radius = BORDER * MASTER / (100 + 2 * BORDER)
    # The border is every point within `radius` of the drawing; the ramp of one pixel keeps its edge smooth.
    distance = np.asarray(distance_transform_edt(alpha < 0.5), dtype=np.float32)
    border = np.clip(radius - distance + 0.5, 0, 1)
    white = np.full((*border.shape, 3), ImageColor.getrgb(WHITE))
    sheet = Image.fromarray(np.dstack([white, border * 255]).round().astype(np.uint8))
    sheet.alpha_composite(art)
    return sheet.convert("RGBa")  # premultiplied, so that making it smaller does not darken the edges


@lru_cache(maxsize=8192)
def sprite(kind: str, color: str, size: int) -> Image.Image:
    """The sticker as a premultiplied RGBa picture of `size` by `size` pixels, border included.

    Raises KeyError for a kind or a color that the world does not have.
    """
    return _master(kind, color).resize((size, size), Image.Resampling.BOX, reducing_gap=None)
