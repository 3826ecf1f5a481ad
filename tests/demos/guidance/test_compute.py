from __future__ import annotations

import json
import threading
from statistics import mean

import numpy as np
import pytest

from demos.guidance import DEMO, compare, run_curves, run_process, run_sweep
from demos.guidance.compute import labels
from demos.guidance.settings import CurvesSettings, GuidanceSettings, ProcessSettings, SweepSettings
from shared import models
from shared.adherence import check, saturation
from shared.comparison import Comparison
from shared.demo import Cancelled, DemoError
from shared.off_palette import off_palette
from shared.reader import read
from shared.sampling import Plan
from shared.stickers import parse_caption

SMALL = {"steps_a": 7, "steps_b": 3, "samples": 3, "seed": 13}


def small(**values) -> GuidanceSettings:
    return GuidanceSettings.check(SMALL | values)


@pytest.fixture
def distilled(tiny, monkeypatch):
    """The tiny model with a latent consistency model's scheduler, as sticker_turbo has."""
    from diffusers import LCMScheduler

    pipeline = models.load_pipeline("auto").model
    own = LCMScheduler.from_config(pipeline.scheduler.config, original_inference_steps=20)
    monkeypatch.setattr(pipeline, "scheduler", own)


def pixels(c: Comparison) -> list[np.ndarray]:
    return [np.asarray(p) for side in c.sides for p in side.images]


def same_pictures(one: Comparison, other: Comparison) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(pixels(one), pixels(other), strict=True))


def untimed(result: dict) -> dict:
    """What must not depend on when and how it was run."""
    for side in result["sides"]:
        side["measures"] = [m for m in side["measures"] if m["name"] != "latency"]
    return {k: v for k, v in result.items() if k != "environment"}


def test_sides_carry_picture_film_and_samples(tiny):
    c = compare(small())
    a, b = c.sides
    assert (a.label, b.label) == ("guidance 1 · 7 steps", "guidance 7.5 · 3 steps")
    assert a.captions == ("guidance 1 · 7 steps · ddim · seed 13", "1", "3", "4", "6", "7", "seed 14", "seed 15")
    assert b.captions == ("guidance 7.5 · 3 steps · ddim · seed 13", "1", "2", "3", "seed 14", "seed 15")
    assert all(len(s.images) == len(s.captions) for s in c.sides)
    assert {p.size for s in c.sides for p in s.images} == {(64, 64)}
    assert a.arrays["latents"].shape == (3, 8, 8, 8) and a.arrays["noise_levels"].shape == (7,)
    assert c.settings["model"] == c.environment["model"] == "sticker_diffusion"
    assert c.environment["weights"] == "bundled" and c.environment["dtype"] == "float32"


def test_measures_are_those_of_the_pictures(tiny):
    c = compare(small())
    reader = models.load_scene_reader()
    scene = parse_caption(c.settings["prompt"])
    for side, calls in zip(c.sides, (7, 6), strict=True):
        assert [m.name for m in side.measures] == [
            "adherence", "kinds_right", "all_facts", "off_palette", "saturation", "clip_score", "latency",
            "unet_calls",
        ]  # fmt: skip
        pictures = [side.images[0], *side.images[-2:]]
        facts = [check(scene, r) for r in read(reader.model, pictures, reader.confidence)]
        value = {m.name: m.value for m in side.measures}
        assert value["adherence"] == pytest.approx(mean(f.right / 6 for f in facts))
        assert value["kinds_right"] == pytest.approx(mean(f.kinds for f in facts))
        assert value["all_facts"] == pytest.approx(mean(f.right == 6 for f in facts))
        assert value["saturation"] == pytest.approx(mean(saturation(p) for p in pictures))
        assert value["off_palette"] == pytest.approx(mean(off_palette(p) for p in pictures))
        assert value["unet_calls"] == calls
        latency = side.measure("latency")
        assert latency.low <= latency.value <= latency.high


def test_gain_is_paired_by_seed(tiny):
    c = compare(small())
    (gain,) = c.measures
    a, b = (side.measure("adherence").value for side in c.sides)
    assert gain.name == "adherence_gain" and gain.value == pytest.approx(b - a) and gain.n == 3


def test_both_sides_start_from_the_same_noise(tiny):
    c = compare(small(guidance_b=1.0, steps_b=7))
    a, b = c.sides
    assert all(np.array_equal(x, y) for x, y in zip(map(np.asarray, a.images), map(np.asarray, b.images), strict=True))
    assert "equally" in c.takeaway and "pixels off the palette are equal" in c.takeaway


def test_same_settings_same_pictures_and_samples_alone_too(tiny):
    first, again = compare(small()), compare(small())
    assert same_pictures(first, again)
    assert untimed(first.to_dict()) == untimed(again.to_dict())
    alone = compare(small(seed=15, samples=1))
    for side, one in zip(first.sides, alone.sides, strict=True):
        difference = np.asarray(side.images[-1]).astype(int) - np.asarray(one.images[0])
        assert np.abs(difference).max() <= 2


def test_one_sample_has_no_intervals_but_for_counts(tiny):
    side = compare(small(samples=1)).sides[0]
    assert all(
        side.measure(n).low is None for n in ("adherence", "kinds_right", "all_facts", "off_palette", "saturation")
    )
    assert side.measure("unet_calls").low == 7


def test_two_at_once_are_as_each_alone(tiny):
    alone = [compare(small(seed=seed)) for seed in (1, 2)]
    found: dict[int, Comparison] = {}
    threads = [threading.Thread(target=lambda s=s: found.update({s: compare(small(seed=s))})) for s in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert same_pictures(found[1], alone[0]) and same_pictures(found[2], alone[1])


def test_progress_counts_unet_calls(tiny):
    told = []
    compare(small(), lambda *step: told.append(step))
    assert told[0] == (0, 13, "U-Net calls") and told[-1] == (13, 13, "U-Net calls")
    counts = [done for done, _, _ in told]
    assert counts == sorted(counts) and max(np.diff(counts)) <= 2


@pytest.mark.parametrize("at", [0, 1, 9])
def test_cancel_stops_at_once_and_leaves_nothing(tiny, at):
    before = compare(small())
    told = []

    def cancel(done: int, total: int, unit: str) -> None:
        told.append(done)
        if done >= at:
            raise Cancelled

    with pytest.raises(Cancelled):
        compare(small(), cancel)
    assert len([d for d in told if d >= at]) == 1
    assert not models.load_pipeline("auto").lock.locked()
    assert same_pictures(compare(small()), before)


@pytest.mark.parametrize(
    ("prompt", "note"),
    [
        ("un coche rojo", "does not know “un”"),
        ("", "The prompt is empty"),
        ("🦖🦖🦖", "does not know “🦖”"),
        ("a red car left of a blue car", "names a kind twice"),
        ("ignore <script>alert(1)</script>", "does not know “ignore”"),
        ("car " * 249, "names 249 stickers"),
    ],
)
def test_prompts_that_cannot_be_judged_are_drawn_and_measured(tiny, prompt, note):
    c = compare(small(prompt=prompt))
    for side in c.sides:
        values = {m.name: m for m in side.measures}
        for name in ("adherence", "kinds_right", "all_facts"):
            assert values[name].value is None and note in values[name].note
        assert values["saturation"].value is not None and values["latency"].value > 0
        assert len(side.images) >= 6
    assert c.takeaway.startswith("This prompt's facts can't be judged") and not c.measures
    json.dumps(c.to_dict(), allow_nan=False)


def test_a_long_prompt_says_what_was_cut(tiny):
    c = compare(small(prompt="a red car left of a blue house " + "please " * 20 + "on a mint background"))
    assert c.takeaway.endswith("”.") and "The text encoder left out the prompt's end, from “" in c.takeaway


def test_negative_prompt_is_measured(tiny):
    with_words = compare(small(negative_prompt="red, fish")).sides[1].measure("negative_seen")
    assert with_words is not None and 0 <= with_words.value <= 1 and with_words.n == 3
    assert compare(small(negative_prompt="ugly")).sides[1].measure("negative_seen") is None
    plain, negative = compare(small()), compare(small(negative_prompt="red"))
    assert np.array_equal(plain.sides[0].images[0], negative.sides[0].images[0])  # guidance 1 does not read it
    assert not np.array_equal(plain.sides[1].arrays["latents"], negative.sides[1].arrays["latents"])


def test_a_negative_prompt_for_one_side_alone(tiny):
    c = compare(small(guidance_a=7.5, steps_a=3, negative_prompt="red", negative_for="b"))
    assert [s.label for s in c.sides] == ["no negative prompt", "without “red”"]
    plain = compare(small(guidance_a=7.5, steps_a=3))
    both = compare(small(guidance_a=7.5, steps_a=3, negative_prompt="red"))
    assert np.array_equal(c.sides[0].arrays["latents"], plain.sides[0].arrays["latents"])
    assert np.array_equal(c.sides[1].arrays["latents"], both.sides[1].arrays["latents"])
    assert all(s.measure("negative_seen").n == 3 for s in c.sides)
    assert "The negative prompt “red” (B) " in c.takeaway


@pytest.mark.parametrize("scheduler", ["ddim", "dpm++", "euler", "ddpm"])
@pytest.mark.parametrize(("guidance", "steps"), [(0, 1), (30, 2), (0.5, 5)])
def test_extremes_give_sound_results(tiny, scheduler, guidance, steps):
    c = compare(small(guidance_b=guidance, steps_b=steps, scheduler_b=scheduler, samples=2))
    assert np.isfinite(c.sides[1].arrays["latents"]).all()
    json.dumps(c.to_dict(), allow_nan=False)


def test_a_missing_reader_costs_only_its_measures(tiny, monkeypatch, tmp_path):
    compare(small())
    (tmp_path / "sticker_diffusion").symlink_to(tiny / "sticker_diffusion")
    monkeypatch.setattr(models, "ASSETS", tmp_path)
    models.forget()
    side = compare(small()).sides[0]
    assert "weights of scene_reader are not here" in side.measure("adherence").note
    assert side.measure("saturation").value is not None


def test_a_missing_pipeline_is_one_sentence(tiny, monkeypatch, tmp_path):
    monkeypatch.setattr(models, "ASSETS", tmp_path)
    with pytest.raises(DemoError, match="check out the folder assets/sticker_diffusion again"):
        compare(small())
    DEMO.extra["warm_up"]()  # says nothing: the tab says it when it is used


def test_the_command_line_gives_the_same_numbers(tiny, tmp_path):
    from demos.__main__ import main

    arguments = ["guidance", "--steps-a", "7", "--steps-b", "3", "--samples", "3", "--seed", "13"]
    assert main([*arguments, "--out", str(tmp_path)]) == 0
    written = json.loads((tmp_path / "result.json").read_text())
    ours = json.loads(json.dumps(compare(small()).to_dict()))
    assert untimed(written)["sides"] == untimed(ours)["sides"]
    assert written["takeaway"] == ours["takeaway"] and written["settings"] == ours["settings"]
    assert (tmp_path / "card.png").read_bytes().startswith(b"\x89PNG")


def test_labels_name_what_differs():
    assert labels((Plan(1, 20, "ddim"), Plan(7.5, 20, "ddim"))) == ("guidance 1", "guidance 7.5")
    assert labels((Plan(5, 1, "ddim"), Plan(5, 20, "ddim"))) == ("1 step", "20 steps")
    assert labels((Plan(5, 9, "ddim"), Plan(5, 9, "dpm++"))) == ("ddim", "dpm++")
    assert labels((Plan(5, 9, "ddim"), Plan(5, 9, "ddim"))) == ("guidance 5", "guidance 5")


def test_labels_and_captions_tell_the_remedies(tiny):
    both = (Plan(15, 20, "ddim"), Plan(15, 20, "ddim", rescale=0.7))
    assert labels(both) == ("no rescale", "rescale 0.7")
    both = (Plan(5, 20, "ddim"), Plan(5, 20, "ddim", start=0.1, until=0.7))
    assert labels(both) == ("all steps guided", "guided 10% to 70%")
    c = compare(small(guidance_a=7.5, steps_a=3, guidance_from_b=0.4, guidance_rescale_b=0.5))
    assert c.sides[1].captions[0] == "guidance 7.5 · 3 steps · ddim · rescale 0.5 · guided 40% to 100% · seed 13"
    assert [s.measure("unet_calls").value for s in c.sides] == [6, 5]


def test_what_the_safety_checker_flags_is_blank_without_film_or_latents(tiny):
    from types import SimpleNamespace

    import torch

    model = models.load_pipeline("auto").model

    class Checker(torch.nn.Module):
        def forward(self, images, clip_input):
            return images, [i == 0 for i in range(len(images))]

    extract = lambda pictures, return_tensors: SimpleNamespace(pixel_values=torch.zeros(len(pictures), 3, 4, 4))  # noqa: E731
    model.safety_checker, model.feature_extractor = Checker(), extract
    try:
        c = compare(small(samples=2))
    finally:
        model.safety_checker = model.feature_extractor = None
    for side in c.sides:
        assert side.captions[0].endswith("held back by the model's safety checker")
        assert side.captions[1:] == ("seed 14",) and np.asarray(side.images[0]).std(axis=(0, 1)).max() == 0
        assert side.arrays["latents"].shape[0] == 1 and side.measure("saturation").n == 1


def test_a_model_with_a_scheduler_of_its_own_says_so_and_draws_with_it(distilled):
    c = compare(small(steps_a=2, steps_b=2, guidance_b=1, scheduler_b="dpm++"))
    assert [side.captions[0].split(" · ")[2] for side in c.sides] == ["lcm", "lcm"]
    assert np.array_equal(*(np.asarray(side.images[0]) for side in c.sides))
    assert "the choice of a scheduler changes nothing." in c.takeaway
    assert "the choice of a scheduler" not in compare(small(steps_a=2, steps_b=2)).takeaway
    sweep = {"guidances": "1, 3", "steps": "2", "seeds": "13"}
    assert "the choice of a scheduler" in run_sweep(SweepSettings.check(sweep | {"scheduler": "euler"})).takeaway
    assert "the choice of a scheduler" not in run_sweep(SweepSettings.check(sweep)).takeaway
    few = run_curves(CurvesSettings.check({"values": "1, 2, 3", "n_captions": 4, "steps": 2}))
    assert len(few.sides) == 3 and "the choice of a scheduler" in few.takeaway
    # The usual step counts go up to 32, this model to 20: the others are drawn all the same.
    steps = run_curves(CurvesSettings.check({"vary": "steps", "n_captions": 4, "guidance": 1}))
    assert [side.measures[0].value is None for side in steps.sides] == [False] * 5 + [True]
    assert "1 of 6 points failed: This model was distilled for at most 20 steps: 32 are too many." in steps.takeaway
    with pytest.raises(DemoError, match="at most 20 steps: 30 are too many"):
        run_curves(CurvesSettings.check({"n_captions": 4, "steps": 30}))
    with pytest.raises(DemoError, match=r"shown with DDIM\. Choose another model\.$"):
        run_process(ProcessSettings.check({"steps": 2}))
