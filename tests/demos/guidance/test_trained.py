"""With the trained weights: the same pictures as the plain pipeline's, and under another model's name."""

from __future__ import annotations

import numpy as np
import pytest
from diffusers import StableDiffusionPipeline

from demos.guidance import compare, run_sweep
from demos.guidance.settings import GuidanceSettings, SweepSettings
from shared import models
from shared.devices import generators
from shared.sampling import make_scheduler


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.delenv("GALLERY_MODELS", raising=False)
    models.forget()
    yield
    models.forget()


@pytest.mark.parametrize("scheduler", ["ddim", "dpm++"])
def test_a_sweep_draws_the_plain_pipelines_pictures(scheduler):
    c = run_sweep(
        SweepSettings.check({"guidances": "1, 7.5", "steps": "3, 6", "seeds": "13", "scheduler": scheduler,
                             "model": "sticker_diffusion"})
    )  # fmt: skip
    loaded = models.load_pipeline("sticker_diffusion").model
    parts = {**loaded.components, "scheduler": make_scheduler(loaded, scheduler)}
    plain = StableDiffusionPipeline(**parts, requires_safety_checker=False)
    plain.set_progress_bar_config(disable=True)
    grid = [(g, s) for s in (3, 6) for g in (1.0, 7.5)]
    for side, (guidance, steps) in zip(c.sides, grid, strict=True):
        found = plain(
            c.settings["prompt"], num_inference_steps=steps, guidance_scale=guidance, generator=generators((13,))
        ).images[0]
        assert np.abs(np.asarray(side.images[0]).astype(int) - np.asarray(found)).max() <= 2, side.label


def test_the_trained_pipeline_under_another_name_draws_the_same(monkeypatch, tmp_path):
    small = {"steps_a": 2, "steps_b": 2, "samples": 1}
    bundled = compare(GuidanceSettings.check(small | {"model": "sticker_diffusion"}))
    (tmp_path / "stabilityai").mkdir()
    (tmp_path / "stabilityai" / "sd-turbo").symlink_to(models.ASSETS / "sticker_diffusion")
    monkeypatch.setenv("GALLERY_MODELS", str(tmp_path))
    other = compare(GuidanceSettings.check(small | {"model": "stabilityai/sd-turbo"}))
    assert (other.environment["model"], other.environment["weights"]) == ("stabilityai/sd-turbo", "local folder")
    for a, b in zip(bundled.sides, other.sides, strict=True):
        assert all(x.tobytes() == y.tobytes() for x, y in zip(a.images, b.images, strict=True))
    assert other.sides[0].measure("adherence").value is None
    assert "No judge was made for the pictures of stabilityai/sd-turbo" in other.sides[0].measure("adherence").note
    assert bundled.sides[1].measure("adherence").value is not None
