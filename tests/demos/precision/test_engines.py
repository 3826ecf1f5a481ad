from __future__ import annotations

import numpy as np
import onnx
import pytest
import torch
from torch import nn

from demos.precision import engines
from demos.precision.engines import CannotRun, build, slowdown, work_of
from demos.precision.exporting import Calibrating, export, export_folder, quantize
from demos.precision.networks import EvidenceReader, Network, answer_logits, scene_reader
from demos.precision.scenes import hard_scenes, to_input
from demos.precision.tasks import noise_like, relative_error, run_all
from shared.models import load_scene_reader

NONE = Calibrating("none", None, True)


class Mixed(nn.Module):
    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.conv, self.linear = nn.Conv2d(3, 32, 3), nn.Linear(32, 5)

    def forward(self, x):
        return self.linear(torch.relu(self.conv(x)).mean((2, 3)))


def inputs(n, seed=0):
    return (3 * torch.randn(n, 3, 16, 16, generator=torch.Generator().manual_seed(seed)),)


@pytest.fixture
def network(tiny):
    return Network("mixed", "mixed network", Mixed().eval().requires_grad_(False), inputs, load_scene_reader())


def reference(network, x):
    with torch.no_grad():
        return network.module(*x)


@pytest.mark.parametrize(("side", "within"), [("eager_fp32", 0), ("ort_fp32", 1e-5), ("eager_bf16", 0.03)])
def test_every_engine_computes_the_network(network, side, within):
    x = inputs(6)
    found = build(side, network, NONE).run(x)
    assert found.dtype == torch.float32 and found.shape == (6, 5)
    assert float((found - reference(network, x)).abs().max()) <= within


def test_static_int8_is_near_when_calibrated_and_far_when_not(network):
    x, truth = inputs(32), reference(network, inputs(32)).numpy()
    errors = {}
    for key, data in (("scenes", inputs(32, seed=1)), ("none", None)):
        found = build("ort_int8", network, Calibrating(f"{key}-engines", data, True)).run(x).numpy()
        errors[key] = float(relative_error(found, truth).mean())
    assert errors["scenes"] < 0.1 and errors["none"] > 3 * errors["scenes"]


def test_without_calibration_every_activation_reaches_from_minus_one_to_one(network):
    model = onnx.load(str(quantize(network, Calibrating("none-ranges", None, False))))
    values = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    first = next(n for n in model.graph.node if n.op_type == "QuantizeLinear" and n.input[0] == "input0")
    assert float(values[first.input[1]]) == pytest.approx(2 / 255) and int(values[first.input[2]]) in (127, 128)


def test_calibration_takes_the_range_of_what_it_sees(network):
    x = (torch.linspace(-2, 6, 3 * 16 * 16).reshape(1, 3, 16, 16),)
    model = onnx.load(str(quantize(network, Calibrating("hand", x, False))))
    values = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    first = next(n for n in model.graph.node if n.op_type == "QuantizeLinear" and n.input[0] == "input0")
    assert float(values[first.input[1]]) == pytest.approx(8 / 255, rel=1e-5)


def test_exported_files_are_made_once_and_belong_to_their_weights(network, onnx_cache):
    path = export(network)
    assert export_folder() == onnx_cache / "side-by-side" / "onnx" and path.parent == export_folder()
    before = path.read_bytes()
    path.write_bytes(before)
    assert export(network) == path and path.read_bytes() == before
    other = Network("mixed", "", Mixed(seed=1).eval(), inputs, network.loaded)
    assert export(other) != path
    assert not [p for p in export_folder().iterdir() if p.suffix != ".onnx"]


def test_torchao_quantizes_linear_layers_and_says_their_share(network):
    share = work_of(network).linear_share
    assert share == pytest.approx(2 * 32 * 5 / (2 * 32 * 5 + 2 * 14 * 14 * 32 * 3 * 9))
    x = inputs(8)
    for side in ("torchao_int8", "torchao_weight_only"):
        engine = build(side, network, NONE)
        assert "0.1% of the mixed network's operations" in engine.note
        error = float((engine.run(x) - reference(network, x)).abs().max())
        assert 0 < error < 0.05
    assert isinstance(network.module.linear.weight, nn.Parameter)
    assert type(network.module.linear.weight.data) is torch.Tensor, "the shared network stays as it was"


def test_weights_are_counted_in_each_format(network):
    count = sum(p.numel() for p in network.module.parameters())
    assert build("eager_fp32", network, NONE).weights == pytest.approx(4 * count / 2**20)
    assert build("eager_bf16", network, NONE).weights == pytest.approx(2 * count / 2**20)


def test_a_format_without_kernels_is_not_run(network, monkeypatch):
    monkeypatch.setattr(engines, "slowdown", lambda *_: 46.7)
    with pytest.raises(CannotRun, match=r"About 47 times slower than FP32 here, not run"):
        build("eager_fp16", network, NONE)


def test_the_probe_is_a_ratio():
    assert slowdown(torch.float32, torch.device("cpu")) > 0


def test_a_missing_engine_or_compiler_says_so(network, monkeypatch):
    def missing(*_):
        raise ModuleNotFoundError("No module named 'onnxruntime'", name="onnxruntime")

    monkeypatch.setitem(engines._BUILDERS, "ort_fp32", missing)
    with pytest.raises(CannotRun, match="package onnxruntime is not installed"):
        build("ort_fp32", network, NONE)
    monkeypatch.setattr(engines.shutil, "which", lambda name: None)
    with pytest.raises(CannotRun, match="needs a C\\+\\+ compiler"):
        build("compiled_fp32", network, NONE)


def test_the_readers_evidence_gives_its_own_answer(tiny):
    network, reader = scene_reader(), load_scene_reader().model
    x = to_input(hard_scenes(4, 0).pictures)
    assert torch.allclose(answer_logits(network.module(x)), reader.logits(x), atol=1e-5)
    assert isinstance(network.module, EvidenceReader)


def test_hard_scenes_are_seeded_and_grow_from_the_front():
    some, more = hard_scenes(3, 5), hard_scenes(5, 5)
    assert np.array_equal(some.pictures, more.pictures[:3]) and np.array_equal(some.truth, more.truth[:3])
    assert not np.array_equal(hard_scenes(3, 6).pictures, some.pictures)


def test_noise_keeps_shape_and_reach():
    x = (torch.tensor([[-2.0, 6.0], [0.0, 1.0]]), torch.tensor([[7, 9], [7, 7]]))
    a, b = noise_like(x, 0), noise_like(x, 0)
    assert all(torch.equal(p, q) for p, q in zip(a, b, strict=True))
    assert a[0].shape == (2, 2) and float(a[0].min()) >= -2 and float(a[0].max()) <= 6
    assert set(a[1].flatten().tolist()) <= {7, 9}


def test_batches_do_not_change_what_is_computed(network):
    engine, ticks = build("ort_fp32", network, NONE), []
    whole, parts = engine.run(inputs(7)), run_all(engine, inputs(7), lambda: ticks.append(1), at_once=3)
    assert torch.allclose(whole, parts, atol=1e-6) and len(ticks) == 3
