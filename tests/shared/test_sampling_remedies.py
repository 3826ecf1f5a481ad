from __future__ import annotations

import numpy as np
import pytest
import torch
from diffusers import (
    LatentConsistencyModelPipeline,
    LCMScheduler,
    StableDiffusionPipeline,
    StableDiffusionXLPipeline,
    UNet2DConditionModel,
)
from PIL import Image
from transformers import CLIPTextConfig, CLIPTextModelWithProjection

from shared.demo import DemoError
from shared.devices import generators
from shared.sampling import (
    Plan,
    Sampling,
    decode,
    encode,
    encode_many,
    is_held_back,
    keeps_scheduler,
    make_scheduler,
    takes_scale,
)
from tests.tiny import TOKENS, tiny_pipeline, tiny_tokenizer

PROMPT, NEGATIVE, SEEDS = "a red car left of a blue house", "green", (5, 6)


@pytest.fixture(scope="module")
def pipeline():
    return tiny_pipeline()


def as_array(pictures) -> np.ndarray:
    return np.stack([np.asarray(p) for p in pictures]).astype(int)


def ours(pipeline, plan: Plan, negative=NEGATIVE) -> Sampling:
    run = Sampling(pipeline, encode(pipeline, PROMPT, negative), plan, SEEDS)
    while not run.finished:
        run.step()
    return run


def plain(pipeline, plan: Plan, **more) -> np.ndarray:
    pipeline.set_progress_bar_config(disable=True)
    return as_array(
        pipeline([PROMPT] * len(SEEDS), num_inference_steps=plan.steps, guidance_scale=plan.guidance,
                 generator=generators(SEEDS), height=32, width=32, **more).images
    )  # fmt: skip


@pytest.mark.parametrize("rescale", [0.3, 1.0])
def test_rescaled_as_the_plain_pipeline_does(pipeline, rescale):
    plan = Plan(15.0, 5, "ddim", rescale=rescale)
    parts = {**pipeline.components, "scheduler": make_scheduler(pipeline, "ddim")}
    reference = StableDiffusionPipeline(**parts, requires_safety_checker=False)
    found = plain(reference, plan, negative_prompt=[NEGATIVE] * 2, guidance_rescale=rescale)
    run = ours(pipeline, plan)
    assert np.abs(as_array(decode(pipeline, run.latents)) - found).max() <= 2
    assert not torch.equal(run.latents, ours(pipeline, Plan(15.0, 5, "ddim")).latents)


def test_a_full_rescale_has_the_spread_of_the_prompts_prediction(pipeline):
    # Lin et al. 2024, eq. 15: std(rescaled) = std(e1), sample by sample.
    encoded = encode(pipeline, PROMPT, NEGATIVE)
    full, alone = (Sampling(pipeline, encoded, p, SEEDS) for p in (Plan(9.0, 5, "ddim", 1.0), Plan(1.0, 5, "ddim")))
    assert torch.allclose(full.predict().std((1, 2, 3)), alone.predict().std((1, 2, 3)), rtol=1e-4)


@pytest.mark.parametrize(
    ("start", "until", "calls"), [(0, 1, 20), (0.2, 0.7, 15), (0, 0, 10), (1, 1, 10), (0.5, 1, 15), (0, 0.5, 15)]
)
def test_unguided_steps_take_one_call(pipeline, start, until, calls):
    run = ours(pipeline, Plan(7.5, 10, "ddim", start=start, until=until))
    assert run.calls == run.total_calls == calls


def test_an_interval_of_no_steps_is_guidance_1(pipeline):
    without = ours(pipeline, Plan(7.5, 5, "ddim", start=0.4, until=0.4))
    assert torch.equal(without.latents, ours(pipeline, Plan(1.0, 5, "ddim")).latents)


def test_many_prompts_are_each_prompt_alone(pipeline):
    texts = ["a red car", "a blue house", "a green cat"]
    many = encode_many(pipeline, texts, batch=2)
    assert many.prompt.shape[0] == 3 and many.empty.shape[0] == 1
    for i, text in enumerate(texts):
        assert torch.allclose(many.of([i]).prompt, encode(pipeline, text).prompt, atol=1e-5)
        assert torch.allclose(many.empty, encode(pipeline, text).empty, atol=1e-5)


class Checker(torch.nn.Module):
    """Flags a batch's second picture."""

    def forward(self, images, clip_input):
        assert clip_input.shape[0] == len(images) == 2
        return images, [False, True]


class Extractor:
    def __call__(self, pictures, return_tensors):
        from types import SimpleNamespace

        return SimpleNamespace(pixel_values=torch.zeros(len(pictures), 3, 8, 8))


def test_a_flagged_picture_comes_back_blank():
    guarded = tiny_pipeline()
    guarded.register_modules(safety_checker=Checker(), feature_extractor=Extractor())
    free, held = decode(guarded, torch.randn(2, 8, 4, 4, generator=torch.Generator().manual_seed(0)))
    assert [is_held_back(p) for p in (free, held)] == [False, True]
    assert np.asarray(held).std() == pytest.approx(np.asarray(Image.new("RGB", held.size, "#9aa0a6")).std())
    assert np.asarray(free).std() > 0


def text_encoder(seed: int) -> CLIPTextModelWithProjection:
    torch.manual_seed(seed)
    tokenizer = tiny_tokenizer()
    return CLIPTextModelWithProjection(
        CLIPTextConfig(
            vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
            num_attention_heads=2, max_position_embeddings=TOKENS, projection_dim=32,
            bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    ).eval()  # fmt: skip


def unet(**more) -> UNet2DConditionModel:
    torch.manual_seed(4)
    return UNet2DConditionModel(
        sample_size=4, in_channels=8, out_channels=8, block_out_channels=(16, 32), layers_per_block=1,
        attention_head_dim=8, norm_num_groups=8, down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"), **more,
    ).eval()  # fmt: skip


@pytest.mark.parametrize("guidance", [1.0, 5.0])
@pytest.mark.parametrize("negative", ["", NEGATIVE])
def test_sdxl_is_the_plain_pipeline(pipeline, guidance, negative):
    network = unet(
        cross_attention_dim=64, addition_embed_type="text_time", addition_time_embed_dim=8,
        projection_class_embeddings_input_dim=80,
    )  # fmt: skip
    xl = StableDiffusionXLPipeline(
        vae=pipeline.vae, text_encoder=text_encoder(1), text_encoder_2=text_encoder(2), tokenizer=tiny_tokenizer(),
        tokenizer_2=tiny_tokenizer(), unet=network, scheduler=make_scheduler(pipeline, "ddim"), add_watermarker=False,
    )  # fmt: skip
    plan = Plan(guidance, 4, "ddim")
    found = plain(xl, plan, negative_prompt=[negative] * 2 if negative else None)
    mine = as_array(decode(xl, ours(xl, plan, negative).latents))
    assert np.abs(mine - found).max() <= 2 and mine.std() > 1


def test_a_latent_consistency_model_reads_the_scale(pipeline):
    parts = {k: v for k, v in pipeline.components.items() if k not in ("unet", "scheduler", "image_encoder")}
    lcm = LatentConsistencyModelPipeline(
        **parts, unet=unet(cross_attention_dim=32, time_cond_proj_dim=16),
        scheduler=LCMScheduler.from_config(pipeline.scheduler.config), requires_safety_checker=False,
    )  # fmt: skip
    assert takes_scale(lcm) and not takes_scale(pipeline)
    run, other = ours(lcm, Plan(8.5, 4, "lcm")), ours(lcm, Plan(3.0, 4, "lcm"))
    assert np.abs(as_array(decode(lcm, run.latents)) - plain(lcm, Plan(8.5, 4, "lcm"))).max() <= 2
    assert run.calls == run.total_calls == 4
    assert not torch.equal(run.latents, other.latents)


def test_a_distilled_pipeline_keeps_its_scheduler_and_says_how_many_steps_it_takes():
    pipeline = tiny_pipeline()
    pipeline.scheduler = LCMScheduler.from_config(pipeline.scheduler.config, original_inference_steps=20)
    assert keeps_scheduler(pipeline) and not takes_scale(pipeline)
    run = ours(pipeline, Plan(1.0, 4, "ddim"))
    assert run.calls == 4 and [int(t) for t in run.timesteps] == [999, 749, 499, 249]
    assert torch.equal(run.latents, ours(pipeline, Plan(1.0, 4, "euler")).latents)
    with pytest.raises(DemoError, match="at most 20 steps: 21 are too many"):
        ours(pipeline, Plan(1.0, 21, "ddim"))
