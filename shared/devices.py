"""Where models run: device and number format, the environment that travels with every result, and seeded noise.

Torch is imported inside the functions, so that the page is up before it is needed.
"""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

LARGEST_SEED = 2**63 - 1


def best_device() -> torch.device:
    """The CUDA device if there is one, else Apple's GPU, else the CPU."""
    import torch

    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def dtype_for(device: torch.device, *, big: bool) -> torch.dtype:
    """The format to compute in: FP16 for a big model on a GPU, FP32 everywhere else."""
    import torch

    return torch.float16 if big and device.type != "cpu" else torch.float32


def wait_for(device: torch.device) -> None:
    """Return when the device has done its queued work, so that a clock read next is right."""
    import torch

    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()


def environment(device: torch.device, dtype: torch.dtype, *libraries: str, **more: Any) -> dict[str, Any]:
    """What a result was measured with: device, threads, number format, library versions, the date; `more` is added."""
    import torch

    return {
        "device": device_name(device),
        "threads": torch.get_num_threads(),
        "dtype": str(dtype).removeprefix("torch."),
        **more,
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in ("torch", *libraries)},
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def device_name(device: torch.device) -> str:
    """The device in words: "NVIDIA T4", "Apple GPU" or the processor's name."""
    import torch

    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return "Apple GPU" if device.type == "mps" else processor()


@cache
def processor() -> str:
    """The processor in words, as `device_name` has it; it needs no torch."""
    return f"CPU ({_processor()})"


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def sample_seeds(seed: int, count: int) -> tuple[int, ...]:
    """One seed a sample: seed, seed + 1, ... (after the largest seed comes 0).

    Raises ValueError for a seed outside 0..2**63-1, or less than one sample.
    """
    if not 0 <= seed <= LARGEST_SEED:
        raise ValueError(f"A seed must be from 0 to {LARGEST_SEED:,}, not {seed:,}")
    if count < 1:
        raise ValueError(f"There must be at least one sample, not {count}")
    return tuple((seed + i) % (LARGEST_SEED + 1) for i in range(count))


def generators(seeds: Sequence[int]) -> list[torch.Generator]:
    """One generator a sample, on the CPU: a sample's noise is the same on every device and in every batch."""
    import torch

    return [torch.Generator("cpu").manual_seed(seed) for seed in seeds]
