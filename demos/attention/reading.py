"""The diffusion model's side: its U-Net draws or reads a picture with its caption while attention is recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from demos.attention.controls import randomized_attention
from demos.attention.maps import Choice, Strip, token_maps, word_map
from demos.attention.recorder import Recording, record, resize
from demos.attention.words import Word
from shared.devices import generators, wait_for
from shared.models import Loaded
from shared.sampling import Encoded, Plan, Rows, Sampling, ask_unet, decode

GUIDANCE, STEPS = 5.0, 20
STRIP_TIMESTEPS = (20, 100, 300, 500, 700, 900)


@dataclass(frozen=True)
class Read:
    """What was recorded: the maps of all tokens [tokens, height, width], seconds, and one map of the word for each
    step or timestep."""

    maps: Tensor
    seconds: float
    steps: Strip


def draw(
    loaded: Loaded, encoded: Encoded, seed: int, choice: Choice, phrase: Sequence[Word], tell: Callable[[int], None]
) -> tuple[Image.Image, Read]:
    """The pipeline's picture of the prompt, its cross-attention recorded on the way and averaged over all steps
    (Tang et al. 2022, arXiv 2210.04885, section 3, with a mean for their sum)."""
    run = Sampling(loaded.model, encoded, Plan(GUIDANCE, STEPS, "ddim"), (seed,))
    heard: dict[str, Tensor] = {}
    frames: list[Tensor] = []
    started = perf_counter()
    with record(
        loaded.model.unet, guided=True, unfused=not loaded.row.big, choose=choice,
        hear=lambda name, found: heard.__setitem__(name, word_map(found[:1], phrase)),
    ) as recording:  # fmt: skip
        while not run.finished:
            run.step()
            size = max((m.shape[-2:] for m in heard.values()), key=lambda s: s[0] * s[1])
            frames.append(torch.stack([resize(m, tuple(size)) for m in heard.values()]).mean((0, 1)).cpu())  # pyright: ignore[reportArgumentType]
            tell(1)
    wait_for(loaded.device)
    seconds = perf_counter() - started
    names = tuple(f"step {i + 1}" for i in range(len(frames)))
    picture = decode(loaded.model, run.latents)[0]
    strip = Strip("step", names, torch.stack(frames).numpy())
    return picture, Read(token_maps(recording, choice)[0].cpu(), seconds, strip)


def read(
    loaded: Loaded, encoded: Encoded, latents: Tensor, seed: int, timestep: int, choice: Choice,
    phrase: Sequence[Word], tell: Callable[[int], None],
) -> Read:  # fmt: skip
    """The picture's latents [1, c, h, w] noised to `timestep` and read once with the caption; and the word's map at
    other timesteps, made before, so that the timed call is not the first."""
    frames = []
    for t in STRIP_TIMESTEPS:
        found, _, _ = look(loaded, encoded, latents, (seed,), t, choice)
        frames.append(word_map(found[0], phrase))
        tell(1)
    maps, _, seconds = look(loaded, encoded, latents, (seed,), timestep, choice)
    tell(1)
    names = tuple(f"timestep {t}" for t in STRIP_TIMESTEPS)
    return Read(maps[0], seconds, Strip("timestep", names, torch.stack(frames).numpy()))


def look(
    loaded: Loaded, encoded: Encoded, latents: Tensor, seeds: Sequence[int], timestep: int, choice: Choice,
    heads: bool = False,
) -> tuple[Tensor, Recording, float]:  # fmt: skip
    """One U-Net call on latents [n, c, h, w] noised to `timestep`, each with its seed's noise: the maps of all tokens
    [n, tokens, h, w] on the CPU, the recording, and seconds."""
    pipeline = loaded.model
    noisy = add_noise(pipeline, latents, seeds, timestep)
    asked = Sampling(pipeline, encoded, Plan(1.0, 1, "ddim"), tuple(seeds)).ask()
    times = torch.full((len(noisy),), float(timestep), device=noisy.device)
    started = perf_counter()
    with record(pipeline.unet, heads=heads, unfused=not loaded.row.big, choose=choice) as recording:
        ask_unet(pipeline, Rows(noisy, times, asked.inputs))
    wait_for(loaded.device)
    return token_maps(recording, choice).cpu(), recording, perf_counter() - started


def look_at_random(
    loaded: Loaded, encoded: Encoded, latents: Tensor, seeds: Sequence[int], timestep: int, choice: Choice,
    random_seed: int,
) -> Tensor:  # fmt: skip
    """The same look with the cross-attention's queries and keys random: [n, tokens, h, w]."""
    with randomized_attention(loaded.model.unet, random_seed):
        return look(loaded, encoded, latents, seeds, timestep, choice)[0]


@torch.inference_mode()
def to_latents(loaded: Loaded, pictures: Sequence[Image.Image]) -> Tensor:
    """Pictures as the autoencoder's latents [n, c, h, w], scaled as the U-Net wants them."""
    pipeline: Any = loaded.model
    side = unet_side(loaded)
    sized = [p if p.size == (side, side) else p.resize((side, side), Image.Resampling.BICUBIC) for p in pictures]
    pixels = torch.from_numpy(np.stack([np.asarray(p.convert("RGB")) for p in sized]))
    x = pixels.permute(0, 3, 1, 2).float().div_(127.5).sub_(1)
    parts = []
    for part in x.split(16):
        found = pipeline.vae.encode(part.to(pipeline.vae.device, pipeline.vae.dtype))
        parts.append(found.latents if hasattr(found, "latents") else found.latent_dist.mode())
    return torch.cat(parts).float() * pipeline.vae.config.scaling_factor


def unet_side(loaded: Loaded) -> int:
    """The side of the square pictures that the pipeline draws, in pixels."""
    size = loaded.model.unet.config.sample_size
    return (size if isinstance(size, int) else size[0]) * loaded.model.vae_scale_factor


def add_noise(pipeline: Any, latents: Tensor, seeds: Sequence[int], timestep: int) -> Tensor:
    """x_t = sqrt(alpha_bar_t) x_0 + sqrt(1 - alpha_bar_t) e (Ho et al. 2020, arXiv 2006.11239, eq. 4), with e from
    each row's seed, in the U-Net's format."""
    share = float(pipeline.scheduler.alphas_cumprod[timestep])
    noise = torch.stack([torch.randn(latents.shape[1:], generator=g) for g in generators(seeds)]).to(latents.device)
    mixed = share**0.5 * latents + (1 - share) ** 0.5 * noise
    return mixed.to(pipeline.unet.device, pipeline.unet.dtype)
