"""Makes sticker_small: `python -m assets.sticker_small.recipe --how scratch` and `--how distilled`. Seeded, resumable.

sticker_diffusion's U-Net without its coarsest level, its middle and one block's attention, 29% of the parameters, on
the same autoencoder and text encoder. From scratch it starts from random weights and learns the noise that was added.
Distilled it starts from the teacher's weights where blocks are left, and learns the teacher's prediction besides, with
and without the caption (block removal and output distillation: BK-SDM, Kim et al. 2023, arXiv 2305.15798). Both see the
same pictures, noises and captions for as many steps. The better one is stored with `--store`.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import torch
from diffusers import StableDiffusionPipeline, UNet2DConditionModel
from diffusers.models.attention_processor import AttnProcessor
from torch import Tensor

from assets.sticker_diffusion import text
from assets.sticker_diffusion.denoiser import CAPTION_DROPOUT, FLOOR, GAMMA, LATENT_SPREAD
from assets.sticker_diffusion.recipe import FOLDER as TEACHER
from assets.sticker_diffusion.recipe import training_latents
from shared.training import Optimizer, Progress, Training, cosine_rate, scenes, training_device

FOLDER = Path(__file__).parent
SCENES = 12_000  # the first of those that the teacher saw; the same for both
BATCH = 64
SHARE = 0.5  # of the teacher's prediction in what the distilled one learns


def build_unet(teacher: UNet2DConditionModel) -> UNet2DConditionModel:
    """The teacher's two finer levels and nothing below, untrained."""
    config = dict(teacher.config) | {
        "block_out_channels": tuple(teacher.config.block_out_channels[:2]),
        "attention_head_dim": tuple(teacher.config.attention_head_dim[:2]),
        "only_cross_attention": tuple(teacher.config.only_cross_attention[:2]),
        "down_block_types": ("CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
        "mid_block_type": None,
        "up_block_types": ("UpBlock2D", "CrossAttnUpBlock2D"),
    }
    config.pop("_name_or_path", None)  # where on this machine the teacher lies
    return UNet2DConditionModel.from_config(config)


def inherit(student: UNet2DConditionModel, teacher: UNet2DConditionModel) -> None:
    """Copy the teacher's weights into what is left of it.

    Where a level below was joined to the skip connection there is now none: of such a weight the part for the skip
    connection is copied, the last channels, and the rest is 0.
    """
    theirs = teacher.state_dict()
    for name, ours in student.state_dict().items():
        source = theirs[re.sub(r"^up_blocks\.(\d)", lambda m: f"up_blocks.{int(m[1]) + 1}", name)]
        if source.shape == ours.shape:
            ours.copy_(source)
            continue
        channel = 1 if ours.ndim > 1 else 0
        kept = student.config.block_out_channels[1]
        ours.zero_()
        ours.narrow(channel, ours.shape[channel] - kept, kept).copy_(
            source.narrow(channel, source.shape[channel] - kept, kept)
        )


def loss_of(
    student: UNet2DConditionModel, teacher: UNet2DConditionModel | None, kept: Tensor, x: Tensor, states: Tensor,
    generator: torch.Generator,
) -> Tensor:  # fmt: skip
    """Squared error of the predicted noise with the teacher's weights, for clean latents x [b, c, h, w] and text states
    [b, tokens, width]; against the noise, or against its mean with the teacher's prediction."""
    steps = torch.randint(len(kept), (len(x),), generator=generator)
    noise = torch.randn(x.shape, generator=generator).to(x.device)
    level = kept[steps].to(x.device)[:, None, None, None]
    noisy = level.sqrt() * x + (1 - level).sqrt() * noise
    steps = steps.to(x.device)
    with torch.autocast(x.device.type, torch.bfloat16):
        wanted = noise
        if teacher is not None:
            with torch.no_grad():
                wanted = noise.lerp(teacher(noisy, steps, states).sample.float(), SHARE)
        predicted = student(noisy, steps, states).sample.float()
    snr = LATENT_SPREAD**2 * (level / (1 - level)).flatten()
    return ((predicted - wanted).square().mean((1, 2, 3)) * snr.clamp(FLOOR, GAMMA) / snr).mean()


def train(how: str, steps: int, seed: int = 0) -> UNet2DConditionModel:
    """Train from scratch or distilled, and give back the averaged U-Net."""
    device = training_device()
    torch.manual_seed(seed)
    pipeline = StableDiffusionPipeline.from_pretrained(TEACHER, safety_checker=None, requires_safety_checker=False)
    pipeline.to(device)
    student = build_unet(pipeline.unet).to(device).train()
    if how == "distilled":
        inherit(student, pipeline.unet)
    for network in (pipeline.unet, student):
        network.set_attn_processor(AttnProcessor())  # twice as fast as the fused one on a CPU, with gradients
    latents = training_latents(pipeline.vae, SCENES)
    captions = text.caption_ids(pipeline.tokenizer, scenes(SCENES, seed=1))
    empty = text.tokenize(pipeline.tokenizer, [""])[0].long()
    teacher = pipeline.unet if how == "distilled" else None
    kept = pipeline.scheduler.alphas_cumprod
    rate = 0.5 if how == "distilled" else 1.0  # weights that are nearly right are kept by smaller steps
    optimizer = Optimizer(
        student, muon_rate=0.01 * rate, adam_rate=1.5e-3 * rate, plain=("conv_in", "conv_out", "time_embedding")
    )  # fmt: skip
    run = Training(f"small-{how}", student, optimizer, 0.99)
    progress = Progress(f"small, {how}", steps)
    for step in range(run.first, steps):
        generator = torch.Generator().manual_seed(seed * 1_000_003 + step)
        rows = torch.randint(len(latents), (BATCH,), generator=generator)
        variant = torch.randint(captions.shape[1], (BATCH,), generator=generator)
        dropped = torch.rand(BATCH, generator=generator) < CAPTION_DROPOUT
        ids = torch.where(dropped[:, None], empty, captions[rows, variant].long())
        with torch.no_grad(), torch.autocast(device.type, torch.bfloat16):
            states = pipeline.text_encoder(ids.to(device)).last_hidden_state
        loss = loss_of(student, teacher, kept, latents[rows].float().to(device), states, generator)
        optimizer.step(loss, cosine_rate(step, steps))
        run.average.update(student)
        progress.step(step + 1, f"loss {loss.item():.4f}")
        if (step + 1) % 100 == 0 or step + 1 == steps:
            run.save(step + 1)
    student.load_state_dict(run.average.values)
    student.set_default_attn_processor()
    return student.float().eval()


def store(student: UNet2DConditionModel) -> None:
    """Write the U-Net as FP16."""
    student.half().save_pretrained(FOLDER / "unet", max_shard_size="8MB")


def main() -> None:
    """Train one of the two, and store it if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--how", choices=["scratch", "distilled"], required=True)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--store", action="store_true", help="write this one into the folder")
    options = parser.parse_args()
    student = train(options.how, options.steps)
    if options.store:
        store(student)


if __name__ == "__main__":
    main()
