from __future__ import annotations

import numpy as np
import pytest

from demos.fusion.dominance import say as on_lead
from demos.fusion.noise import say as on_noise
from demos.fusion.predictions import PREDICTIONS
from demos.fusion.sample import Sample
from demos.fusion.settings import FusionSettings
from demos.fusion.takeaway import on_both_needed, on_falls, on_gain, on_latency, on_marking, on_rate, say
from shared.comparison import Comparison, Measure, Side
from shared.intervals import Interval


def share(name: str, value: float, half: float = 0.03) -> Measure:
    return Measure(name, value, "share", "higher", "", value - half, value + half, 300)


def side(label: str, both: float, image: float, audio: float) -> Side:
    return Side(
        label,
        (share("accuracy_both", both), share("accuracy_image_only", image), share("accuracy_audio_only", audio)),
    )


def extra(low: float, high: float) -> tuple[Measure, ...]:
    return (Measure("early_falls_more", (low + high) / 2, "share", "neither", "", low, high, 300),)


EARLY, LATE = side("early fusion", 0.97, 0.7, 0.64), side("late fusion", 0.97, 0.86, 0.83)
OTHER = side("intermediate fusion", 0.95, 0.5, 0.7)
ALONE = (side("picture alone", 0.9, 0.9, 0.1), side("sound alone", 0.84, 0.1, 0.84))
SIDES = (EARLY, OTHER, LATE, *ALONE)


def made(between: tuple[Measure, ...], sides: tuple[Side, ...] = SIDES) -> Comparison:
    return Comparison("fusion", {}, sides, "", {}, between)


def test_swapped_and_tied_falls_give_other_sentences():
    plain = on_falls(SIDES, extra(0.1, 0.2))
    assert "early fusion falls by 30 points, intermediate by 35 and late by 12: late fusion tolerates" in plain
    swapped = on_falls((LATE, OTHER, EARLY, *ALONE), extra(-0.2, -0.1))
    assert "early fusion falls by 12 points, intermediate by 35 and late by 30: early fusion tolerates" in swapped
    assert "no clear difference" in on_falls(SIDES, extra(-0.1, 0.1))


def test_a_gain_is_said_only_where_there_is_one():
    assert "the better reference, 90%" in on_gain(SIDES)
    strong = (side("picture alone", 0.99, 0.99, 0.1), ALONE[1])
    assert "no better than picture alone with 99%" in on_gain((*SIDES[:3], *strong))
    between = (side("picture alone", 0.96, 0.96, 0.1), ALONE[1])
    assert "95% to 97% right, not all of them better than picture alone" in on_gain((*SIDES[:3], *between))


def test_what_needs_both_defeats_late_fusion_or_does_not():
    able, unable = side("early fusion", 0.9, 0.5, 0.1), side("late fusion", 0.5, 0.5, 0.1)
    alone = (side("picture alone", 0.52, 0.52, 0.1), side("sound alone", 0.1, 0.1, 0.1))
    plain = on_both_needed((able, able, unable, *alone), "0")
    assert "90% for early fusion, 90% for intermediate and 50% for late; picture alone" in plain
    assert "gets 52%" in plain and "no rule that joins them can" in plain
    assert "late fusion does better" in on_both_needed((unable, able, able, *alone), "0")
    assert "no clear difference" in on_both_needed((able, able, able, *alone), "0")
    none = on_both_needed((unable, unable, unable, *alone), "0.6")
    assert "no design clearly uses both" in none and "dropout 0.6, they saw 16% of their pairs whole" in none
    assert "they saw" not in on_both_needed((unable, unable, unable, *alone), "0")


def test_what_zeros_cost_is_said_per_design():
    def gained(label: str, low: float, high: float) -> Side:
        return Side(label, (Measure("marking_gain", (low + high) / 2, "share", "neither", "", low, high, 300),))

    sides = (
        gained("early fusion", 0.1, 0.2),
        gained("intermediate fusion", -0.3, -0.2),
        gained("late fusion", -0.1, 0.1),
    )
    said = on_marking(FusionSettings(drop="image", drop_as="zeros"), sides)
    assert said == (
        "Giving zeros for the missing picture, not a mask token, costs early fusion 15 points, gains intermediate "
        "fusion 25 points and makes no clear difference in late fusion."
    )


def test_a_forced_rate_is_told_by_what_it_leaves():
    def heard(label: str, true: float, forced: float) -> Side:
        return Side(label, (share("accuracy_both", true), share("accuracy_forced_rate", forced)))

    sides = [heard(s.label, 0.96, v) for s, v in zip(SIDES, (0.4, 0.7, 0.6, 0.9, 0.2), strict=True)]
    assert "leave sound alone 20% right instead of 96%" in on_rate(16_000, sides)
    assert "with the picture, 40% to 70%" in on_rate(16_000, sides)
    assert "the test pairs' true rate" in on_rate(8_000, sides)


@pytest.mark.parametrize(
    ("settings", "present", "said"),
    [
        ({"drop": "image"}, (False, True), "This sample has no picture that could be taken away."),
        ({"drop": "audio"}, (False, True), "Nothing is left"),
        ({"drop": "audio", "drop_as": "zeros"}, (False, False), "Nothing is left"),
        ({"drop": "none", "drop_as": "zeros"}, (False, False), "Nothing is left"),
    ],
)
def test_a_sample_that_lacks_something_is_told_so(settings: dict[str, str], present: tuple[bool, bool], said: str):
    sample = Sample(np.zeros((28, 28)), np.zeros(7680), present, None)
    assert say(FusionSettings(**settings), SIDES, (), sample).startswith(said)  # type: ignore[arg-type]


def test_no_modality_leads_without_a_clear_difference():
    def run(label: str, image: float, audio: float) -> Side:
        values = {"image": image, "audio": audio, "both": 0.96}
        return Side(label, tuple(share(f"final_accuracy_{m}", v) for m, v in values.items()))

    close = on_lead((run("plain", 0.74, 0.70), run("rebalanced", 0.74, 0.79)))
    assert "neither clearly leads at the end: the picture alone ends at 74%, the sound at 70%" in close
    clear = on_lead((run("plain", 0.6, 0.8), run("rebalanced", 0.6, 0.8)))
    assert "the sound leads: the sound alone ends at 80%, the picture at 60%" in clear


def test_noise_is_told_against_the_better_reference():
    def ends(**values: float) -> dict[tuple[str, str], list[Interval]]:
        return {(n, k): [Interval(v, v - 0.02, v + 0.02, 300)] for n, v in values.items() for k in ("image", "audio")}

    curves = ends(early=0.4, intermediate=0.5, late=0.4, image=0.45, audio=0.1)
    said = on_noise(curves, {"image": np.array([1.2]), "audio": np.array([2.4])})
    assert said.count("intermediate, gets 50% right and the picture alone 45%: fusion still gains") == 2


def test_predictions_follow_the_measured_values():
    falls, best = PREDICTIONS
    for ends, right in (((0.1, 0.2), 0), ((-0.2, -0.1), 1), ((-0.1, 0.1), 2)):
        assert [a.holds(made(extra(*ends))) for a in falls.answers] == [i == right for i in range(3)]
    assert [a.holds(made(())) for a in falls.answers] == [None] * 3
    assert [a.holds(made((), SIDES)) for a in best.answers] == [False, False, False, True]
    ahead = (side("early fusion", 0.8, 0.7, 0.6), OTHER, side("late fusion", 0.7, 0.6, 0.5), *ALONE)
    assert [a.holds(made((), ahead)) for a in best.answers] == [False, True, False, False]


def test_the_fastest_at_matched_accuracy_is_named_only_where_it_is_clear():
    def timed(label: str, ms: float, half: float = 0.01) -> Side:
        return Side(label, (Measure("matched_latency", ms, "ms", "lower", "", ms - half, ms + half, 30),))

    sides = (timed("early fusion", 0.2), timed("intermediate fusion", 0.5), timed("late fusion", 0.3))
    assert "early fusion is the fastest" in on_latency(sides)
    assert "late fusion is the fastest" in on_latency((sides[1], sides[1], timed("late fusion", 0.1)))
    assert "no clear difference" in on_latency((timed("early fusion", 0.3), sides[1], sides[2]))
    assert on_latency((EARLY, OTHER, LATE)) == ""
