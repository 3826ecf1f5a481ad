"""The networks: early, intermediate and late fusion of a picture and a sound, and one modality alone.

All have the same stems and blocks, and about the same number of parameters. A picture is [n, 1, 28, 28] for one digit
or [n, 1, 28, 56] for two side by side, a sound a log-mel [n, 1, 32, 48]; the stems bring both to 16x16 places.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from demos.fusion.settings import Task

Modality = Literal["image", "audio"]
MODALITIES: tuple[Modality, ...] = ("image", "audio")
CLASSES = 10
Present = tuple[Tensor, Tensor]
"""Which samples have their picture and their sound: two bool [n]. What is not present is marked by the mask token."""


class Stem(nn.Module):
    """One strided convolution from a picture or a sound to [n, width, 16, 16], and that modality's mask token."""

    def __init__(self, modality: Modality, task: Task, width: int) -> None:
        super().__init__()
        stride = (2, 3) if modality == "audio" else (2, 4) if task == "both_needed" else (2, 2)
        self.padding = (0, 0, 0, 0) if modality == "audio" else (4, 4, 2, 2) if task == "both_needed" else (2, 2, 2, 2)
        self.convolve = nn.Conv2d(1, width, 5, stride=stride, padding=(2, 2))
        self.normalize = nn.BatchNorm2d(width)
        self.mask = nn.Parameter(torch.zeros(width, 1, 1))

    def forward(self, x: Tensor, present: Tensor) -> Tensor:
        """[n, 1, h, w] as [n, width, 16, 16]; the mask token stands wherever a sample lacks this modality."""
        x = F.relu(self.normalize(self.convolve(F.pad(x, self.padding))))
        return torch.where(present[:, None, None, None], x, self.mask)


def block(inputs: int, outputs: int) -> nn.Sequential:
    """3x3 convolution at stride 2, batch norm, ReLU."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()
    )


class Trunk(nn.Module):
    """Two blocks: [n, inputs, 16, 16] to [n, outputs, 4, 4]."""

    def __init__(self, inputs: int, middle: int, outputs: int) -> None:
        super().__init__()
        self.blocks = nn.Sequential(block(inputs, middle), block(middle, outputs))

    def forward(self, x: Tensor) -> Tensor:
        """[n, inputs, 16, 16] as [n, outputs, 4, 4]."""
        return self.blocks(x)


class Fusion(nn.Module):
    """What all designs share: a picture, a sound and which are present, to logits [n, 10]."""

    def forward(self, image: Tensor, audio: Tensor, present: Present) -> Tensor:
        """Logits [n, 10]."""
        raise NotImplementedError


class Early(Fusion):
    """Features joined, then one network: both stems' outputs are channels of the same 16x16 places."""

    def __init__(self, task: Task, scale: float = 1.0) -> None:
        super().__init__()
        stem, middle, last = (max(4, round(scale * w)) for w in (16, 56, 56))
        self.image, self.audio = Stem("image", task, stem), Stem("audio", task, stem)
        self.trunk = Trunk(2 * stem, middle, last)
        self.head = nn.Linear(16 * last, CLASSES)

    def forward(self, image: Tensor, audio: Tensor, present: Present) -> Tensor:
        """Logits [n, 10]."""
        joined = torch.cat([self.image(image, present[0]), self.audio(audio, present[1])], dim=1)
        return self.head(self.trunk(joined).flatten(1))


class Intermediate(Fusion):
    """Cross-attention between the two token sequences: each of 16 picture tokens looks at 16 sound tokens, and back."""

    def __init__(self, task: Task, scale: float = 1.0) -> None:
        super().__init__()
        stem, middle = max(4, round(scale * 12)), max(4, round(scale * 32))
        width = max(8, round(scale * 44 / 4) * 4)
        self.image, self.audio = Stem("image", task, stem), Stem("audio", task, stem)
        self.trunks = nn.ModuleList([Trunk(stem, middle, width) for _ in MODALITIES])
        self.places = nn.Parameter(torch.randn(2, 16, width) * 0.1)
        self.looks = nn.ModuleList([nn.MultiheadAttention(width, 4, batch_first=True) for _ in MODALITIES])
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in MODALITIES])
        self.head = nn.Linear(4 * 2 * width, CLASSES)

    def forward(self, image: Tensor, audio: Tensor, present: Present) -> Tensor:
        """Logits [n, 10]."""
        stems = self.image(image, present[0]), self.audio(audio, present[1])
        tokens = [t(s).flatten(2).mT + p for t, s, p in zip(self.trunks, stems, self.places, strict=True)]
        seen = []
        for own, other, look, norm in zip(tokens, tokens[::-1], self.looks, self.norms, strict=True):
            seen.append(norm(own + look(own, other, other, need_weights=False)[0]))
        # Means of four neighbours keep where things are without a head of 1,280 inputs.
        pooled = [s.unflatten(1, (4, 4)).mean(dim=2).flatten(1) for s in seen]
        return self.head(torch.cat(pooled, dim=1))


class Single(nn.Module):
    """A classifier of one modality: stem, trunk, linear head."""

    def __init__(self, modality: Modality, task: Task, widths: tuple[int, int, int]) -> None:
        super().__init__()
        self.stem = Stem(modality, task, widths[0])
        self.trunk = Trunk(*widths)
        self.head = nn.Linear(16 * widths[2], CLASSES)

    def forward(self, x: Tensor, present: Tensor) -> Tensor:
        """Logits [n, 10]."""
        return self.head(self.trunk(self.stem(x, present)).flatten(1))


class Late(Fusion):
    """A classifier per modality, and a gate that says from both answers how much to trust each."""

    def __init__(self, task: Task, scale: float = 1.0) -> None:
        super().__init__()
        widths = tuple(max(4, round(scale * w)) for w in (12, 40, 40))
        self.image = Single("image", task, (widths[0], widths[1], widths[2]))
        self.audio = Single("audio", task, (widths[0], widths[1], widths[2]))
        self.gate = nn.Sequential(nn.Linear(2 * CLASSES, 8), nn.ReLU(), nn.Linear(8, 2))

    def answers(self, image: Tensor, audio: Tensor, present: Present) -> tuple[Tensor, Tensor]:
        """The logits of each classifier, two [n, 10]."""
        return self.image(image, present[0]), self.audio(audio, present[1])

    def shares(self, answers: tuple[Tensor, Tensor], present: Present) -> Tensor:
        """The gate's trust in each modality, [n, 2], summing to 1; nothing for what is known to be missing."""
        scores = self.gate(torch.cat([F.softmax(a, dim=1) for a in answers], dim=1))
        there = torch.stack(present, dim=1)
        there = there | ~there.any(dim=1, keepdim=True)
        return F.softmax(scores.masked_fill(~there, -1e9), dim=1)

    def forward(self, image: Tensor, audio: Tensor, present: Present) -> Tensor:
        """Log probabilities [n, 10] by the gate."""
        return combine(self, self.answers(image, audio, present), present, "gate")


class Alone(Fusion):
    """One modality's classifier, as large as a whole fusion network; the other modality is never looked at."""

    def __init__(self, task: Task, modality: Modality, scale: float = 1.0) -> None:
        super().__init__()
        self.modality: Modality = modality
        widths = tuple(max(4, round(scale * w)) for w in (16, 60, 60))
        self.single = Single(modality, task, (widths[0], widths[1], widths[2]))

    def forward(self, image: Tensor, audio: Tensor, present: Present) -> Tensor:
        """Logits [n, 10]."""
        return self.single(image, present[0]) if self.modality == "image" else self.single(audio, present[1])


def combine(late: Late, answers: tuple[Tensor, Tensor], present: Present, rule: str) -> Tensor:
    """Log probabilities [n, 10] of the classifiers that have something to answer to.

    average: the mean of the probabilities. product: their product, renormalized, which is Bayes' rule for sounds and
    pictures independent given the digit and digits equally likely. gate: a mean with learned weights. Where both are
    missing every digit is equally likely.
    """
    there = torch.stack(present, dim=1).float()
    logs = torch.stack([F.log_softmax(a, dim=1) for a in answers], dim=1)
    none = there.sum(dim=1) == 0
    if rule == "product":
        joined = F.log_softmax((logs * there[:, :, None]).sum(dim=1), dim=1)
    else:
        weights = late.shares(answers, present) if rule == "gate" else there
        weights = weights / weights.sum(dim=1, keepdim=True).clamp_min(1e-9)
        joined = torch.logsumexp(logs + weights[:, :, None].clamp_min(1e-9).log(), dim=1)
    flat = torch.full_like(joined, 1 / CLASSES).log()
    return torch.where(none[:, None], flat, joined)


def build(design: str, task: Task, scale: float = 1.0) -> Fusion:
    """A fresh network: early, intermediate, late, image or audio. Raises KeyError for another word."""
    makers = {
        "early": lambda: Early(task, scale),
        "intermediate": lambda: Intermediate(task, scale),
        "late": lambda: Late(task, scale),
        "image": lambda: Alone(task, "image", scale),
        "audio": lambda: Alone(task, "audio", scale),
    }
    return makers[design]()


def count_parameters(network: nn.Module) -> int:
    """How many numbers training sets."""
    return sum(p.numel() for p in network.parameters())
