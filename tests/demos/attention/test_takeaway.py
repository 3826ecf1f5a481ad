from __future__ import annotations

import pytest

from demos.attention.predictions import PREDICTIONS
from demos.attention.takeaway import say, say_benchmark, say_duplicates, say_shortcut
from shared.comparison import Comparison, Measure, Side


def side(label, reach=0.0, **values):
    return Side(label, tuple(
        Measure(n, v, "share", "lower" if n == "overstatement" else "higher",
                "" if v is not None else "none", *(() if v is None or not reach else (v - reach, v + reach)))
        for n, v in values.items()
    ), arrays={})  # fmt: skip


def three(a, b, c):
    return (side("cross-attention", iou=a), side("Grad-CAM", iou=b), side("control: Sobel edges", iou=c))


BEST = ("car", 0.99)


def test_swapped_and_tied_values_give_other_sentences():
    first = say(three(0.8, 0.4, 0.2), "car", 0.99, BEST, "car", "the scene")
    swapped = say(three(0.4, 0.8, 0.2), "car", 0.99, BEST, "car", "the scene")
    tied = say(three(0.6, 0.61, 0.2), "car", 0.99, BEST, "car", "the scene")
    assert first.startswith("Cross-attention for “car” overlaps the mask by 0.80, Grad-CAM for “car” by 0.40.")
    assert swapped.startswith("Grad-CAM for “car” overlaps the mask by 0.80, cross-attention for “car” by 0.40.")
    assert "alike here (0.60 and 0.61)" in tied
    assert "both explain more than it does" in first


def test_a_control_that_does_as_well_is_said():
    found = say(three(0.8, 0.3, 0.5), "car", 0.99, BEST, "car", "the scene")
    assert "A control that explains nothing, Sobel edges, overlaps 0.50: Grad-CAM is no better here." in found


def test_a_small_map_in_the_right_place_is_said_to_point():
    cam, edges = side("Grad-CAM", iou=0.1, energy_inside=0.9), side("control: Sobel edges", iou=0.3, energy_inside=0.4)
    found = say((side("cross-attention", iou=0.8), cam, edges), "car", 0.99, BEST, "car", "the scene")
    assert "no better here by overlap, yet 90% of its mass lies in the mask, against 40%" in found
    worse = (side("cross-attention", iou=0.8), side("Grad-CAM", iou=0.1, energy_inside=0.2), edges)
    assert "it points" not in say(worse, "car", 0.99, BEST, "car", "the scene")


def test_without_a_mask_insertion_speaks():
    sides = (side("cross-attention", iou=None, insertion_auc=0.4), side("Grad-CAM", iou=None, insertion_auc=0.7))
    assert "what Grad-CAM marks brings “cat” back sooner (0.70)" in say(sides, "cat", 0.5, ("cat", 0.5), "cat", "photo")
    alone = (side("Grad-CAM", iou=None, insertion_auc=0.7), side("control: Sobel edges", iou=None, insertion_auc=0.2))
    found = say(alone, "cat", 0.5, ("cat", 0.5), "", "photo")
    assert "gives “cat” 0.70 on the way. The best control, Sobel edges, reaches 0.20: less." in found


def test_another_class_is_named():
    found = say(three(0.8, 0.4, 0.2), "boat", 0.01, BEST, "car", "the scene")
    assert "gives “boat” 0.01 and prefers “car” (0.99)" in found


def test_the_benchmark_counts_only_what_is_beyond_the_intervals():
    clear = (
        side("cross-attention", 0.02, iou=0.8, pointing_game=1.0),
        side("Grad-CAM", 0.02, iou=0.5, pointing_game=0.9),
    )
    assert "cross-attention overlaps the named sticker better" in say_benchmark(clear, 50, True)
    wide = (side("cross-attention", 0.3, iou=0.8, pointing_game=1.0), side("Grad-CAM", 0.3, iou=0.5, pointing_game=0.9))
    assert "neither map clearly overlaps" in say_benchmark(wide, 50, True)
    swapped = (side("cross-attention", 0.02, iou=0.5), side("Grad-CAM", 0.02, iou=0.8))
    assert "Grad-CAM overlaps the named sticker better" in say_benchmark(swapped, 50, True)
    with_control = (*clear, side("control: Sobel edges", 0.02, iou=0.3))
    assert "more than half of Grad-CAM" in say_benchmark(with_control, 50, True)
    assert "stopped early" in say_benchmark(clear, 3, False)


def test_what_random_weights_leave_is_said_at_like_area():
    real = (side("cross-attention", iou=0.8, iou_like_area=0.8), side("Grad-CAM", iou=0.1, iou_like_area=0.1))
    blind = [side(f"control: {n}, random weights", iou=0.1, iou_like_area=v)
             for n, v in (("attention", 0.2), ("Grad-CAM", 0.06))]  # fmt: skip
    found = say_benchmark((*real, *blind), 50, True)
    assert "cross-attention 0.20 of 0.80 (at most half) and Grad-CAM 0.06 of 0.10 (more than half) is left" in found
    assert "random weights" not in say_benchmark(real, 50, True)


def test_the_shortcut_is_seen_only_where_it_is():
    a = side("A", 0.01, accuracy_biased=0.99, accuracy_flipped=0.1, energy_inside=0.2)
    b = side("B", 0.01, accuracy_biased=0.99, accuracy_flipped=0.97, energy_inside=0.6)
    assert "A falls behind (0.10 and 0.97)" in say_shortcut((a, b))
    assert "B falls behind (0.97 and 0.10)" in say_shortcut((b, a))
    assert "no shortcut shows" in say_shortcut((b, b))
    assert "B looks more at the sticker" in say_shortcut((a, b))


def test_near_duplicates_hide_only_what_they_hide():
    a = side("A", 0.02, accuracy_own_test=1.0, accuracy_new_scenes=0.6, overstatement=0.4)
    b = side("B", 0.02, accuracy_own_test=0.6, accuracy_new_scenes=0.6, overstatement=0.0)
    assert "hid 0.40" in say_duplicates((a, b))
    assert "against the textbook" in say_duplicates((b, a))
    assert "neither split clearly" in say_duplicates((b, b))


@pytest.mark.parametrize(("values", "right"), [
    ((0.8, 0.4, 0.2), 0), ((0.4, 0.8, 0.2), 1), ((0.3, 0.2, 0.6), 2), ((0.6, 0.6, 0.2), 3)
])  # fmt: skip
def test_exactly_one_answer_holds(values, right):
    c = Comparison("attention", {}, three(*values), "", {})
    assert [a.holds(c) for a in PREDICTIONS[0].answers] == [i == right for i in range(4)]
    without = Comparison("attention", {}, three(None, 0.4, 0.2), "", {})
    assert all(a.holds(without) is None for a in PREDICTIONS[0].answers)


def test_a_map_that_marks_nothing_is_no_loser():
    sides = (
        side("cross-attention", iou=0.8),
        side("Grad-CAM", iou=None),
        side("control: attention, random weights", iou=0.2),
    )
    found = say(sides, "umbrella", 0.01, BEST, "car", "the scene")
    assert found.startswith(
        "Cross-attention for “car” overlaps the mask by 0.80. The best control, attention with random"
    )
    assert PREDICTIONS[0].answers[0].holds(Comparison("attention", {}, sides, "", {})) is None
