from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pytest
import soundfile
import torch
from PIL import Image

from demos.fusion import DEMO, data
from demos.fusion.data import draw_pairs, load_pictures, load_speech, put_noise_on_pictures, put_noise_on_sounds
from demos.fusion.measures import Marks, calibration_measure, compare_falls, mark, total_variation
from demos.fusion.models import Inputs, drop, make_inputs
from demos.fusion.networks import Late, build, combine, count_parameters
from demos.fusion.settings import FusionSettings
from shared.comparison import Comparison
from shared.demo import Cancelled, DemoError
from shared.settings import SettingsError

FEW = {"n": 120}


@pytest.fixture(scope="module")
def default() -> Comparison:
    return DEMO.compare(FusionSettings(**FEW))


def value(c: Comparison, side: int, name: str) -> float:
    found = c.sides[side].measure(name)
    assert found is not None and found.value is not None
    return found.value


def test_the_test_set_is_what_the_card_says():
    pictures, speech = load_pictures(), load_speech()
    assert np.bincount(pictures.digits).tolist() == [50] * 10 and pictures.pictures.shape == (500, 28, 28)
    assert len(set(speech.voices)) == 24 and len(speech.windows) == 24 * 12


@pytest.mark.parametrize("task", ["digit", "both_needed"])
def test_pairs_belong_together(task: str):
    pairs = draw_pairs(task, 40, 3)  # type: ignore[arg-type]
    assert len(pairs) == 40 and pairs.pictures.shape == (40, 28, 28 if task == "digit" else 56)
    again = draw_pairs(task, 40, 3)  # type: ignore[arg-type]
    assert np.array_equal(pairs.pictures, again.pictures) and np.array_equal(pairs.windows, again.windows)
    assert not np.array_equal(pairs.answers, draw_pairs(task, 40, 4).answers)  # type: ignore[arg-type]


def test_noise_is_seeded_and_as_loud_as_said():
    windows = np.zeros((4, 7680), dtype=np.float32)
    hiss = put_noise_on_sounds(windows, 0.5, 1)
    assert hiss.std() == pytest.approx(0.5, rel=0.02)
    assert np.array_equal(hiss, put_noise_on_sounds(windows, 0.5, 1))
    gray = np.full((4, 28, 28), 0.5, dtype=np.float32)
    noisy = put_noise_on_pictures(gray, 0.1, 1)
    assert noisy.std() == pytest.approx(0.1, rel=0.05) and noisy.min() >= 0 and noisy.max() <= 1
    assert put_noise_on_pictures(gray, 0, 1) is gray


def test_designs_are_of_the_same_size():
    for task in ("digit", "both_needed"):
        sizes = [count_parameters(build(d, task)) for d in ("early", "intermediate", "late", "image", "audio")]
        assert max(sizes) <= 1.1 * min(sizes), sizes


def test_rules_join_answers_as_their_formulas_say():
    late = build("late", "digit")
    assert isinstance(late, Late)
    p = torch.tensor([[0.7, 0.3] + [0.0] * 8, [0.1] * 10]).clamp_min(1e-6)
    q = torch.tensor([[0.2, 0.8] + [0.0] * 8, [0.1] * 10]).clamp_min(1e-6)
    there, gone = torch.ones(2, dtype=torch.bool), torch.zeros(2, dtype=torch.bool)
    pair = (p.log(), q.log())
    average = combine(late, pair, (there, there), "average").exp()
    assert average[0, 0].item() == pytest.approx(0.45, abs=1e-4)
    product = combine(late, pair, (there, there), "product").exp()
    assert product[0, 1].item() == pytest.approx(0.24 / (0.14 + 0.24), abs=1e-4)
    for rule in ("average", "product", "gate"):
        assert torch.allclose(combine(late, pair, (there, gone), rule).exp(), p / p.sum(1, keepdim=True), atol=1e-4)
        assert torch.allclose(combine(late, pair, (gone, gone), rule).exp(), torch.full((2, 10), 0.1), atol=1e-5)
        total = combine(late, pair, (there, there), rule).exp().sum(dim=1)
        assert torch.allclose(total, torch.ones(2), atol=1e-4)


def test_what_is_masked_is_never_looked_at():
    torch.manual_seed(0)
    one = Inputs(torch.rand(3, 1, 28, 28), torch.randn(3, 1, 32, 48))
    other = Inputs(one.image, torch.randn(3, 1, 32, 48))
    for design in ("early", "intermediate"):
        network = build(design, "digit").eval()
        with torch.no_grad():
            outs = [network(x.image, x.audio, drop(x, "audio", "mask token").mask()) for x in (one, other)]
            seen = [network(x.image, x.audio, x.mask()) for x in (one, other)]
        assert torch.equal(*outs) and not torch.allclose(*seen)


def test_zeros_and_noise_pass_as_real_inputs():
    one = Inputs(torch.rand(2, 1, 28, 28), torch.randn(2, 1, 32, 48))
    zeros, noise, masked = (drop(one, "both", way) for way in ("zeros", "noise", "mask token"))
    assert zeros.present == noise.present == (True, True) and masked.present == (False, False)
    assert zeros.image.abs().sum() == 0 and zeros.audio.abs().sum() == 0
    assert noise.image.std() > 0.2 and noise.audio.std() > 0.01
    assert drop(one, "none", "zeros").image is one.image


def test_calibration_error_by_hand():
    sure = np.array([0.95, 0.95, 0.95, 0.95, 0.55, 0.55])
    right = np.array([True, True, True, False, True, False])
    found = calibration_measure(Marks({"both": right}, {"both": sure}), 0)
    assert found.value == pytest.approx((4 * abs(0.75 - 0.95) + 2 * abs(0.5 - 0.55)) / 6)
    assert found.low is not None and found.high is not None and found.low <= found.value <= found.high
    assert calibration_measure(Marks({"both": np.ones(5, dtype=bool)}, {"both": np.ones(5)}), 0).value == 0


def test_falls_are_paired_and_change_sign_when_swapped():
    def marks(both: list[int], one: list[int]) -> Marks:
        right = {"both": both, "image_only": one, "audio_only": one, "none": one}
        return Marks({k: np.array(v, dtype=bool) for k, v in right.items()}, {})

    fragile, robust = marks([1] * 8, [0] * 8), marks([1] * 8, [1] * 8)
    assert compare_falls(fragile, robust).value == 1 and compare_falls(robust, fragile).value == -1
    assert compare_falls(robust, robust).value == 0


def test_total_variation_and_marks():
    a, b = np.array([1.0, 0, 0]), np.array([0, 1.0, 0])
    assert total_variation(a, b) == 1 and total_variation(a, a) == 0
    marks = mark({"both": np.array([[0.2, 0.8], [0.9, 0.1]])}, np.array([1, 1]))
    assert marks.right["both"].tolist() == [True, False] and marks.sure["both"].tolist() == [0.8, 0.9]
    assert marks.accuracy("both").value == 0.5


def test_default_comparison(default: Comparison):
    assert [s.label for s in default.sides] == [
        "early fusion", "intermediate fusion", "late fusion", "picture alone", "sound alone",
    ]  # fmt: skip
    for side in default.sides:
        assert side.arrays["before"].sum() == pytest.approx(1, abs=1e-4) and side.images[0].size == (420, 300)
        assert 49_000 < (side.measure("parameters").value or 0) < 56_000  # type: ignore[union-attr]
    # What the demo exists for: both together beat each alone, and late fusion tolerates a gap that early does not.
    assert min(value(default, i, "accuracy_both") for i in range(3)) > max(
        value(default, i, "accuracy_both") for i in (3, 4)
    )
    extra = default.measures[0]
    assert extra.name == "early_falls_more" and extra.low is not None and extra.low > 0
    assert "late fusion tolerates the gap better" in default.takeaway
    for i in range(3):
        assert abs(value(default, i, "accuracy_none") - 0.1) < 0.12
    assert 0.7 < value(default, 3, "accuracy_both") < 0.95 and 0.7 < value(default, 4, "accuracy_both") < 0.95


def test_same_settings_give_the_same_answers(default: Comparison):
    again = DEMO.compare(FusionSettings(**FEW))
    for one, other in zip(default.sides, again.sides, strict=True):
        assert np.array_equal(one.arrays["after"], other.arrays["after"])


def test_dropout_in_training_closes_the_gap(default: Comparison):
    trained = DEMO.compare(FusionSettings(**FEW, trained_with="0.3"))
    for name in ("accuracy_image_only", "accuracy_audio_only"):
        assert value(trained, 0, name) > value(default, 0, name) + 0.05
    matched = [s.measure("matched_latency") for s in trained.sides[:3]]
    assert all(m is not None and m.value is not None and m.value > 0 for m in matched)


def test_zeros_and_a_wrong_rate_are_measured_over_the_test_pairs():
    c = DEMO.compare(
        FusionSettings(**FEW, trained_with="0.3", drop_as="zeros", force_sample_rate=16_000, audio_noise=0)
    )
    gain = c.sides[1].measure("marking_gain")
    assert gain is not None and gain.low is not None and gain.low > 0.05
    assert value(c, 3, "marking_gain") == 0
    assert value(c, 4, "accuracy_forced_rate") < value(c, 4, "accuracy_both") - 0.3
    assert value(c, 3, "accuracy_forced_rate") == value(c, 3, "accuracy_both")
    assert "Giving zeros for the missing sound" in c.takeaway and "instead of" in c.takeaway
    same = DEMO.compare(FusionSettings(n=60, force_sample_rate=8_000, drop="none"))
    assert abs(value(same, 4, "accuracy_forced_rate") - value(same, 4, "accuracy_both")) < 0.1
    assert same.sides[0].measure("marking_gain") is None


def test_both_missing_is_the_prior_with_a_note():
    c = DEMO.compare(FusionSettings(**FEW, image="none", audio="none", drop="none"))
    assert "Nothing is left" in c.takeaway
    np.testing.assert_allclose(c.sides[2].arrays["after"], 0.1, atol=1e-5)


def test_a_drawing_and_a_recording_are_read(tmp_path):
    picture = Image.fromarray(255 - load_pictures().pictures[load_pictures().digits == 3][0]).resize((280, 280))
    picture.save(tmp_path / "three.png")
    speech = load_speech()
    soundfile.write(tmp_path / "three.wav", speech.windows[speech.words.index("three")] * 0.1, 8_000)
    c = DEMO.compare(
        FusionSettings(
            **FEW, image="drawn", drawing=str(tmp_path / "three.png"), audio="file",
            recording=str(tmp_path / "three.wav"), image_noise=0, audio_noise=0, drop="none",
        )
    )  # fmt: skip
    assert [int(s.arrays["after"].argmax()) for s in c.sides[:3]] == [3, 3, 3]
    assert "right is" not in c.sides[0].captions[0]


def test_missing_uploads_and_bad_files_get_a_sentence(tmp_path):
    (tmp_path / "no.png").write_text("no picture")
    Image.new("1", (20_000, 10_000)).save(tmp_path / "huge.png")
    Image.new("1", (8_000, 6_000)).save(tmp_path / "large.png")
    for settings, said in (
        ({"image": "drawn"}, "drawing: there is none yet"),
        ({"image": "drawn", "drawing": str(tmp_path / "no.png")}, "no picture that can be read"),
        ({"image": "drawn", "drawing": str(tmp_path / "huge.png")}, "at most 40 million pixels"),
        ({"image": "drawn", "drawing": str(tmp_path / "large.png")}, "at most 40 million pixels"),
        ({"audio": "microphone"}, "recording: there is none yet"),
        ({"audio": "file", "recording": str(tmp_path / "gone.wav")}, "not there any more"),
    ):
        with pytest.raises(DemoError, match=said):
            DEMO.compare(FusionSettings(**settings))


@pytest.mark.parametrize(("name", "load"), [("pictures.npz", data.load_pictures), ("speech.flac", data.load_speech)])
def test_a_damaged_test_set_gets_a_sentence(name: str, load: Any, tmp_path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "fusion"
    shutil.copytree(data.ASSETS, folder)
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(bytes(content))
    monkeypatch.setattr(data, "ASSETS", folder)
    data.bundle.cache_clear()
    with pytest.raises(DemoError, match=rf"The file {name} of fusion is damaged or changed"):
        load.__wrapped__()


def test_settings_say_what_they_allow():
    assert FusionSettings.check({"trained_with": 0.3}).trained_with == "0.3"
    assert FusionSettings.from_query({"trained_with": "0.60"}).trained_with == "0.6"
    for bad, said in (
        ({"trained_with": 0.5}, "trained_with must be one of 0, 0.3, 0.6, not 0.5."),
        ({"force_sample_rate": 20}, "force_sample_rate: must be 0, or a whole number from 4,000 to 192,000, not 20."),
        ({"task": "sing"}, "task must be one of digit, both_needed, not sing."),
    ):
        with pytest.raises(SettingsError) as error:
            FusionSettings.check(bad)
        assert str(error.value) == said


def test_cancel_stops_the_comparison():
    def stop(done: int, total: int, unit: str) -> None:
        if done > 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        DEMO.compare(FusionSettings(**FEW), stop)


def test_make_inputs_has_the_shapes_the_networks_take():
    inputs = make_inputs(
        np.zeros((2, 28, 28), np.float32), np.random.default_rng(0).normal(size=(2, 7680)).astype("f4")
    )
    assert inputs.image.shape == (2, 1, 28, 28) and inputs.audio.shape == (2, 1, 32, 48) and len(inputs) == 2
