from __future__ import annotations

import json

import numpy as np
import pytest

from demos.guidance import run_curves, run_process
from demos.guidance.curve_figures import curves_of, value_of
from demos.guidance.curves_takeaway import level_from, say
from demos.guidance.process import add_noise, alpha_bars
from demos.guidance.settings import CurvesSettings, ProcessSettings
from shared import adherence, models
from shared.comparison import Measure, Side
from shared.demo import Cancelled, DemoError
from shared.off_palette import off_palette
from shared.quality import frechet_distance
from shared.reader import read
from shared.sampling import Plan, Sampling, decode, encode
from shared.settings import SettingsError
from shared.stickers import STYLES, caption, is_for_testing, render
from shared.training import scenes

SMALL = {"values": "1, 3, 5", "n_captions": 6, "steps": 2, "schedulers": ["ddim"]}


def curves(progress=None, **values):
    return run_curves(CurvesSettings.check(SMALL | values), progress)


def test_points_are_what_each_caption_alone_gives(tiny):
    c = curves(seed=3)
    assert [s.label for s in c.sides] == ["guidance 1 · ddim", "guidance 3 · ddim", "guidance 5 · ddim"]
    chosen = scenes(6, 3, testing=True)
    assert all(is_for_testing(scene) for scene in chosen)
    loaded, reader = models.load_pipeline("auto"), models.load_scene_reader()
    pictures = []
    for i, scene in enumerate(chosen):
        run = Sampling(loaded.model, encode(loaded.model, caption(scene, STYLES[i % 5])), Plan(5, 2, "ddim"), (3 + i,))
        while not run.finished:
            run.step()
        pictures += decode(loaded.model, run.latents)
    facts = [adherence.check(s, r) for s, r in zip(chosen, read(reader.model, pictures, 0.5), strict=True)]
    values = {m.name: m for m in c.sides[2].measures}
    assert values["adherence"].value == pytest.approx(np.mean([f.share for f in facts]))
    assert values["saturation"].value == pytest.approx(np.mean([adherence.saturation(p) for p in pictures]), abs=0.01)
    assert values["off_palette"].value == pytest.approx(np.mean([off_palette(p) for p in pictures]), abs=0.01)
    assert values["unet_calls"].value == 4 and values["adherence"].n == 6
    from shared.embedding import read_features

    quiet = lambda *step: None  # noqa: E731
    drawn = read_features(reader, pictures, quiet)
    truth = read_features(reader, [render(s, 128)[0] for s in chosen], quiet)
    found = values["reader_frechet_distance"]
    assert found.value == pytest.approx(frechet_distance(drawn, truth), rel=0.02, abs=1e-5)
    assert "not comparable with published FID" in found.note and found.low <= found.value <= found.high
    json.dumps(c.to_dict(), allow_nan=False)


def test_steps_for_two_schedulers_with_figures(tiny):
    c = curves(vary="steps", values="1, 2, 3", schedulers=["ddim", "dpm++"], n_captions=4)
    assert [s.label for s in c.sides][:3] == ["1 step · ddim", "2 steps · ddim", "3 steps · ddim"]
    assert len(c.sides) == 6 and set(curves_of(c.sides, "adherence")) == {"ddim", "dpm++"}
    assert c.figures and all(f.layout.height and f.layout.title.text is None for f in c.figures)
    assert c.figures[0].layout.xaxis.type == "log"


def test_cancel_keeps_whole_points(tiny):
    def cancel(done: int, total: int, unit: str) -> None:
        if unit == "U-Net calls" and done > 0 and done >= total / 2:
            raise Cancelled

    c = curves(cancel, vary="steps", values="1, 19, 20", n_captions=4)
    assert not c.complete and [s.label for s in c.sides] == ["1 step · ddim"]
    assert "Stopped early: 1 of 3 points." in c.takeaway


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"values": "x"}, "values: “x” is neither"),
        ({"vary": "steps", "values": "1.5"}, "values: 1.5 is no whole number."),
        ({"values": "1-20", "schedulers": ["ddim", "euler"]}, "These values and schedulers are 40 points: up to 36"),
        ({"n_captions": 501}, "n_captions must be a whole number from 4 to 500, not 501."),
        ({"schedulers": []}, "schedulers must have at least 1 entry"),
    ],
)
def test_mistakes_name_the_field(values, sentence):
    with pytest.raises(SettingsError) as caught:
        CurvesSettings.check(SMALL | values)
    assert sentence in str(caught.value)


def side(label, value, distance=None, low=None, high=None) -> Side:
    return Side(
        label,
        (
            Measure("adherence", value, "share", "higher", "none", low, high),
            Measure("reader_frechet_distance", distance, "", "lower", "none"),
        ),
    )


def guidance(values, distances=(None,) * 9, **more) -> str:
    points = zip((1, 2, 3, 5, 7.5, 12), values, distances, strict=False)
    return say([side(f"guidance {g:g} · ddim", v, d, **more) for g, v, d in points], "guidance", len(values))


def steps(**curves) -> str:
    found = [
        side(f"{n} steps · {name.replace('dpm', 'dpm++')}", v)
        for name, values in curves.items() for n, v in zip((1, 2, 4, 8, 16), values, strict=True)
    ]  # fmt: skip
    return say(found, "steps", len(found))


def test_the_takeaway_is_read_off_the_guidance_curve():
    textbook = guidance((0.5, 0.7, 0.8, 0.81, 0.8, 0.7), (9, 6, 5, 6, 8, 12))
    assert "adherence levels off at guidance 3 (0.80) and falls to 0.70 at 12" in textbook
    assert "lowest at guidance 3 (5) and grows again to 12: quality turns there" in textbook
    assert "still rises at guidance 12 (0.90)" in guidance((0.1, 0.2, 0.3, 0.5, 0.7, 0.9))
    reversed_ = guidance((0.9, 0.8, 0.7, 0.5, 0.3, 0.2), (1, 2, 3, 4, 5, 6))
    assert "highest from guidance 1 on (0.90) and falls to 0.20 at 12" in reversed_ and "only grows to 6" in reversed_
    flat = guidance((0.5,) * 6, (4,) * 6)
    assert "level over all scales (0.50 to 0.50)" in flat and "throughout: quality does not turn" in flat
    assert "does not rise after" in guidance((0.1, 0.5, 0.9), (9, 6, 3))
    assert "the bands overlap" in guidance((0.1, 0.5, 0.9), low=0.0, high=1.0)
    assert "can't show a curve" in guidance((0.1, 0.5))
    assert "can't be judged: none." in guidance((None, None, None))
    assert say([], "guidance", 4) == "No point was finished."


def test_the_takeaway_is_read_off_the_step_curves():
    both = steps(ddim=(0, 0.2, 0.5, 0.85, 0.86), dpm=(0, 0.5, 0.85, 0.86, 0.86))
    assert "ddim has its knee at 8 steps (0.85); dpm++ has its knee at 4 steps (0.85)" in both
    assert "dpm++ needs 4 steps for what ddim does in 8" in both
    assert "ddim needs 4 steps for what dpm++ does in 8" in steps(
        dpm=(0, 0.2, 0.5, 0.85, 0.86), ddim=(0, 0.5, 0.85, 0.86, 0.86)
    )
    tied = steps(ddim=(0, 0.5, 0.85, 0.86, 0.86), dpm=(0, 0.5, 0.85, 0.86, 0.86))
    assert "does not move the knee here" in tied
    assert "still rising" in steps(ddim=(0, 0.1, 0.2, 0.4, 0.8))
    assert "without a knee" in steps(ddim=(0.5,) * 5)


def test_level_from():
    curve = [(x, Measure("a", y, "share", "higher", "n")) for x, y in ((1, 0.5), (2, 0.79), (3, 0.8))]
    assert level_from(curve) == 1
    assert value_of(side("guidance 7.5 · dpm++", 0.1)) == (7.5, "dpm++")
    assert value_of(side("8 steps · ddim", 0.1)) == (8, "ddim")


def test_forward_and_reverse_stand_on_one_schedule(tiny):
    told = []
    c = run_process(ProcessSettings.check({"steps": 9, "guidance": 5}), lambda *s: told.append(s))
    forward, reverse = c.sides
    assert told[-1] == (18, 18, "U-Net calls")
    assert [s.measure("unet_calls").value for s in c.sides] == [0, 18]
    assert np.array_equal(forward.arrays["timesteps"], reverse.arrays["timesteps"])
    assert len(forward.images) == len(reverse.images) == len(forward.captions) == 9
    assert forward.captions[1:] == tuple(reversed(reverse.captions[1:])) and forward.captions[1] == "0"
    assert (np.diff(forward.arrays["noise_levels"]) > 0).all()
    truth = np.asarray(forward.images[0]).astype(int)
    off = np.abs(np.asarray(reverse.images[0]).astype(int) - truth).mean()
    assert reverse.measure("difference_from_render").value == pytest.approx(off)
    assert "no model runs" in c.takeaway and "18 U-Net calls" in c.takeaway
    assert len(c.figures[0].layout.images) == 16


def test_the_forward_process_is_the_schedulers_own(tiny):
    loaded = models.load_pipeline("auto")
    scene = scenes(1, 0)[0]
    clean, some = add_noise(loaded, render(scene, 64)[0], [0, 500], 13)
    noise = Sampling(loaded.model, encode(loaded.model, ""), Plan(1, 1, "ddim"), (13,)).latents[0]
    import torch

    expected = loaded.model.scheduler.add_noise(clean[None], noise[None], torch.tensor([500]))[0]
    assert torch.allclose(some, expected, atol=1e-5)
    assert len(alpha_bars(loaded)) == 1000


def test_the_forward_process_needs_a_scene(tiny):
    with pytest.raises(DemoError, match=r"needs a scene to render\. The sticker world does not know “unicorn”"):
        run_process(ProcessSettings.check({"prompt": "a unicorn"}))
