from __future__ import annotations

import dataclasses
import math
import re

import pytest

from shared.comparison import Comparison, Measure, Side
from shared.table import format_value, headline, rows, rows_between, spell, to_markdown
from tests.looks import compared, grid, hostile, share


@pytest.mark.parametrize(
    ("first", "second", "better", "expected"),
    [
        ((0.5, 0.4, 0.6), (0.9, 0.8, 1.0), "higher", 1),
        ((0.5, 0.4, 0.6), (0.9, 0.8, 1.0), "lower", 0),
        ((0.5, 0.4, 0.6), (0.6, 0.55, 0.7), "higher", None),  # the intervals overlap
        ((0.5, 0.4, 0.6), (0.7, 0.6, 0.8), "higher", None),  # they touch
        ((0.5, 0.4, 0.6), (0.5, 0.4, 0.6), "higher", None),  # tied
        ((0.5, 0.4, 0.6), (0.9, 0.8, 1.0), "neither", None),
        ((0.5, None, None), (0.9, 0.8, 1.0), "higher", None),  # one sample crowns nobody
    ],
)
def test_a_winner_is_marked_only_beyond_the_intervals(first, second, better, expected):
    row = rows(compared(share(*first, better=better), share(*second, better=better)))[0]
    assert row.winner == expected
    has_intervals = first[1] is not None
    assert row.verdict == ("no clear difference" if expected is None and has_intervals and better != "neither" else "")


def test_values_are_printed_by_their_unit():
    assert [format_value(v, "share") for v in (0, 1, 0.5, 0.754, 0.003, 0.9961, 0.0001, 1e-6, 1.5)] == [
        *("0.00", "1.00", "0.50", "0.75", "0.003", "0.996", "0.0001", "0.00", "1.50"),
    ]
    assert [format_value(v, "s") for v in (0.41234, 2, 12.34, 123.4, 1234)] == ["0.412", "2.00", "12.3", "123", "1,230"]
    assert [format_value(v, "U-Net calls") for v in (20.0, 1234, 20.5)] == ["20", "1,234", "20.5"]
    assert format_value(-3.21, "dB") == "−3.21"
    assert format_value(2.5e9, "FLOP") == "2.50e9"


def test_a_row_carries_value_interval_unit_and_note():
    timed = [Measure("latency", v, "s per picture", "lower", "After a warm-up.", v - 0.1, v + 0.1, 4) for v in (1, 2)]
    row = rows(compared(*timed))[0]
    assert [(c.text, c.interval) for c in row.cells if c] == [("1.00 s", "0.900–1.10"), ("2.00 s", "1.90–2.10")]
    assert (row.title, row.unit, row.arrow, row.winner) == ("latency", "per picture", "↓", 0)
    assert row.note == "After a warm-up. 4 samples a side."


def test_an_exact_count_has_no_interval_and_a_negative_one_says_to():
    exact = rows(compared(*(Measure.exact("unet_calls", n, "calls", "lower") for n in (20, 40))))[0]
    assert [c.interval for c in exact.cells if c] == ["", ""]
    assert exact.winner == 0
    assert exact.unit == ""  # "U-Net calls" says it already
    between = rows_between(compared(share(0.5), between=[Measure("d", 0.1, "share", "neither", low=-0.2, high=0.3)]))
    assert between[0].cells[0].interval == "−0.20 to 0.30"


def test_a_null_and_a_nan_are_not_measured():
    for value in (None, math.nan, math.inf):
        missing = Measure("adherence", value, "share", "higher", "An unknown word.")
        row = rows(compared(missing, missing))[0]
        assert [(c.text, c.note, c.measured) for c in row.cells if c] == [
            ("not measured", "An unknown word.", False)
        ] * 2
        assert row.winner is None


def test_a_side_without_a_measure_has_an_empty_cell():
    c = compared(share(0.5), Measure("other", 1.0, "s", "lower"))
    assert [[cell is None for cell in row.cells] for row in rows(c)] == [[False, True], [True, False]]


def test_notes_that_differ_are_led_by_the_letter():
    pair = (
        dataclasses.replace(share(0.5), note="by hand", n=None),
        dataclasses.replace(share(0.6), note="by eye", n=None),
    )
    assert rows(compared(*pair))[0].note == "A: by hand. B: by eye."


def test_markdown_has_arrows_and_the_better_side_in_bold():
    text = to_markdown(compared(share(0.5, 0.4, 0.6), share(0.9, 0.8, 1.0)))
    assert text.splitlines() == [
        "| measure | better | A: guidance 1 | B: guidance 2 |",
        "| :-- | :-: | --: | --: |",
        "| adherence | ↑ | 0.50 (0.40–0.60) | **0.90** (0.80–1.00) |",
    ]


def test_markdown_beyond_six_sides_has_a_row_a_side():
    lines = to_markdown(grid()).splitlines()
    assert lines[0] == "| side | adherence ↑ |"
    assert len(lines) == 2 + 8
    assert "| guidance 3, steps 8 | not measured (This cell failed.) |" in lines


def test_markdown_keeps_its_columns_whatever_the_text():
    for line in to_markdown(hostile()).splitlines():
        assert "<" not in line
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) in (4, 5)


def test_names_are_spelled():
    assert [spell(n) for n in ("kinds_right", "unet_calls", "clip_score")] == [
        "kinds right",
        "U-Net calls",
        "CLIP score",
    ]
    assert [headline(s) for s in grid().sides[4:6]] == ["adherence 0.10", "This cell failed."]


def test_counts_are_in_no_doubt():
    def verdict(*values):
        sides = tuple(Side(str(i), (Measure.exact("calls", v, "per picture", "lower"),)) for i, v in enumerate(values))
        (row,) = rows(Comparison("d", {}, sides, "", {}))
        return row.verdict, row.winner

    assert verdict(40, 40) == ("equal", None)
    assert verdict(20, 40) == ("", 0)
    assert verdict(20, 20, 40) == ("", None)


def test_a_verdict_is_printed_as_yes_or_no():
    sides = tuple(Side(n, (Measure.exact("accepted", v, "yes/no", "neither", "why"),)) for n, v in (("a", 1), ("b", 0)))
    (row,) = rows(Comparison("d", {}, sides, "", {}))
    assert [cell.text for cell in row.cells] == ["yes", "no"] and row.unit == ""
    assert [cell.interval for cell in row.cells] == ["", ""] and row.winner is None and row.verdict == ""


@pytest.mark.parametrize(
    ("better", "low", "high", "winner", "verdict"),
    [
        ("higher", 0.02, 0.3, 1, "clear on paired samples"),
        ("lower", 0.02, 0.3, 0, "clear on paired samples"),
        ("higher", -0.3, -0.02, 0, "clear on paired samples"),
        ("higher", -0.02, 0.3, None, "no clear difference"),
    ],
)
def test_a_paired_difference_decides_where_intervals_overlap(better, low, high, winner, verdict):
    sides = tuple(Side(n, (Measure("adherence", v, "share", better, "", v - 0.2, v + 0.2, 9),)) for n, v in
                  (("one", 0.5), ("two", 0.6)))  # fmt: skip
    gain = Measure("adherence_gain", (low + high) / 2, "share", "neither", "", low, high, 9)
    row = rows(Comparison("d", {}, sides, "", {}, measures=(gain,)))[0]
    assert (row.winner, row.verdict) == (winner, verdict)
    other = rows(Comparison("d", {}, sides, "", {}, measures=(dataclasses.replace(gain, name="kinds_gain"),)))[0]
    assert (other.winner, other.verdict) == (None, "no clear difference")


@pytest.mark.parametrize(
    ("spans", "verdict"),
    [
        (((0.5, 0.6), (0.8, 0.9), (0.85, 0.95)), "no single best"),
        (((0.5, 0.7), (0.6, 0.8), (0.65, 0.9)), "no clear difference"),
        (((0.5, 0.6), (0.6, 0.7), (0.8, 0.9)), ""),
    ],
)
def test_many_sides_may_differ_without_a_single_best(spans, verdict):
    measures = [Measure("accuracy", (a + b) / 2, "share", "higher", "", a, b, 100) for a, b in spans]
    assert rows(compared(*measures))[0].verdict == verdict
