"""Batches: throughput and P99 against the batch size, and the largest batch that keeps the objective."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from demos.precision.compute import Steps, make_task
from demos.precision.engines import TITLES, CannotRun, build
from demos.precision.figures import lines
from demos.precision.settings import BatchesSettings, PrecisionSettings, read_counts
from demos.precision.tasks import calibrating_for
from shared.comparison import Comparison, Measure, Side
from shared.demo import Cancelled, Progress, no_progress
from shared.devices import environment
from shared.measuring import latency_measures, time_in_turns

LEAST_RUNS = 30
_KEPT = "Of the measured batch sizes the largest whose P99 is within the objective; 0 where none is"


def run_batches(settings: BatchesSettings, progress: Progress | None = None) -> Comparison:
    """A side for each engine and batch size; the largest batch within the objective for each engine.

    Cancelled, it returns the batch sizes that are done with `complete=False`.
    """
    progress = progress or no_progress
    progress(0, 1, "timed runs")
    task = make_task(PrecisionSettings(task=settings.task, sides=settings.sides, seed=settings.seed))
    network, sizes = task.networks[0], read_counts(settings.sizes, 64)
    names = list(dict.fromkeys(settings.sides))
    steps = Steps(progress, len(names) + len(names) * len(sizes) * LEAST_RUNS)
    sides: list[Side] = []
    complete = True
    with network.loaded.alone(steps.look):
        try:
            engines = {}
            for name in names:
                steps.tick()
                calibrating = calibrating_for(task, network, "scenes" if name == "ort_int8" else "none", 32, True,
                                              settings.seed)  # fmt: skip
                try:
                    engines[name] = build(name, network, calibrating)
                except CannotRun as why:
                    sides.append(Side(TITLES[name], (Measure("p50", None, "ms", "lower", str(why)),)))
            for size in sizes:
                inputs = network.example(size, settings.seed)
                runs = {name: (lambda e=engine, x=inputs: e.run(x)) for name, engine in engines.items()}
                before = steps.done
                found = time_in_turns(
                    runs, items=size, least_runs=LEAST_RUNS, device=network.loaded.device, progress=steps.timing()
                )
                steps.done = min(steps.total, before + LEAST_RUNS * len(runs))
                for name, timing in found.items():
                    note = f"{size} items in a call of {network.title}; sides in turns"
                    sides.append(Side(f"{TITLES[name]} · batch {size}", latency_measures(timing, note)))
        except Cancelled:
            complete = False
    kept = tuple(largest_batch(sides, TITLES[name], settings.latency_objective) for name in names)
    return Comparison(
        demo="precision.batches",
        settings=settings.model_dump(),
        sides=tuple(sides),
        takeaway=say(sides, [TITLES[n] for n in names], settings.latency_objective),
        environment=environment(network.loaded.device, torch.float32, "onnxruntime", model=network.title,
                                weights=network.loaded.origin),
        measures=tuple(m for m in kept if m is not None),
        figures=_figures(sides, settings.latency_objective),
        complete=complete,
    )  # fmt: skip


def curve(sides: Sequence[Side], title: str, name: str) -> list[tuple[float, Measure]]:
    """A side's measure against the batch size, rising."""
    found = []
    for side in sides:
        own, _, size = side.label.partition(" · batch ")
        m = side.measure(name)
        if own == title and size and m is not None and m.value is not None:
            found.append((float(size), m))
    return sorted(found, key=lambda pair: pair[0])


def largest_batch(sides: Sequence[Side], title: str, objective: float) -> Measure | None:
    """The largest batch of an engine whose P99 is within the objective."""
    points = curve(sides, title, "p99")
    if not points:
        return None
    kept = [size for size, m in points if (m.value or 0.0) <= objective]
    name = f"largest_batch_{title.replace(' ', '_')}"
    return Measure.exact(name, max(kept, default=0.0), "", "higher", _KEPT)


def say(sides: Sequence[Side], titles: Sequence[str], objective: float) -> str:
    """For each engine what the largest batch gains in throughput and costs in P99, and what keeps the objective."""
    sentences = []
    for title in titles:
        flow, tail = curve(sides, title, "throughput"), curve(sides, title, "p99")
        if len(flow) < 2:
            continue
        (small, first), (large, last) = flow[0], flow[-1]
        gain, cost = (last.value or 0) / (first.value or 1), (tail[-1][1].value or 0) / (tail[0][1].value or 1)
        kept = largest_batch(sides, title, objective)
        end = f"batch {kept.value:g} is the largest within {objective:g} ms" if kept and kept.value else (
            f"no batch keeps {objective:g} ms")  # fmt: skip
        more = f"{gain:.1f} times the throughput" if gain >= 1.05 else "no more throughput"
        sentences.append(f"{title}: from batch {small:g} to {large:g} {more} and {cost:.1f} times the P99; {end}.")
    return " ".join(sentences) or "Stopped before two batch sizes could be compared."


def _figures(sides: Sequence[Side], objective: float) -> tuple[object, ...]:
    titles = list(dict.fromkeys(side.label.partition(" · batch ")[0] for side in sides if " · batch " in side.label))
    if not titles:
        return ()
    flow = {t: [(x, m.value or 0.0, m.low, m.high) for x, m in curve(sides, t, "throughput")] for t in titles}
    tail = {t: [(x, m.value or 0.0, None, None) for x, m in curve(sides, t, "p99")] for t in titles}
    return (
        lines(flow, "batch size", "throughput, items/s ↑"),
        lines(tail, "batch size", "P99, ms ↓", level=objective, level_name=f"objective {objective:g} ms"),
    )
