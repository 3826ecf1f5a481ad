"""A 5x5 sweep against 25 calls of the plain pipeline: `python -m tests.bench_sweep`.

It is no test; run it on a quiet machine. Same weights, same scheduler, one run. Prints how many times faster the sweep
is, how far its pictures are from the plain ones, and which share of the machine's measured matmul rate it reaches.
"""

from __future__ import annotations

import argparse
from time import perf_counter

import numpy as np
import torch
from diffusers import StableDiffusionPipeline
from torch.utils.flop_counter import FlopCounterMode

from demos.guidance.sweep import Cell, draw_cells
from shared.demo import no_progress
from shared.devices import generators, wait_for
from shared.models import load_pipeline
from shared.sampling import Plan, Sampling, encode, make_scheduler

PROMPT = "a red car left of a blue house on a mint background"
GUIDANCES = (1.0, 3.0, 5.0, 7.5, 12.0)
SEED = 13


def matmul_rate(device: torch.device, dtype: torch.dtype, side: int = 1024, seconds: float = 1.0) -> float:
    """FLOP/s of square matrix products, the best of the batches that fit into so many seconds."""
    a, b = (torch.randn(side, side, device=device, dtype=dtype) for _ in range(2))
    best, begun = 0.0, perf_counter()
    while perf_counter() - begun < seconds:
        started = perf_counter()
        for _ in range(10):
            a @ b
        wait_for(device)
        best = max(best, 10 * 2 * side**3 / (perf_counter() - started))
    return best


def flops_of(cells: list[Cell]) -> int:
    """FLOP of every U-Net row that the sweep asks, first steps counted once for each distinct row."""
    run = next(cell.run for cell in cells if cell.run and cell.run.plan.guidance != 1)
    with FlopCounterMode(display=False) as counter:
        run.predict()
    per_row = counter.get_total_flops() // run.rows
    first = 2  # the first step of all cells: once without the prompt, once with it
    later = sum(c.run.total_calls - len(c.run.sources(0)) for c in cells if c.run)
    return per_row * (first + later)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="sticker_diffusion")
    parser.add_argument("--scheduler", default="ddim")
    parser.add_argument("--steps", default="10,15,20,25,30", help="five step counts")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    steps = [int(n) for n in options.steps.split(",")]
    loaded = load_pipeline(options.model)
    plans = [Plan(g, s, options.scheduler) for s in steps for g in GUIDANCES]
    plain = StableDiffusionPipeline(
        **{**loaded.model.components, "scheduler": make_scheduler(loaded.model, options.scheduler)},
        requires_safety_checker=False,
    )
    plain.set_progress_bar_config(disable=True)

    def one_by_one() -> list[np.ndarray]:
        return [
            np.asarray(plain(PROMPT, num_inference_steps=p.steps, guidance_scale=p.guidance,
                             generator=generators((SEED,))).images[0])
            for p in plans
        ]  # fmt: skip

    def together() -> tuple[list[np.ndarray], float]:
        encoded = encode(loaded.model, PROMPT)
        cells = [Cell(p, Sampling(loaded.model, encoded, p, (SEED,))) for p in plans]
        started = perf_counter()
        draw_cells(loaded, cells, no_progress)
        return [np.asarray(cell.pictures[0]) for cell in cells], perf_counter() - started

    flops = flops_of([Cell(p, Sampling(loaded.model, encode(loaded.model, PROMPT), p, (SEED,))) for p in plans])
    plain(PROMPT, num_inference_steps=2)  # warm-up
    slow, fast, drawing, off = [], [], [], 0
    for _ in range(options.repeats):
        started = perf_counter()
        ours, drew = together()
        fast.append(perf_counter() - started)
        drawing.append(drew)
        started = perf_counter()
        theirs = one_by_one()
        slow.append(perf_counter() - started)
        off = max(off, *(int(np.abs(a.astype(int) - b).max()) for a, b in zip(ours, theirs, strict=True)))
    rate = matmul_rate(loaded.device, loaded.dtype)
    reached = flops / min(drawing)
    print(f"{loaded.row.name}, {options.scheduler}, guidance {GUIDANCES}, steps {steps}")
    print(f"{torch.get_num_threads()} threads; 25 plain calls {min(slow):.2f} s, the sweep {min(fast):.2f} s")
    print(f"the sweep is {min(slow) / min(fast):.2f} times faster")
    print(f"largest difference of a picture's value: {off} of 255")
    print(f"U-Net: {flops / 1e9:.0f} GFLOP at {reached / 1e9:.0f} GFLOP/s, {reached / rate:.0%} of the measured "
          f"matmul rate of {rate / 1e9:.0f} GFLOP/s (decoding and schedulers are in the time)")  # fmt: skip


if __name__ == "__main__":
    main()
