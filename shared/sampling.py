"""The reverse process over a Stable Diffusion pipeline's own parts, one step at a time.

The pictures are those of `StableDiffusionPipeline.__call__` with the same generators; what the loop adds is what a
comparison needs: the predicted clean picture at chosen steps, a place to stop between U-Net calls, each prompt encoded
once, and no prediction computed whose weight is zero. `shared.batching` takes many runs to their ends together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import torch
from diffusers import (
    DDIMScheduler,
    DDPMScheduler,
    DPMSolverMultistepScheduler,
    EulerDiscreteScheduler,
    LCMScheduler,
    StableDiffusionPipeline,
)
from diffusers.pipelines.stable_diffusion.pipeline_stable_diffusion import rescale_noise_cfg
from PIL import Image
from torch import Tensor

from shared.demo import DemoError
from shared.devices import generators

SchedulerName = Literal["ddim", "dpm++", "euler", "ddpm", "lcm"]
UNIT = "U-Net calls"
MOST_PIXELS = 32 * 128 * 128
"""The autoencoder decodes so many pixels at a time: 32 small pictures, or two of 512 pixels."""

# Latents may exceed 1, so the clean latents must not be clipped to it, whatever the stored configuration leaves open.
_SCHEDULERS: dict[str, Callable[[Any], Any]] = {
    "ddim": lambda config: DDIMScheduler.from_config(config, clip_sample=False),
    "dpm++": lambda config: DPMSolverMultistepScheduler.from_config(config),
    "euler": lambda config: EulerDiscreteScheduler.from_config(config),
    "ddpm": lambda config: DDPMScheduler.from_config(config, clip_sample=False),
}


@dataclass(frozen=True)
class Plan:
    """How to sample: the guidance scale w, the number of steps, the scheduler, and two remedies for too much guidance.

    `rescale` (0..1) brings the guided prediction's spread back to that of the prediction with the prompt (Lin et al.
    2024, arXiv 2305.08891, eq. 15-16). `start` and `until` are shares of the steps: guidance acts only between them,
    and outside the prediction with the prompt is taken alone (Kynkäänniemi et al. 2024, arXiv 2404.07724, who give
    the interval in noise levels).
    """

    guidance: float
    steps: int
    scheduler: SchedulerName
    rescale: float = 0.0
    start: float = 0.0
    until: float = 1.0

    def guides(self, step: int) -> bool:
        """Whether guidance acts in a step, counted from 0."""
        return round(self.start * self.steps) <= step < round(self.until * self.steps)


@dataclass(frozen=True)
class Encoded:
    """A prompt and what stands for "no prompt" (the negative prompt, else the empty one), each [1, tokens, width].

    Several prompts, one a sample, are [samples, tokens, width]. `pooled` and `pooled_empty` [1 or samples, width] are
    what SDXL reads besides. `cut` is the end of the prompt that did not fit the text encoder, empty where all did.
    """

    prompt: Tensor
    empty: Tensor
    cut: str = ""
    pooled: Tensor | None = None
    pooled_empty: Tensor | None = None

    def of(self, positions: Sequence[int]) -> Encoded:
        """The prompts at some positions."""
        pooled = None if self.pooled is None else self.pooled[list(positions)]
        return replace(self, prompt=self.prompt[list(positions)], pooled=pooled)


@dataclass(frozen=True)
class Rows:
    """What the U-Net is asked: for each row noisy latents [rows, c, h, w], a timestep [rows], and by name what else it
    reads (the text, [rows, tokens, width])."""

    latents: Tensor
    timesteps: Tensor
    inputs: Mapping[str, Tensor]


def join_rows(parts: Sequence[Rows]) -> Rows:
    """All rows of all parts, in order."""
    inputs = {name: torch.cat([p.inputs[name] for p in parts]) for name in parts[0].inputs}
    return Rows(torch.cat([p.latents for p in parts]), torch.cat([p.timesteps for p in parts]), inputs)


@torch.inference_mode()
def ask_unet(pipeline: StableDiffusionPipeline, rows: Rows) -> Tensor:
    """One U-Net call: the noise it sees in every row, [rows, c, h, w]. Rows may stand at different timesteps."""
    inputs = dict(rows.inputs)
    added = {name: inputs.pop(name) for name in ("text_embeds", "time_ids") if name in inputs}
    return pipeline.unet(
        rows.latents, rows.timesteps, **inputs, added_cond_kwargs=added or None, return_dict=False
    )[0]  # fmt: skip


def takes_scale(pipeline: StableDiffusionPipeline) -> bool:
    """Whether the U-Net reads the guidance scale as an input, as a latent consistency model does."""
    return getattr(pipeline.unet.config, "time_cond_proj_dim", None) is not None


def keeps_scheduler(pipeline: StableDiffusionPipeline) -> bool:
    """Whether the model was distilled for its own scheduler, as latent consistency models are."""
    return takes_scale(pipeline) or isinstance(pipeline.scheduler, LCMScheduler)


def make_scheduler(pipeline: StableDiffusionPipeline, name: str) -> Any:
    """A fresh scheduler of that name on the noise schedule that the pipeline's U-Net was trained with.

    A latent consistency model keeps the one it was distilled for.
    """
    if keeps_scheduler(pipeline):
        return type(pipeline.scheduler).from_config(pipeline.scheduler.config)
    return _SCHEDULERS[name](pipeline.scheduler.config)


@torch.inference_mode()
def encode(pipeline: StableDiffusionPipeline, prompt: str, negative_prompt: str = "") -> Encoded:
    """Both texts through the text encoder. What does not fit is cut off, and `cut` says what that was."""
    found = pipeline.encode_prompt(
        prompt, device=pipeline.unet.device, num_images_per_prompt=1, do_classifier_free_guidance=True,
        negative_prompt=negative_prompt or None,
    )  # fmt: skip
    wanted, empty, *pooled = found
    assert empty is not None  # asked for by do_classifier_free_guidance
    return Encoded(wanted, empty, cut_text(pipeline.tokenizer, prompt), *pooled)


@torch.inference_mode()
def encode_many(pipeline: StableDiffusionPipeline, prompts: Sequence[str], batch: int = 50) -> Encoded:
    """Prompts of one sample each, without a negative one."""
    parts: list[Sequence[Tensor]] = []
    for start in range(0, len(prompts), batch):
        parts.append(
            pipeline.encode_prompt(
                list(prompts[start : start + batch]), device=pipeline.unet.device, num_images_per_prompt=1,
                do_classifier_free_guidance=True,
            )  # pyright: ignore[reportArgumentType]
        )  # fmt: skip
    wanted, _, *pooled = (torch.cat([part[i] for part in parts]) for i in range(len(parts[0])))
    return Encoded(wanted, parts[0][1][:1], "", *pooled[:1], *(p[:1] for p in pooled[1:]))


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
    one is computed. (The pipeline class turns guidance off at every w up to 1 and then draws e1 alone.) A latent
    consistency model reads w itself, so it is asked once.

    `calls` counts U-Net evaluations per sample as they are made; `clean` holds, for the steps in `keep`, the first
    sample's predicted clean latents [channels, height, width], and `noisy` its latents after them. `failed` says why
    a run that is taken together with others could not go on.
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
        self.encoded = encoded
        self.plan = plan
        self.seeds = tuple(seeds)
        self.samples = len(seeds)
        self.keep = frozenset(keep)
        self.clean: dict[int, Tensor] = {}
        self.noisy: dict[int, Tensor] = {}
        self.calls = 0
        self.done = 0
        self.failed = ""
        unet = pipeline.unet
        self.scheduler = make_scheduler(pipeline, plan.scheduler)
        most = self.scheduler.config.get("original_inference_steps")
        if most is not None and plan.steps > most:
            raise DemoError(f"This model was distilled for at most {most} steps: {plan.steps} are too many.")
        self.scheduler.set_timesteps(plan.steps, device=unet.device)
        self.timesteps = self.scheduler.timesteps
        self._generators = generators(seeds)
        self._draws_noise = plan.scheduler == "ddpm" or keeps_scheduler(pipeline)
        size = unet.config.sample_size
        height, width = (size, size) if isinstance(size, int) else size
        shape = (unet.config.in_channels, height, width)
        self._inputs = _inputs(pipeline, encoded, plan.guidance, self.samples, (height, width))
        noise = torch.stack([torch.randn(shape, generator=g) for g in self._generators])
        self.latents = noise.to(unet.device, unet.dtype) * self.scheduler.init_noise_sigma

    def sources(self, step: int) -> tuple[str, ...]:
        """Which predictions a step (counted from 0) needs: with the prompt, without it ("empty"), or both."""
        if takes_scale(self.pipeline) or self.plan.guidance == 1 or not self.plan.guides(step):
            return ("prompt",)
        return ("empty",) if self.plan.guidance == 0 else ("empty", "prompt")

    @property
    def rows(self) -> int:
        """How many rows the next step asks of the U-Net."""
        return self.samples * len(self.sources(self.done))

    @property
    def total_calls(self) -> int:
        """U-Net evaluations per sample that the whole run makes."""
        return sum(len(self.sources(step)) for step in range(len(self.timesteps)))

    @property
    def finished(self) -> bool:
        """Whether every step is done."""
        return self.done == len(self.timesteps)

    @torch.inference_mode()
    def ask(self) -> Rows:
        """What the next step asks of the U-Net: first all samples without the prompt, then all with it."""
        t, wanted = self.timesteps[self.done], self.sources(self.done)
        scaled = self.scheduler.scale_model_input(self.latents, t)
        latents = torch.cat([scaled] * len(wanted)) if len(wanted) > 1 else scaled
        inputs = {name: torch.cat([self._inputs[w][name] for w in wanted]) for name in self._inputs["prompt"]}
        return Rows(latents, t.reshape(1).repeat(len(latents)).float(), inputs)

    @torch.inference_mode()
    def mix(self, predicted: Tensor) -> Tensor:
        """The U-Net's answer to `ask`, guidance applied; [samples, c, h, w]."""
        if len(self.sources(self.done)) == 1:
            return predicted
        without, with_prompt = predicted.chunk(2)
        mixed = without + self.plan.guidance * (with_prompt - without)
        return rescale_noise_cfg(mixed, with_prompt, self.plan.rescale) if self.plan.rescale else mixed

    def predict(self) -> Tensor:
        """The noise that the U-Net sees in the latents now, guidance applied; [samples, c, h, w]."""
        return self.mix(ask_unet(self.pipeline, self.ask()))

    def step(self) -> None:
        """One step of the reverse process: predict the noise, take a part of it away."""
        self.advance(self.predict())

    @torch.inference_mode()
    def advance(self, noise: Tensor) -> None:
        """The step itself, given the noise [samples, c, h, w] that `mix` gave."""
        t = self.timesteps[self.done]
        self.calls += len(self.sources(self.done))
        # Each sample draws new noise from a generator of its own, so batches do not matter.
        extra = {"generator": self._generators} if self._draws_noise else {}
        result = self.scheduler.step(noise, t, self.latents, **extra)
        self.latents = result.prev_sample
        self.done += 1
        if self.done in self.keep:
            self.clean[self.done] = self._clean(result)[0]
            self.noisy[self.done] = self.latents[0]

    def take_over(self, latents: Tensor, calls: int, failed: str) -> None:
        """Take over the end that this run came to in another process."""
        self.latents = latents.to(self.latents)
        self.calls, self.failed = calls, failed
        self.done = self.done if failed else len(self.timesteps)

    def _clean(self, result: Any) -> Tensor:
        # DPM-Solver++ works on the predicted clean latents themselves and keeps the last ones.
        found = getattr(result, "pred_original_sample", getattr(result, "denoised", None))
        return found if found is not None else self.scheduler.model_outputs[-1]

    def noise_levels(self) -> np.ndarray:
        """The noise's standard deviation at each step's start, sqrt(1 - alpha_bar), 0..1; float [steps]."""
        alphas = self.scheduler.alphas_cumprod.cpu().numpy()
        steps = np.clip(np.rint(self.timesteps.cpu().numpy()).astype(int), 0, len(alphas) - 1)
        return np.sqrt(1 - alphas[steps])


def _inputs(
    pipeline: StableDiffusionPipeline, encoded: Encoded, guidance: float, samples: int, size: tuple[int, int]
) -> dict[str, dict[str, Tensor]]:
    """For "prompt" and "empty", what the U-Net reads beside the latents, a row for each sample."""
    found: dict[str, dict[str, Tensor]] = {}
    texts = {"empty": (encoded.empty, encoded.pooled_empty), "prompt": (encoded.prompt, encoded.pooled)}
    for source, (text, pooled) in texts.items():
        inputs = {"encoder_hidden_states": text.expand(samples, -1, -1)}
        if pooled is not None:
            # SDXL is told the size it was trained at, and that nothing was cut off (Podell et al. 2023, section 2.2).
            height, width = (side * pipeline.vae_scale_factor for side in size)
            told = torch.tensor([height, width, 0, 0, height, width], dtype=text.dtype, device=text.device)
            inputs |= {"text_embeds": pooled.expand(samples, -1), "time_ids": told.expand(samples, -1)}
        if takes_scale(pipeline):
            # The pipeline's w is that of Imagen, one more than the w of the LCM paper (Luo et al. 2023).
            w = torch.full((samples,), guidance - 1.0)
            width = pipeline.unet.config.time_cond_proj_dim
            embedded = pipeline.get_guidance_scale_embedding(w, embedding_dim=width)
            inputs["timestep_cond"] = embedded.to(text.device, text.dtype)
        found[source] = inputs
    return found


@torch.inference_mode()
def decode(pipeline: StableDiffusionPipeline, latents: Tensor) -> list[Image.Image]:
    """Latents [n, c, h, w] as n RGB pictures, by the autoencoder. Raises DemoError where they are not numbers.

    A picture that the pipeline's safety checker flags comes back blank; `is_held_back` tells.
    """
    vae = pipeline.vae
    at_once = max(1, MOST_PIXELS // (latents[0, 0].numel() * pipeline.vae_scale_factor**2))
    pictures: list[Image.Image] = []
    for part in latents.split(at_once):
        decoded = vae.decode(part.to(vae.dtype) / vae.config.scaling_factor, return_dict=False)[0]
        pixels = (decoded.float() / 2 + 0.5).clamp(0, 1)
        if not bool(torch.isfinite(pixels).all()):
            raise DemoError("The numbers of a picture overflowed: try a lower guidance scale or more steps.")
        array = (pixels * 255).round().to(torch.uint8).permute(0, 2, 3, 1).cpu().numpy()
        pictures += _hold_back(pipeline, [Image.fromarray(picture) for picture in array])
    return pictures


def _hold_back(pipeline: StableDiffusionPipeline, pictures: list[Image.Image]) -> list[Image.Image]:
    checker = getattr(pipeline, "safety_checker", None)
    if checker is None:
        return pictures
    extractor: Any = pipeline.feature_extractor
    seen = extractor(pictures, return_tensors="pt").pixel_values
    arrays = np.stack([np.asarray(p, dtype=np.float32) / 255 for p in pictures])
    _, flags = checker(images=arrays, clip_input=seen.to(pipeline.unet.device, pipeline.unet.dtype))
    return [_blank(p) if flag else p for p, flag in zip(pictures, flags, strict=True)]


def _blank(picture: Image.Image) -> Image.Image:
    blank = Image.new("RGB", picture.size, "#9aa0a6")
    blank.info["held back"] = True
    return blank


def is_held_back(picture: Image.Image) -> bool:
    """Whether `decode` left the picture blank because the safety checker flagged it."""
    return bool(picture.info.get("held back"))


def shown_latents(latents: Tensor, pictures: Sequence[Image.Image]) -> np.ndarray:
    """The latents [n, c, h, w] of those pictures that were not held back, as float32."""
    kept = [i for i, picture in enumerate(pictures) if not is_held_back(picture)]
    return latents[kept].float().cpu().numpy()
