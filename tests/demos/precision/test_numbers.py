from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from demos.precision.numbers import FORMATS, run_numbers, scale_gradient, store
from demos.precision.settings import NumbersSettings

OTHERS = {"FP32": np.float32, "BF16": ml_dtypes.bfloat16, "FP16": np.float16}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("value", [0.1, -3.3, 1.0, 257.0, 60000.0, 6e-5, 3e-8, 1e-6])
def test_values_and_steps_are_those_of_another_library(name, value):
    kind = OTHERS[name]
    held = kind(value)
    found = store(value, name)
    assert found.value == float(held)
    if held:
        assert found.step == abs(float(np.nextafter(np.abs(held), kind(np.inf))) - abs(float(held)))
    info = ml_dtypes.finfo(kind)
    assert (found.largest, found.smallest) == (float(info.max), float(info.smallest_subnormal))


def test_fates():
    assert store(70_000, "FP16").fate == "overflow" and math.isinf(store(70_000, "FP16").value)
    assert store(70_000, "BF16").fate == "" and store(70_000, "BF16").value == 70_144
    assert store(1e-8, "FP16").fate == "underflow" and store(1e-8, "FP16").value == 0
    assert store(1e39, "FP32").fate == store(1e39, "BF16").fate == "overflow"


def test_int8_by_hand():
    found = store(0.5, "INT8", 1.27)
    assert found.value == pytest.approx(0.5) and found.step == pytest.approx(0.01) and found.fate == ""
    assert store(5.0, "INT8", 1.27).value == pytest.approx(1.27) and store(5.0, "INT8", 1.27).fate == "clipped"
    assert store(-5.0, "INT8", 1.27).value == pytest.approx(-1.27)
    assert store(0.004, "INT8", 1.27).fate == "underflow" and store(0.006, "INT8", 1.27).value == pytest.approx(0.01)
    assert store(1.272, "INT8", 1.27).fate == ""


def test_loss_scaling_by_hand():
    gradient = np.array([0.0, 1e-8, 1e-3, 10.0], dtype=np.float32)
    lost, over, _ = scale_gradient(gradient, "FP16", 1.0)
    assert (lost, over) == (pytest.approx(1 / 3), 0.0)
    lost, over, error = scale_gradient(gradient, "FP16", 1024.0)
    assert (lost, over) == (0.0, 0.0) and error < 1e-3
    lost, over, _ = scale_gradient(gradient, "FP16", 2.0**14)
    assert (lost, over) == (0.0, pytest.approx(1 / 3))
    assert scale_gradient(gradient, "BF16", 1.0)[:2] == (0.0, 0.0)


def test_the_study_says_what_each_format_does(tiny):
    c = run_numbers(NumbersSettings(value=70_000, loss_scale=1))
    assert [s.label for s in c.sides] == ["FP32", "BF16", "FP16", "INT8"]
    assert c.sides[2].measure("stored").value is None and "Overflow" in c.sides[2].measure("stored").note
    assert c.sides[1].measure("stored").value == 70_144
    assert "in FP16 overflows" in c.takeaway and "in INT8 is cut to 1" in c.takeaway
    assert "changes nothing here" in c.takeaway
    vanished = [s.measure("gradient_vanished").value for s in c.sides[:3]]
    assert vanished[0] == 0 and vanished[2] >= vanished[1]
    again = run_numbers(NumbersSettings(value=70_000, loss_scale=1))
    assert again.to_dict()["sides"] == c.to_dict()["sides"]
