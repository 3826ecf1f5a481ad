from __future__ import annotations

import csv
import io

import pytest

from demos.precision.decision import decide, decision_of, to_csv, to_markdown
from demos.precision.predictions import PREDICTIONS
from demos.precision.takeaway import say
from demos.precision.view import decision_html, payload
from shared.comparison import Comparison, Measure, Side

EAGER, ENGINE, INT8, BF16 = "eager FP32", "ONNX Runtime FP32", "ONNX Runtime static INT8", "eager BF16"


def side(label, p50, agreement=1.0, accuracy=0.9, p95=None, spread=0.05):
    return Side(
        label,
        (
            Measure("p50", p50, "ms", "lower", "", 0.95 * p50, 1.05 * p50, 30),
            Measure("p95", p95 or 1.2 * p50, "ms", "lower", ""),
            Measure("agreement", agreement, "share", "higher", "", agreement - 0.02, min(1, agreement + 0.02), 100),
            Measure("accuracy", accuracy, "share", "higher", "", accuracy - 0.03, accuracy + 0.03, 100),
            Measure("weights", 8.0, "MiB", "lower", ""),
            Measure("spread", spread, "share", "lower", ""),
        ),
    )


def broken(label, why):
    return Side(label, tuple(Measure(n, None, "ms", "lower", why) for n in ("p50", "p95", "agreement")))


def result(sides, objective=50.0, floor=0.95):
    settings = {"latency_objective": objective, "quality_floor": floor}
    decision = decide(sides, objective, floor)
    return Comparison("precision", settings, tuple(sides), say(sides, decision), {})


def test_each_gate_rejects_with_its_reason():
    sides = [
        side(EAGER, 60),
        side(ENGINE, 15),
        side(INT8, 8, agreement=0.90),
        broken("torchao dynamic INT8", "No engine."),
    ]
    found = decide(sides, 50, 0.95)
    assert [v.accepted for v in found.verdicts] == [False, True, False, False]
    assert found.verdicts[0].reason == "P95 72.0 ms is above the objective of 50 ms"
    assert found.verdicts[2].reason == "agreement 0.90 is below the floor of 0.95"
    assert found.verdicts[3].reason == "No engine"
    assert found.recommended == 1
    assert (
        found.why
        == "ONNX Runtime FP32 (B) is the only side that keeps both gates, 4.0 times FP32's speed at the median"
    )
    assert found.way_back.startswith("Way back: keep the FP32 weights and eager FP32 beside it, change nothing else")


def test_the_fastest_that_passes_is_recommended_and_swapped_values_swap_it():
    one = decide([side(EAGER, 30), side(ENGINE, 15), side(INT8, 8)], 50, 0.95)
    other = decide([side(EAGER, 30), side(ENGINE, 8), side(INT8, 15)], 50, 0.95)
    assert (one.recommended, other.recommended) == (2, 1)
    assert "static INT8 (C) is the fastest" in one.why and "FP32 (B) is the fastest" in other.why


def test_what_is_not_clearly_faster_changes_nothing():
    found = decide([side(EAGER, 30), side(BF16, 29)], 50, 0.95)
    assert found.recommended == 0 and "change nothing" in found.why and "nothing to go back from" in found.way_back
    found = decide([side(EAGER, 30), side(BF16, 60)], 500, 0.95)
    assert found.recommended == 0 and found.why.startswith("FP32 as it is keeps both gates")


def test_no_side_passes():
    found = decide([side(EAGER, 60), side(INT8, 8, agreement=0.5)], 50, 0.95)
    assert found.recommended is None and found.way_back.startswith("Stay with eager FP32")


def test_a_floor_inside_the_interval_asks_for_more():
    found = decide([side(INT8, 8, agreement=0.96)], 50, 0.95)
    one = found.verdicts[0]
    assert one.accepted and one.reason.endswith(
        "keep both gates; the floor lies inside its interval, so take more inputs to be sure"
    )
    assert one.caption == "accepted, but unsure: P95 9.60 ms and agreement 0.96 keep both gates"
    other = decide([side(INT8, 8, agreement=0.94)], 50, 0.95).verdicts[0]
    assert not other.accepted and other.caption == "rejected, but unsure: agreement 0.94 is below the floor of 0.95"
    assert "take more inputs" in other.reason
    # No number of inputs turns a verdict that the clock decides.
    assert decide([side(INT8, 80, agreement=0.94)], 50, 0.95).verdicts[0].hint == ""


def test_the_takeaway_is_built_from_the_values():
    sides = [side(EAGER, 60), side(ENGINE, 15), side(INT8, 10)]
    said = say(sides, decide(sides, 100, 0.9))
    assert (
        "The engine alone, at the same format, made it 4.0 times faster; static INT8 in that engine was 1.5 times"
        in said
    )
    assert "0.90 against FP32's 0.90: equal" in said
    slow = [side(EAGER, 60), side(ENGINE, 15), side(INT8, 15.5), side(BF16, 80)]
    said = say(slow, decide(slow, 100, 0.9))
    assert "was no faster: smaller, not faster" in said
    assert "Eager BF16 was no faster than FP32 in the same engine: a narrower format needs kernels" in said
    worse = [side(EAGER, 60), side(ENGINE, 15), side(INT8, 30, accuracy=0.5)]
    said = say(worse, decide(worse, 100, 0.9))
    assert "2.0 times slower: smaller, not faster" in said and "worse beyond the intervals" in said
    assert "Static INT8's accuracy was 0.50" in said
    assert "The accuracy of static INT8 without calibration was 0.50" in say(worse, decide(worse, 100, 0.9), "none")
    tied = [side(EAGER, 15), side(ENGINE, 15)]
    assert "neither faster nor slower" in say(tied, decide(tied, 100, 0.9))


def test_a_wide_spread_is_said():
    sides = [side(EAGER, 60, spread=0.4), side(ENGINE, 15)]
    assert "The timings of eager FP32 spread widely" in say(sides, decide(sides, 100, 0.9))


def test_the_sheet_as_markdown_and_csv():
    c = result([side(EAGER, 60), side(INT8, 8)])
    text = to_markdown(c)
    assert "| ONNX Runtime static INT8 |" in text and "| reject |" in text and "| accept |" in text
    assert "Gates: P95 up to 50 ms, quality at least 0.95." in text and "Way back" in text
    rows = list(csv.DictReader(io.StringIO(to_csv(c))))
    assert [r["verdict"] for r in rows] == ["reject", "accept", ""]
    assert rows[1]["recommended"] == "yes" and float(rows[1]["p50_ms"]) == 8
    assert rows[2]["side"] == "recommendation" and "Way back" in rows[2]["reason"]
    assert decision_of(Comparison("precision.batches", {}, c.sides, "", {})) is None


def test_the_page_escapes_what_it_shows():
    c = result([side(EAGER, 60), broken(INT8, "<script>alert(1)</script>")])
    html = decision_html(c)
    assert "<script>" not in html and "&lt;script&gt;" in html
    assert 'download="precision-decision.csv"' in html and payload(c) == ""


@pytest.mark.parametrize(
    ("values", "right"),
    [((60, 15, 8), "ONNX Runtime INT8"), ((60, 8, 15), "one in FP32"), ((60, 10, 10), None)],
)
def test_predictions_are_judged_by_the_values(values, right):
    c = result([side(label, v) for label, v in zip((EAGER, ENGINE, INT8), values, strict=True)])
    assert next((a.label for a in PREDICTIONS[0].answers if a.holds(c)), None) == right


def test_the_other_predictions():
    c = result([side(EAGER, 60), side(ENGINE, 15), side(INT8, 10, agreement=0.9)])
    engine, int8 = (a.holds(c) for a in PREDICTIONS[1].answers)
    yes, no = (a.holds(c) for a in PREDICTIONS[2].answers)
    assert (engine, int8, yes, no) == (True, False, False, True)
    assert all(a.holds(result([side(EAGER, 60)])) is None for p in PREDICTIONS for a in p.answers)


def test_the_lower_of_both_agreements_is_held_against_the_floor():
    scenes = side(INT8, 8, agreement=0.99)
    photos = Measure("photo_agreement", 0.78, "share", "higher", "", 0.63, 0.88, 40)
    int8 = Side(INT8, (*scenes.measures, photos))
    found = decide([side(EAGER, 30), int8], 50, 0.95)
    assert found.recommended == 0 and found.verdicts[1].reason == "photo agreement 0.78 is below the floor of 0.95"
    assert "On photos it cost more: EfficientNet-Lite0 named FP32's class on 0.78" in say(
        [side(EAGER, 30), int8], found
    )
    assert "On photos" not in say([side(EAGER, 30), scenes], found)
