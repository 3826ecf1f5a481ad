"""A small classifier of single stickers, for studies of what a classifier looks at; it trains in a minute."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from PIL import Image
from safetensors.torch import load_file
from torch import Tensor, nn

INPUT_SIZE = 64  # pixels
KINDS = ("cat", "car", "fish", "house", "tree", "cup")
"""The kinds that it tells apart; kind i goes with background i where the two go together."""


class SmallCNN(nn.Module):
    """Four convolutions, the last spatial layer 8x8, then the mean over places and one linear layer."""

    def __init__(self, classes: int = len(KINDS), width: int = 16) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        before = 3
        for channels, stride in ((width, 2), (2 * width, 2), (2 * width, 1), (3 * width, 2)):
            layers += [nn.Conv2d(before, channels, 3, stride, 1, bias=False), nn.BatchNorm2d(channels), nn.ReLU()]
            before = channels
        self.features = nn.Sequential(*layers)
        self.head = nn.Linear(before, classes)

    def forward(self, pictures: Tensor) -> Tensor:
        """Logits [b, classes] of pictures [b, 3, 64, 64] from -1 to 1."""
        return self.head(self.features(pictures).mean((2, 3)))


def to_input(pictures: list[Image.Image]) -> Tensor:
    """PIL pictures as input [b, 3, 64, 64] from -1 to 1."""
    size = (INPUT_SIZE, INPUT_SIZE)
    sized = [p if p.size == size else p.resize(size, Image.Resampling.BICUBIC) for p in pictures]
    array = np.stack([np.asarray(p.convert("RGB")) for p in sized])
    return torch.from_numpy(array).permute(0, 3, 1, 2).float().div_(127.5).sub_(1)


def load_small_cnn(path: Path) -> SmallCNN:
    """A trained network from its safetensors file, in evaluation mode and without gradients."""
    network = SmallCNN()
    state = load_file(path)
    network.load_state_dict({k: v.float() if v.is_floating_point() else v for k, v in state.items()})
    return network.eval().requires_grad_(False)
