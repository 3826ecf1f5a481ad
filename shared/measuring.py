"""Latency percentiles of several things taken in turns, peak memory of a process, FLOPs, and a machine's own roofs.

The method follows what benchmark suites agree on: calls that are thrown away first, then at least so many runs and at
least so many seconds, and percentiles of all samples instead of a mean.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from shared.comparison import Measure
from shared.demo import DemoError, Progress, no_progress
from shared.intervals import LEVEL, Interval

if TYPE_CHECKING:
    import torch

UNIT = "timed runs"
WIDE = 0.2
"""A spread above this share of the median is worth a warning: something else ran."""
MIB = 2**20
LEAST_SECONDS = 0.5
GIVE_UP = 300.0  # seconds that a child process may take


@dataclass(frozen=True)
class Timing:
    """The seconds [n] that each run took, in the order of the runs; `items` were computed in each."""

    seconds: np.ndarray
    items: int = 1

    def percentile(self, q: float) -> Interval:
        """The percentile q (0..100) in milliseconds, as `numpy.percentile` has it, with its 95% interval.

        The interval runs between two of the sorted samples, whose ranks are binomial quantiles (Conover 1999, section
        3.2); it assumes nothing of the samples' distribution. Too few samples to hold the percentile give none.
        """
        ms, n = 1000 * np.sort(self.seconds), len(self.seconds)
        low, high = int(stats.binom.ppf((1 - LEVEL) / 2, n, q / 100)), int(stats.binom.ppf((1 + LEVEL) / 2, n, q / 100))
        value = float(np.percentile(ms, q))
        if low < 1 or high > n - 1:
            return Interval(value, None, None, n)
        return Interval(value, float(ms[low - 1]), float(ms[high]), n)

    @property
    def throughput(self) -> Interval:
        """Items a second, from the median run, with the interval of the median."""
        p = self.percentile(50)
        low, high = (None if ms is None else 1000 * self.items / ms for ms in (p.high, p.low))
        return Interval(1000 * self.items / p.value, low, high, p.n)

    @property
    def spread(self) -> float:
        """The middle half of the samples' width as a share of the median: (P75 - P25) / P50."""
        p25, p50, p75 = np.percentile(self.seconds, (25, 50, 75))
        return float((p75 - p25) / p50)


def time_in_turns(
    runs: Mapping[str, Callable[[], object]],
    *,
    items: int = 1,
    warm_up: int = 3,
    least_runs: int = 30,
    least_seconds: float | None = None,
    most_seconds: float = 20.0,
    device: torch.device | None = None,
    progress: Progress = no_progress,
    done: int = 0,
    total: int = 0,
) -> dict[str, Timing]:
    """Times everything in `runs` in turns (A B C, then C B A, ...), so that a drift of the machine hits all alike.

    Every one gets `warm_up` calls that are thrown away, then `least_runs` rounds and at least `least_seconds` (half a
    second) for the fastest; beyond `most_seconds` in all, no more than the `least_runs`. On a CUDA device each run is
    timed by device events, elsewhere by the clock. `progress` is called before each run, from `done` of `total` on.
    """
    names = list(runs)
    if not names:
        return {}
    least_seconds = LEAST_SECONDS if least_seconds is None else least_seconds
    total = total or done + least_runs * len(names)
    clock = _device_clock(device) if device is not None and device.type == "cuda" else _clock
    for name in names:
        for _ in range(warm_up):
            progress(done, total, UNIT)
            runs[name]()
    seconds: dict[str, list[float]] = {name: [] for name in names}
    began, turn = time.perf_counter(), 0
    while True:
        for name in names if turn % 2 == 0 else reversed(names):
            progress(min(total, done + turn * len(names)), total, UNIT)
            seconds[name].append(clock(runs[name]))
        turn += 1
        if turn < least_runs:
            continue
        fastest = min(sum(taken) for taken in seconds.values())
        if fastest >= least_seconds or time.perf_counter() - began > most_seconds:
            return {name: Timing(np.array(taken), items) for name, taken in seconds.items()}


def _clock(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def _device_clock(device: torch.device) -> Callable[[Callable[[], object]], float]:
    import torch

    def clock(run: Callable[[], object]) -> float:
        with torch.cuda.device(device):
            first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            torch.cuda.synchronize()
            started = time.perf_counter()
            first.record()
            run()
            last.record()
            torch.cuda.synchronize()
            waited = time.perf_counter() - started
        on_device = first.elapsed_time(last) / 1000
        # A run that the host computed leaves next to nothing between the events.
        return on_device if on_device > waited / 2 else waited

    return clock


def latency_measures(timing: Timing, note: str, prefix: str = "") -> tuple[Measure, ...]:
    """p50, p95, p99, spread and throughput of a timing, as measures."""
    found: list[Measure] = []
    wide = timing.spread > WIDE
    warned = f"; the middle half of the samples spreads over {timing.spread:.0%} of the median: something else ran"
    for q in (50, 95, 99):
        p = timing.percentile(q)
        few = "; too few runs for an interval" if p.low is None else ""
        text = f"{note}{few}{warned if wide else ''}"
        found.append(Measure(f"{prefix}p{q}", p.value, "ms", "lower", text, p.low, p.high, p.n))
    t = timing.throughput
    found.append(Measure(f"{prefix}throughput", t.value, "items/s", "higher", f"{note}; batch size over the median run",
                         t.low, t.high, t.n))  # fmt: skip
    return tuple(found)


def spread_measure(timing: Timing) -> Measure:
    """The spread of a timing as a measure; above WIDE its note warns."""
    warned = ". Above 0.20: close what else runs and measure again" if timing.spread > WIDE else ""
    note = f"Width of the middle half of the timed runs, as a share of the median{warned}"
    return Measure("spread", timing.spread, "share", "lower", note, n=len(timing.seconds))


def peak_memory(module: str, arguments: Sequence[str], still_wanted: Callable[[], None] = lambda: None) -> float:
    """The peak resident memory in MiB of a child process that runs `python -m module arguments`.

    The child prints one JSON object with "peak" as its last line, see `own_peak`. `still_wanted` is called now and
    then and raises to stop. Raises DemoError where the child fails.
    """
    command = [sys.executable, "-m", module, *arguments]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    ends = time.monotonic() + GIVE_UP
    try:
        while True:
            still_wanted()
            try:
                out, _ = child.communicate(timeout=0.3)
                break
            except subprocess.TimeoutExpired:
                if time.monotonic() > ends:
                    raise DemoError("The process that measures memory took too long.") from None
    finally:
        if child.poll() is None:
            child.kill()
            child.communicate()
    try:
        return float(json.loads(out.strip().splitlines()[-1])["peak"])
    except (ValueError, KeyError, IndexError):
        raise DemoError("The process that measures memory ended without a number.") from None


def own_peak() -> float:
    """This process's peak resident memory so far, in MiB. Raises DemoError where the system does not tell."""
    try:
        # What getrusage says of a child on Linux holds the peak of the parent that it was forked from.
        status = Path("/proc/self/status").read_text()
        return float(status.split("VmHWM:", 1)[1].split()[0]) / 1024
    except (OSError, IndexError):
        pass
    try:
        import resource
    except ImportError:
        raise DemoError("This system does not tell a process's peak memory.") from None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / MIB if sys.platform == "darwin" else peak / 1024


@dataclass(frozen=True)
class Work:
    """What one call of a network computes: floating-point operations, and how many of them lie in linear layers."""

    flops: int
    linear_flops: int

    @property
    def linear_share(self) -> float:
        """The share of the operations that lie in linear layers, 0..1."""
        return self.linear_flops / self.flops if self.flops else 0.0


def count_work(network: torch.nn.Module, inputs: Sequence[torch.Tensor]) -> Work:
    """The operations of one call, counted by `torch.utils.flop_counter`; a multiply and an add are two."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter, torch.no_grad():
        network(*inputs)
    operations = counter.get_flop_counts().get("Global", {})
    # A linear layer is an addmm or mm; attention's products are bmm or attention operations of their own.
    linear = sum(int(v) for op, v in operations.items() if str(op).split(".")[-1] in ("addmm", "mm"))
    return Work(int(counter.get_total_flops()), linear)


def matmul_rate(dtype: torch.dtype, device: torch.device, size: int = 1024, runs: int = 7) -> float:
    """This machine's own matrix product of two `size` by `size` matrices in billions of operations a second: the best
    of some runs. INT8 is `torch._int_mm`, with sums in INT32. Raises RuntimeError where the format has no product."""
    import torch

    generator = torch.Generator().manual_seed(0)
    if dtype == torch.int8:
        a, b = (torch.randint(-9, 9, (size, size), generator=generator, dtype=dtype).to(device) for _ in "ab")
        return 2 * size**3 / 1e9 / _best(lambda: torch._int_mm(a, b), device, runs)
    a, b = (torch.randn(size, size, generator=generator).to(device, dtype) for _ in "ab")
    return 2 * size**3 / 1e9 / _best(lambda: a @ b, device, runs)


def copy_rate(device: torch.device, mib: int = 256, runs: int = 7) -> float:
    """This machine's own copy of a block too large for its caches, in GB/s, read and written bytes both counted."""
    import torch

    source = torch.ones(mib * MIB // 4, device=device)
    target = torch.empty_like(source)
    return 2 * source.nbytes / 1e9 / _best(lambda: target.copy_(source), device, runs)


def _best(run: Callable[[], object], device: torch.device, runs: int) -> float:
    taken = time_in_turns({"": run}, warm_up=1, least_runs=runs, least_seconds=0, device=device)
    return float(taken[""].seconds.min())
