"""The CLIP score in comparison, sweep and curves, by hand from a tiny CLIP; a null with its reason without one."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image

from demos.guidance import compare, run_curves, run_sweep
from demos.guidance.settings import CurvesSettings, GuidanceSettings, SweepSettings
from shared import models
from tests.tiny import TOKENS, write_tiny_clip

SMALL = {"steps_a": 2, "steps_b": 3, "samples": 3, "seed": 13}


@pytest.fixture
def with_clip(tiny, monkeypatch, tmp_path):
    """The tiny models, and a tiny CLIP beside them."""
    for name in ("sticker_diffusion", "scene_reader"):
        (tmp_path / name).symlink_to(tiny / name)
    write_tiny_clip(tmp_path / "sticker_clip")
    monkeypatch.setattr(models, "ASSETS", tmp_path)
    models.forget()
    yield
    models.forget()


def by_hand(text: str, pictures: list[Image.Image]) -> list[float]:
    """100 times the cosine of each picture and the text, from the model's own forward pass."""
    loaded = models.load_clip("sticker_clip")
    size = loaded.model.config.vision_config.image_size
    arrays = np.stack([np.asarray(p.resize((size, size), Image.Resampling.BICUBIC)) for p in pictures]) / 255
    mean, std = np.array([0.48145466, 0.4578275, 0.40821073]), np.array([0.26862954, 0.26130258, 0.27577711])
    pixels = torch.from_numpy((arrays - mean) / std).permute(0, 3, 1, 2).float()
    tokens = loaded.tokenizer([text], truncation=True, max_length=TOKENS, return_tensors="pt")
    with torch.no_grad():
        out = loaded.model(pixel_values=pixels, **tokens)
    return (100 * torch.nn.functional.cosine_similarity(out.image_embeds, out.text_embeds)).tolist()


def test_the_comparisons_score_is_the_mean_cosine(with_clip):
    c = compare(GuidanceSettings.check(SMALL))
    for side in c.sides:
        pictures = [side.images[0], *side.images[-2:]]
        found = side.measure("clip_score")
        assert found.value == pytest.approx(np.mean(by_hand(c.settings["prompt"], pictures)), abs=0.01)
        assert found.low < found.value < found.high and found.n == 3 and found.better == "higher"


def test_every_cell_of_the_sweep_has_one(with_clip):
    c = run_sweep(SweepSettings.check({"guidances": "1, 7.5", "steps": "2, 3", "seeds": "13, 14"}))
    for side in c.sides:
        expected = np.mean(by_hand(c.settings["prompt"], list(side.images)))
        assert side.measure("clip_score").value == pytest.approx(expected, abs=0.01)
    titles = [figure.data[0].colorbar.title.text for figure in c.figures]
    assert "CLIP score" in titles and len(titles) == 7


def test_without_facts_the_sweep_goes_by_the_score(with_clip):
    c = run_sweep(SweepSettings.check({"prompt": "a unicorn", "guidances": "1, 7.5", "steps": "2", "seeds": "13, 14"}))
    assert "This prompt's facts can't be judged. CLIP score is highest at" in c.takeaway


def test_the_curves_have_one_for_each_point_and_a_figure(with_clip):
    c = run_curves(CurvesSettings.check({"values": "1, 3, 5", "n_captions": 4, "steps": 2, "schedulers": "ddim"}))
    for side in c.sides:
        texts = [side.captions[0].split("“")[1].rstrip("”"), *side.captions[1:]]
        expected = np.mean([by_hand(t, [p])[0] for t, p in zip(texts, side.images, strict=True)])
        assert side.measure("clip_score").value == pytest.approx(expected, abs=0.01)
    assert any("CLIP score" in figure.layout.yaxis.title.text for figure in c.figures)


def test_without_a_clip_the_score_says_why(tiny):
    found = compare(GuidanceSettings.check(SMALL)).sides[0].measure("clip_score")
    assert found.value is None and "sticker_clip" in found.note
