"""Draws the contact sheet, every sticker with its name: python -m shared.stickers [FILE]."""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from shared.stickers.drawing import sprite
from shared.stickers.palette import BACKGROUNDS, COLORS
from shared.stickers.scene import HELD_OUT, KINDS

SHEET = Path(__file__).resolve().parents[2] / "assets" / "stickers" / "contact_sheet.png"
COLUMNS = 7
CELL = (224, 320)  # pixels; one kind: its tile, its name, the strip of small ones, the space below
TILE, LARGE = 200, 168
SMALL = 64  # the least size at which every kind must be recognised
MARGIN = 28
PAPER, TEXT = "#FBFBF9", "#1B2027"


def colors_of(index: int) -> list[str]:
    """The colors in which a kind is shown: one large, three small; every color is seen about equally often."""
    allowed = [color for color in COLORS if (KINDS[index], color) not in HELD_OUT]
    return [allowed[(3 * index + step) % len(allowed)] for step in (0, 2, 4, 6)]


def draw_kind(sheet: Image.Image, index: int, left: int, top: int) -> None:
    """One kind on a tile of a background color, its name below, and three small ones in other colors."""
    kind, (color, *others) = KINDS[index], colors_of(index)
    row, column = divmod(index, COLUMNS)
    ground = list(BACKGROUNDS.values())[(column + 2 * row) % len(BACKGROUNDS)]
    middle = left + CELL[0] // 2
    sheet.paste(ground, (middle - TILE // 2, top), rounded(TILE))
    paste(sheet, kind, color, LARGE, middle, top + TILE // 2)
    font = ImageFont.load_default(20)
    ImageDraw.Draw(sheet).text((middle, top + TILE + 18), kind, fill=TEXT, font=font, anchor="mm")
    for place, other in enumerate(others):
        paste(sheet, kind, other, SMALL, middle + (place - 1) * (SMALL + 4), top + TILE + 36 + SMALL // 2)


def rounded(side: int) -> Image.Image:
    """A square mask with round corners, drawn larger so that they are smooth."""
    mask = Image.new("L", (4 * side, 4 * side), 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, 4 * side - 1, 4 * side - 1), 64, fill=255)
    return mask.resize((side, side), Image.Resampling.BOX)


def paste(sheet: Image.Image, kind: str, color: str, size: int, x: int, y: int) -> None:
    """Lay a sticker of `size` pixels on the sheet with its center at (x, y)."""
    sheet.alpha_composite(sprite(kind, color, size).convert("RGBA"), (x - size // 2, y - size // 2))


def contact_sheet() -> Image.Image:
    """Every kind, large on a background and small on paper, as an RGB picture."""
    rows = -(-len(KINDS) // COLUMNS)
    sheet = Image.new("RGBA", (COLUMNS * CELL[0] + 2 * MARGIN, rows * CELL[1] + 2 * MARGIN - 20), PAPER)
    for index in range(len(KINDS)):
        row, column = divmod(index, COLUMNS)
        draw_kind(sheet, index, MARGIN + column * CELL[0], MARGIN + row * CELL[1])
    return sheet.convert("RGB")


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else SHEET
    target.parent.mkdir(parents=True, exist_ok=True)
    contact_sheet().save(target, optimize=True)
    print(f"Wrote {target}, {target.stat().st_size / 1024:.0f} KiB")
