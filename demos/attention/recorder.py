"""Records cross-attention while a U-Net runs: what each place of the picture reads from each word."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from diffusers import UNet2DConditionModel
from diffusers.models.attention_processor import Attention, AttnProcessor
from torch import Tensor

ENDING = ".processor"


@dataclass
class Recording:
    """Attention probabilities, averaged over the calls while they run.

    `layers` holds for each cross-attention layer [rows, tokens, height, width], the mean over heads; `heads`, where
    they were asked for, [rows, heads, tokens, height, width]. `steps` holds one mean over layers for each call, of the
    tokens asked for, at the finest layer's size. Rows are those with the prompt. Sums over tokens are 1 everywhere.
    """

    layers: dict[str, Tensor] = field(default_factory=dict)
    heads: dict[str, Tensor] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)

    def nbytes(self) -> int:
        """The memory that the averages take, in bytes."""
        return sum(t.numel() * t.element_size() for kept in (self.layers, self.heads) for t in kept.values())


class _Listening:
    """An attention layer whose probabilities are overheard; everything else is the layer's own."""

    def __init__(self, attention: Attention, hear: Callable[[Tensor], None]) -> None:
        self._attention, self._hear = attention, hear

    def __getattr__(self, name: str) -> Any:
        return getattr(self._attention, name)

    def get_attention_scores(self, *args: Any, **kwargs: Any) -> Tensor:
        """The layer's softmax(q k / sqrt(d)), [rows * heads, positions, tokens], told to who listens."""
        found = self._attention.get_attention_scores(*args, **kwargs)
        self._hear(found)
        return found


class _Recorder:
    """The attention processor of one cross-attention layer: diffusers' plain one, with the layer overheard."""

    def __init__(self, name: str, hear: Callable[[str, int, Tensor], None]) -> None:
        self._name, self._hear = name, hear
        self._plain = AttnProcessor()

    def __call__(
        self,
        attn: Attention,
        hidden_states: Tensor,
        encoder_hidden_states: Tensor | None = None,
        attention_mask: Tensor | None = None,
        temb: Tensor | None = None,
    ) -> Tensor:
        """What the layer gives without a recorder."""
        listening = _Listening(attn, lambda found: self._hear(self._name, attn.heads, found))
        return self._plain(listening, hidden_states, encoder_hidden_states, attention_mask, temb)  # pyright: ignore[reportArgumentType]


def cross_attention_layers(unet: UNet2DConditionModel) -> dict[str, Attention]:
    """The layers that read the text, by name, in the order in which they stand in the network's parts.

    Where `only_cross_attention` is set, a block's first attention reads the text too. A layer that reads pictures or
    added tokens besides (IP-Adapter, added keys) has another processor and is left alone.
    """
    names = {name.removesuffix(ENDING) for name in unet.attn_processors}
    found = {n: m for n, m in unet.named_modules() if n in names and isinstance(m, Attention)}
    return {n: m for n, m in found.items() if m.is_cross_attention and m.added_kv_proj_dim is None}


@contextmanager
def record(
    unet: UNet2DConditionModel,
    *,
    guided: bool = False,
    heads: bool = False,
    unfused: bool = True,
    choose: Mapping[str, tuple[int, ...]] | None = None,
    hear: Callable[[str, Tensor], None] | None = None,
) -> Iterator[Recording]:
    """Record the cross-attention of every call of `unet` inside the `with`.

    `guided`: the rows are those without the prompt and then those with it, and only the second half is kept. `choose`:
    the layers to keep and of each the heads (counted from 0) to average; an empty tuple is all heads. `heads` keeps
    every head apart as well. `unfused` runs the layers that are not recorded without fused attention too, so that
    pictures are bit for bit those of diffusers' `AttnProcessor`. `hear(layer, map)` is told each call's mean over the
    chosen heads [rows, tokens, height, width] besides. Processors and hooks are as before afterwards, whatever
    happened. Raises ValueError for a network without cross-attention, or a layer or head that it does not have.
    """
    layers = cross_attention_layers(unet)
    _check(layers, choose)
    wanted = {name: (choose[name] if choose else ()) for name in (choose or layers)}
    recording = Recording()
    sizes: list[tuple[int, int]] = []

    def take(name: str, count: int, found: Tensor) -> None:
        each = found.unflatten(0, (-1, count)).float()
        each = each[len(each) // 2 :] if guided else each
        height, width = grid(sizes[-1], each.shape[-2])
        each = each.transpose(-1, -2).unflatten(-1, (height, width))
        mean = each[:, list(wanted[name])].mean(1) if wanted[name] else each.mean(1)
        calls = recording.calls[name] = recording.calls.get(name, 0) + 1
        _update(recording.layers, name, mean, calls)
        if heads:
            _update(recording.heads, name, each, calls)
        if hear:
            hear(name, mean)

    before = dict(unet.attn_processors)
    during = {
        name: _Recorder(layer, take) if (layer := name.removesuffix(ENDING)) in wanted
        else AttnProcessor() if unfused and layer in _plain_layers(unet) else processor
        for name, processor in before.items()
    }  # fmt: skip
    hook = unet.register_forward_pre_hook(lambda _, args, kwargs: sizes.append(_size(args, kwargs)), with_kwargs=True)
    try:
        unet.set_attn_processor(during)  # pyright: ignore[reportArgumentType]
        yield recording
    finally:
        hook.remove()
        unet.set_attn_processor(before)  # pyright: ignore[reportArgumentType]


def _plain_layers(unet: UNet2DConditionModel) -> set[str]:
    return {n for n, m in unet.named_modules() if isinstance(m, Attention) and m.added_kv_proj_dim is None}


def _check(layers: Mapping[str, Attention], choose: Mapping[str, tuple[int, ...]] | None) -> None:
    if not layers:
        raise ValueError("This U-Net has no cross-attention: it reads no words.")
    for name, chosen in (choose or {}).items():
        if name not in layers:
            raise ValueError(f"This U-Net has no cross-attention layer {name!r}; it has {', '.join(layers)}.")
        if any(not 0 <= head < layers[name].heads for head in chosen):
            raise ValueError(f"Layer {name} has heads 0 to {layers[name].heads - 1}, not {chosen}.")


def _update(kept: dict[str, Tensor], name: str, found: Tensor, calls: int) -> None:
    """Take a call into the running mean (Welford 1962): the memory is that of one call."""
    kept[name] = found.clone() if calls == 1 else kept[name] + (found - kept[name]) / calls


def _size(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[int, int]:
    sample = args[0] if args else kwargs["sample"]
    return sample.shape[-2], sample.shape[-1]


def grid(size: tuple[int, int], positions: int) -> tuple[int, int]:
    """Height and width of a layer with so many positions in a U-Net whose latents have that size: halved, rounded up,
    as often as it takes. Raises ValueError where no halving gives it."""
    height, width = size
    while height * width > positions and height * width > 1:
        height, width = -(-height // 2), -(-width // 2)
    if height * width != positions:
        raise ValueError(f"{positions} positions are no halving of {size[0]}x{size[1]} latents.")
    return height, width


def resize(maps: Tensor, size: tuple[int, int]) -> Tensor:
    """Maps [..., height, width] at another size, bilinear."""
    flat = maps.reshape(-1, 1, *maps.shape[-2:])
    return torch.nn.functional.interpolate(flat, size, mode="bilinear", align_corners=False).reshape(
        *maps.shape[:-2], *size
    )
