"""Who wins, and what the one value of the gallery looks like as JSON."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from PIL import Image

from shared.comparison import Better, Comparison, Measure, Side, plain, winner


def sides(*spans: tuple[float | None, float | None], better: Better = "higher") -> tuple[Side, ...]:
    """Sides with one measure whose interval is as given."""
    return tuple(
        Side(str(i), (Measure("score", 0.5, "share", better, low=low, high=high),))
        for i, (low, high) in enumerate(spans)
    )


@pytest.mark.parametrize(
    ("spans", "better", "index"),
    [
        (((0.1, 0.2), (0.3, 0.4)), "higher", 1),
        (((0.1, 0.2), (0.3, 0.4)), "lower", 0),
        (((0.3, 0.4), (0.1, 0.2)), "higher", 0),
        (((0.3, 0.4), (0.1, 0.2)), "lower", 1),
        (((0.1, 0.3), (0.3, 0.4)), "higher", None),
        (((0.1, 0.35), (0.3, 0.4)), "higher", None),
        (((5, 5), (5, 5)), "lower", None),
        (((20, 20), (40, 40)), "lower", 0),
        (((20, 20), (40, 40)), "neither", None),
        (((0.1, 0.2), (None, None)), "higher", None),
        (((None, 0.2), (0.3, 0.4)), "higher", None),
        (((0.1, 0.2), (0.3, 0.4), (0.5, 0.6)), "higher", 2),
        (((0.1, 0.2), (0.3, 0.55), (0.5, 0.6)), "higher", None),
        (((-3.0, -2.0), (-1.0, 1.0)), "lower", 0),
        (((0.3, 0.4),), "higher", None),
        ((), "higher", None),
    ],
)
def test_the_winner_is_clear_of_every_other_interval(
    spans: tuple[tuple[float | None, float | None], ...], better: Better, index: int | None
) -> None:
    assert winner(sides(*spans, better=better), "score") == index


def test_swapping_the_sides_swaps_the_winner() -> None:
    pair = sides((0.1, 0.2), (0.3, 0.4))
    assert winner(pair, "score") == 1 and winner(pair[::-1], "score") == 0


def test_nobody_wins_a_measure_that_a_side_lacks() -> None:
    assert winner((*sides((0.1, 0.2)), Side("other", ())), "score") is None
    assert winner(sides((0.1, 0.2), (0.3, 0.4)), "speed") is None


def test_an_interval_that_is_not_a_number_never_wins() -> None:
    assert winner(sides((math.nan, math.nan), (0.3, 0.4)), "score") is None


def test_a_null_needs_a_reason_and_a_direction_is_one_of_three() -> None:
    with pytest.raises(ValueError, match="adherence: a null value needs a note"):
        Measure("adherence", None, "share", "higher")
    with pytest.raises(ValueError, match="better must be higher, lower or neither, not 'up'"):
        Measure("adherence", 1.0, "share", "up")  # pyright: ignore[reportArgumentType]
    assert Measure("adherence", None, "share", "higher", "the prompt names no sticker").value is None


def test_an_exact_number_is_its_own_interval() -> None:
    calls = Measure.exact("unet_calls", 40, "calls", "lower", "counted")
    assert (calls.value, calls.low, calls.high, calls.note, calls.n) == (40, 40, 40, "counted", None)


def test_a_side_finds_its_measures_by_name() -> None:
    (side,) = sides((0.1, 0.2))
    found = side.measure("score")
    assert found is side.measures[0] and side.measure("other") is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (math.nan, None),
        (-math.inf, None),
        (np.float32(0.5), 0.5),
        (np.float64("nan"), None),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.array([[1.0, math.nan], [2.0, math.inf]]), [[1.0, None], [2.0, None]]),
        ((1, (2, math.nan)), [1, [2, None]]),
        ({1: {"a": math.inf}}, {"1": {"a": None}}),
        ("text", "text"),
        (None, None),
    ],
)
def test_plain_has_only_what_json_has(value: object, expected: object) -> None:
    result = plain(value)
    assert result == expected and type(result) is type(expected)
    json.dumps(result, allow_nan=False)


def test_to_dict_is_strict_json_without_pictures() -> None:
    comparison = Comparison(
        demo="guidance",
        settings={"seed": np.int64(3), "values": (1.0, math.nan)},
        sides=(
            Side(
                "guidance 1",
                (Measure("score", math.nan, "share", "higher", low=-math.inf, high=0.5, n=4),),
                images=(Image.new("RGB", (4, 4)),),
                arrays={"map": np.zeros((2, 2))},
            ),
            Side("guidance 7.5", ()),
        ),
        takeaway="“B” follows the prompt.",
        environment={"torch": "2.13.0", "threads": np.int32(2)},
        measures=(Measure.exact("distance", 2, "px", "neither"),),
        complete=False,
    )
    data = comparison.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data == {
        "demo": "guidance",
        "settings": {"seed": 3, "values": [1.0, None]},
        "sides": [
            {
                "label": "guidance 1",
                "measures": [
                    {
                        "name": "score",
                        "value": None,
                        "unit": "share",
                        "better": "higher",
                        "note": "",
                        "low": None,
                        "high": 0.5,
                        "n": 4,
                    }
                ],
            },
            {"label": "guidance 7.5", "measures": []},
        ],
        "measures": [
            {
                "name": "distance",
                "value": 2,
                "unit": "px",
                "better": "neither",
                "note": "",
                "low": 2,
                "high": 2,
                "n": None,
            }
        ],
        "takeaway": "“B” follows the prompt.",
        "environment": {"torch": "2.13.0", "threads": 2},
        "complete": False,
    }
