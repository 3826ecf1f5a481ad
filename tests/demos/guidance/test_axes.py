from __future__ import annotations

import pytest

from demos.guidance.axes import read_numbers, read_whole_numbers


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1, 3, 5, 7.5, 12", (1, 3, 5, 7.5, 12)),
        ("1-15 (+2)", (1, 3, 5, 7, 9, 11, 13, 15)),
        ("1-10 [5]", (1, 3.25, 5.5, 7.75, 10)),
        ("1; 3; 7,5", (1, 3, 7.5)),
        ("7,5; 1-2 (+0,5)", (7.5, 1, 1.5, 2)),
        ("7,5", (7, 5)),
        ("5", (5,)),
        ("1-3, 3, 20", (1, 2, 3, 20)),
        ("5-1 (-2)", (5, 3, 1)),
        ("3 – 1", (3, 2, 1)),
        ("1-2 (+0.1)", (1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2)),
        ("1, 2,", (1, 2)),
        ("0-1 [1]", (0,)),
    ],
)
def test_numbers(text, values):
    assert read_numbers(text, 0, 30) == values


@pytest.mark.parametrize(
    ("text", "values"),
    [("7.0", (7,)), ("7.0, 20", (7, 20)), ("1-10 [4]", (1, 4, 7, 10)), ("1-10 [5]", (1, 3, 6, 8, 10)),
     ("5, 5.0", (5,)), ("10-50 (+20)", (10, 30, 50))],
)  # fmt: skip
def test_whole_numbers(text, values):
    assert read_whole_numbers(text, 1, 100) == values


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "There are no values: write 1, 3, 7.5 or 1-15 (+2) or 1-10 [5]."),
        (" , ,", "There are no values"),
        ("one", "“one” is neither a number nor a range"),
        ("nan", "“nan” is neither"),
        ("1e9", "“1e9” is neither"),
        ("1-15 (+0)", "A range can't go on by 0."),
        ("1-15 (-2)", "From 1 one never gets to 15 by steps of -2."),
        ("1-10 [0]", "A range needs at least one value."),
        ("1-10 [400]", "400 values are too many"),
        ("0-30 (+0.000001)", "30,000,001 values are too many: there may be up to 36."),
        ("31", "31 is outside 0 to 30."),
        ("-1", "-1 is outside 0 to 30."),
        ("1-15 (+2", "“1-15 (+2” is neither"),
        ("9" * 200, "is neither"),
    ],
)
def test_mistakes_are_one_sentence(text, sentence):
    with pytest.raises(ValueError) as caught:
        read_numbers(text, 0, 30)
    assert sentence in str(caught.value) and str(caught.value).count(".\n") == 0 and str(caught.value).endswith(".")


def test_a_step_count_is_whole():
    with pytest.raises(ValueError, match=r"^7\.5 is no whole number\.$"):
        read_whole_numbers("5, 7.5", 1, 100)
