from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from demos.fusion.canvas import center, ink_of, read_drawing, read_pair
from shared.demo import DemoError


def draw_seven(pen: int = 20, ground: str = "white", ink: str = "black", size: int = 280) -> Image.Image:
    picture = Image.new("RGB", (size, size), ground)
    pencil = ImageDraw.Draw(picture)
    points = [(0.3 * size, 0.2 * size), (0.7 * size, 0.2 * size), (0.45 * size, 0.85 * size)]
    pencil.line(points, fill=ink, width=pen, joint="curve")
    return picture


def test_a_drawing_is_20_pixels_large_with_its_mass_in_the_middle():
    drawing = read_drawing(draw_seven())
    assert drawing.shape == (28, 28) and drawing.dtype == np.float32
    assert drawing.max() == 1 and drawing.min() == 0
    rows, columns = np.flatnonzero(drawing.max(axis=1) > 0.15), np.flatnonzero(drawing.max(axis=0) > 0.15)
    assert max(rows[-1] - rows[0], columns[-1] - columns[0]) + 1 in (19, 20)
    mass = drawing.sum()
    assert abs(drawing.sum(axis=1) @ np.arange(28) / mass - 13.5) <= 1
    assert abs(drawing.sum(axis=0) @ np.arange(28) / mass - 13.5) <= 1


def test_ground_and_ink_may_be_swapped_or_transparent():
    plain = read_drawing(draw_seven())
    swapped = read_drawing(draw_seven(ground="black", ink="white"))
    gray = read_drawing(draw_seven(ground="#777777", ink="#cc2222"))
    clear = Image.new("RGBA", (280, 280), (0, 0, 0, 0))
    clear.paste("black", mask=Image.fromarray((ink_of(draw_seven()) * 255).astype(np.uint8)))
    for other in (swapped, gray, read_drawing(clear)):
        assert np.abs(other - plain).mean() < 0.01


def test_where_it_is_drawn_and_how_large_changes_little():
    small = Image.new("RGB", (280, 280), "white")
    small.paste(draw_seven(pen=8, size=110), (150, 20))
    assert np.abs(read_drawing(small) - read_drawing(draw_seven())).mean() < 0.03


@pytest.mark.parametrize(
    ("picture", "said"),
    [
        (Image.new("RGB", (280, 280), "white"), "blank"),
        (Image.new("RGBA", (280, 280), (0, 0, 0, 0)), "blank"),
        (Image.new("RGB", (1, 1), "black"), "blank"),
    ],
)
def test_a_blank_drawing_gets_a_sentence(picture: Image.Image, said: str):
    with pytest.raises(DemoError, match=said):
        read_drawing(picture)


def test_a_filled_drawing_gets_a_sentence():
    full = Image.new("RGB", (280, 280), "white")
    ImageDraw.Draw(full).rectangle([10, 10, 270, 270], fill="black")
    with pytest.raises(DemoError, match="filled"):
        read_drawing(full)


def test_a_hairline_is_read():
    assert read_drawing(draw_seven(pen=1)).sum() > 10


def test_a_pair_is_its_two_halves():
    both = Image.new("RGB", (560, 280), "white")
    both.paste(draw_seven(), (280, 0))
    ImageDraw.Draw(both).line([(140, 40), (140, 240)], fill="black", width=20)
    pair = read_pair(both)
    assert pair.shape == (28, 56)
    assert np.array_equal(pair[:, 28:], read_drawing(draw_seven()))
    for drawn, side in (((0, 0), "right"), ((280, 0), "left")):
        half = Image.new("RGB", (560, 280), "white")
        half.paste(draw_seven(), drawn)
        with pytest.raises(DemoError, match=f"The {side} half of the drawing is blank"):
            read_pair(half)
    with pytest.raises(DemoError, match="blank"):
        read_pair(Image.new("RGB", (1, 1), "black"))


@pytest.mark.parametrize("mode", ["RGB", "P", "RGBA"])
def test_a_huge_picture_is_read_like_a_small_one(mode: str):
    large = draw_seven().resize((2_800, 2_800), Image.Resampling.NEAREST).convert(mode)
    assert np.abs(read_drawing(large) - read_drawing(draw_seven())).mean() < 0.02


def test_a_faint_pen_on_a_clear_ground_is_read():
    faint = Image.new("RGBA", (280, 280), (0, 0, 0, 0))
    faint.paste((0, 0, 0, 90), mask=Image.fromarray(((ink_of(draw_seven()) > 0.5) * 255).astype(np.uint8)))
    assert np.abs(read_drawing(faint) - read_drawing(draw_seven())).mean() < 0.02


def test_nothing_stays_nothing():
    assert center(np.zeros((50, 40), dtype=np.float32)).sum() == 0
