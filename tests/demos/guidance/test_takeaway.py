from __future__ import annotations

import pytest

from demos.guidance.predictions import PREDICTIONS
from demos.guidance.remedy_takeaway import Told
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


def with_more(one: Side, **values) -> Side:
    """The side with further measures, each (value, low, high)."""
    more = tuple(Measure(n, v[0], "share", "lower", "", v[1], v[2]) for n, v in values.items())
    return Side(one.label, (*one.measures, *more))


def remedied(a, b, negatives=("", ""), **remedy) -> str:
    return say((a, b), (Plan(15, 20, "ddim"), Plan(15, 20, "ddim", **remedy)), told=Told(negatives))


def test_rescaling_is_told_in_numbers():
    assert remedied(side(LOW, HARSH), side(LOW, CLEAN), rescale=0.7).startswith(
        "Rescaling (B) lowered the saturated colors, as it is meant to: 0.14 without, 0.01 with it. Both sides"
    )
    assert "here it raised them: 0.01 without, 0.14 with it" in remedied(
        side(LOW, CLEAN), side(LOW, HARSH), rescale=0.7
    )
    assert "these samples don't show it: 0.01 without, 0.01 with it" in remedied(
        side(LOW, CLEAN), side(LOW, CLEAN), rescale=0.7
    )


def test_an_interval_of_steps_is_told_in_numbers():
    assert remedied(side(WIDE, CLEAN, 40), side(HIGH, CLEAN, 32), until=0.7).startswith(
        "Guidance in a part of the steps (B) took 32 U-Net calls a picture instead of 40, with no clear difference in "
        "adherence (adherence 0.95 against 0.85)."
    )
    assert "and cost adherence (adherence 0.70 against 0.95)" in remedied(
        side(HIGH, CLEAN, 40), side(LOW, CLEAN, 32), until=0.7
    )


def test_a_negative_prompt_is_told_in_numbers():
    shown, rare = (0.9, 0.8, 1.0), (0.2, 0.1, 0.3)
    a, b = with_more(side(LOW, CLEAN), negative_seen=shown), with_more(side(LOW, CLEAN), negative_seen=rare)
    assert remedied(a, b, ("", "red")).startswith(
        "The negative prompt “red” (B) lowered the share of pictures that show it: 0.90 without it, 0.20 with it. "
    )
    assert "raised the share of pictures that show it: 0.20 without it, 0.90 with it. That is the reverse" in remedied(
        b, a, ("", "red")
    )
    assert "(A) lowered" in remedied(b, a, ("red", ""))
    assert "changed nothing in how many pictures show it (0.90 without it, 0.90 with it)" in remedied(a, a, ("", "red"))
    close = with_more(side(LOW, CLEAN), negative_seen=(0.8, 0.7, 0.9))
    assert "though the intervals overlap" in remedied(a, close, ("", "red"))
    assert "names nothing that the judge could look for" in remedied(side(LOW, CLEAN), side(LOW, CLEAN), ("", "ugly"))


def test_without_guidance_the_negative_prompt_is_not_read():
    a, b = (with_more(side(LOW, CLEAN), negative_seen=(v, None, None)) for v in (0.9, 0.2))
    said = say((a, b), plans(1, 5), told=Told(("red", "red")))
    assert said.startswith(
        "At guidance 1 (A) the negative prompt is not read: 0.90 of A's pictures show it and 0.20 of B's."
    )
    assert "not read" not in say((a, b), plans(3, 5), told=Told(("red", "red")))
    unread = "At guidance 1 the negative prompt is not read: it changes nothing here."
    assert say((a, a), plans(1, 1), told=Told(("red", "red"))).startswith(unread)
    assert say((a, a), plans(1, 1), told=Told(("", "red"))).startswith(unread)
    assert say((a, a), plans(1, 1, (4, 8)), told=Told(("red", "red"))).startswith(unread)
    assert "not read" not in say((a, a), plans(1, 1))


def test_two_remedies_at_once_are_put_down_to_neither():
    assert not remedied(side(LOW, HARSH), side(LOW, CLEAN), rescale=0.7, until=0.7).startswith("Rescal")


def test_a_distilled_model_is_told_what_guidance_did():
    def told(a, b) -> str:
        return say((a, b), plans(1, 5), told=Told(scale_is_learned=True))

    assert "raising it made it worse, at 8 U-Net calls instead of 4." in told(side(HIGH, CLEAN, 4), side(LOW, CLEAN, 8))
    assert "raising it did not help clearly" in told(side(HIGH, CLEAN, 4), side(HIGH, CLEAN, 8))
    assert "raising it helped all the same" in told(side(LOW, CLEAN, 4), side(HIGH, CLEAN, 8))
    assert "Textbooks" not in told(side(HIGH, CLEAN, 4), side(LOW, CLEAN, 8))
    # At guidance 0 the prompt is left out: that says nothing of what guidance does.
    assert "raising it" not in say((side(LOW, CLEAN), side(HIGH, CLEAN)), plans(0, 1), told=Told(scale_is_learned=True))


def test_a_scheduler_chosen_in_vain_is_said():
    sides, kept = (side(HIGH, CLEAN), side(HIGH, CLEAN)), "the choice of a scheduler changes nothing."
    own = plans(1, 1, schedulers=("lcm", "lcm"))
    assert say(sides, own, told=Told(ignored=("ddim", "dpm++"))).endswith(kept)
    assert kept not in say(sides, own, told=Told(ignored=("ddim", "ddim")))
    assert kept not in say(sides, own)


@pytest.mark.parametrize(
    ("a", "b", "steps", "ending"),
    [
        (HIGH, LOW, 5, "Textbooks expect DPM-Solver++ to follow better than DDIM in 5 steps; here the other side did."),
        (
            HIGH,
            HIGH,
            5,
            "Textbooks expect DPM-Solver++ to follow better than DDIM in 5 steps; these samples don't show it.",
        ),
        (LOW, HIGH, 5, "U-Net calls a picture on both sides."),
        (HIGH, LOW, 40, "U-Net calls a picture on both sides."),
        (HIGH, HIGH, 1, "U-Net calls a picture on both sides."),
    ],
)
def test_a_better_sampler_is_expected_to_be_ahead_in_few_steps(a, b, steps, ending):
    chosen = plans(5, 5, (steps, steps), ("ddim", "dpm++"))
    assert say((side(a, CLEAN), side(b, CLEAN)), chosen).endswith(ending)


def test_pairs_decide_where_the_sides_own_intervals_overlap():
    sides = (side(WIDE, CLEAN), side(HIGH, HARSH))

    def gain(low, high, value) -> Measure:
        return Measure("adherence_gain", value, "share", "neither", "", low, high, 8)

    def told(*values) -> str:
        return say(sides, plans(), told=Told(gain=gain(*values)))

    assert "by 0.15 of the facts, 0.001 to 0.29;" in told(0.00126, 0.2904, 0.15)  # not "0.00 to 0.29"
    rising = told(0.05, 0.35, 0.2)
    assert rising.startswith(
        "On the same noises B followed the prompt better (by 0.20 of the facts, 0.05 to 0.35; A 0.85, B 0.95) and paid "
        "with more saturated colors"
    )
    assert "Textbooks" not in rising
    falling = told(-0.35, -0.05, -0.2)
    assert "On the same noises A followed the prompt better" in falling and "here the other side did" in falling
    assert told(-0.05, 0.45, 0.2).startswith("No clear difference")
    c = Comparison("guidance", {}, sides, "", {}, (gain(0.05, 0.35, 0.2),))
    assert [answer.holds(c) for answer in PREDICTIONS[0].answers] == [False, False, True, False]
    part = (Plan(5.0, 20, "ddim"), Plan(5.0, 20, "ddim", start=0.1, until=0.7))
    assert "and even gained adherence (adherence 0.95 against 0.85)" in say(
        sides, part, told=Told(gain=gain(0.05, 0.35, 0.2))
    )
    distilled = say(sides, plans(), told=Told(gain=gain(-0.35, -0.05, -0.2), scale_is_learned=True))
    assert "distilled to run without guidance; raising it made it worse" in distilled
    c = Comparison("guidance", {}, sides, "", {}, (gain(-0.05, 0.35, 0.2),))
    assert [answer.holds(c) for answer in PREDICTIONS[0].answers] == [False, False, False, True]


def test_looks_are_told_by_the_palette_where_it_is_known():
    a = with_more(side(LOW, CLEAN), off_palette=(0.09, 0.08, 0.10))
    b = with_more(side(HIGH, CLEAN), off_palette=(0.21, 0.18, 0.24))
    assert "and paid with more pixels off the palette (0.21 against 0.09)" in say((a, b), plans())
    assert "with fewer pixels off the palette too (0.09 against 0.21)" in say(
        (with_more(side(HIGH, CLEAN), off_palette=(0.09, 0.08, 0.10)), with_more(side(LOW, CLEAN),
         off_palette=(0.21, 0.18, 0.24))), plans()
    )  # fmt: skip
    c = Comparison("guidance", {}, (a, b), "", {})
    assert [answer.holds(c) for answer in PREDICTIONS[0].answers] == [False, False, True, False]
