from __future__ import annotations

from demos.fusion.predictions import PREDICTIONS
from demos.fusion.takeaway import on_both_needed, on_falls, on_gain, on_latency
from shared.comparison import Comparison, Measure, Side


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
    assert "late fusion tolerates the gap better" in plain and "falls by 30 points and late fusion by 12" in plain
    swapped = on_falls((LATE, OTHER, EARLY, *ALONE), extra(-0.2, -0.1))
    assert "early fusion tolerates the gap better" in swapped and "falls by 12 points and late fusion by 30" in swapped
    assert "no clear difference" in on_falls(SIDES, extra(-0.1, 0.1))


def test_a_gain_is_said_only_where_there_is_one():
    assert "the better reference, 90%" in on_gain(SIDES)
    strong = (side("picture alone", 0.99, 0.99, 0.1), ALONE[1])
    assert "no better than picture alone with 99%" in on_gain((*SIDES[:3], *strong))


def test_what_needs_both_defeats_late_fusion_or_does_not():
    able, unable = side("early fusion", 0.9, 0.5, 0.1), side("late fusion", 0.5, 0.5, 0.1)
    assert "no rule that joins them can" in on_both_needed((able, able, unable))
    assert "late fusion does better" in on_both_needed((unable, able, able))
    assert "no clear difference" in on_both_needed((able, able, able))


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
