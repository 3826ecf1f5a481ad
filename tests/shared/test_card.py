from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from PIL import Image, ImageChops

from shared.card import draw_card
from shared.colors import palette
from shared.comparison import Comparison, Measure, Side
from shared.lettering import Lettering, readable
from tests.looks import compared, grid, hostile, picture, share

PAIR = (share(0.5, 0.4, 0.6), share(0.9, 0.8, 1.0))


def rgb(color: str) -> tuple[int, ...]:
    return tuple(int(color[i : i + 2], 16) for i in (1, 3, 5))


def count(card: Image.Image, color: str) -> int:
    """How many pixels have exactly that color."""
    return int((np.asarray(card) == rgb(color)).all(axis=-1).sum())


def changed_rows(one: Image.Image, other: Image.Image) -> int:
    """How many rows of pixels differ between two cards, from their upper ends."""
    height = min(one.height, other.height)
    first, second = (np.asarray(c.crop((0, 0, c.width, height))).astype(int) for c in (one, other))
    return int((first != second).any(axis=(1, 2)).sum())


@pytest.mark.parametrize("width", [800, 1600])
@pytest.mark.parametrize("dark", [False, True])
def test_the_card_has_the_width_asked_for_and_the_theme(width, dark):
    card = draw_card(compared(*PAIR, film=True), width=width, dark=dark)
    assert card.mode == "RGB"
    assert card.width == width
    assert 0.6 * width < card.height < 1.4 * width
    assert card.getpixel((1, 1)) == card.getpixel((width - 2, card.height - 2)) == rgb(palette(dark)["page"])


@pytest.mark.parametrize("width", [0, -5, 399, 4001, 10**6])
def test_a_width_out_of_bounds_is_refused_in_a_sentence(width):
    with pytest.raises(ValueError, match=r"A card is 400 to 4,000 pixels wide, not .*\."):
        draw_card(compared(*PAIR), width=width)


@pytest.mark.parametrize(
    "change",
    [
        {"takeaway": "A followed the prompt better."},
        {"settings": {"prompt": "a blue star", "seed": 13}},
        {"settings": {"prompt": "a red car on a mint background", "seed": 14}},
        {"environment": {"model": "another", "date": "2020-01-01"}},
        {"complete": False},
        {"measures": (Measure("difference", 0.1, "share", "neither"),)},
    ],
)
def test_every_text_is_on_the_card(change):
    c = compared(*PAIR)
    assert changed_rows(draw_card(c, 800), draw_card(dataclasses.replace(c, **change), 800)) >= 8


def test_labels_values_and_settings_are_on_the_card():
    c = compared(*PAIR)
    before = draw_card(c, 800)
    other_label = dataclasses.replace(c, sides=(dataclasses.replace(c.sides[0], label="guidance 9"), c.sides[1]))
    assert changed_rows(before, draw_card(other_label, 800)) >= 5
    assert changed_rows(before, draw_card(compared(share(0.51, 0.4, 0.6), PAIR[1]), 800)) >= 5
    assert changed_rows(before, draw_card(compared(share(0.5, 0.41, 0.6), PAIR[1]), 800)) >= 5
    assert changed_rows(before, draw_card(dataclasses.replace(c, settings=c.settings | {"steps_a": 21}), 800)) >= 5


def test_only_a_winner_is_green_in_the_table():
    green = palette(False)["good"]
    # without a takeaway's bar, green is the winner's alone
    bar = count(draw_card(compared(share(0.5, 0.4, 0.6), share(0.55, 0.5, 0.65)), 1600), green)
    assert count(draw_card(compared(*PAIR), 1600), green) > bar + 50
    assert count(draw_card(compared(share(0.5), share(0.9)), 1600), green) == bar


def test_both_pictures_are_drawn_at_the_same_size():
    card = draw_card(compared(*PAIR), 1600)
    assert count(card, "#0000c8") == pytest.approx(count(card, "#0028c8"), rel=0.001)
    assert count(card, "#0000c8") > 700**2


def test_small_pictures_stay_sharp_and_large_ones_smooth():
    for size, sharp in ((8, True), (64, False)):
        board = Image.fromarray((np.indices((size, size)).sum(0) % 2 * 255).astype(np.uint8)).convert("RGB")
        card = draw_card(Comparison("d", {}, (Side("one", (), (board,)),), "", {}), 1600)
        colors = card.crop((300, 300, 500, 500)).getcolors(maxcolors=100_000) or []
        assert (len(colors) == 2) is sharp


@pytest.mark.parametrize("count_of_sides", [1, 2, 3, 4, 5, 6])
def test_nothing_is_cut_at_the_edges(count_of_sides):
    long = "a very red car left of an extremely blue house on a mint background " * 3
    name = "Красная машина 红色的汽车 " + "w" * 90
    measures = (
        share(0.5, 0.4, 0.6),
        Measure("missing", None, "share", "higher", long),
        Measure("x" * 80, 123.4, "y" * 60, "lower"),
    )
    side = Side(name, measures, (picture((200, 0, 0), (64, 32)),))
    c = Comparison(
        "guidance",
        {"prompt": long[:200], "seed": 2**63 - 1, "word": "w" * 400},
        (side,) * count_of_sides,
        long,
        {"model": long},
    )
    for width in (800, 1600):
        card = draw_card(c, width)
        inner = card.crop((width // 29, width // 29, width - width // 29, card.height - width // 29))
        blank = Image.new("RGB", card.size, card.getpixel((0, 0)))
        box = ImageChops.difference(card, blank).getbbox()
        assert box is not None
        assert box[0] >= width // 30 and box[2] <= width - width // 30 + 1
        assert box[3] <= card.height - width // 30 + 1
        assert inner.height > 200


def test_a_contact_sheet_shows_its_axes_and_blanks():
    card = draw_card(grid(), 1600)
    assert count(card, "#0064c8") > 7 * 250**2
    assert count(card, palette(False)["sunken"]) > 200**2  # the failed cell
    renamed = dataclasses.replace(
        grid(), sides=tuple(dataclasses.replace(s, label=s.label.replace("steps 8", "steps 9")) for s in grid().sides)
    )
    assert changed_rows(card, draw_card(renamed, 1600)) >= 8


def test_sides_without_pictures_and_hostile_text_make_a_card():
    bare = Comparison("guidance", {}, (Side("one", (share(0.5),)), Side("two", (share(0.6),))), "Tied.", {})
    assert draw_card(bare, 800).height < draw_card(compared(*PAIR), 800).height
    assert draw_card(hostile(), 800).width == 800
    assert draw_card(Comparison("d", {}, (), "", {}), 800).width == 800


def test_arrows_and_marks_print_and_other_scripts_are_named():
    assert readable("A ↑ ↓ ✓ 0.4–0.6 −1 · “x” Красная é") == "A ↑ ↓ ✓ 0.4–0.6 −1 · “x” Красная é"
    assert readable("a \U0001f697") in ("a [automobile]", "a \U0001f697")
    assert readable("\u4f60\u597d") in ("[CJK text]", "\u4f60\u597d")
    assert readable("a\u200b\ue000b\n c") in ("ab c", "a\u200bb c")


@pytest.mark.parametrize("text", ["w" * 500, "two words " * 60, "a", ""])
def test_wrapped_lines_fit_and_lose_nothing(text):
    letters = Lettering(22, "#000000")
    lines = letters.wrap(text, 300)
    assert all(letters.width(line) <= 300 for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
