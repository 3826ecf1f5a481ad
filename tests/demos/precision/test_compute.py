from __future__ import annotations

import itertools
import json
import logging
import warnings

import numpy as np
import pytest
import torch

from demos.precision import DEMO, compute
from demos.precision.compute import compare
from demos.precision.decision import ACCEPTED
from demos.precision.draw import MOST_PSNR, picture_measures
from demos.precision.settings import PrecisionSettings
from demos.precision.view import payload
from shared.card import draw_card
from shared.demo import Cancelled, DemoError
from shared.stickers import KINDS

FAST = {"p50", "p95", "p99", "throughput", "scene_p50", "spread", "accepted", "peak_memory"}
SMALL = PrecisionSettings(n_quality=12, calibration_size=4)


def quality(c):
    return {(s.label, m.name): (m.value, m.low, m.high) for s in c.sides for m in s.measures if m.name not in FAST}


def test_the_default_sides_are_five_with_every_measure(tiny):
    c = compare(SMALL)
    assert [s.label for s in c.sides] == [
        "eager FP32", "eager BF16", "ONNX Runtime FP32", "ONNX Runtime static INT8", "torchao dynamic INT8",
    ]  # fmt: skip
    wanted = {"p50", "p95", "p99", "throughput", "weights", "agreement", "accuracy", "logit_error", "photo_agreement",
              "scene_p50", "spread", ACCEPTED}  # fmt: skip
    for side in c.sides:
        assert {m.name for m in side.measures} == wanted, side.label
        values = {m.name: m.value for m in side.measures}
        assert values["p50"] <= values["p95"] <= values["p99"]
        assert len(side.images) == len(side.captions) == 10
        assert side.captions[0].startswith(("accepted", "rejected"))
        assert side.arrays["logits"].shape == (12, len(KINDS))
    fp32, _, ort, int8, _ = c.sides
    assert fp32.measure("agreement").value == 1 and fp32.measure("logit_error").value == 0
    assert ort.measure("agreement").value == 1 and ort.measure("logit_error").value < 1e-4
    assert int8.measure("logit_error").value > 0
    assert int8.measure("weights").value < 1.2 * fp32.measure("weights").value
    assert "% of the tiny photo classifier's operations" in c.sides[4].measure("p50").note
    json.dumps(c.to_dict(), allow_nan=False)
    assert c.environment["device"] and c.environment["onnxruntime"] and c.takeaway.endswith(".")
    assert draw_card(c).width == 1600
    sent = json.loads(payload(c))
    assert len(sent["sides"]) == 5
    # ONNX Runtime in FP32 shows FP32's pictures, which are sent once.
    assert sent["sides"][2]["pictures"] == sent["sides"][0]["pictures"] == list(range(10))
    assert len(sent["pictures"]) == len(set(sent["pictures"])) < 50


def global_flags():
    return (
        torch.get_num_threads(), torch.get_default_dtype(), torch.is_grad_enabled(), torch.is_inference_mode_enabled(),
        torch.is_autocast_enabled("cpu"), torch.backends.quantized.engine, torch.backends.mkldnn.enabled,
        torch.get_float32_matmul_precision(), torch.are_deterministic_algorithms_enabled(),
        float(torch.tensor(1e-40) * 0.5) > 0, logging.getLogger().level,
        list(warnings.filters),
    )  # fmt: skip


def test_two_runs_agree_on_every_quality_number_exactly_and_leave_every_flag(tiny):
    before = global_flags()
    assert quality(compare(SMALL)) == quality(compare(SMALL))
    assert global_flags() == before
    assert quality(compare(SMALL)) != quality(compare(SMALL.model_copy(update={"seed": 1})))


def test_without_fp32_among_the_sides_it_is_still_the_reference(tiny):
    c = compare(SMALL.model_copy(update={"sides": ["ort_int8"]}))
    assert [s.label for s in c.sides] == ["ONNX Runtime static INT8"] and c.sides[0].measure("logit_error").value > 0


def test_a_side_that_cannot_run_says_why_and_the_others_run(tiny, monkeypatch):
    real = compute.build

    def build(name, network, calibrating):
        if name == "ort_int8":
            raise compute.CannotRun("No kernels here")
        return real(name, network, calibrating)

    monkeypatch.setattr(compute, "build", build)
    c = compare(SMALL.model_copy(update={"sides": ["eager_fp32", "ort_int8"]}))
    assert c.sides[1].measure("p50").value is None and c.sides[1].measure("p50").note == "No kernels here"
    assert c.sides[1].measure(ACCEPTED).value == 0 and c.sides[0].measure("p50").value > 0
    with pytest.raises(DemoError, match=r"none of these can run here\. No kernels here\."):
        compare(SMALL.model_copy(update={"sides": ["ort_int8"]}))


def test_cancel_stops_it_and_leaves_the_networks_free(tiny):
    def stop(done, total, unit):
        if done >= 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        compare(SMALL, stop)
    threads, grad = torch.get_num_threads(), torch.is_grad_enabled()
    seen = []
    c = compare(
        SMALL.model_copy(update={"sides": ["eager_fp32"]}), lambda done, total, unit: seen.append((done, total))
    )
    assert c.complete and seen[-1][0] == seen[-1][1]
    assert all(a[0] <= b[0] for a, b in itertools.pairwise(seen[1:]))
    assert (torch.get_num_threads(), torch.is_grad_enabled()) == (threads, grad)


def test_the_objective_rejects_whatever_is_slower(tiny):
    c = compare(SMALL.model_copy(update={"sides": ["eager_fp32", "ort_fp32"], "latency_objective": 0.0001}))
    assert [s.measure(ACCEPTED).value for s in c.sides] == [0, 0] and "No side keeps both gates" in c.takeaway


def test_draw_has_pictures_and_their_quality(tiny):
    c = compare(
        PrecisionSettings(task="draw", sides=["eager_fp32", "ort_int8"], n_quality=2, steps=2, calibration_size=2)
    )
    fp32, int8 = c.sides
    assert fp32.measure("psnr").value == MOST_PSNR and fp32.measure("ssim").value == 1
    assert int8.measure("psnr").value < MOST_PSNR and int8.measure("ssim").value < 1
    assert fp32.measure("adherence").value is not None and len(int8.images) == 2


def test_quality_of_pictures_is_that_of_scikit_image():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 256, (16, 16, 3), dtype=np.uint8)
    second = np.clip(first.astype(int) + 5, 0, 255).astype(np.uint8)
    from PIL import Image

    ssim, psnr = picture_measures([Image.fromarray(second)] * 2, [Image.fromarray(first)] * 2)
    error = ((first.astype(float) - second) ** 2).mean()
    assert psnr.value == pytest.approx(10 * np.log10(255**2 / error)) and 0 < ssim.value < 1


def test_embed_says_what_is_missing(tiny, monkeypatch):
    monkeypatch.setattr("demos.precision.networks.is_here", lambda name: False)
    with pytest.raises(DemoError, match="“embed” needs MiniLM"):
        compare(PrecisionSettings(task="embed", n_quality=4))


def test_the_demo_makes_its_points():
    assert {p.settles for p in DEMO.presets} == {"P1", "P2", "P3", "P4", "P5", "P6"} and len(DEMO.presets) >= 4
    for preset in DEMO.presets:
        PrecisionSettings.check(preset.settings)
    assert [s.slug for s in DEMO.studies][:4] == ["calibration", "stages", "batches", "roofline"]


def test_embed_looks_reworded_captions_up(tiny):
    sides = ["eager_fp32", "ort_fp32", "torchao_int8", "ort_int8"]
    c = compare(PrecisionSettings(task="embed", sides=sides, n_quality=20))
    fp32, ort, int8, static = c.sides
    # The mask that a text encoder adds goes as low as a float: a range over it would leave one step for the rest.
    assert static.measure("cosine").value > 0.99
    assert fp32.measure("cosine").value == pytest.approx(1) and ort.measure("cosine").value == pytest.approx(1)
    assert ort.measure("recall_at_1").value == fp32.measure("recall_at_1").value
    assert 0.9 < int8.measure("cosine").value < 1 and "linear layers alone" in int8.measure("p50").note
    assert int8.arrays["vectors"].shape[0] == 20 and len(int8.images) == 1
