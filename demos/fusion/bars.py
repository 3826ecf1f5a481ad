"""The ten probabilities before and after, as a picture that reads on a light and on a dark page."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from shared.colors import SIDE_COLORS
from shared.lettering import Lettering

WIDTH, HEIGHT = 420, 300
"""Twice the size it is mostly seen at."""
LEFT, RIGHT, TOP, BOTTOM = 46, 6, 14, 34
GREY = "#7d8590"
FAINT = (125, 133, 144, 70)
SEEN_ON_BOTH = ("#2b8cc9", "#dd7526", "#c546d4", "#8a9a2a", "#2a9aa8", "#8d8896")
"""The sides' colors between their light and their dark shade."""
FINER = 2


def draw_bars(before: np.ndarray, after: np.ndarray, index: int, truth: int | None = None) -> Image.Image:
    """Probabilities [10] before (outlined) and after (filled) side by side for each digit, on one scale from 0 to 1.

    The right digit, where it is known, is underlined. The ground is transparent.
    """
    picture = Image.new("RGBA", (WIDTH * FINER, HEIGHT * FINER), (0, 0, 0, 0))
    pen = ImageDraw.Draw(picture)
    color = SEEN_ON_BOTH[index % len(SIDE_COLORS)]
    floor, tall = HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP
    for share in (0.0, 0.5, 1.0):
        y = round((floor - share * tall) * FINER)
        pen.line([(LEFT * FINER, y), ((WIDTH - RIGHT) * FINER, y)], fill=FAINT, width=FINER)
    slot = (WIDTH - LEFT - RIGHT) / 10
    for digit in range(10):
        x = LEFT + digit * slot
        for part, (value, filled) in enumerate(((float(before[digit]), False), (float(after[digit]), True))):
            left = (x + (0.08 + 0.43 * part) * slot) * FINER
            box = [left, (floor - value * tall) * FINER, left + 0.38 * slot * FINER, floor * FINER]
            if box[3] - box[1] < 2 * FINER:
                box[1] = box[3] - 2 * FINER
            pen.rectangle(box, fill=color if filled else None, outline=color, width=2 * FINER)
    small = picture.resize((WIDTH, HEIGHT), Image.Resampling.BOX)
    _write(small, slot, floor, tall, truth)
    return small


def _write(picture: Image.Image, slot: float, floor: int, tall: int, truth: int | None) -> None:
    """The digits below and the scale at the left; the right digit is bold and underlined."""
    pen = ImageDraw.Draw(picture)
    for digit in range(10):
        letters = Lettering(22, GREY, bold=digit == truth)
        middle = LEFT + (digit + 0.5) * slot
        letters.write(picture, (round(middle - letters.width(str(digit)) / 2), floor + 5), str(digit))
        if digit == truth:
            pen.rectangle([middle - 9, HEIGHT - 4, middle + 9, HEIGHT - 2], fill=GREY)
    letters = Lettering(20, GREY)
    for share, text in ((0.0, "0"), (0.5, "0.5"), (1.0, "1")):
        letters.write(picture, (LEFT - 10 - letters.width(text), round(floor - share * tall - 13)), text)
