from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from demos.precision import batches, calibration, roofline, stages
from demos.precision.batches import run_batches
from demos.precision.calibration import bootstrap_difference, run_calibration
from demos.precision.roofline import run_roofline
from demos.precision.settings import BatchesSettings, CalibrationSettings, RooflineSettings, StagesSettings
from demos.precision.stages import run_stages
from shared.comparison import Measure, Side
from shared.demo import Cancelled
from shared.measuring import Timing


def stop_after(count):
    def progress(done, total, unit):
        if done >= count:
            raise Cancelled

    return progress


def test_bootstrap_intervals_are_scipys():
    rng = np.random.default_rng(2)
    hits, others = rng.random(200) < 0.8, rng.random(200) < 0.9
    value, low, high = bootstrap_difference(hits, others, 4000, 0)
    differences = hits.astype(float) - others
    theirs = stats.bootstrap((differences,), np.mean, n_resamples=4000, method="percentile", rng=1).confidence_interval
    assert value == pytest.approx(differences.mean())
    assert (low, high) == pytest.approx((theirs.low, theirs.high), abs=0.012)
    assert bootstrap_difference(hits, others, 4000, 0) == (value, low, high)


def test_calibration_has_every_way_and_fp32(tiny):
    c = run_calibration(CalibrationSettings(sizes="2, 4", n_quality=10, bootstrap=200))
    assert [s.label for s in c.sides] == [
        "FP32",
        *(f"{data} {n} · per {way}" for data in ("scenes", "noise") for n in (2, 4) for way in ("channel", "tensor")),
        "none · per channel", "none · per tensor",
    ]  # fmt: skip
    assert c.complete and c.sides[0].measure("agreement").value == 1 and c.sides[0].measure("accuracy_gain").value == 0
    assert all(s.measure("accuracy").n == 10 for s in c.sides) and len(c.figures) == 1
    partial = run_calibration(CalibrationSettings(sizes="2", n_quality=10, bootstrap=100), stop_after(4))
    assert not partial.complete and 1 <= len(partial.sides) < 7


def accuracy(label, value):
    return Side(label, (Measure("accuracy", value, "share", "higher", "", value - 0.03, value + 0.03, 500),))


def test_calibrations_takeaway_follows_the_values():
    sides = [
        accuracy("FP32", 0.92), accuracy("scenes 16 · per channel", 0.91), accuracy("scenes 16 · per tensor", 0.80),
        accuracy("noise 16 · per channel", 0.90), accuracy("none · per channel", 0.30),
    ]  # fmt: skip
    said = calibration.say(sides)
    assert "FP32 is right on 0.92 of the scenes, INT8 calibrated on scenes 16 · per channel on 0.91." in said
    assert "Without calibration it is at most 0.30: clearly worse." in said
    assert "Calibrated on noise it is at most 0.90: no clear difference." in said and "gained 0.11" in said
    assert "Without calibration it is at most 0.90: no clear difference." in calibration.say(
        [*sides[:4], accuracy("none · per channel", 0.90)]
    )
    assert calibration.say([]) == "Stopped before anything could be compared."


def test_batches_have_a_side_for_each_and_a_largest(tiny):
    c = run_batches(BatchesSettings(sides=["eager_fp32", "ort_fp32"], sizes="1, 3", latency_objective=60_000))
    assert [s.label for s in c.sides] == [
        "eager FP32 · batch 1", "ONNX Runtime FP32 · batch 1", "eager FP32 · batch 3", "ONNX Runtime FP32 · batch 3",
    ]  # fmt: skip
    assert [m.value for m in c.measures] == [3, 3] and len(c.figures) == 2
    partial = run_batches(BatchesSettings(sides=["eager_fp32"], sizes="1, 3"), stop_after(4))
    assert not partial.complete and len(partial.sides) <= 1


def point(title, size, throughput, p99):
    return Side(
        f"{title} · batch {size}",
        (Measure("throughput", throughput, "items/s", "higher", ""), Measure("p99", p99, "ms", "lower", "")),
    )


def test_batches_takeaway_and_largest_batch_by_hand():
    sides = [point("A", 1, 10, 50), point("A", 8, 30, 90), point("A", 32, 32, 400)]
    assert batches.largest_batch(sides, "A", 100).value == 8 and batches.largest_batch(sides, "A", 10).value == 0
    assert batches.say(sides, ["A"], 100) == (
        "A: from batch 1 to 32 3.2 times the throughput and 8.0 times the P99; batch 8 is the largest within 100 ms."
    )
    assert "no batch keeps 10 ms" in batches.say(sides, ["A"], 10)
    assert "no more throughput" in batches.say([sides[0], point("A", 32, 9, 400)], ["A"], 10)


def test_the_roofline_is_counted_and_measured(tiny, monkeypatch):
    monkeypatch.setattr("demos.precision.roofline.copy_rate", lambda device: 20.0)
    monkeypatch.setattr("demos.precision.roofline.matmul_rate", lambda kind, device: 100.0)
    c = run_roofline(RooflineSettings(sides=["eager_fp32", "ort_int8"], batch=2))
    per_call = c.sides[0].measure("operations").value
    conv, linear = 2 * 2 * 14 * 14 * 8 * 3 * 49, 2 * 2 * 8 * 10
    assert per_call == pytest.approx((conv + linear) / 1e9)
    for side in c.sides:
        achieved, share = side.measure("achieved"), side.measure("share_of_roof")
        roof = min(100.0, 20.0 * side.measure("intensity").value)
        assert (share.value == pytest.approx(achieved.value / roof) and achieved.low is None) or achieved.value > 0
    assert {m.name: m.value for m in c.measures} == {"matmul_fp32": 100, "matmul_int8": 100, "copy": 20}
    assert len(c.figures) == 1 and "roof" in c.takeaway


def test_stages_are_three_and_savings_are_between_them(tiny):
    c = run_stages(StagesSettings(sides=["eager_fp32", "ort_int8"], steps=2, n_quality=2))
    assert [s.label for s in c.sides] == [
        f"{stage} · {title}"
        for stage in stages.STAGES
        for title in ("eager FP32", "ONNX Runtime static INT8")
    ]  # fmt: skip
    shares = [s.measure("share_of_time").value for s in c.sides]
    assert sum(shares[::2]) == pytest.approx(1) and sum(shares[1::2]) == pytest.approx(1)
    assert {m.name for m in c.measures} == {
        "picture_ms", "picture_ms_half_steps", "picture_ms_int8", "adherence_fp32", "adherence_half_steps",
        "adherence_int8",
    }  # fmt: skip
    assert not run_stages(StagesSettings(steps=2, n_quality=2), stop_after(2)).complete


def test_a_pictures_time_by_hand_and_what_is_said_of_it():
    def took(ms):
        return Timing(np.full(9, ms / 1000))

    timings = {
        "text encoder": {"eager_fp32": took(5)},
        "U-Net": {"eager_fp32": took(20), "ort_int8": took(18)},
        "autoencoder": {"eager_fp32": took(15)},
    }
    assert stages.picture_ms(timings, "eager_fp32", 10) == pytest.approx(220)
    assert stages.picture_ms(timings, "ort_int8", 10) == pytest.approx(200)

    def between(half, int8):
        values = {"picture_ms": 220.0, "picture_ms_half_steps": half, "picture_ms_int8": int8}
        return [Measure(n, v, "ms", "lower", "") for n, v in values.items()]

    said = stages.say((), between(120.0, 200.0), 10, 5)
    assert "Half the steps (5 for 10) save 45% of the time." in said and "fewer steps would be the first" in said
    assert "costs 9% more" in stages.say((), between(120.0, 240.0), 10, 5)
    assert "saves nothing" in stages.say((), between(120.0, 221.0), 10, 5)
    assert "INT8 would be the first" in stages.say((), between(120.0, 100.0), 10, 5)


def test_a_share_above_its_roof_is_called_what_it_is():
    def at(value):
        return Side("A", (Measure("share_of_roof", value, "share", "higher"),)), Side(
            "B", (Measure("share_of_roof", 0.1, "share", "higher"),)
        )

    assert roofline.say(at(0.9)).startswith("A comes nearest its roof, 90% of")
    assert roofline.say(at(1.28)).startswith("A measured 128% of its roof. The roof is PyTorch's own matrix")


def test_the_first_thing_to_try_depends_on_time_and_on_what_is_kept():
    def between(steps_ms, int8_ms, steps_kept, int8_kept):
        values = {"picture_ms": 100, "picture_ms_half_steps": steps_ms, "picture_ms_int8": int8_ms,
                  "adherence_fp32": 0.9, "adherence_half_steps": steps_kept, "adherence_int8": int8_kept}  # fmt: skip
        return [Measure(name, value, "", "neither") for name, value in values.items()]

    assert stages.say((), between(55, 90, 0.88, 0.8), 20, 10).endswith(
        "Here fewer steps would be the first thing to try."
    )
    assert stages.say((), between(55, 40, 0.8, 0.88), 20, 10).endswith("Here INT8 would be the first thing to try.")
    assert "INT8 would save more time here, and fewer steps would keep more adherence" in stages.say(
        (), between(55, 40, 0.88, 0.3), 20, 10
    )
