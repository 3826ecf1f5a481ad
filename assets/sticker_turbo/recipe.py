"""Makes sticker_turbo: `python -m assets.sticker_turbo.recipe`. Seeded, resumable, a GPU is used if there.

sticker_diffusion's U-Net distilled to draw in a few steps without guidance: latent consistency distillation (Luo et
al. 2023, arXiv 2310.04378) of low-rank changes only (LCM-LoRA, Luo et al. 2023, arXiv 2311.05556). The teacher's
guidance is distilled with it, at one fixed scale. The student is its own target, without an average (Song and Dhariwal
2023, arXiv 2310.14189).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch
from diffusers import LCMScheduler, StableDiffusionPipeline, UNet2DConditionModel
from diffusers.models.attention_processor import AttnProcessor
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from assets.sticker_diffusion import text
from assets.sticker_diffusion.denoiser import LATENT_SPREAD
from assets.sticker_diffusion.recipe import FOLDER as TEACHER
from assets.sticker_diffusion.recipe import training_latents
from shared.low_rank import add_changes, factors, put_back
from shared.training import Optimizer, Progress, Training, cosine_rate, scenes, training_device

FOLDER = Path(__file__).parent
WEIGHTS = FOLDER / "unet_changes.safetensors"
GUIDANCE = 3.0  # of the teacher, whose adherence is best there
GRID = 20  # timesteps that the student knows: 49, 99, ... 999
RANK = 16
SCENES = 12_000  # the first of those that the teacher saw: it is the teacher that is learned from
BATCH = 64
HUBER = 0.05  # where the loss turns from squared to absolute, in standard deviations of the latents


def clean(x: Tensor, noise: Tensor, kept: Tensor) -> Tensor:
    """The predicted clean latents for noisy x [b, c, h, w], the predicted noise and alpha_bar [b, 1, 1, 1]."""
    return (x - (1 - kept).sqrt() * noise) / kept.sqrt()


def huber(error: Tensor) -> Tensor:
    """Pseudo-Huber loss of every sample [b]: sqrt(mean of squares + c^2) - c, in the latents' standard deviations."""
    return ((error / LATENT_SPREAD).square().mean((1, 2, 3)) + HUBER**2).sqrt() - HUBER


class Distillation:
    """Teacher and student on the same noise schedule; `loss` is one step of consistency distillation."""

    def __init__(self, pipeline: StableDiffusionPipeline, student: nn.Module) -> None:
        self.teacher, self.text, self.student = pipeline.unet, pipeline.text_encoder, student
        self.kept = pipeline.scheduler.alphas_cumprod
        self.grid = torch.arange(1, GRID + 1) * (len(self.kept) // GRID) - 1

    def level(self, steps: Tensor) -> Tensor:
        """alpha_bar of timesteps [b], [b, 1, 1, 1]; below 0 nothing is noise."""
        found = torch.where(steps >= 0, self.kept[steps.clamp(min=0)], torch.ones(()))
        return found[:, None, None, None]

    def loss(self, x: Tensor, ids: Tensor, empty: Tensor, generator: torch.Generator) -> Tensor:
        """For clean latents [b, c, h, w] and token ids [b, tokens]: the student at a noise level against itself one
        step of the guided teacher further on; at the last step against the teacher's clean latents."""
        device = x.device
        index = torch.randint(GRID, (len(x),), generator=generator)
        now, after = self.grid[index], torch.where(index > 0, self.grid[(index - 1).clamp(min=0)], -1)
        noise = torch.randn(x.shape, generator=generator).to(device)
        kept, kept_after = self.level(now).to(device), self.level(after).to(device)
        noisy = kept.sqrt() * x + (1 - kept).sqrt() * noise
        with torch.autocast(device.type, torch.bfloat16):
            with torch.no_grad():
                states = self.text(torch.cat([empty.expand(len(x), -1), ids])).last_hidden_state
                both = self.teacher(torch.cat([noisy] * 2), torch.cat([now] * 2).to(device), states).sample.float()
                without, with_prompt = both.chunk(2)
                guided = without + GUIDANCE * (with_prompt - without)
                reached = kept_after.sqrt() * clean(noisy, guided, kept) + (1 - kept_after).sqrt() * guided
                words = states[len(x) :]
                seen = self.student(reached, after.clamp(min=0).to(device), words).sample.float()
                target = torch.where(kept_after < 1, clean(reached, seen, kept_after.clamp(max=0.9999)), reached)
            seen = self.student(noisy, now.to(device), words).sample.float()
        # Small errors of the predicted noise are large ones of the picture where nearly all is noise.
        return huber(clean(noisy, seen, kept) - target).mean()


def train(steps: int, fresh: bool, seed: int = 0, rate: float = 1.0) -> dict[str, Tensor]:
    """Distill, and give back the averaged changes of the teacher's weights."""
    device = training_device()
    torch.manual_seed(seed)
    pipeline = StableDiffusionPipeline.from_pretrained(TEACHER, safety_checker=None, requires_safety_checker=False)
    pipeline.to(device)
    student = UNet2DConditionModel.from_pretrained(TEACHER / "unet").float().to(device)
    changes = add_changes(student, RANK)
    if not fresh and WEIGHTS.exists():
        put_back(changes, load_file(WEIGHTS))
    for network in (pipeline.unet, student):
        network.set_attn_processor(AttnProcessor())  # twice as fast as the fused one on a CPU, with gradients
    trained = nn.ModuleDict({name.replace(".", "/"): change for name, change in changes.items()}).to(device)
    latents = training_latents(pipeline.vae, SCENES)
    chosen = scenes(SCENES, seed=1)
    captions = text.caption_ids(pipeline.tokenizer, chosen)
    empty = text.tokenize(pipeline.tokenizer, [""]).to(device)
    distillation = Distillation(pipeline, student.train())
    optimizer = Optimizer(trained, muon_rate=0.005 * rate, adam_rate=1e-3 * rate)
    run = Training("turbo", trained, optimizer, 0.995)
    progress = Progress("turbo", steps)
    for step in range(run.first, steps):
        generator = torch.Generator().manual_seed(seed * 1_000_003 + step)
        rows = torch.randint(len(latents), (BATCH,), generator=generator)
        variant = torch.randint(captions.shape[1], (BATCH,), generator=generator)
        ids = captions[rows, variant].long().to(device)
        loss = distillation.loss(latents[rows].float().to(device), ids, empty, generator)
        optimizer.step(loss, cosine_rate(step, steps))
        run.average.update(trained)
        progress.step(step + 1, f"loss {loss.item():.4f}")
        if (step + 1) % 100 == 0 or step + 1 == steps:
            run.save(step + 1)
    trained.load_state_dict(run.average.values)
    return factors(changes)


def store(stored: dict[str, Tensor]) -> None:
    """Write the changes as FP16 and the scheduler that they were distilled for."""
    save_file({name: value.half().cpu().contiguous() for name, value in stored.items()}, WEIGHTS)
    config = json.loads((TEACHER / "scheduler" / "scheduler_config.json").read_text())
    scheduler = LCMScheduler.from_config(
        config, original_inference_steps=GRID, clip_sample=False, set_alpha_to_one=True
    )
    scheduler.save_pretrained(FOLDER / "scheduler")


def main() -> None:
    """Distill and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=1.0, help="share of the full learning rate")
    parser.add_argument("--fresh", action="store_true", help="do not start from the committed weights")
    options = parser.parse_args()
    store(train(options.steps, options.fresh, rate=options.rate))


if __name__ == "__main__":
    main()
