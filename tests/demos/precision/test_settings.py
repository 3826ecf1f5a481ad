from __future__ import annotations

import pytest

from demos.precision.settings import (
    BatchesSettings,
    CalibrationSettings,
    NumbersSettings,
    PrecisionSettings,
    StagesSettings,
)
from shared.settings import SettingsError


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"batch": 0}, "batch must be a whole number from 1 to 64, not 0."),
        ({"batch": 10_000}, "batch must be a whole number from 1 to 64, not 10,000."),
        ({"sides": []}, "sides must have at least 1 entry, not 0."),
        ({"quality_floor": 2}, "quality_floor must be a number from 0 to 1, not 2."),
        ({"latency_objective": 0}, "latency_objective must be a number from 0 to 60,000, not 0."),
        ({"sides": ["int4"]}, "sides must be a list of any of eager_fp32"),
        ({"task": "speak"}, "task must be one of classify, draw, embed, not speak."),
        ({"calibration": "photos"}, "calibration must be one of scenes, noise, none, not photos."),
        ({"n_quality": 1}, "n_quality must be a whole number from 2 to 2,000, not 1."),
    ],
)
def test_a_wrong_value_gets_one_sentence(values, sentence):
    with pytest.raises(SettingsError) as caught:
        PrecisionSettings.check(values)
    assert str(caught.value).startswith(sentence)


def test_a_side_named_twice_counts_once():
    assert PrecisionSettings.from_query({"sides": "ort_int8, eager_fp32,ort_int8"}).sides == ["ort_int8", "eager_fp32"]


@pytest.mark.parametrize(
    ("model", "values", "part"),
    [
        (BatchesSettings, {"sizes": "1, 65"}, "sizes: “65” is no whole number from 1 to 64."),
        (BatchesSettings, {"sizes": ""}, "sizes: at least one number is needed."),
        (CalibrationSettings, {"sizes": "8; -1"}, "sizes: “-1” is no whole number from 1 to 512."),
        (CalibrationSettings, {"sizes": "0\n0"}, "sizes: “0 0” is no whole number from 1 to 512."),
        (NumbersSettings, {"value": "1e301"}, "value must be from -1e300 to 1e300"),
        (StagesSettings, {"steps": 1}, "steps must be a whole number from 2 to 50, not 1."),
    ],
)
def test_a_studys_wrong_value_too(model, values, part):
    with pytest.raises(SettingsError) as caught:
        model.check(values)
    assert str(caught.value).startswith(part)


def test_links_carry_what_differs_alone():
    assert PrecisionSettings().to_query() == {}
    query = PrecisionSettings(sides=["ort_int8"], calibration="none").to_query()
    assert query == {"sides": "ort_int8", "calibration": "none"}
    assert PrecisionSettings.from_query(query) == PrecisionSettings(sides=["ort_int8"], calibration="none")
