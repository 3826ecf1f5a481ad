"""Classifiers behind one face: a picture in, logits of named classes out; scene reader, EfficientNet, Hub networks."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import Tensor, nn

from shared.demo import DemoError
from shared.models import Loaded, load_classifier, load_scene_reader, resolve
from shared.reader import INPUT_SIZE as READER_SIZE
from shared.reader import SceneReader
from shared.stickers import BACKGROUNDS, COLORS, KINDS

MOST_SUGGESTIONS = 3


@dataclass(frozen=True)
class Classifier:
    """A network with what is needed to ask it.

    `network` turns inputs [b, 3, size, size] into logits [b, classes]; `to_input` RGB pixels 0..255, float
    [b, size, size, 3], into inputs. `groups` says which classes share a softmax; a class of no group has a sigmoid.
    """

    loaded: Loaded
    network: nn.Module
    size: int
    classes: tuple[str, ...]
    to_input: Callable[[np.ndarray], Tensor]
    groups: tuple[slice, ...]

    @property
    def name(self) -> str:
        """Its name in the table of models."""
        return self.loaded.row.name

    def inputs(self, picture: Image.Image) -> Tensor:
        """The picture as input [1, 3, size, size]."""
        return self.to_input(np.asarray(self.fit(picture), dtype=np.float32)[None]).to(self.loaded.device)

    def fit(self, picture: Image.Image) -> Image.Image:
        """A square picture at the network's size."""
        size = (self.size, self.size)
        return picture.convert("RGB") if picture.size == size else picture.convert("RGB").resize(
            size, Image.Resampling.BICUBIC
        )  # fmt: skip

    def probability(self, logits: Tensor, target: int) -> Tensor:
        """The class's probability for each row, [b]: among its group, or on its own where it has none."""
        for group in self.groups:
            if group.start <= target < group.stop:
                return torch.softmax(logits[:, group].float(), -1)[:, target - group.start]
        return torch.sigmoid(logits[:, target].float())

    @torch.no_grad()
    def probabilities_of(self, frames: np.ndarray, target: int, batch: int = 33) -> np.ndarray:
        """The class's probability in frames [n, size, size, 3] with values 0..255; [n]."""
        found = []
        for start in range(0, len(frames), batch):
            x = self.to_input(frames[start : start + batch]).to(self.loaded.device)
            found.append(self.probability(self.network(x), target).cpu().numpy())
        return np.concatenate(found)

    @torch.no_grad()
    def best(self, picture: Image.Image, count: int = 3) -> list[tuple[str, float]]:
        """The likeliest classes of the picture with their probabilities, the likeliest first."""
        logits = self.network(self.inputs(picture))
        every = torch.stack([self.probability(logits, i) for i in self._shown()], -1)[0]
        values, places = every.topk(min(count, len(every)))
        return [(self.classes[self._shown()[int(i)]], float(v)) for v, i in zip(values, places, strict=True)]

    @torch.no_grad()
    def likeliest(self, picture: Image.Image) -> int:
        """The likeliest class of the picture."""
        logits = self.network(self.inputs(picture))
        return max(self._shown(), key=lambda i: float(self.probability(logits, i)))

    def _shown(self) -> list[int]:
        """The classes that answer "what is it?": kinds for the scene reader, else all."""
        return list(range(len(KINDS))) if self.name == "scene_reader" else list(range(len(self.classes)))

    def index(self, target: str) -> int:
        """The class of that name or number. Raises DemoError with the nearest names where there is none."""
        wanted = " ".join(target.lower().split())
        if wanted.isdecimal():
            if int(wanted) < len(self.classes):
                return int(wanted)
            raise DemoError(f"target: {self.name} has the classes 0 to {len(self.classes) - 1:,}, not {wanted[:12]}.")
        names = [name.lower() for name in self.classes]
        if wanted in names:
            return names.index(wanted)
        inside = [n for n in self.classes if wanted and wanted in n.lower()]
        inside.sort(key=lambda n: (wanted not in n.lower().split(), len(n)))  # whole words first, short names first
        near = inside or difflib.get_close_matches(wanted, names, MOST_SUGGESTIONS, 0.6)
        hint = f": did you mean {' or '.join(f'“{n}”' for n in near[:MOST_SUGGESTIONS])}?" if near else "."
        raise DemoError(f"target: {self.name} has no class “{target[:40]}”{hint}")


class ReaderLogits(nn.Module):
    """The scene reader with all its answers in one row: presence of each kind, the color of each kind, background."""

    def __init__(self, reader: SceneReader) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, pictures: Tensor) -> Tensor:
        """Logits [b, kinds + kinds * colors + backgrounds]."""
        found = self.reader(pictures)
        return torch.cat([found.presence, found.color.flatten(1), found.background], 1)


def reader_classes() -> tuple[str, ...]:
    """The names of `ReaderLogits`' answers: "car", "red car", "mint background"."""
    colored = tuple(f"{color} {kind}" for kind in KINDS for color in COLORS)
    return (*KINDS, *colored, *(f"{name} background" for name in BACKGROUNDS))


class HubLogits(nn.Module):
    """A transformers classifier that answers in plain logits."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, pictures: Tensor) -> Tensor:
        """Logits [b, classes]."""
        return self.model(pictures).logits


def load(name: str) -> Classifier:
    """The classifier of that name. Raises DemoError where it can't be had."""
    if name == "scene_reader":
        return of_reader(load_scene_reader())
    row = resolve(name)
    if row.name == "efficientnet_lite0":
        from shared.imagenet import INPUT_SIZE, class_names

        loaded = load_classifier(name)
        return Classifier(loaded, loaded.model, INPUT_SIZE, class_names(), _lite_input, (slice(0, 1000),))
    loaded = load_classifier(name)
    labels = loaded.model.config.id2label
    names = tuple(str(labels[i]).split(",")[0] for i in range(len(labels)))
    return Classifier(loaded, HubLogits(loaded.model).eval(), 224, names, _imagenet_input, (slice(0, len(names)),))


def of_reader(loaded: Loaded) -> Classifier:
    """The scene reader as a classifier."""
    kinds, colors = len(KINDS), len(COLORS)
    first = [slice(kinds + k * colors, kinds + (k + 1) * colors) for k in range(kinds)]
    last = slice(kinds * (1 + colors), kinds * (1 + colors) + len(BACKGROUNDS))
    network = ReaderLogits(loaded.model).eval()
    return Classifier(loaded, network, READER_SIZE, reader_classes(), _reader_input, (*first, last))


def target_of(words: Sequence[str], kind: str | None, color: str | None, background: str | None) -> str:
    """The scene reader's class for a word of a caption: its kind, its color of that kind, or its background."""
    if background and (background in words or "background" in words):
        return f"{background} background"
    if kind and color and color in words and kind not in words:
        return f"{color} {kind}"
    return kind or ""


def _reader_input(pixels: np.ndarray) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(pixels)).permute(0, 3, 1, 2).float().div(127.5).sub(1)


def _lite_input(pixels: np.ndarray) -> Tensor:
    return torch.from_numpy((pixels - 127.0) / 128.0).permute(0, 3, 1, 2).float().contiguous()


def _imagenet_input(pixels: np.ndarray) -> Tensor:
    mean, spread = np.array([0.485, 0.456, 0.406]) * 255, np.array([0.229, 0.224, 0.225]) * 255
    return torch.from_numpy((pixels - mean) / spread).permute(0, 3, 1, 2).float().contiguous()


def spatial(picture: Any) -> bool:
    """Whether a layer's output has places: [b, channels, height, width] with more than one of them."""
    return isinstance(picture, Tensor) and picture.ndim == 4 and picture.shape[-1] * picture.shape[-2] > 1
