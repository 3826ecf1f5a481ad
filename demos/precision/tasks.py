"""What a task computes: the networks it needs, how calibration sees them, and how their answers are judged."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from demos.precision.engines import Engine
from demos.precision.exporting import Calibrating
from demos.precision.networks import Inputs, Network
from shared.comparison import Measure
from shared.intervals import Interval, mean_interval, share_interval

AT_ONCE = 20
"""Items that quality is computed over in one call."""
SHOWN = 10
"""Pictures a side: the first large, all ten in the blind game."""
CALIBRATION_SEED = 1_000_003
"""Added to the seed, so that calibration never sees what quality is taken over."""

Tick = Callable[[], None]


@dataclass(frozen=True)
class Judged:
    """What a side's answers are worth against FP32's: measures, pictures with captions, and arrays."""

    measures: tuple[Measure, ...]
    pictures: tuple[Image.Image, ...] = ()
    captions: tuple[str, ...] = ()
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)


class Task(Protocol):
    """A task, made for one run. `networks[0]` is the one whose latency is the side's."""

    networks: tuple[Network, ...]
    quality: str
    timed_as: str

    def ticks(self) -> int:
        """How often `judge` ticks for one side."""
        ...

    def right_data(self, network: Network, size: int, seed: int) -> Inputs:
        """Inputs as in use, for calibration."""
        ...

    def judge(self, engines: Mapping[str, Sequence[Engine]], tick: Tick) -> dict[str, Judged]:
        """Every side against FP32. The engines of each stand in the order of `networks`."""
        ...


def calibrating_for(task: Task, network: Network, how: str, size: int, per_channel: bool, seed: int) -> Calibrating:
    """What calibration of a network sees: data as in use, noise of the same shape and reach, or nothing."""
    if how == "none":
        return Calibrating("none", None, per_channel)
    inputs = task.right_data(network, size, seed + CALIBRATION_SEED)
    if how == "noise":
        inputs = noise_like(inputs, seed)
    return Calibrating(f"{how}-{size}-{digest(inputs)}", inputs, per_channel)


def digest(inputs: Inputs) -> str:
    """A short digest of inputs, so that a file calibrated on others is never taken for one calibrated on these."""
    found = hashlib.sha256()
    for x in inputs:
        found.update(x.cpu().contiguous().numpy().tobytes())
    return found.hexdigest()[:10]


def noise_like(inputs: Inputs, seed: int) -> Inputs:
    """Random inputs of the same shapes. Numbers are even noise between the least and the greatest of them; whole
    numbers (tokens) are drawn from those that occur."""
    g = torch.Generator().manual_seed(seed % 2**63)
    found = []
    for x in inputs:
        if x.is_floating_point():
            low, high = float(x.min()), float(x.max())
            found.append(low + (high - low) * torch.rand(x.shape, generator=g))
        else:
            found.append(x.flatten()[torch.randint(x.numel(), x.shape, generator=g)])
    return tuple(found)


def run_all(
    engine: Engine, inputs: Inputs, tick: Tick, at_once: int = AT_ONCE, then: Callable[[Tensor], Tensor] | None = None
) -> Tensor:
    """The engine's output over all items, some at a time; a tick after each call. `then` makes less of each output, so
    that large ones are not kept."""
    parts = []
    for start in range(0, len(inputs[0]), at_once):
        found = engine.run(tuple(x[start : start + at_once] for x in inputs))
        parts.append(then(found) if then else found)
        tick()
    return torch.cat(parts)


def calls_for(count: int, at_once: int = AT_ONCE) -> int:
    """How many calls `run_all` makes."""
    return -(-count // at_once)


def share(name: str, hits: np.ndarray, note: str) -> Measure:
    """A share of trials with Wilson's interval, higher is better."""
    return _measure(name, share_interval(int(hits.sum()), len(hits)), "share", "higher", note)


def mean(name: str, values: np.ndarray, unit: str, better: str, note: str, low: float, high: float) -> Measure:
    """A mean with its interval."""
    return _measure(name, mean_interval(values.tolist(), low=low, high=high), unit, better, note)


def _measure(name: str, found: Interval, unit: str, better: str, note: str) -> Measure:
    return Measure(name, found.value, unit, better, note, found.low, found.high, found.n)  # pyright: ignore[reportArgumentType]


def relative_error(values: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """For each row the root mean square of the difference over that of the truth: [n, k] and [n, k] to [n]."""
    error = np.sqrt(((values - truth) ** 2).mean(axis=1))
    return error / np.maximum(np.sqrt((truth**2).mean(axis=1)), 1e-12)
