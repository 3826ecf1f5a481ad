"""Low-rank changes to a network's weights (LoRA, Hu et al. 2021, arXiv 2106.09685): W becomes W + up @ down.

A change of rank r to a matrix [out, in] has r (out + in) numbers instead of out x in, so that a second version of a
network costs a fraction of the first. A convolution's weights [out, in, h, w] are taken as [out, in h w].
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize


class Change(nn.Module):
    """The change of one weight; none at first, since `up` is zero."""

    def __init__(self, weight: Tensor, rank: int) -> None:
        super().__init__()
        columns = weight[0].numel()
        self.down = nn.Parameter(torch.randn(rank, columns) / columns**0.5)
        self.up = nn.Parameter(torch.zeros(len(weight), rank))

    def forward(self, weight: Tensor) -> Tensor:
        """The changed weight, of the same shape."""
        return weight + (self.up @ self.down).view_as(weight)


def _weights(network: nn.Module, rank: int) -> Iterator[tuple[str, nn.Module]]:
    """Every convolution and linear layer whose change is smaller than its weight."""
    for name, layer in network.named_modules():
        if isinstance(layer, (nn.Conv2d, nn.Linear)):
            rows, columns = len(layer.weight), layer.weight[0].numel()
            if rank * (rows + columns) < rows * columns:
                yield name, layer


def add_changes(network: nn.Module, rank: int) -> dict[str, Change]:
    """Freeze the network and give each of its large weights a trainable change, by the layer's name."""
    network.requires_grad_(False)
    found = {name: Change(layer.weight, rank) for name, layer in list(_weights(network, rank))}  # pyright: ignore[reportArgumentType]
    for name, change in found.items():
        parametrize.register_parametrization(network.get_submodule(name), "weight", change)
    return found


def factors(changes: Mapping[str, Change]) -> dict[str, Tensor]:
    """The changes as tensors to store, `<layer>.up` and `<layer>.down`."""
    return {f"{n}.{part}": getattr(c, part).detach() for n, c in changes.items() for part in ("up", "down")}


def put_back(changes: Mapping[str, Change], stored: Mapping[str, Tensor]) -> None:
    """Set the changes to stored factors."""
    for name, change in changes.items():
        change.up.data.copy_(stored[f"{name}.up"])
        change.down.data.copy_(stored[f"{name}.down"])


@torch.no_grad()
def merge(network: nn.Module, stored: Mapping[str, Tensor]) -> None:
    """Add stored changes to the network's weights for good. Raises KeyError or RuntimeError where they do not fit."""
    for name in sorted({key.rpartition(".")[0] for key in stored}):
        weight = dict(network.named_parameters())[f"{name}.weight"]
        change = stored[f"{name}.up"].to(weight.device, torch.float32) @ stored[f"{name}.down"].to(
            weight.device, torch.float32
        )
        weight += change.view_as(weight).to(weight.dtype)
