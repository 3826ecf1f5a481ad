"""What a real explanation must beat: an edge detector, a blob in the middle, and maps of networks that know nothing."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager

import numpy as np
import torch
from PIL import Image
from skimage.filters import sobel
from torch import nn

from demos.attention.recorder import cross_attention_layers

RANDOM_SEEDS = (1, 2, 3)
"""The seeds of the randomized controls; measures are means over them."""


def edges(picture: Image.Image) -> np.ndarray:
    """The size of the Sobel gradient of the picture's brightness, 0..1 (scikit-image), [height, width]."""
    return sobel(np.asarray(picture.convert("L"), dtype=np.float64) / 255).astype(np.float32)


def blob(size: tuple[int, int]) -> np.ndarray:
    """A Gaussian in the middle of a picture of (width, height), its standard deviation a quarter of each side."""
    width, height = size
    ys = (np.arange(height) + 0.5) / height - 0.5
    xs = (np.arange(width) + 0.5) / width - 0.5
    return np.exp(-(ys[:, None] ** 2 + xs[None] ** 2) / (2 * 0.25**2)).astype(np.float32)


@contextmanager
def randomized(modules: Iterable[nn.Module], seed: int) -> Iterator[None]:
    """Inside, every weight tensor of the modules is drawn at random, with the spread that it had and mean 0: as large
    as before, and knowing nothing (Adebayo et al. 2018, arXiv 1810.03292). Afterwards they are bit for bit those from
    before, whatever happened. Biases and normalizations stay."""
    generator = torch.Generator().manual_seed(seed)
    kept: list[tuple[nn.Parameter, torch.Tensor]] = []
    try:
        with torch.no_grad():
            for module in modules:
                for parameter in module.parameters():
                    if parameter.ndim < 2:
                        continue
                    kept.append((parameter, parameter.data))
                    drawn = torch.randn(parameter.shape, generator=generator) * float(parameter.float().std())
                    parameter.data = drawn.to(parameter.device, parameter.dtype)
        yield
    finally:
        for parameter, values in kept:
            parameter.data = values


@torch.no_grad()
def random_copy(network: nn.Module, seed: int, inputs: torch.Tensor) -> nn.Module:
    """A copy of a classifier with every layer's weights random; the network itself may be in others' hands.

    Batch normalizations take their statistics anew from `inputs` [b, 3, h, w]: with those of the trained network no
    signal would reach the end, and the control would be empty rather than random.
    """
    with randomized([made := copy.deepcopy(network)], seed):
        blind = copy.deepcopy(made)
    norms = [m for m in blind.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # the plain mean over what comes
        norm.train()
    blind(inputs)
    return blind.eval()


def randomized_attention(unet: nn.Module, seed: int) -> AbstractContextManager[None]:
    """The queries and keys of every cross-attention layer at random; all else of the U-Net stays trained."""
    layers = cross_attention_layers(unet).values()  # pyright: ignore[reportArgumentType]
    return randomized([m for layer in layers for m in (layer.to_q, layer.to_k)], seed)  # pyright: ignore[reportArgumentType]
