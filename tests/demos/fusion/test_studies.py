from __future__ import annotations

import numpy as np
import pytest

from demos.fusion import DEMO
from demos.fusion.data import ASSETS
from demos.fusion.measures import Marks
from demos.fusion.missing_rate import accuracy_at
from shared.comparison import Comparison, Measure, Side
from shared.demo import Cancelled

STUDIES = {study.slug: study for study in DEMO.studies}


def run(slug: str, **settings: object) -> Comparison:
    study = STUDIES[slug]
    return study.run(study.Settings.check(settings))


def value(side: Side, name: str) -> float:
    found = side.measure(name)
    assert found is not None and found.value is not None, name
    return found.value


def test_there_are_five_studies():
    assert list(STUDIES) == ["availability", "missing_rate", "marking", "noise", "dominance"]


def test_availability_has_a_side_per_model():
    c = run("availability", n=100)
    assert len(c.sides) == 5 and c.complete
    for side in c.sides:
        for state in ("both", "image_only", "audio_only", "none"):
            m = side.measure(f"accuracy_{state}")
            assert isinstance(m, Measure) and m.low is not None and m.value is not None and m.low <= m.value
    assert value(c.sides[3], "accuracy_both") == value(c.sides[3], "accuracy_image_only")
    assert value(c.sides[4], "accuracy_both") == value(c.sides[4], "accuracy_audio_only")


def test_a_study_that_is_cancelled_returns_what_it_has():
    def stop(done: int, total: int, unit: str) -> None:
        if done >= 6:
            raise Cancelled

    study = STUDIES["availability"]
    c = study.run(study.Settings.check({"n": 60}), stop)
    assert not c.complete and len(c.sides) == 1 and "Stopped" in c.takeaway


def test_expected_accuracy_at_a_rate_by_hand():
    right = {
        "both": [1, 1, 1, 1], "image_only": [1, 0, 0, 0], "audio_only": [1, 1, 0, 0], "none": [0, 0, 0, 0],
    }  # fmt: skip
    marks = Marks({k: np.array(v, dtype=bool) for k, v in right.items()}, {})
    assert accuracy_at(marks, "image", 0.5).value == pytest.approx(0.5 * 1 + 0.5 * 0.5)
    assert accuracy_at(marks, "audio", 0.2).value == pytest.approx(0.8 * 1 + 0.2 * 0.25)
    assert accuracy_at(marks, "both", 0.5).value == pytest.approx(0.25 * 1 + 0.25 * (0.25 + 0.5) + 0)
    assert accuracy_at(marks, "both", 0.0).value == 1 and accuracy_at(marks, "both", 1.0).value == 0


def test_missing_rate_compares_trainings():
    c = run("missing_rate", n=120)
    assert len(c.sides) == 9 and len(c.figures) == 3
    by_label = {s.label: s for s in c.sides}
    plain, trained = by_label["early · trained with 0"], by_label["early · trained with 0.6"]
    assert value(trained, "accuracy_60_missing") > value(plain, "accuracy_60_missing") + 0.03
    assert c.to_dict()["sides"][0]["label"] in by_label


def test_marking_has_three_ways():
    c = run("marking", n=120)
    assert [s.label for s in c.sides] == ["mask token", "zeros", "noise"]
    assert value(c.sides[0], "accuracy_late") >= value(c.sides[2], "accuracy_late")
    assert c.takeaway.count("%") == 9


def test_noise_lowers_accuracy():
    c = run("noise", n=60, levels=3)
    image, audio = c.sides[3], c.sides[4]
    assert value(image, "accuracy_no_image_noise") > value(image, "accuracy_most_image_noise") + 0.2
    assert value(image, "accuracy_no_audio_noise") == value(image, "accuracy_most_audio_noise")
    assert value(audio, "accuracy_no_audio_noise") > value(audio, "accuracy_most_audio_noise") + 0.2
    assert c.sides[0].arrays["levels_image"].tolist() == [0, 0.6, 1.2] and len(c.figures) == 1


def test_dominance_reads_the_log():
    assert (ASSETS / "dominance.json").exists()
    c = run("dominance")
    assert len(c.sides) == 2 and len(c.figures) == 2
    for side in c.sides:
        assert value(side, "gradient_ratio") > 0
        assert 0 <= value(side, "final_accuracy_both") <= 1
        assert len(side.arrays["steps"]) == len(side.arrays["gradient_image"]) == len(side.arrays["accuracy_both"])
