"""Draw: the diffusion pipeline with its U-Net in each format, from the same prompts and noises."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from demos.precision.engines import Engine
from demos.precision.networks import Inputs, Network, unet
from demos.precision.scenes import test_scenes
from demos.precision.settings import PrecisionSettings
from demos.precision.tasks import SHOWN, Judged, Tick, mean
from shared import adherence
from shared.comparison import Measure
from shared.demo import DemoError
from shared.devices import sample_seeds
from shared.models import load_scene_reader
from shared.reader import read
from shared.sampling import Encoded, Plan, Rows, Sampling, decode, encode_many
from shared.stickers import caption

GUIDANCE = 5.0
AT_ONCE = 8
"""Pictures drawn together."""
CALIBRATION_STEPS = 5
_PSNR = "Peak signal-to-noise ratio against FP32's picture from the same noise; the mean over pictures"
_SSIM = "Structural similarity (Wang et al. 2004, by scikit-image) with FP32's picture; the mean over pictures"
_ADHERENCE = "Share of the prompt's facts that the scene reader finds; the mean over pictures"
MOST_PSNR = 99.0
"""What equal pictures count as: their PSNR is infinite."""


class Draw:
    """The task's network, the U-Net, and how pictures drawn with it are judged."""

    quality = "ssim"
    timed_as = "One U-Net call with and without the prompt"

    def __init__(self, settings: PrecisionSettings) -> None:
        self.networks: tuple[Network, ...] = (unet(),)
        self.count, self.seed, self.steps = settings.n_quality, settings.seed, settings.steps
        self.pipeline = self.networks[0].loaded.model

    def ticks(self) -> int:
        """U-Net calls."""
        return -(-self.count // AT_ONCE) * self.steps

    def right_data(self, network: Network, size: int, seed: int) -> Inputs:
        """What the U-Net is asked while it draws `size` pictures' worth of calls: a few steps of some captions."""
        asked: list[Rows] = []
        pictures = max(1, -(-size // CALIBRATION_STEPS))
        for run in self._runs(pictures, seed, CALIBRATION_STEPS):
            while not run.finished:
                asked.append(run.ask())
                run.step()
        rows = tuple(torch.cat(parts).float().cpu() for parts in zip(*(_as_inputs(r) for r in asked), strict=True))
        # Whole calls in the order of the steps would leave the late steps out: take rows from all of them.
        at = torch.linspace(0, len(rows[0]) - 1, min(len(rows[0]), 2 * size)).round().long()
        return tuple(x[at] for x in rows)

    def _runs(self, count: int, seed: int, steps: int) -> list[Sampling]:
        texts = [caption(scene) for scene in test_scenes(count, seed)]
        encoded = encode_many(self.pipeline, texts)
        seeds = sample_seeds(seed % 2**62, count)
        plan = Plan(GUIDANCE, steps, "ddim")
        return [
            Sampling(self.pipeline, _part(encoded, range(i, min(count, i + AT_ONCE))), plan, seeds[i : i + AT_ONCE])
            for i in range(0, count, AT_ONCE)
        ]

    def draw(self, engine: Engine, tick: Tick, steps: int | None = None) -> list[Image.Image]:
        """The pictures, with the U-Net's calls made by the engine."""
        pictures: list[Image.Image] = []
        for run in self._runs(self.count, self.seed, steps or self.steps):
            while not run.finished:
                noise = engine.run(_as_inputs(run.ask()))
                run.advance(run.mix(noise.to(run.latents.device, run.latents.dtype)))
                tick()
            pictures += decode(self.pipeline, run.latents)
        return pictures

    def final_latents(self, count: int, seed: int) -> Tensor:
        """The latents of `count` finished pictures, as the autoencoder takes them, on the CPU."""
        found = []
        for run in self._runs(count, seed, CALIBRATION_STEPS):
            while not run.finished:
                run.step()
            found.append(run.latents.float().cpu() / self.pipeline.vae.config.scaling_factor)
        return torch.cat(found)

    def judge(self, engines: Mapping[str, Sequence[Engine]], tick: Tick) -> dict[str, Judged]:
        """psnr, ssim and adherence, and the pictures."""
        drawn: dict[str, list[Image.Image] | DemoError] = {}
        for name, found in engines.items():
            try:
                drawn[name] = self.draw(found[0], tick)
            except DemoError as error:  # numbers that overflowed: a row of its own, the others go on
                drawn[name] = error
        base = "eager_fp32" if "eager_fp32" in drawn else next(iter(drawn))
        truth = drawn[base]
        return {name: self._judged(pictures, truth) for name, pictures in drawn.items()}

    def _judged(self, pictures: list[Image.Image] | DemoError, truth: list[Image.Image] | DemoError) -> Judged:
        if isinstance(pictures, DemoError) or isinstance(truth, DemoError):
            why = str(pictures if isinstance(pictures, DemoError) else truth)
            return Judged(tuple(Measure(n, None, u, "higher", why) for n, u in (("ssim", "share"), ("psnr", "dB"))))
        measures = (*picture_measures(pictures, truth), self.adherence(pictures))
        texts = [caption(scene) for scene in test_scenes(self.count, self.seed)]
        return Judged(measures, tuple(pictures[:SHOWN]), tuple(texts[:SHOWN]))

    def adherence(self, pictures: Sequence[Image.Image]) -> Measure:
        """The prompts' facts as the scene reader sees them."""
        try:
            reader = load_scene_reader()
        except DemoError as error:
            return Measure("adherence", None, "share", "higher", str(error))
        readings = read(reader.model, list(pictures), reader.confidence)
        scenes = test_scenes(self.count, self.seed)
        facts = [adherence.check(scene, reading) for scene, reading in zip(scenes, readings, strict=True)]
        found = adherence.adherence(facts)
        return Measure("adherence", found.value, "share", "higher", _ADHERENCE, found.low, found.high, found.n)


def picture_measures(pictures: Sequence[Image.Image], truth: Sequence[Image.Image]) -> tuple[Measure, ...]:
    """ssim and psnr against FP32's pictures."""
    from skimage.metrics import peak_signal_noise_ratio, structural_similarity

    pairs = [(np.asarray(a), np.asarray(b)) for a, b in zip(truth, pictures, strict=True)]
    psnr = np.array([_psnr(a, b, peak_signal_noise_ratio) for a, b in pairs])
    window = min(7, min(pairs[0][0].shape[:2]) // 2 * 2 - 1)
    ssim = np.array([structural_similarity(a, b, channel_axis=2, data_range=255, win_size=window) for a, b in pairs])
    note = f"{_PSNR}; equal pictures count as {MOST_PSNR:.0f}" if (psnr == MOST_PSNR).any() else _PSNR
    return mean("ssim", ssim, "share", "higher", _SSIM, -1, 1), mean("psnr", psnr, "dB", "higher", note, 0, MOST_PSNR)


def _psnr(first: np.ndarray, second: np.ndarray, measure: Callable[..., float]) -> float:
    if np.array_equal(first, second):
        return MOST_PSNR
    return min(MOST_PSNR, float(measure(first, second, data_range=255)))


def _as_inputs(rows: Rows) -> tuple[Tensor, ...]:
    return rows.latents.float().cpu(), rows.timesteps.float().cpu(), rows.inputs["encoder_hidden_states"].float().cpu()


def _part(encoded: Encoded, positions: range) -> Encoded:
    return encoded.of(positions)
