from __future__ import annotations

import json

import numpy as np
import pytest

from demos.attention import DEMO
from demos.attention.compute import compare
from demos.attention.settings import AttentionSettings, BenchmarkSettings
from shared import explaining
from shared.demo import Cancelled, DemoError
from shared.models import load_pipeline, load_scene_reader
from shared.settings import SettingsError
from tests.demos.attention.test_gradcam import state


def run(**values):
    return compare(AttentionSettings.check(values))


def test_every_side_is_on_the_same_picture_and_carries_its_map(tiny):
    c = run()
    assert [s.label for s in c.sides][:2] == ["cross-attention", "Grad-CAM"] and len(c.sides) == 6
    first = np.asarray(c.sides[0].images[0])
    for side in c.sides:
        assert np.array_equal(np.asarray(side.images[0]), first)
        assert side.arrays["map"].shape == first.shape[:2]
        assert {m.name for m in side.measures} == {
            "iou", "pointing_game", "energy_inside", "area", "deletion_auc", "insertion_auc", "latency"
        }  # fmt: skip
        values = side.measure("iou"), explaining.iou(side.arrays["map"], side.arrays["mask"], c.settings["threshold"])
        if values[0].n == 1:
            assert values[0].value == pytest.approx(values[1], abs=1e-6)
    blind = c.sides[-1]
    assert [blind.measure(n).n for n in ("iou", "area", "deletion_auc", "insertion_auc")] == [3] * 4  # three seeds
    assert next(m for m in c.measures if m.name == "agreement_attention_random").n == 3
    names = [str(n) for n in c.sides[0].arrays["word_names"]]
    assert names == ["start", *c.settings["prompt"].split(), "end"]
    assert len(c.sides[0].arrays["word"]) == len(names)
    assert c.environment["target"] == "car"
    json.dumps(c.to_dict(), allow_nan=False)


def test_nothing_is_left_behind_in_the_models(tiny):
    unet, reader = load_pipeline("auto").model.unet, load_scene_reader().model
    processors, before = dict(unet.attn_processors), state(reader)
    weights = {k: v.clone() for k, v in (*unet.state_dict().items(), *reader.state_dict().items())}

    def stop_late(done, total, unit):
        if done > total // 2:
            raise Cancelled

    run()
    with pytest.raises(Cancelled):
        compare(AttentionSettings(), stop_late)
    assert unet.attn_processors == processors and state(reader) == before
    now = dict([*unet.state_dict().items(), *reader.state_dict().items()])
    assert all((now[k] == v).all() for k, v in weights.items())
    assert not load_pipeline("auto").lock.locked() and not load_scene_reader().lock.locked()


def test_the_word_chooses_mask_and_class(tiny):
    house, sky = run(word="blue", methods=["attention"]), run(word="mint", methods=["attention"])
    assert house.environment["target"] == "blue house" and sky.environment["target"] == "mint background"
    both = house.sides[0].arrays["mask"], sky.sides[0].arrays["mask"]
    assert not (both[0] & both[1]).any()
    left = run(word="left", methods=["attention"])
    assert left.sides[0].measure("iou").value is None
    assert "names nothing that has a mask" in left.sides[0].measure("iou").note


def test_a_generated_picture_has_no_mask_and_a_map_for_each_step(tiny):
    c = run(source="generated", methods=["attention"])
    assert c.sides[0].measure("iou").value is None and "No mask is known" in c.sides[0].measure("iou").note
    assert len(c.sides[0].arrays["step"]) == 20
    assert c.sides[0].measure("insertion_auc").value is not None


def test_same_settings_same_maps(tiny):
    a, b = run(methods=["attention"]), run(methods=["attention"])
    for one, other in zip(a.sides, b.sides, strict=True):
        assert np.array_equal(one.arrays["map"], other.arrays["map"])


def test_layers_and_heads_can_be_chosen_alone(tiny):
    one = run(layers="one", layer=0, heads="one", head=1, methods=["attention"])
    other = run(layers="one", layer=0, heads="one", head=0, methods=["attention"])
    assert not np.array_equal(one.sides[0].arrays["map"], other.sides[0].arrays["map"])
    with pytest.raises(DemoError, match="layer: this U-Net has the cross-attention layers 0 to"):
        run(layers="one", layer=99)
    with pytest.raises(DemoError, match="head: "):
        run(layers="one", layer=0, heads="one", head=60)


@pytest.mark.parametrize(("values", "sentence"), [
    ({"word": "boat"}, "word: “boat” is not in the prompt"),
    ({"target": "zebra"}, "target: scene_reader has no class “zebra”"),
    ({"target": "99999"}, "target: scene_reader has the classes 0 to"),
    ({"prompt": "a dragon"}, "prompt: a scene is rendered from it"),
    ({"source": "photo", "photo": "missing.png"}, "photo: there is no such file"),
])  # fmt: skip
def test_what_can_not_be_done_gets_a_sentence(tiny, values, sentence):
    with pytest.raises(DemoError, match=sentence):
        run(**values)


@pytest.mark.parametrize("values", [{"threshold": 2}, {"timestep": 1000}, {"layers": "some"}, {"methods": ["magic"]},
                                    {"model": "other"}, {"classifier": "other"}])  # fmt: skip
def test_settings_name_the_wrong_field(values):
    with pytest.raises(SettingsError, match=next(iter(values))):
        AttentionSettings.check(values)


def test_settings_of_presets_are_valid_and_make_different_points():
    assert len(DEMO.presets) >= 4
    for preset in DEMO.presets:
        AttentionSettings.check(preset.settings)
    assert {p.settles for p in DEMO.presets} >= {"A1", "A2"}


def test_the_benchmark_means_over_scenes_and_stops_with_what_it_has(tiny):
    from demos.attention.benchmark import run_benchmark

    settings = BenchmarkSettings(n_scenes=3, curve_scenes=1)
    c = run_benchmark(settings)
    for side in c.sides:
        assert side.measure("iou").n == 3 and side.measure("deletion_auc").n == 1
        assert side.measure("iou").value == pytest.approx(side.arrays["iou"].mean())
        assert 0 <= side.measure("iou_like_area").value <= 1
    attention = c.sides[0]
    assert attention.measure("iou_like_area").value == pytest.approx(attention.measure("iou").value, abs=0.02)

    def stop(done, total, unit):
        if done == 2:
            raise Cancelled

    def stop_at_once(done, total, unit):
        asked.append(done)
        if len(asked) == 4:
            raise Cancelled

    asked = []
    assert not run_benchmark(settings, stop_at_once).complete
    assert asked == [0, 0, 0, 0]  # it can be stopped before its first scene is done
    part = run_benchmark(settings, stop)
    assert not part.complete and part.sides[0].measure("iou").n == 2 and "stopped early" in part.takeaway


def test_benchmark_scenes_are_those_that_no_training_shows():
    from demos.attention.benchmark import two_sticker_scenes
    from shared.stickers import is_for_testing

    unseen, others = (two_sticker_scenes(5, 0, 32, testing=t) for t in (True, False))
    assert all(is_for_testing(e.scene) and len(e.masks) == 2 for e in unseen)
    assert not any(is_for_testing(e.scene) for e in others)
