from __future__ import annotations

import pytest

from demos.guidance.predictions import PREDICTIONS
from demos.guidance.takeaway import say
from shared.comparison import Comparison, Measure, Side
from shared.sampling import Plan

LOW, HIGH = (0.70, 0.60, 0.78), (0.95, 0.88, 1.0)
CLEAN, HARSH = (0.01, 0.00, 0.02), (0.14, 0.10, 0.18)
WIDE = (0.85, 0.65, 1.0)
ONE = (0.85, None, None)


def side(adherence, saturation, calls=20) -> Side:
    value, low, high = adherence
    note = "" if value is not None else "unknown words"
    return Side(
        "x",
        (
            Measure("adherence", value, "share", "higher", note, low, high),
            Measure("saturation", saturation[0], "share", "lower", "", saturation[1], saturation[2]),
            Measure.exact("unet_calls", calls, "per picture", "lower"),
        ),
    )


def plans(a=1.0, b=7.5, steps=(20, 20), schedulers=("ddim", "ddim")) -> tuple[Plan, Plan]:
    return Plan(a, steps[0], schedulers[0]), Plan(b, steps[1], schedulers[1])


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        (
            side(LOW, CLEAN), side(HIGH, HARSH, 40),
            "B followed the prompt better (0.95 of the facts against 0.70) and paid with more saturated colors "
            "(0.14 against 0.01), at 20 U-Net calls a picture for A and 40 for B.",
        ),
        (
            side(HIGH, HARSH, 20), side(LOW, CLEAN, 40),
            "A followed the prompt better (0.95 of the facts against 0.70) and paid with more saturated colors "
            "(0.14 against 0.01), at 20 U-Net calls a picture for A and 40 for B. "
            "Textbooks expect the higher guidance scale to follow the prompt better; here the other side did.",
        ),
        (
            side(LOW, HARSH), side(HIGH, CLEAN),
            "B followed the prompt better (0.95 of the facts against 0.70), with fewer saturated colors too "
            "(0.01 against 0.14), at 20 U-Net calls a picture on both sides.",
        ),
        (
            side(LOW, CLEAN), side(HIGH, CLEAN),
            "B followed the prompt better (0.95 of the facts against 0.70) with no clear difference in saturated "
            "colors (0.01 against 0.01), at 20 U-Net calls a picture on both sides.",
        ),
        (
            side(HIGH, CLEAN), side(HIGH, CLEAN),
            "Both sides followed the prompt equally (0.95 of the facts); saturated colors are equal (0.01), at 20 "
            "U-Net calls a picture on both sides. "
            "Textbooks expect the higher guidance scale to follow the prompt better; these samples don't show it.",
        ),
        (
            side(LOW, CLEAN), side(WIDE, HARSH, 40),
            "No clear difference in following the prompt: the adherence intervals of A (0.60 to 0.78) and B (0.65 to "
            "1.00) overlap; B has more saturated colors (0.14 against 0.01), at 20 U-Net calls a picture for A and "
            "40 for B. Textbooks expect the higher guidance scale to follow the prompt better; these samples don't "
            "show it.",
        ),
        (
            side((0.5, None, None), (0.01, None, None)), side(ONE, (0.02, None, None)),
            "One sample a side can't tell which follows the prompt better (A 0.50, B 0.85 of the facts); saturated "
            "colors do not differ clearly (A 0.01, B 0.02), at 20 U-Net calls a picture on both sides. "
            "Textbooks expect the higher guidance scale to follow the prompt better; these samples don't show it.",
        ),
        (
            side((None, None, None), CLEAN), side((None, None, None), HARSH),
            "This prompt's facts can't be judged; B has more saturated colors (0.14 against 0.01), at 20 U-Net calls "
            "a picture on both sides.",
        ),
    ],
)  # fmt: skip
def test_sentences_come_from_the_values(a, b, sentence):
    assert say((a, b), plans()) == sentence


def test_too_much_guidance_is_expected_to_saturate():
    expected = "Textbooks expect harsher colors at guidance 20; here that does not show."
    assert expected in say((side(HIGH, CLEAN), side(HIGH, CLEAN)), plans(5, 20))
    assert "Textbooks" not in say((side(HIGH, CLEAN), side(HIGH, HARSH)), plans(5, 20))
    assert expected in say((side(HIGH, CLEAN), side(HIGH, CLEAN)), plans(20, 5))


def test_fewer_steps_are_not_expected_to_win():
    said = say((side(HIGH, CLEAN, 5), side(LOW, CLEAN, 40)), plans(5, 5, (5, 40)))
    assert said.endswith("Textbooks expect more steps to be at least as good; here fewer were better.")
    assert "Textbooks" not in say((side(LOW, CLEAN, 5), side(HIGH, CLEAN, 40)), plans(5, 5, (5, 40)))
    assert "Textbooks" not in say((side(HIGH, CLEAN), side(LOW, CLEAN)), plans(5, 5, (5, 40), ("ddim", "euler")))


def test_a_cut_prompt_is_said():
    said = say((side(HIGH, CLEAN), side(HIGH, CLEAN)), plans(5, 5), cut="on a mint background")
    assert said.endswith("The text encoder left out the prompt's end, from “on a mint background”.")


@pytest.mark.parametrize(
    ("a", "b", "right"),
    [
        (side(HIGH, CLEAN), side(LOW, CLEAN), 0),
        (side(LOW, CLEAN), side(HIGH, CLEAN), 1),
        (side(LOW, HARSH), side(HIGH, CLEAN), 1),
        (side(LOW, CLEAN), side(HIGH, HARSH), 2),
        (side(LOW, CLEAN), side(WIDE, HARSH), 3),
        (side(HIGH, CLEAN), side(HIGH, CLEAN), 3),
    ],
)
def test_one_prediction_is_right(a, b, right):
    c = Comparison("guidance", {}, (a, b), "", {})
    assert [answer.holds(c) for answer in PREDICTIONS[0].answers] == [i == right for i in range(4)]


@pytest.mark.parametrize("adherence", [ONE, (None, None, None)])
def test_no_prediction_is_right_or_wrong_where_the_run_cannot_tell(adherence):
    c = Comparison("guidance", {}, (side(adherence, CLEAN), side(adherence, CLEAN)), "", {})
    assert [answer.holds(c) for answer in PREDICTIONS[0].answers] == [None] * 4


def test_a_remedy_is_told_where_the_sides_differ_in_it_alone():
    def told(a, b, **remedy) -> str:
        return say((a, b), (Plan(15, 20, "ddim"), Plan(15, 20, "ddim", **remedy)))

    assert "Rescaling (B) lowered the saturated colors" in told(side(LOW, HARSH), side(LOW, CLEAN), rescale=0.7)
    assert "these samples don't show it" in told(side(LOW, CLEAN), side(LOW, HARSH), rescale=0.7)
    assert "cost no clear adherence" in told(side(WIDE, CLEAN), side(WIDE, CLEAN), until=0.7)
    assert "Guidance in a part" not in told(side(HIGH, CLEAN), side(LOW, CLEAN), until=0.7)
