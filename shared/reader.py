"""The scene reader: a small CNN that says which stickers a picture shows. It never sees a caption; it is the judge."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional as F

from shared.stickers import BACKGROUNDS, COLORS, KINDS

INPUT_SIZE = 128  # pixels; other sizes are resampled


class Residual(nn.Module):
    """Two 3x3 convolutions with batch norm and a skip connection (He et al. 2016, arXiv 1512.03385)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = _conv(channels, channels)
        self.second = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x: Tensor) -> Tensor:
        """[b, c, h, w] to the same shape."""
        return F.relu(x + self.second(self.first(x)))


def _conv(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()
    )


@dataclass(frozen=True)
class ReaderOutput:
    """Raw answers: presence [b, kinds], color [b, kinds, colors], place [b, kinds, 2] (x, y in 0..1) and background
    [b, backgrounds]; all but `place` are logits."""

    presence: Tensor
    color: Tensor
    place: Tensor
    background: Tensor


class SceneReader(nn.Module):
    """A CNN whose last spatial layer, `features`, is 16x16.

    One 1x1 convolution turns the features into a map per kind. A kind's presence is the smooth maximum of its map
    (log-mean-exp, Pinheiro and Collobert 2015, arXiv 1411.6228); the softmax of the same map says where to read the
    kind's color and place. So places and colors need no box and presence is trained from picture labels alone.
    """

    SHARPNESS = 4.0

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            _conv(3, width // 2, 2), _conv(width // 2, width, 2), Residual(width), _conv(width, 2 * width, 2)
        )
        self.features = nn.Sequential(
            Residual(2 * width), Residual(2 * width), Residual(2 * width), _conv(2 * width, 3 * width)
        )
        self.kinds = nn.Conv2d(3 * width, len(KINDS), 1)
        self.colors = nn.Conv2d(3 * width, len(COLORS), 1)
        self.background = nn.Linear(3 * width, len(BACKGROUNDS))

    def forward(self, pictures: Tensor) -> ReaderOutput:
        """Pictures [b, 3, 128, 128] from -1 to 1."""
        features = self.features(self.stem(pictures))
        maps = self.kinds(features).float().flatten(2)
        attention = torch.softmax(self.SHARPNESS * maps, dim=-1)
        presence = (torch.logsumexp(self.SHARPNESS * maps, dim=-1) - np.log(maps.shape[-1])) / self.SHARPNESS
        color = torch.einsum("bkp,bcp->bkc", attention, self.colors(features).float().flatten(2))
        height, width = features.shape[-2:]
        ys, xs = torch.meshgrid(
            (torch.arange(height, device=maps.device) + 0.5) / height,
            (torch.arange(width, device=maps.device) + 0.5) / width,
            indexing="ij",
        )
        grid = torch.stack([xs.flatten(), ys.flatten()])
        place = torch.einsum("bkp,xp->bkx", attention, grid)
        return ReaderOutput(presence, color, place, self.background(features.mean((2, 3))).float())

    def logits(self, pictures: Tensor) -> Tensor:
        """Presence logits [b, kinds]: the reader as a plain multi-label classifier."""
        return self(pictures).presence


@dataclass(frozen=True)
class Seen:
    """A sticker the reader sees: its kind with the probability, its color (None: unsure), its center in 0..1."""

    kind: str
    confidence: float
    color: str | None
    color_confidence: float
    x: float
    y: float


@dataclass(frozen=True)
class Reading:
    """What the reader says of one picture; stickers by falling confidence; background None where it is unsure.

    `unsure` lists kinds that may be there: above half the set confidence, but below it.
    """

    stickers: tuple[Seen, ...]
    background: str | None
    background_confidence: float
    unsure: tuple[str, ...] = ()


def prepare(pictures: list[Image.Image]) -> Tensor:
    """PIL pictures as the reader's input [b, 3, 128, 128], resampled by area and bicubic filtering as needed."""
    arrays = []
    for picture in pictures:
        picture = picture.convert("RGB")
        if picture.size != (INPUT_SIZE, INPUT_SIZE):
            picture = picture.resize((INPUT_SIZE, INPUT_SIZE), Image.Resampling.BICUBIC)
        arrays.append(np.asarray(picture))
    return torch.from_numpy(np.stack(arrays)).permute(0, 3, 1, 2).float().div_(127.5).sub_(1)


@torch.no_grad()
def read(reader: SceneReader, pictures: list[Image.Image], confidence: float, batch: int = 32) -> list[Reading]:
    """What each picture shows. Below `confidence` (0..1) an answer is "unsure"."""
    readings: list[Reading] = []
    device = next(reader.parameters()).device
    for start in range(0, len(pictures), batch):
        output = reader(prepare(pictures[start : start + batch]).to(device))
        presence = torch.sigmoid(output.presence).cpu()
        color = torch.softmax(output.color, -1).cpu()
        place = output.place.cpu()
        background = torch.softmax(output.background, -1).cpu()
        for i in range(len(presence)):
            readings.append(_reading(presence[i], color[i], place[i], background[i], confidence))
    return readings


def _reading(presence: Tensor, color: Tensor, place: Tensor, background: Tensor, confidence: float) -> Reading:
    seen: list[Seen] = []
    unsure: list[str] = []
    for k in torch.argsort(presence, descending=True).tolist():
        probability = float(presence[k])
        if probability < confidence / 2:
            break
        if probability < confidence:
            unsure.append(KINDS[k])
            continue
        best = int(color[k].argmax())
        sure = float(color[k, best])
        x, y = place[k].tolist()
        seen.append(Seen(KINDS[k], probability, tuple(COLORS)[best] if sure >= confidence else None, sure, x, y))
    ground = int(background.argmax())
    sure = float(background[ground])
    name = tuple(BACKGROUNDS)[ground] if sure >= confidence else None
    return Reading(tuple(seen), name, sure, tuple(unsure))


def load_reader(folder: Path) -> tuple[SceneReader, float]:
    """The trained reader from a folder with config.json and model.safetensors, and its set confidence.

    Raises ValueError where the weights were trained on another vocabulary.
    """
    config = json.loads((folder / "config.json").read_text())
    if config["kinds"] != list(KINDS) or config["colors"] != list(COLORS) or config["backgrounds"] != list(BACKGROUNDS):
        raise ValueError(f"The reader in {folder.name} was trained on other words than the world has now.")
    reader = SceneReader(config["width"])
    state = load_file(folder / "model.safetensors")
    reader.load_state_dict({k: v.float() if v.is_floating_point() else v for k, v in state.items()})
    return reader.eval().requires_grad_(False), float(config["confidence"])
