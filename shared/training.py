"""What the recipes in assets/ share: rendered scenes, checkpoints outside the tree, progress with time left."""

from __future__ import annotations

import json
import math
import os
import random
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from shared.stickers import Scene, is_for_testing, place, random_scene, render


def cache_folder(name: str) -> Path:
    """The folder for checkpoints and prepared data of one recipe, in the user's cache (XDG_CACHE_HOME)."""
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = root / "side-by-side" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def scenes(count: int, seed: int, *, testing: bool = False, held_out: bool = False) -> list[Scene]:
    """`count` placed scenes drawn from `seed`; training and testing scenes never show the same facts."""
    rng = random.Random(f"scenes {seed}")
    found: list[Scene] = []
    while len(found) < count:
        scene = random_scene(rng, held_out=held_out)
        if held_out or is_for_testing(scene) == testing:
            found.append(place(scene, rng.randrange(2**31)))
    return found


def rendered(name: str, chosen: list[Scene], size: int) -> np.ndarray:
    """The scenes as pictures, uint8 [n, size, size, 3], drawn once and kept in the cache folder as a memory map."""
    path = cache_folder("renders") / f"{name}-{len(chosen)}-{size}.npy"
    if path.exists():
        return np.load(path, mmap_mode="r")
    partial = path.with_suffix(".partial.npy")
    pictures = np.lib.format.open_memmap(partial, mode="w+", dtype=np.uint8, shape=(len(chosen), size, size, 3))
    progress = Progress("rendering", len(chosen))
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for index, picture in enumerate(pool.map(_picture, chosen, repeat(size), chunksize=16)):
            pictures[index] = picture
            progress.step(index + 1)
    pictures.flush()
    partial.rename(path)
    return np.load(path, mmap_mode="r")


def _picture(scene: Scene, size: int) -> np.ndarray:
    return np.asarray(render(scene, size)[0])


def to_tensor(pictures: np.ndarray) -> Tensor:
    """uint8 [n, h, w, 3] as float [n, 3, h, w] from -1 to 1, the range that diffusion models use."""
    return torch.from_numpy(np.array(pictures)).permute(0, 3, 1, 2).float().div_(127.5).sub_(1)


def batches(count: int, size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Indices in random order without end, each seen once an epoch."""
    while True:
        order = rng.permutation(count)
        for start in range(0, count - size + 1, size):
            yield np.sort(order[start : start + size])


def cosine_rate(step: int, total: int, peak: float = 1.0, warm_up: int = 100, floor: float = 0.02) -> float:
    """Learning rate: a linear warm-up, then half a cosine from `peak` down to `floor * peak`."""
    if step < warm_up:
        return peak * (step + 1) / warm_up
    share = min(1.0, (step - warm_up) / max(1, total - warm_up))
    return peak * (floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * share)))


class Average:
    """Exponential moving average of a network's parameters and buffers; what the recipes ship."""

    def __init__(self, network: nn.Module, decay: float) -> None:
        self.decay = decay
        self.values = {k: v.detach().clone() for k, v in network.state_dict().items()}
        self.count = 0

    def load(self, values: Mapping[str, Tensor], count: int) -> None:
        """Put back the averages of a checkpoint taken after `count` updates."""
        self.values = {k: v.to(self.values[k].device) for k, v in values.items()}
        self.count = count

    @torch.no_grad()
    def update(self, network: nn.Module) -> None:
        """Take in the network's present values; the decay grows to its full value over the first steps."""
        self.count += 1
        decay = min(self.decay, (1 + self.count) / (10 + self.count))
        for key, value in network.state_dict().items():
            if value.dtype.is_floating_point:
                self.values[key].lerp_(value, 1 - decay)
            else:
                self.values[key].copy_(value)


@dataclass
class Progress:
    """Prints how far a loop is and how long it will still take, every few seconds."""

    what: str
    total: int
    every: float = 20.0

    def __post_init__(self) -> None:
        self.start = self.last = time.monotonic()
        self.first: int | None = None

    def step(self, done: int, note: str = "") -> None:
        """Say that `done` of `total` are done."""
        if self.first is None:
            self.first = done - 1
        now = time.monotonic()
        if done < self.total and now - self.last < self.every:
            return
        self.last = now
        rate = (done - self.first) / max(1e-9, now - self.start)
        left = (self.total - done) / max(1e-9, rate)
        print(f"{self.what}: {done} of {self.total}, {rate:.2f}/s, {left / 60:.0f} min left {note}", flush=True)


class Checkpoint:
    """The state of a training run in the cache folder: tensors as safetensors, counters as JSON, no pickles."""

    def __init__(self, name: str) -> None:
        self.folder = cache_folder(name)

    def save(self, step: int, tensors: Mapping[str, Mapping[str, Tensor]]) -> None:
        """Write every named state dict, then the counter; a stop in between leaves the older state readable."""
        flat = {f"{g}/{k}": v.detach().contiguous().clone() for g, group in tensors.items() for k, v in group.items()}
        partial = self.folder / "state.partial"
        save_file(flat, partial)
        partial.replace(self.folder / f"state-{step}.safetensors")
        (self.folder / "step.json").write_text(json.dumps({"step": step}))
        for old in self.folder.glob("state-*.safetensors"):
            if old.name != f"state-{step}.safetensors":
                old.unlink()

    def load(self) -> tuple[int, dict[str, dict[str, Tensor]]] | None:
        """The last step and its state dicts, or None where there is no checkpoint."""
        try:
            step = json.loads((self.folder / "step.json").read_text())["step"]
            flat = load_file(self.folder / f"state-{step}.safetensors")
        except (OSError, ValueError, KeyError):
            return None
        groups: dict[str, dict[str, Tensor]] = {}
        for key, value in flat.items():
            group, name = key.split("/", 1)
            groups.setdefault(group, {})[name] = value
        return step, groups


class Optimizer:
    """Muon for the weight matrices (convolutions as [out, in * h * w]), AdamW for everything else.

    Muon (Jordan et al. 2024, kellerjordan.github.io/posts/muon) took the autoencoder from 20.6 to 24.8 dB at a third
    less work than AdamW. The first and last layers stay with AdamW, as its authors advise: `plain` lists what their
    names start with.
    """

    def __init__(
        self, network: nn.Module, muon_rate: float = 0.01, adam_rate: float = 2e-3, plain: tuple[str, ...] = ()
    ) -> None:
        self.matrices: list[nn.Parameter] = []
        others: list[nn.Parameter] = []
        for name, parameter in network.named_parameters():
            if not parameter.requires_grad:
                continue
            wide = parameter.ndim in (2, 4) and min(parameter.shape[:2]) >= 8
            (self.matrices if wide and not name.startswith(plain) else others).append(parameter)
        # Views that share the weights' memory: torch's Muon takes matrices only.
        self.views = [nn.Parameter(p.detach().view(p.shape[0], -1)) for p in self.matrices]
        self.rates = (muon_rate, adam_rate)
        self.muon = torch.optim.Muon(self.views, lr=muon_rate, weight_decay=0.0)
        self.adam = torch.optim.AdamW([{"params": others}], lr=adam_rate, betas=(0.9, 0.99), weight_decay=1e-4)
        self.parameters = [*self.matrices, *others]

    def step(self, loss: Tensor, share: float) -> None:
        """One update from `loss`, gradients clipped to norm 1, with `share` (0..1) of the full rates."""
        for parameter in self.parameters:
            parameter.grad = None
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        for view, matrix in zip(self.views, self.matrices, strict=True):
            view.grad = None if matrix.grad is None else matrix.grad.reshape(view.shape)
        for optimizer, rate in zip((self.muon, self.adam), self.rates, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = rate * share
            optimizer.step()

    def tensors(self) -> dict[str, Tensor]:
        """The moments as a flat dict of tensors, for a checkpoint."""
        found: dict[str, Tensor] = {}
        for name, optimizer in (("muon", self.muon), ("adam", self.adam)):
            for index, entry in optimizer.state_dict()["state"].items():
                found.update({f"{name}.{index}.{k}": torch.as_tensor(v) for k, v in entry.items()})
        return found

    def load(self, tensors: Mapping[str, Tensor]) -> None:
        """Put back what `tensors` gave."""
        states: dict[str, dict[int, dict[str, Tensor]]] = {"muon": {}, "adam": {}}
        for key, value in tensors.items():
            name, index, entry = key.split(".", 2)
            states[name].setdefault(int(index), {})[entry] = value
        for name, optimizer in (("muon", self.muon), ("adam", self.adam)):
            optimizer.load_state_dict({**optimizer.state_dict(), "state": states[name]})


class Training:
    """One training: a network with its optimizer and average, resumed from the checkpoint `name` if there is one.

    `first` is the step to go on with.
    """

    def __init__(self, name: str, network: nn.Module, optimizer: Optimizer, decay: float) -> None:
        self.network, self.optimizer = network, optimizer
        self.average = Average(network, decay)
        self.checkpoint = Checkpoint(name)
        self.first = 0
        saved = self.checkpoint.load()
        if saved is not None:
            self.first, groups = saved
            network.load_state_dict(groups["network"])
            self.average.load(groups["average"], self.first)
            optimizer.load(groups["optimizer"])

    def save(self, step: int) -> None:
        """Write the state after `step` steps."""
        self.checkpoint.save(
            step,
            {
                "network": self.network.state_dict(),
                "average": self.average.values,
                "optimizer": self.optimizer.tensors(),
            },
        )


def training_device() -> torch.device:
    """A GPU if there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
