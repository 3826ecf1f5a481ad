"""Trains the autoencoder of sticker_diffusion: 128x128 pictures to 16x16 latents and back.

The architecture is diffusers' AutoencoderTiny (TAESD, github.com/madebyollin/taesd), trained from scratch on renders.
Most steps see crops of 64x64 pixels, which costs a quarter; the last ones see whole pictures, so that it learns edges.
"""

from __future__ import annotations

import numpy as np
import torch
from diffusers import AutoencoderTiny
from torch import Tensor

from shared.training import (
    Optimizer,
    Progress,
    Training,
    cosine_rate,
    to_tensor,
    training_device,
)

LATENT_CHANNELS = 8
WIDTH = 48
BATCH = 16
WHOLE_FROM = 0.85  # share of the steps after which whole pictures are seen
LATENT_NOISE = 0.08  # makes the decoder forgive the small errors that a diffusion model leaves


def build() -> AutoencoderTiny:
    """An untrained autoencoder with latents [b, 8, h / 8, w / 8]."""
    return AutoencoderTiny(
        encoder_block_out_channels=(WIDTH,) * 4,
        decoder_block_out_channels=(WIDTH,) * 4,
        num_encoder_blocks=(0, 1, 2, 3),
        num_decoder_blocks=(4, 3, 2, 1),
        latent_channels=LATENT_CHANNELS,
        scaling_factor=1.0,
    )


def loss_of(network: AutoencoderTiny, pictures: Tensor, noise: Tensor) -> Tensor:
    """L1, half the L1 of the horizontal and vertical differences, and a small pull of the latents towards 0."""
    latents = network.encode(pictures).latents
    drawn = network.decode(latents + LATENT_NOISE * noise).sample.float()
    error = drawn - pictures
    slopes = error.diff(dim=2).abs().mean() + error.diff(dim=3).abs().mean()
    return error.abs().mean() + 0.5 * slopes + 1e-3 * latents.float().square().mean()


def crops(pictures: np.ndarray, indices: np.ndarray, side: int, rng: np.random.Generator) -> Tensor:
    """A random crop of each chosen picture, [b, 3, side, side] from -1 to 1."""
    corners = rng.integers(pictures.shape[1] - side + 1, size=(len(indices), 2))
    cut = [pictures[i, y : y + side, x : x + side] for i, (y, x) in zip(indices, corners, strict=True)]
    return to_tensor(np.stack(cut))


def train(pictures: np.ndarray, steps: int, start: AutoencoderTiny | None = None, seed: int = 0) -> AutoencoderTiny:
    """Train on uint8 pictures [n, 128, 128, 3] and give back the averaged network.

    Resumes from the checkpoint in the cache folder; without one it starts from `start`, if given, or from scratch.
    """
    device = training_device()
    torch.manual_seed(seed)
    network = (start or build()).to(device).train()
    optimizer = Optimizer(network, plain=("encoder.layers.0.", "decoder.layers.0."))
    run = Training("autoencoder", network, optimizer, 0.998)
    progress = Progress("autoencoder", steps)
    seen = 0.0
    for step in range(run.first, steps):
        rng = np.random.default_rng((seed, step))
        whole = step >= WHOLE_FROM * steps
        indices = rng.integers(len(pictures), size=BATCH // 4 if whole else BATCH)
        x = crops(pictures, indices, pictures.shape[1] if whole else pictures.shape[1] // 2, rng)
        x = x.to(device, memory_format=torch.channels_last)
        noise = torch.randn(len(x), LATENT_CHANNELS, x.shape[2] // 8, x.shape[3] // 8).to(device)
        with torch.autocast(device.type, torch.bfloat16):
            loss = loss_of(network, x, noise)
        optimizer.step(loss, cosine_rate(step, steps))
        run.average.update(network)
        seen = 0.98 * seen + 0.02 * loss.item() if seen else loss.item()
        progress.step(step + 1, f"loss {seen:.4f}")
        if (step + 1) % 500 == 0 or step + 1 == steps:
            run.save(step + 1)
    network.load_state_dict(run.average.values)
    return network.float().eval()


@torch.no_grad()
def reconstruct(network: AutoencoderTiny, pictures: np.ndarray, batch: int = 16) -> np.ndarray:
    """Encode and decode uint8 pictures [n, h, w, 3]; the result has the same shape."""
    device = next(network.parameters()).device
    out = []
    for start in range(0, len(pictures), batch):
        x = to_tensor(pictures[start : start + batch]).to(device)
        y = network.decode(network.encode(x).latents).sample
        out.append(((y.clamp(-1, 1) + 1) * 127.5).round().byte().permute(0, 2, 3, 1).cpu().numpy())
    return np.concatenate(out)


def psnr_and_ssim(network: AutoencoderTiny, pictures: np.ndarray) -> tuple[float, float]:
    """Mean PSNR (dB) and SSIM (0..1) of the reconstructions, by scikit-image."""
    from skimage.metrics import peak_signal_noise_ratio, structural_similarity

    pairs = list(zip(pictures, reconstruct(network, pictures), strict=True))
    psnr = [peak_signal_noise_ratio(a, b, data_range=255) for a, b in pairs]
    ssim = [structural_similarity(a, b, data_range=255, channel_axis=-1) for a, b in pairs]
    return float(np.mean(psnr)), float(np.mean(ssim))


@torch.no_grad()
def encode(network: AutoencoderTiny, pictures: np.ndarray, batch: int = 32) -> Tensor:
    """Latents of uint8 pictures, float [n, c, h / 8, w / 8], not scaled."""
    device = next(network.parameters()).device
    parts = []
    progress = Progress("latents", len(pictures))
    for start in range(0, len(pictures), batch):
        parts.append(network.encode(to_tensor(pictures[start : start + batch]).to(device)).latents.cpu())
        progress.step(min(start + batch, len(pictures)))
    return torch.cat(parts)
