"""The bundled models, and what they answer with everything there, with one modality gone, and with both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from demos.fusion.data import bundle, to_features
from demos.fusion.networks import Fusion, Late, Present, build, combine
from demos.fusion.settings import DropAs, Task
from shared.demo import DemoError
from shared.sound import SAMPLES

DESIGNS = ("early", "intermediate", "late")
REFERENCES = ("image", "audio")
NAMES: Mapping[str, str] = {
    "early": "early fusion",
    "intermediate": "intermediate fusion",
    "late": "late fusion",
    "image": "picture alone",
    "audio": "sound alone",
}


@dataclass(frozen=True)
class Inputs:
    """A batch as the networks take it: pictures [n, 1, h, w], log-mels [n, 1, 32, 48], and which modality is there.

    `present` holds for the whole batch; what is not present is marked by the mask token.
    """

    image: Tensor
    audio: Tensor
    present: tuple[bool, bool] = (True, True)

    def __len__(self) -> int:
        return len(self.image)

    def mask(self) -> Present:
        """`present` for each sample."""
        n = len(self)
        return torch.full((n,), self.present[0]), torch.full((n,), self.present[1])


@dataclass(frozen=True)
class Variant:
    """A bundled model: its design, task, modality dropout in training, and size (1 is full)."""

    design: str
    task: Task
    dropout: float
    scale: float = 1.0


@cache
def catalog() -> dict[Variant, str]:
    """Every bundled model with its prefix in the weights."""
    found: dict[Variant, str] = {}
    for entry in json.loads((bundle() / "config.json").read_text())["variants"]:
        variant = Variant(entry["design"], entry["task"], float(entry["dropout"]), float(entry["scale"]))
        found[variant] = str(entry["name"])
    return found


@cache
def _weights() -> dict[str, Tensor]:
    from safetensors.torch import load_file

    return load_file(bundle() / "model.safetensors")


@cache
def load(variant: Variant) -> Fusion:
    """The network in evaluation mode, FP32 on the CPU; shared by all visitors, who only read it.

    Raises DemoError where this release holds no such model.
    """
    name = catalog().get(variant)
    if name is None:
        there = sorted({v.dropout for v in catalog() if v.task == variant.task and v.design == variant.design})
        raise DemoError(
            f"trained_with must be {' or '.join(f'{d:g}' for d in there)} for task {variant.task}, not "
            f"{variant.dropout:g}: no other is bundled."
        )
    prefix = f"{name}/"
    state: dict[str, Any] = {
        k.removeprefix(prefix): v.float() if v.is_floating_point() else v
        for k, v in _weights().items()
        if k.startswith(prefix)
    }
    network = build(variant.design, variant.task, variant.scale)
    network.load_state_dict(state)
    return network.eval().requires_grad_(False)


def variant_for(design: str, task: Task, trained_with: str) -> Variant:
    """The full-size model of a design; a single-modality reference has no dropout, whatever the others were given."""
    return Variant(design, task, 0.0 if design in REFERENCES else float(trained_with))


def make_inputs(pictures: np.ndarray, windows: np.ndarray, present: tuple[bool, bool] = (True, True)) -> Inputs:
    """Pictures [n, h, w] and sound windows [n, SAMPLES] as the networks take them."""
    return Inputs(torch.from_numpy(pictures).float()[:, None], torch.from_numpy(to_features(windows))[:, None], present)


def drop(inputs: Inputs, gone: str, how: DropAs, seed: int = 0) -> Inputs:
    """The inputs with a modality ("image", "audio", "both" or "none") missing, marked or not.

    mask token: known to be missing. zeros, noise: an array of zeros, or of what noise alone looks like, as if it were
    there; a modality that was missing before stays so.
    """
    image, audio, present = inputs.image, inputs.audio, list(inputs.present)
    rng = np.random.default_rng([seed, 5])
    if gone in ("image", "both"):
        if how == "mask token":
            present[0] = False
        elif how == "zeros":
            image = torch.zeros_like(image)
        else:
            image = torch.from_numpy(rng.standard_normal(tuple(image.shape), dtype=np.float32)).clamp(0, 1)
    if gone in ("audio", "both"):
        if how == "mask token":
            present[1] = False
        elif how == "zeros":
            audio = torch.zeros_like(audio)
        else:
            hiss = rng.standard_normal((len(audio), SAMPLES), dtype=np.float32)
            audio = torch.from_numpy(to_features(hiss))[:, None]
    return Inputs(image, audio, (present[0], present[1]))


@torch.inference_mode()
def answer(network: Fusion, inputs: Inputs, rule: str = "average") -> np.ndarray:
    """Probabilities float32 [n, 10]. `rule` is late fusion's; the other designs have none."""
    present = inputs.mask()
    if isinstance(network, Late):
        logits = combine(network, network.answers(inputs.image, inputs.audio, present), present, rule)
    else:
        logits = network(inputs.image, inputs.audio, present)
    return torch.softmax(logits, dim=1).numpy()
