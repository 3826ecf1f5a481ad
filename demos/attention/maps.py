"""From a recording to a word's map: which layers and heads count, at which size, and the strips of their parts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from demos.attention.recorder import Recording, resize
from demos.attention.words import Caption, Word
from shared.demo import DemoError

CHOSEN = Path(__file__).parent / "chosen.json"
Choice = Mapping[str, tuple[int, ...]]
"""Layers, and of each the heads that count; an empty tuple is all of them."""


@dataclass(frozen=True)
class Chosen:
    """What `python -m demos.attention.choose` found on other scenes: heads by layer, timestep, threshold, and the
    checksum of the weights that it was found for."""

    checksum: str
    heads: dict[str, tuple[int, ...]]
    timestep: int
    threshold: float


@cache
def chosen() -> Chosen:
    """The stored choice."""
    data = json.loads(CHOSEN.read_text(encoding="utf-8"))
    heads = {name: tuple(found) for name, found in data["heads"].items()}
    return Chosen(data["checksum"], heads, int(data["timestep"]), float(data["threshold"]))


def checksum(folder: Path) -> str:
    """SHA-256 over all safetensors of a pipeline's folder, in the order of their names."""
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*.safetensors")):
        digest.update(file.relative_to(folder).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def choose(layers: Mapping[str, int], which: str, heads: str, layer: int, head: int) -> tuple[dict, str]:
    """The layers and heads that count, and in words where the stored choice does not fit the network.

    `layers` holds the number of heads by layer; `which` and `heads` are chosen, all or one. Raises DemoError for a
    layer or head that is not there.
    """
    names = list(layers)
    if which == "one" and layer >= len(names):
        raise DemoError(f"layer: this U-Net has the cross-attention layers 0 to {len(names) - 1}, not {layer}.")
    stored = chosen().heads
    fits = bool(stored) and all(
        name in layers and all(h < layers[name] for h in found) for name, found in stored.items()
    )
    note = "" if fits else "The stored choice of layers and heads is another model's: all are averaged."
    picked = {"one": [names[layer]] if layer < len(names) else [], "all": names,
              "chosen": [n for n in names if n in stored] if fits else names}[which]  # fmt: skip
    found: dict[str, tuple[int, ...]] = {}
    for name in picked:
        if heads == "one":
            if head >= layers[name]:
                if len(picked) > 1:
                    continue
                raise DemoError(f"head: layer {names.index(name)} has the heads 0 to {layers[name] - 1}, not {head}.")
            found[name] = (head,)
        else:
            found[name] = stored.get(name, ()) if heads == "chosen" and fits else ()
    if not found:
        raise DemoError(f"head: none of these layers has a head {head}.")
    return found, note if "chosen" in (which, heads) else ""


def token_maps(recording: Recording, choice: Choice, size: tuple[int, int] | None = None) -> Tensor:
    """The mean over the layers, each head weighing the same, of the maps [rows, tokens, height, width], at the finest
    layer's size or the one given."""
    found = [recording.layers[name] for name in choice]
    finest = size or max((tuple(f.shape[-2:]) for f in found), key=lambda s: s[0] * s[1])
    weights = [float(len(heads) or 1) for heads in choice.values()]
    total = sum(weights)
    summed = sum((resize(f, finest) * (w / total) for f, w in zip(found, weights, strict=True)), torch.zeros(()))  # pyright: ignore[reportArgumentType]
    assert isinstance(summed, Tensor)
    return summed


def word_map(maps: Tensor, words: Sequence[Word]) -> Tensor:
    """The mean over the words' tokens of maps [..., tokens, height, width]: [..., height, width]."""
    tokens = [t for word in words for t in word.tokens]
    return maps[..., tokens, :, :].mean(-3)


def picture_map(found: Tensor | np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """A map [height, width] at the picture's size (width, height), smooth; float32."""
    tensor = torch.as_tensor(np.asarray(found), dtype=torch.float32) if isinstance(found, np.ndarray) else found
    return resize(tensor.float()[None], (size[1], size[0]))[0].cpu().numpy()


@dataclass(frozen=True)
class Strip:
    """A row of small maps [n, height, width] with a name for each."""

    title: str
    names: tuple[str, ...]
    maps: np.ndarray


def layer_strip(recording: Recording, words: Sequence[Word], size: tuple[int, int]) -> Strip:
    """The word's map in each layer."""
    maps = [resize(word_map(found[:1], words), size)[0] for found in recording.layers.values()]
    return Strip("layer", tuple(short(name) for name in recording.layers), torch.stack(maps).cpu().numpy())


def head_strip(recording: Recording, words: Sequence[Word], size: tuple[int, int]) -> Strip:
    """The word's map in each head of each layer."""
    maps, names = [], []
    for name, found in recording.heads.items():
        each = resize(word_map(found[0], words), size)
        maps.append(each)
        names += [f"{short(name)} head {i}" for i in range(len(each))]
    return Strip("head", tuple(names), torch.cat(maps).cpu().numpy())


def word_strip(maps: Tensor, caption: Caption, size: tuple[int, int]) -> Strip:
    """Every word's own map, and those of the start and end tokens, [words + 2, height, width]."""
    words = [Word("start", -1, (0,)), *caption.words, Word("end", -1, (caption.end,))]
    found = torch.stack([resize(word_map(maps, (w,))[None], size)[0] for w in words])
    return Strip("word", tuple(w.text for w in words), found.cpu().numpy())


def short(name: str) -> str:
    """A layer's name in short: "down 0.1", "mid", "up 1.0", with "first" for a block's first attention."""
    parts = name.split(".")
    place = parts[0].removesuffix("_blocks").removesuffix("_block")
    numbers = [p for p in parts[1:] if p.isdecimal()]
    where = f"{place} {'.'.join(numbers[:2] if place != 'mid' else numbers[:0])}".strip()
    return f"{where} first" if name.endswith("attn1") else where
