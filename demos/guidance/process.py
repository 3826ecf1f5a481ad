"""Forward and reverse: noise added to a true picture by a fixed schedule, and taken away again by the U-Net."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from demos.guidance.process_figure import process_figure
from demos.guidance.settings import ProcessSettings
from shared.comparison import Comparison, Measure, Side
from shared.demo import DemoError, Progress, no_progress
from shared.devices import environment, generators
from shared.models import Loaded, load_pipeline
from shared.sampling import UNIT, Plan, Sampling, decode, encode, keeps_scheduler
from shared.stickers import CaptionError, parse_caption, render

FRAMES = 8
FORWARD, REVERSE = "forward: fixed, no model runs", "reverse: the U-Net takes noise away"
_ADDED = "Squared weight of the noise in the mix, 1 - alpha_bar, when the process ends"
_DISTANCE = "Mean absolute difference of the last picture from the render, of 255; the forward process begins at it"


def run_process(settings: ProcessSettings, progress: Progress | None = None) -> Comparison:
    """Two sides and a figure: the render with ever more noise (forward), and from the same noise back (reverse).

    The forward process needs no model: x_t = sqrt(alpha_bar_t) x_0 + sqrt(1 - alpha_bar_t) e (Ho et al. 2020, arXiv
    2006.11239, eq. 4), on the autoencoder's latents of a render. The reverse process is DDIM from the same e. Frames
    of both stand at the same timesteps. Raises DemoError where the prompt is no scene, or the model can't be had, and
    whatever `progress` raises to stop the work.
    """
    progress = progress or no_progress
    try:
        scene = parse_caption(settings.prompt)
    except CaptionError as error:
        raise DemoError(f"The forward process needs a scene to render. {error}") from None
    loaded = load_pipeline(settings.model)
    if keeps_scheduler(loaded.model):
        raise DemoError(
            f"{loaded.row.name} has a scheduler of its own; the reverse process is shown with DDIM. "
            "Choose another model."
        )
    plan = Plan(settings.guidance, settings.steps, "ddim")
    kept = sorted({max(1, round(settings.steps * k / (FRAMES - 1))) for k in range(1, FRAMES)})
    with loaded.alone():
        encoded = encode(loaded.model, settings.prompt)
        run = Sampling(loaded.model, encoded, plan, (settings.seed,), keep=kept)
        truth = render(scene, run.latents.shape[-1] * loaded.model.vae_scale_factor, settings.seed)[0]
        start, times = run.latents[0], [*(int(t) for t in run.timesteps), 0]
        at = [0, *sorted({times[0], *(times[k] for k in kept)} - {0})]
        noised = add_noise(loaded, truth, at, settings.seed)
        progress(0, run.total_calls, UNIT)
        while not run.finished:
            run.step()
            progress(run.calls, run.total_calls, UNIT)
        back = [run.noisy[k] for k in reversed(kept)] + [start]
        forward = [truth, *decode(loaded.model, noised[1:])]
        reverse = decode(loaded.model, torch.stack(back))
    alphas = alpha_bars(loaded)
    noise = levels(alphas, at)
    sides = (
        _side(FORWARD, forward, at, noise, 0, truth),
        _side(REVERSE, reverse, at, noise, run.calls, truth),
    )
    return Comparison(
        demo="guidance",
        settings=settings.model_dump() | {"model": loaded.row.name},
        sides=sides,
        takeaway=say(run.calls, noise, loaded.row.name),
        environment=environment(
            loaded.device, loaded.dtype, "diffusers", "transformers", model=loaded.row.name, weights=loaded.origin
        ),
        figures=(process_figure(alphas, at, forward, reverse),),
    )


@torch.inference_mode()
def add_noise(loaded: Loaded, picture: Image.Image, timesteps: Sequence[int], seed: int) -> Tensor:
    """The picture's latents with the schedule's noise of each timestep, [timesteps, c, h, w]; at 0 there is none. The
    noise is the one that a run with this seed starts from."""
    vae = loaded.model.vae
    pixels = torch.from_numpy(np.asarray(picture).copy()).permute(2, 0, 1)[None].float().div_(127.5).sub_(1)
    found = vae.encode(pixels.to(vae.device, vae.dtype))
    latents = found.latents if hasattr(found, "latents") else found.latent_dist.mode()
    clean = latents.float().cpu() * vae.config.scaling_factor
    noise = torch.randn(clean.shape[1:], generator=generators((seed,))[0])
    share = torch.tensor(levels(alpha_bars(loaded), timesteps) ** 2, dtype=torch.float32)[:, None, None, None]
    return ((1 - share).sqrt() * clean + share.sqrt() * noise).to(loaded.model.unet.device, loaded.model.unet.dtype)


def alpha_bars(loaded: Loaded) -> np.ndarray:
    """The squared weight of the clean latents at each timestep of the model's noise schedule, [1000]."""
    return loaded.model.scheduler.alphas_cumprod.cpu().numpy()


def levels(alphas: np.ndarray, timesteps: Sequence[int]) -> np.ndarray:
    """The noise's standard deviation sqrt(1 - alpha_bar) at each timestep, 0 at timestep 0; [timesteps]."""
    return np.array([np.sqrt(1 - alphas[t]) if t else 0.0 for t in timesteps])


def _side(
    label: str, frames: Sequence[Image.Image], times: Sequence[int], noise: np.ndarray, calls: int, truth: Image.Image
) -> Side:
    """Frames from the least noise to the most, whichever way the process goes."""
    off = float(np.abs(np.asarray(frames[0], dtype=float) - np.asarray(truth, dtype=float)).mean())
    backwards = label == REVERSE
    shown, at = (frames[::-1], times[::-1]) if backwards else (frames, times)
    last = shown[-1]
    captions = [f"{'ends' if backwards else 'begins'} here"] + [str(t) for t in at]
    end = noise[0] if backwards else noise[-1]
    return Side(
        label,
        (
            Measure.exact("unet_calls", calls, "per picture", "neither", "The forward process is a formula"),
            Measure.exact("noise_at_the_end", float(end**2), "share", "neither", _ADDED),
            Measure.exact("difference_from_render", off, "of 255", "neither", _DISTANCE),
        ),
        (last if backwards else shown[0], *shown),
        arrays={"noise_levels": noise, "timesteps": np.array(times)},
        captions=tuple(captions),
    )


def say(calls: int, noise: np.ndarray, name: str) -> str:
    """What each process does, with this run's numbers."""
    return (
        f"The forward process adds noise by a fixed schedule, up to a squared weight of {noise[-1] ** 2:.1%}, and no "
        f"model runs; the reverse process took it away in {calls} U-Net call{'s' * (calls != 1)}, each predicting the "
        f"noise. {name} learned to predict noise, not to add it."
    )
