"""The committed contact sheet shows the stickers as they are drawn now."""

from __future__ import annotations

import numpy as np
from PIL import Image

from shared.stickers import COLORS, HELD_OUT, KINDS
from shared.stickers.__main__ import SHEET, colors_of, contact_sheet


def test_the_committed_sheet_is_up_to_date() -> None:
    drawn = contact_sheet()
    with Image.open(SHEET) as committed:
        assert committed.size == drawn.size
        difference = np.abs(np.asarray(committed.convert("RGB")).astype(int) - np.asarray(drawn).astype(int))
    assert (difference > 8).mean() < 0.001, "run “python -m shared.stickers” after changing a drawing"
    assert SHEET.stat().st_size < 1_000_000


def test_every_kind_is_shown_in_four_colors_and_every_color_is_shown() -> None:
    shown = [colors_of(index) for index in range(len(KINDS))]
    assert all(len(set(colors)) == 4 for colors in shown)
    assert not {(kind, color) for kind, colors in zip(KINDS, shown, strict=True) for color in colors} & HELD_OUT
    assert {color for colors in shown for color in colors} == set(COLORS)
