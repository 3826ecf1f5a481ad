from __future__ import annotations

import numpy as np
import pytest
import torch
from diffusers import StableDiffusionPipeline

from shared.demo import DemoError
from shared.devices import generators
from shared.sampling import Plan, Sampling, cut_text, decode, encode, film_steps, make_scheduler
from tests.tiny import TOKENS, tiny_pipeline

PROMPT, NEGATIVE = "a red car left of a blue house", "green"
SCHEDULERS = ("ddim", "dpm++", "euler", "ddpm")


class AtEveryScale(StableDiffusionPipeline):
    """The pipeline's own loop, with its guidance formula at scales below 1 too, where the class switches it off."""

    @property
    def do_classifier_free_guidance(self) -> bool:
        return self.guidance_scale != 1


@pytest.fixture(scope="module")
def pipeline():
    return tiny_pipeline()


def as_array(pictures) -> np.ndarray:
    return np.stack([np.asarray(p) for p in pictures]).astype(int)


def finish(run: Sampling) -> Sampling:
    while not run.finished:
        run.step()
    return run


def run_of(pipeline, plan: Plan, seeds=(5, 6), negative=NEGATIVE, **more) -> Sampling:
    return finish(Sampling(pipeline, encode(pipeline, PROMPT, negative), plan, seeds, **more))


def reference(pipeline, plan: Plan, seeds=(5, 6), negative=NEGATIVE, cls=StableDiffusionPipeline) -> np.ndarray:
    parts = {**pipeline.components, "scheduler": make_scheduler(pipeline, plan.scheduler)}
    plain = cls(**parts, requires_safety_checker=False)
    plain.set_progress_bar_config(disable=True)
    found = plain(
        [PROMPT] * len(seeds), negative_prompt=[negative] * len(seeds), num_inference_steps=plan.steps,
        guidance_scale=plan.guidance, generator=generators(seeds), height=32, width=32,
    )  # fmt: skip
    return as_array(found.images)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("guidance", [1.0, 7.5])
@pytest.mark.parametrize("steps", [1, 7])
def test_pictures_are_the_plain_pipelines(pipeline, scheduler, guidance, steps):
    plan = Plan(guidance, steps, scheduler)
    ours = as_array(decode(pipeline, run_of(pipeline, plan).latents))
    assert np.abs(ours - reference(pipeline, plan)).max() <= 2
    assert ours.std() > 1


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("guidance", [0.0, 0.5])
def test_below_1_the_formula_goes_on(pipeline, scheduler, guidance):
    plan = Plan(guidance, 5, scheduler)
    ours = as_array(decode(pipeline, run_of(pipeline, plan).latents))
    assert np.abs(ours - reference(pipeline, plan, cls=AtEveryScale)).max() <= 2


def test_guidance_0_does_not_read_the_prompt(pipeline):
    plan = Plan(0.0, 4, "ddim")
    one = finish(Sampling(pipeline, encode(pipeline, "a red car", ""), plan, (3,)))
    other = finish(Sampling(pipeline, encode(pipeline, "a blue house", ""), plan, (3,)))
    assert torch.equal(one.latents, other.latents)


def test_negative_prompt_replaces_the_empty_one(pipeline):
    guided, alone = Plan(7.5, 4, "ddim"), Plan(1.0, 4, "ddim")
    assert not torch.equal(run_of(pipeline, guided, negative="").latents, run_of(pipeline, guided).latents)
    assert torch.equal(run_of(pipeline, alone, negative="").latents, run_of(pipeline, alone).latents)


@pytest.mark.parametrize(("guidance", "halves"), [(1.0, 1), (0.0, 1), (1.5, 2), (7.5, 2)])
def test_calls_are_what_the_unet_is_asked(pipeline, guidance, halves):
    rows = []
    hook = pipeline.unet.register_forward_pre_hook(lambda module, inputs: rows.append(inputs[0].shape[0]))
    try:
        run = run_of(pipeline, Plan(guidance, 6, "ddim"), seeds=(1, 2, 3))
    finally:
        hook.remove()
    assert rows == [3 * halves] * 6
    assert run.calls == run.total_calls == sum(rows) // 3


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_same_seed_same_picture_alone_or_in_a_batch(pipeline, scheduler):
    plan = Plan(4.0, 5, scheduler)
    batch, again, alone = (run_of(pipeline, plan, seeds) for seeds in ((8, 9, 10), (8, 9, 10), (9,)))
    assert torch.equal(batch.latents, again.latents)
    difference = as_array(decode(pipeline, batch.latents))[1] - as_array(decode(pipeline, alone.latents))[0]
    assert np.abs(difference).max() <= 2


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_clean_latents_are_the_noise_taken_away(pipeline, scheduler):
    # x0 = (x - sqrt(1 - a) e) / sqrt(a), Ho et al. 2020, eq. 15; Euler's x is scaled by 1 / sqrt(a).
    run = Sampling(pipeline, encode(pipeline, PROMPT), Plan(3.0, 4, scheduler), (5, 6), keep=(2,))
    run.step()
    t, before = run.timesteps[1], run.latents
    noise = run.predict()
    run.step()
    if scheduler == "euler":
        expected = before - run.scheduler.sigmas[1] * noise
    else:
        alpha = run.scheduler.alphas_cumprod[int(t)]
        expected = (before - (1 - alpha).sqrt() * noise) / alpha.sqrt()
    assert set(run.clean) == {2}
    assert torch.allclose(run.clean[2], expected[0], atol=1e-3, rtol=1e-3)


def test_noise_levels_fall_as_the_schedule_says(pipeline):
    run = Sampling(pipeline, encode(pipeline, PROMPT), Plan(3.0, 10, "ddim"), (5,))
    levels = run.noise_levels()
    assert levels.shape == (10,) and (np.diff(levels) < 0).all()
    alpha = pipeline.scheduler.alphas_cumprod[int(run.timesteps[0])]
    assert levels[0] == pytest.approx(float((1 - alpha) ** 0.5))


def test_film_steps():
    assert film_steps(20) == (1, 4, 8, 12, 16, 20)
    assert film_steps(100) == (1, 20, 40, 60, 80, 100)
    assert film_steps(3) == (1, 2, 3)
    assert film_steps(1) == (1,)


def test_what_does_not_fit_is_named(pipeline):
    words = ["car"] * (TOKENS - 2)  # two tokens are the text's start and end
    assert cut_text(pipeline.tokenizer, " ".join(words)) == ""
    assert cut_text(pipeline.tokenizer, " ".join([*words, "house", "on", "mint"])) == "house on mint"
    assert cut_text(pipeline.tokenizer, "") == ""
    assert encode(pipeline, "car " * 900).cut.startswith("car car")


def test_numbers_that_overflow_end_in_a_sentence(pipeline):
    with pytest.raises(DemoError, match="overflowed"):
        decode(pipeline, torch.full((1, 8, 4, 4), float("nan")))
