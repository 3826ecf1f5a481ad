"""The few drawing tools that the note card's parts share: scale, colors, paragraphs, stacking, markers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw

from shared.colors import LETTERS, SIDE_COLORS
from shared.lettering import Lettering


@dataclass(frozen=True)
class Style:
    """The colors by name, and the scale: 1 for a card 1,600 pixels wide."""

    colors: Mapping[str, str]
    scale: float

    def px(self, size: float) -> int:
        """A length of the 1,600 pixel card in pixels of this one, at least 1."""
        return max(1, round(size * self.scale))

    def side(self, index: int) -> str:
        """The color of the side at that position."""
        return self.colors[LETTERS[index].lower()] if index < len(LETTERS) else self.colors["text"]

    def paragraph(
        self,
        text: str,
        width: int,
        size: float,
        color: str,
        *,
        bold: bool = False,
        ground: str = "page",
        center: bool = False,
    ) -> Image.Image:
        """The text wrapped to `width`, as a block of just the height that it needs; `color` is a name or #rrggbb."""
        letters = Lettering(self.px(size), self.colors.get(color, color), bold)
        lines = letters.wrap(text, width)
        block = Image.new("RGB", (width, max(1, len(lines) * letters.line)), self.colors[ground])
        for row, line in enumerate(lines):
            left = (width - letters.width(line)) // 2 if center else 0
            letters.write(block, (left, row * letters.line), line)
        return block


def stack(blocks: Sequence[Image.Image], gap: int, ground: str) -> Image.Image:
    """The blocks below each other; those without height (an empty paragraph) take no gap."""
    blocks = [b for b in blocks if b.height > 1] or list(blocks[:1])
    height = sum(b.height for b in blocks) + gap * (len(blocks) - 1)
    whole, y = Image.new("RGB", (max(b.width for b in blocks), height), ground), 0
    for block in blocks:
        whole.paste(block, (0, y))
        y += block.height + gap
    return whole


def beside(blocks: Sequence[Image.Image], gap: int, ground: str) -> Image.Image:
    """The blocks next to each other, their upper ends on one line."""
    width = sum(b.width for b in blocks) + gap * (len(blocks) - 1)
    whole, x = Image.new("RGB", (width, max(b.height for b in blocks)), ground), 0
    for block in blocks:
        whole.paste(block, (x, 0))
        x += block.width + gap
    return whole


def mark(picture: Image.Image, at: tuple[int, int], size: int, index: int, style: Style) -> None:
    """Draws the marker of a side's position, `size` pixels wide, in its color."""
    if index >= len(SIDE_COLORS):
        return
    big = 8 * size
    mask = Image.new("L", (big, big), 0)
    pen, shape, end = ImageDraw.Draw(mask), SIDE_COLORS[index][2], big - 1
    if shape == "circle":
        pen.ellipse((0, 0, end, end), fill=255)
    elif shape == "cross":
        third = big // 3
        pen.rectangle((third, 0, end - third, end), fill=255)
        pen.rectangle((0, third, end, end - third), fill=255)
    else:
        pen.polygon([(round(x * end), round(y * end)) for x, y in _corners(shape)], fill=255)
    picture.paste(style.side(index), at, mask.resize((size, size), Image.Resampling.BOX))


def _corners(shape: str) -> list[tuple[float, float]]:
    if shape == "square":
        return [(0.06, 0.06), (0.94, 0.06), (0.94, 0.94), (0.06, 0.94)]
    if shape == "diamond":
        return [(0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5)]
    if shape == "triangle-up":
        return [(0.5, 0.05), (1, 0.95), (0, 0.95)]
    turns = [(math.pi * i / 5 - math.pi / 2, 0.5 if i % 2 == 0 else 0.22) for i in range(10)]
    return [(0.5 + r * math.cos(t), 0.53 + r * math.sin(t)) for t, r in turns]
