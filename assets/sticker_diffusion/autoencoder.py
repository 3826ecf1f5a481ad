"""Trains the autoencoder of sticker_diffusion: 128x128 pictures to 16x16 latents and back.

The architecture is diffusers' AutoencoderTiny (TAESD, github.com/madebyollin/taesd), trained from scratch on renders.
Most steps see crops of 64x64 pixels, which costs a quarter; the last ones see whole pictures, so that it learns edges.
"""

from __future__ import annotations

import time

import numpy as np
import torch
from diffusers import AutoencoderTiny
from torch import Tensor
from torch.nn import functional as F

from shared.training import (
    Average,
    Checkpoint,
    Progress,
    cosine_rate,
    load_optimizer,
    optimizer_tensors,
    to_tensor,
    training_device,
)

LATENT_CHANNELS = 8
WIDTH = 48
LATENT_NOISE = 0.08  # makes the decoder forgive the small errors that a diffusion model leaves


def build(channels: int = LATENT_CHANNELS) -> AutoencoderTiny:
    """An untrained autoencoder with latents [b, channels, h / 8, w / 8]."""
    return AutoencoderTiny(
        encoder_block_out_channels=(WIDTH,) * 4,
        decoder_block_out_channels=(WIDTH,) * 4,
        num_encoder_blocks=(0, 1, 2, 3),
        num_decoder_blocks=(4, 3, 2, 1),
        latent_channels=channels,
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
    room = pictures.shape[1] - side + 1
    cut = [pictures[i, y : y + side, x : x + side] for i, y, x in
           zip(indices, rng.integers(room, size=len(indices)), rng.integers(room, size=len(indices)), strict=True)]  # fmt: skip
    return to_tensor(np.stack(cut))


def train(
    pictures: np.ndarray, steps: int, *, name: str = "autoencoder", batch: int = 16, start: AutoencoderTiny | None = None,
    channels: int = LATENT_CHANNELS, seed: int = 0, peak: float = 2e-3, deadline: float | None = None,
) -> AutoencoderTiny:  # fmt: skip
    """Train on uint8 pictures [n, 128, 128, 3] and give back the averaged network.

    Resumes from the checkpoint `name`; without one it starts from `start`, if given, or from scratch.
    """
    device = training_device()
    torch.manual_seed(seed)
    network = (start or build(channels)).to(device, memory_format=torch.channels_last).train()
    optimizer = torch.optim.AdamW(network.parameters(), lr=peak, betas=(0.9, 0.99), weight_decay=1e-4)
    average = Average(network, 0.999)
    checkpoint = Checkpoint(name)
    first = 0
    if (saved := checkpoint.load()) is not None:
        first, groups = saved
        network.load_state_dict(groups["network"])
        average.values, average.count = {k: v.to(device) for k, v in groups["average"].items()}, first
        load_optimizer(optimizer, groups["optimizer"])
    rng = np.random.default_rng(seed + first)
    progress = Progress(name, steps)
    seen = 0.0
    for step in range(first, steps):
        if deadline is not None and time.time() > deadline:
            break
        whole = step >= 0.85 * steps
        indices = np.sort(rng.integers(len(pictures), size=batch // 4 if whole else batch))
        x = crops(pictures, indices, pictures.shape[1] if whole else pictures.shape[1] // 2, rng)
        x = x.to(device, memory_format=torch.channels_last)
        noise = torch.randn(len(x), channels, x.shape[2] // 8, x.shape[3] // 8, device=device)
        for group in optimizer.param_groups:
            group["lr"] = cosine_rate(step, steps, peak)
        with torch.autocast(device.type, torch.bfloat16):
            loss = loss_of(network, x, noise)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        average.update(network)
        seen = 0.98 * seen + 0.02 * float(loss.detach()) if seen else float(loss.detach())
        progress.step(step + 1, f"loss {seen:.4f}")
        if (step + 1) % 500 == 0 or step + 1 == steps:
            checkpoint.save(step + 1, {"network": network.state_dict(), "average": average.values,
                                       "optimizer": optimizer_tensors(optimizer)})  # fmt: skip
    network.load_state_dict(average.values)
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
