"""The reverse process over a Stable Diffusion pipeline's own parts, one step at a time.

The pictures are those of `StableDiffusionPipeline.__call__` with the same generators; what the loop adds is what a
comparison needs: the predicted clean picture at chosen steps, a place to stop between U-Net calls, each prompt encoded
once, and no prediction computed whose weight is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from diffusers import (
    DDIMScheduler,
    DDPMScheduler,
    DPMSolverMultistepScheduler,
    EulerDiscreteScheduler,
    StableDiffusionPipeline,
)
from PIL import Image
from torch import Tensor

from shared.demo import DemoError
from shared.devices import generators

SchedulerName = Literal["ddim", "dpm++", "euler", "ddpm"]
UNIT = "U-Net calls"

# Latents may exceed 1, so the clean latents must not be clipped to it, whatever the stored configuration leaves open.
_SCHEDULERS: dict[str, Callable[[Any], Any]] = {
    "ddim": lambda config: DDIMScheduler.from_config(config, clip_sample=False),
    "dpm++": lambda config: DPMSolverMultistepScheduler.from_config(config),
    "euler": lambda config: EulerDiscreteScheduler.from_config(config),
    "ddpm": lambda config: DDPMScheduler.from_config(config, clip_sample=False),
}


@dataclass(frozen=True)
class Plan:
    """How to sample: the guidance scale w, the number of steps and the scheduler."""

    guidance: float
    steps: int
    scheduler: SchedulerName


@dataclass(frozen=True)
class Encoded:
    """A prompt and what stands for "no prompt" (the negative prompt, else the empty one), each [1, tokens, width].

    `cut` is the end of the prompt that did not fit the text encoder, empty where all of it did.
    """

    prompt: Tensor
    empty: Tensor
    cut: str = ""


def make_scheduler(pipeline: StableDiffusionPipeline, name: str) -> Any:
    """A fresh scheduler of that name on the noise schedule that the pipeline's U-Net was trained with."""
    return _SCHEDULERS[name](pipeline.scheduler.config)


@torch.inference_mode()
def encode(pipeline: StableDiffusionPipeline, prompt: str, negative_prompt: str = "") -> Encoded:
    """Both texts through the text encoder. What does not fit is cut off, and `cut` says what that was."""
    wanted, empty = pipeline.encode_prompt(prompt, pipeline.unet.device, 1, True, negative_prompt=negative_prompt)
    assert empty is not None  # asked for by True
    return Encoded(wanted, empty, cut_text(pipeline.tokenizer, prompt))


def cut_text(tokenizer: Any, text: str) -> str:
    """The end of the text, from the first word that does not fit into the tokenizer's length; empty if all fits."""
    limit = tokenizer.model_max_length

    def fits(part: str) -> bool:
        return len(tokenizer(part, verbose=False).input_ids) <= limit

    if fits(text):
        return ""
    words = text.split()
    low, high = 0, len(words)  # the first `low` words fit, the first `high` do not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(" ".join(words[:middle])) else (low, middle)
    return " ".join(words[low:])


def film_steps(steps: int, frames: int = 6) -> tuple[int, ...]:
    """The steps (counted from 1) that a film shows: the first, the last, and evenly spread ones between."""
    spread = {max(1, round(steps * k / (frames - 1))) for k in range(frames)}
    return tuple(sorted(spread))


class Sampling:
    """One run: latents [samples, channels, height, width] on their way from noise to a picture.

    Classifier-free guidance (Ho and Salimans 2022, arXiv 2207.12598) in the pipeline's form, with the noise predicted
    without the prompt e0 and with it e1: e = e0 + w (e1 - e0). At w = 1 this is e1 and at w = 0 it is e0, so only that
    one is computed. (The pipeline class turns guidance off at every w up to 1 and then draws e1 alone.)

    `calls` counts U-Net evaluations per sample as they are made; `clean` holds, for the steps in `keep`, the first
    sample's predicted clean latents [channels, height, width].
    """

    def __init__(
        self,
        pipeline: StableDiffusionPipeline,
        encoded: Encoded,
        plan: Plan,
        seeds: Sequence[int],
        keep: Sequence[int] = (),
    ) -> None:
        self.pipeline = pipeline
        self.plan = plan
        self.keep = frozenset(keep)
        self.clean: dict[int, Tensor] = {}
        self.calls = 0
        self.done = 0
        unet = pipeline.unet
        self.scheduler = make_scheduler(pipeline, plan.scheduler)
        self.scheduler.set_timesteps(plan.steps, device=unet.device)
        self.timesteps = self.scheduler.timesteps
        self._generators = generators(seeds)
        halves = {0.0: [encoded.empty], 1.0: [encoded.prompt]}.get(plan.guidance, [encoded.empty, encoded.prompt])
        self.halves = len(halves)
        self._text = torch.cat([half.expand(len(seeds), -1, -1) for half in halves])
        size = unet.config.sample_size
        height, width = (size, size) if isinstance(size, int) else size
        shape = (unet.config.in_channels, height, width)
        noise = torch.stack([torch.randn(shape, generator=g) for g in self._generators])
        self.latents = noise.to(unet.device, unet.dtype) * self.scheduler.init_noise_sigma

    @property
    def total_calls(self) -> int:
        """U-Net evaluations per sample that the whole run makes."""
        return self.halves * len(self.timesteps)

    @property
    def finished(self) -> bool:
        """Whether every step is done."""
        return self.done == len(self.timesteps)

    @torch.inference_mode()
    def predict(self, t: Tensor) -> Tensor:
        """The noise that the U-Net sees in the latents at timestep t, guidance applied; [samples, c, h, w]."""
        both = torch.cat([self.latents] * self.halves) if self.halves > 1 else self.latents
        both = self.scheduler.scale_model_input(both, t)
        noise = self.pipeline.unet(both, t, encoder_hidden_states=self._text, return_dict=False)[0]
        if self.halves == 1:
            return noise
        without, with_prompt = noise.chunk(2)
        return without + self.plan.guidance * (with_prompt - without)

    @torch.inference_mode()
    def step(self) -> None:
        """One step of the reverse process: predict the noise, take a part of it away."""
        t = self.timesteps[self.done]
        noise = self.predict(t)
        self.calls += self.halves
        # Only DDPM draws new noise in a step; each sample has a generator of its own, so batches do not matter.
        extra = {"generator": self._generators} if self.plan.scheduler == "ddpm" else {}
        result = self.scheduler.step(noise, t, self.latents, **extra)
        self.latents = result.prev_sample
        self.done += 1
        if self.done in self.keep:
            self.clean[self.done] = self._clean(result)[0]

    def _clean(self, result: Any) -> Tensor:
        # DPM-Solver++ works on the predicted clean latents themselves and keeps the last ones.
        found = getattr(result, "pred_original_sample", None)
        return found if found is not None else self.scheduler.model_outputs[-1]

    def noise_levels(self) -> np.ndarray:
        """The noise's standard deviation at each step's start, sqrt(1 - alpha_bar), 0..1; float [steps]."""
        alphas = self.scheduler.alphas_cumprod.cpu().numpy()
        steps = np.clip(np.rint(self.timesteps.cpu().numpy()).astype(int), 0, len(alphas) - 1)
        return np.sqrt(1 - alphas[steps])


@torch.inference_mode()
def decode(pipeline: StableDiffusionPipeline, latents: Tensor) -> list[Image.Image]:
    """Latents [n, c, h, w] as n RGB pictures, by the autoencoder. Raises DemoError where they are not numbers."""
    vae = pipeline.vae
    decoded = vae.decode(latents / vae.config.scaling_factor, return_dict=False)[0]
    pixels = (decoded.float() / 2 + 0.5).clamp(0, 1)
    if not bool(torch.isfinite(pixels).all()):
        raise DemoError("The numbers of a picture overflowed: try a lower guidance scale or more steps.")
    array = (pixels * 255).round().to(torch.uint8).permute(0, 2, 3, 1).cpu().numpy()
    return [Image.fromarray(picture) for picture in array]
