"""Settings that each settle one confusion of the curriculum."""

from __future__ import annotations

from shared.demo import Preset

PRESETS = (
    Preset(
        "engine-or-format",
        "Engine or format",
        {"sides": ["eager_fp32", "ort_fp32", "ort_int8"]},
        settles="P3",
        confusion="Lower precision or a better engine? The same FP32 in another engine is measured beside INT8.",
    ),
    Preset(
        "uncalibrated",
        "INT8 without calibration",
        {"sides": ["eager_fp32", "ort_fp32", "ort_int8"], "calibration": "none"},
        settles="P2",
        confusion="Quantizing or calibrating? Static INT8 takes its ranges from data, and without any it cuts.",
    ),
    Preset(
        "per-tensor",
        "One scale for all channels",
        {"sides": ["eager_fp32", "ort_fp32", "ort_int8"], "per_channel": False},
        settles="P2",
        confusion="INT8 or how it is scaled? One scale a tensor is its widest channel's; photos show the loss.",
    ),
    Preset(
        "three-int8",
        "Static, dynamic, weight-only",
        {"task": "draw", "sides": ["eager_fp32", "ort_int8", "torchao_int8", "torchao_weight_only"], "n_quality": 8},
        settles="P2",
        confusion="One INT8 or three? Static is calibrated before, dynamic at run time; weight-only saves memory.",
    ),
    Preset(
        "bf16-or-fp16",
        "BF16 against FP16",
        {"sides": ["eager_fp32", "eager_bf16", "eager_fp16"]},
        settles="P1",
        confusion="BF16 or FP16? One keeps FP32's range, the other has finer steps; speed needs kernels for either.",
    ),
    Preset(
        "tail",
        "A batch of 16",
        {"sides": ["eager_fp32", "ort_fp32", "ort_int8"], "batch": 16, "latency_objective": 100},
        settles="P4",
        confusion="Latency or throughput? A batch lifts items a second and every item's wait; look at P95.",
    ),
    Preset(
        "strict-gates",
        "Strict gates",
        {"latency_objective": 20, "quality_floor": 0.99},
        settles="P5",
        confusion="Fastest or good enough? Gates are set before measuring; what fails one is out, however fast.",
    ),
    Preset(
        "draw",
        "The U-Net in five formats",
        {"task": "draw", "n_quality": 8, "latency_objective": 200, "quality_floor": 0.9},
        settles="P6",
        confusion="Whole or stage? The U-Net takes most of the time; the study “stages” measures each stage alone.",
    ),
)
