"""Trains the U-Net of sticker_diffusion together with its text encoder, on latents."""

from __future__ import annotations

import torch
from diffusers import DDPMScheduler, UNet2DConditionModel
from diffusers.models.attention_processor import AttnProcessor
from torch import Tensor, nn
from transformers import CLIPTextModel

from assets.sticker_diffusion.text import HIDDEN
from shared.training import Optimizer, Progress, Training, cosine_rate, training_device

BATCH = 64
CAPTION_DROPOUT = 0.1  # share of captions replaced by the empty one: what guidance needs (Ho and Salimans 2022)
GAMMA = 5.0  # of Min-SNR weighting (Hang et al. 2023, arXiv 2303.09556, eq. 5)
FLOOR = 0.3  # the least weight of an error in the clean latents, as in the truncated weighting below
LATENT_SPREAD = 0.3
"""The latents' standard deviation. At 1, as is usual, a few hundred of them that agree show through the noise even at
the last timestep. So the U-Net learns to read from the noise what stands where, and draws from pure noise what that
noise happens to say, whatever the prompt's order (Lin et al. 2024, arXiv 2305.08891). Measured: relations right as
often as by chance, however well the text encoder told them."""


def build_unet(latent_channels: int, width: int = HIDDEN) -> UNet2DConditionModel:
    """An untrained U-Net for latents [b, c, 16, 16] and text states [b, tokens, width].

    Levels at 16x16, 8x8 and 4x4. The first has cross-attention only: self-attention over 256 tokens would cost as
    much as all the rest of a training step on a CPU.
    """
    return UNet2DConditionModel(
        sample_size=16,
        in_channels=latent_channels,
        out_channels=latent_channels,
        down_block_types=("CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"),
        block_out_channels=(64, 160, 224),
        layers_per_block=1,
        only_cross_attention=(True, False, False),
        cross_attention_dim=width,
        attention_head_dim=(4, 5, 7),  # diffusers reads this as the number of heads
        norm_num_groups=16,
    )


def build_schedule() -> DDPMScheduler:
    """The noise schedule of Stable Diffusion: 1,000 steps, scaled linear, the U-Net predicts the noise."""
    return DDPMScheduler(beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", clip_sample=False)


class Denoiser(nn.Module):
    """U-Net and text encoder as one network, so that one optimizer and one average serve both."""

    def __init__(self, unet: UNet2DConditionModel, text: CLIPTextModel) -> None:
        super().__init__()
        self.unet, self.text = unet, text

    def forward(self, noisy: Tensor, steps: Tensor, ids: Tensor) -> Tensor:
        """The predicted noise for latents [b, c, 16, 16] at timesteps [b] and token ids [b, tokens]."""
        states = self.text(ids).last_hidden_state
        return self.unet(noisy, steps, states).sample


def loss_of(network: Denoiser, schedule: DDPMScheduler, x: Tensor, ids: Tensor, generator: torch.Generator) -> Tensor:
    """Squared error of the predicted noise, weighted by clamp(SNR, FLOOR, GAMMA) / SNR.

    An error e of the noise is one of e^2 / SNR in the clean latents, in units of their variance. So the weights in
    clean latents are those of Min-SNR with a floor, as Salimans and Ho 2022 (arXiv 2202.00512, eq. 9) have it: without
    one, where nearly all is noise, nothing asks the U-Net for what only the prompt can tell, the layout.
    """
    steps = torch.randint(schedule.config.num_train_timesteps, (len(x),), generator=generator).to(x.device)
    noise = torch.randn(x.shape, generator=generator).to(x.device)
    kept = schedule.alphas_cumprod.to(x.device)[steps]
    snr = LATENT_SPREAD**2 * kept / (1 - kept)
    with torch.autocast(x.device.type, torch.bfloat16):
        predicted = network(schedule.add_noise(x, noise, steps), steps, ids)
    error = (predicted.float() - noise).square().mean((1, 2, 3))
    return (error * snr.clamp(FLOOR, GAMMA) / snr).mean()


def train(
    network: Denoiser,
    latents: Tensor,
    captions: Tensor,
    empty: Tensor,
    steps: int,
    seed: int = 0,
    rate: float = 1.0,
    name: str = "denoiser",
    freeze_text: bool = True,
) -> Denoiser:
    """Train on scaled latents [n, c, 16, 16] and caption ids [n, variants, tokens]; gives back the averaged network.

    Resumes from the checkpoint `name` in the cache folder. `rate` scales both learning rates: below 1 to go on from
    trained weights. The text encoder stays as it is if `freeze_text`: trained along, it loses within a few hundred
    steps what it had learned about layouts, since Muon's updates are as large for a gradient of mere noise.
    """
    device = training_device()
    torch.manual_seed(seed)
    network = network.to(device).train()
    if freeze_text:
        network.text.requires_grad_(False)
    if device.type == "cpu":
        # Fused attention's backward pass takes as long on a CPU as all the rest of the step.
        network.unet.set_attn_processor(AttnProcessor())
        network.text.set_attn_implementation("eager")
    schedule = build_schedule()
    optimizer = Optimizer(
        network, muon_rate=0.01 * rate, adam_rate=1.5e-3 * rate,
        plain=("unet.conv_in", "unet.conv_out", "unet.time_embedding", "text.embeddings", "text.text_model.embeddings"),
    )  # fmt: skip
    run = Training(name, network, optimizer, 0.999)
    progress = Progress(name, steps)
    seen = 0.0
    for step in range(run.first, steps):
        generator = torch.Generator().manual_seed(seed * 1_000_003 + step)
        rows = torch.randint(len(latents), (BATCH,), generator=generator)
        variant = torch.randint(captions.shape[1], (BATCH,), generator=generator)
        ids = captions[rows, variant].long()
        dropped = torch.rand(BATCH, generator=generator) < CAPTION_DROPOUT
        ids = torch.where(dropped[:, None], empty.long(), ids)
        loss = loss_of(network, schedule, latents[rows].float().to(device), ids.to(device), generator)
        optimizer.step(loss, cosine_rate(step, steps))
        run.average.update(network)
        seen = 0.98 * seen + 0.02 * loss.item() if seen else loss.item()
        progress.step(step + 1, f"loss {seen:.4f}")
        if (step + 1) % 250 == 0 or step + 1 == steps:
            run.save(step + 1)
    network.load_state_dict(run.average.values)
    network.unet.set_default_attn_processor()
    network.text.set_attn_implementation("sdpa")
    return network.float().eval()
