"""Teaches the text encoder of sticker_diffusion what stands where, before the U-Net is trained with it.

A diffusion step tells the text encoder little and costs a pass through the U-Net. Here a small reader looks at the
encoder's states from the places of an 8x8 grid and says which kind, color and background is there; this costs a tenth.
CLIP's text encoder is causal, so a noun knows nothing of what comes after it. The reader sees the states of the words
only, never those of the start and end tokens: so the second noun has to carry the relation, and attention stays on
words.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import CLIPTextModel

from shared.stickers import BACKGROUNDS, COLORS, KINDS, Scene
from shared.training import Optimizer, Progress, Training, cosine_rate, training_device

GRID = 8
BATCH = 64
CLASSES = (len(KINDS) + 1, len(COLORS) + 1, len(BACKGROUNDS))


class LayoutReader(nn.Module):
    """Logits for the kind (or none), color (or none) and background at every place, from text states [b, tokens, d]."""

    def __init__(self, width: int, heads: int = 4, layers: int = 2) -> None:
        super().__init__()
        self.places = nn.Parameter(torch.randn(GRID * GRID, width) * 0.02)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.look = nn.ModuleList(nn.MultiheadAttention(width, heads, batch_first=True) for _ in range(layers))
        self.think = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
            for _ in range(layers)
        )
        self.answer = nn.Linear(width, sum(CLASSES))

    def forward(self, states: Tensor, is_word: Tensor) -> tuple[Tensor, ...]:
        """Three tensors of logits [b, places, classes]; `is_word` [b, tokens] says which states may be looked at."""
        x = self.places.expand(len(states), -1, -1)
        for norm, look, think in zip(self.norms, self.look, self.think, strict=True):
            x = x + look(norm(x), states, states, key_padding_mask=~is_word, need_weights=False)[0]
            x = x + think(x)
        return self.answer(x).split(CLASSES, dim=-1)


class Layout(nn.Module):
    """Text encoder and layout reader as one network."""

    def __init__(self, text: CLIPTextModel) -> None:
        super().__init__()
        self.text = text
        self.reader = LayoutReader(text.config.hidden_size)

    def forward(self, ids: Tensor) -> tuple[Tensor, ...]:
        """Logits at every place for token ids [b, tokens]."""
        config = self.text.config
        is_word = (ids != config.bos_token_id) & (ids != config.eos_token_id)
        return self.reader(self.text(ids).last_hidden_state, is_word)


def grids(chosen: Sequence[Scene]) -> Tensor:
    """What stands at each place of placed scenes: kind and color (0 is none) and background, int [n, 3, places].

    A sticker covers the places whose center is within 0.4 of its size from its own.
    """
    kinds, colors, grounds = list(KINDS), list(COLORS), list(BACKGROUNDS)
    found = torch.zeros(len(chosen), 3, GRID, GRID, dtype=torch.uint8)
    center = (torch.arange(GRID) + 0.5) / GRID
    for index, scene in enumerate(chosen):
        found[index, 2] = grounds.index(str(scene.background))
        for s in scene.stickers:
            if s.x is None or s.y is None or s.size is None or s.color is None:
                raise ValueError("A layout needs placed scenes.")
            near = (center[None] - s.x).square() + (center[:, None] - s.y).square() < (0.4 * s.size) ** 2
            found[index, 0][near] = 1 + kinds.index(s.kind)
            found[index, 1][near] = 1 + colors.index(s.color)
    return found.flatten(2)


def train(
    text: CLIPTextModel, chosen: Sequence[Scene], captions: Tensor, steps: int, seed: int = 0, name: str = "layout"
) -> CLIPTextModel:
    """The text encoder after learning the layouts of the placed scenes from caption ids [n, variants, tokens].

    Resumes from the checkpoint `name` in the cache folder.
    """
    device = training_device()
    torch.manual_seed(seed)
    network = Layout(text).to(device).train()
    if device.type == "cpu":
        network.text.set_attn_implementation("eager")
    targets = grids(chosen)
    optimizer = Optimizer(
        network, muon_rate=0.01, adam_rate=1.5e-3,
        plain=("text.embeddings", "text.text_model.embeddings", "reader.answer"),
    )  # fmt: skip
    run = Training(name, network, optimizer, 0.998)
    progress = Progress("layout", steps)
    for step in range(run.first, steps):
        generator = torch.Generator().manual_seed(seed * 1_000_003 + step)
        rows = torch.randint(len(captions), (BATCH,), generator=generator)
        variant = torch.randint(captions.shape[1], (BATCH,), generator=generator)
        with torch.autocast(device.type, torch.bfloat16):
            logits = network(captions[rows, variant].long().to(device))
        wanted = targets[rows].long().to(device)
        parts = [F.cross_entropy(g.float().flatten(0, 1), wanted[:, i].flatten()) for i, g in enumerate(logits)]
        optimizer.step(torch.stack(parts).sum(), cosine_rate(step, steps))
        run.average.update(network)
        progress.step(step + 1, "loss " + " ".join(f"{p.item():.3f}" for p in parts))
        if (step + 1) % 500 == 0 or step + 1 == steps:
            run.save(step + 1)
    network.load_state_dict(run.average.values)
    network.text.set_attn_implementation("sdpa")
    return network.text.float().eval()
