"""Longer work: strips of maps over perplexities and neighbor counts, and the same layouts from several seeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from PIL import Image

from demos.embeddings import data, layouts
from demos.embeddings.align import align, disparity, principal
from demos.embeddings.compute import Steps, describe, environment, limits_said, public_settings
from demos.embeddings.drawing import draw, frame, palette
from demos.embeddings.faithfulness import Faith, Original, faith, original
from demos.embeddings.layouts import Layout, tsne_steps, umap_epochs, usable_neighbors, usable_perplexity
from demos.embeddings.neighbours import nearest
from demos.embeddings.points import Points
from demos.embeddings.settings import GridSettings, StabilitySettings
from shared.batches import compute_here, run_batches
from shared.comparison import Comparison, Measure, Side
from shared.demo import Cancelled, Progress, no_progress
from shared.intervals import Interval, mean_interval

SMALL = (480, 320)

Described = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Job:
    """One layout to make: the side it belongs to, how it is called there, how it is made, its steps."""

    side: str
    caption: str
    run: Callable[[layouts.Tell], Layout]
    steps: int


def run_grid(settings: GridSettings, progress: Progress | None = None) -> Comparison:
    """t-SNE at every perplexity and UMAP at every n_neighbors, aligned to the same principal components.

    A side for each map, with its measures. Cancelled, it returns the maps made so far with `complete=False`.
    """
    progress = progress or no_progress
    layouts.start_compiling()
    points = data.load(settings, progress)
    s, count = settings, len(points)

    def tsne(at: float) -> Callable[[layouts.Tell], Layout]:
        return lambda tell: layouts.tsne(points, at, s.metric, s.seed, tell=tell)

    def umap(at: int) -> Callable[[layouts.Tell], Layout]:
        return lambda tell: layouts.umap(points, at, s.min_dist, s.metric, s.seed, tell=tell)

    jobs = [Job(f"{p:g} · t-SNE, perplexity", _cut(usable_perplexity(p, count), p), tsne(p), tsne_steps(count))
            for p in dict.fromkeys(s.perplexities)]  # fmt: skip
    jobs += [Job(f"{k} · UMAP, n_neighbors", _cut(usable_neighbors(k, count), k), umap(k), umap_epochs(count))
             for k in dict.fromkeys(s.neighbor_counts)]  # fmt: skip
    most = max(*(int(3 * usable_perplexity(p, count)) for p in s.perplexities), *s.neighbor_counts, 15)
    made, complete = _run(points, jobs, s.metric, most, progress)
    source = original(points, s.metric)
    reach = frame([m for _, m in made]) if made else (1.0, 1.0)
    shared = describe(points, source, s.metric)
    sides = tuple(_grid_side(job, layout, points, source, reach, shared) for job, layout in made)
    return Comparison(
        "embeddings", public_settings(s), sides, _say_grid(sides, limits_said(s, points)),
        environment(points, ["openTSNE", "umap-learn"]), complete=complete,
    )  # fmt: skip


def run_stability(settings: StabilitySettings, progress: Progress | None = None) -> Comparison:
    """Each method from several seeds; its sides' `disparity` is the mean over all pairs of seeds.

    Cancelled, it returns what was made with `complete=False`.
    """
    progress = progress or no_progress
    layouts.start_compiling()
    points = data.load(settings, progress)
    s, count = settings, len(points)
    jobs = [_seeded(points, s, side, seed) for seed in range(s.seeds) for side in STABILITY_SIDES]
    most = max(int(3 * usable_perplexity(s.perplexity, count)), s.n_neighbors, 15)
    made, complete = _run(points, jobs, s.metric, most, progress)
    source = original(points, s.metric)
    shared = describe(points, source, s.metric)
    reach = frame([m for _, m in made]) if made else (1.0, 1.0)
    groups = {side: [(j.caption, m) for j, m in made if j.side == side] for side in STABILITY_SIDES}
    sides = tuple(_stability_side(side, maps, source, reach, shared) for side, maps in groups.items() if maps)
    return Comparison(
        "embeddings", public_settings(s), sides, _say_stability(sides, limits_said(s, points)),
        environment(points, ["openTSNE", "umap-learn"]), complete=complete,
    )  # fmt: skip


STABILITY_SIDES = ("t-SNE from PCA", "t-SNE from random", "UMAP")


def _seeded(points: Points, s: StabilitySettings, side: str, seed: int) -> Job:
    if side == "UMAP":

        def umap(tell: layouts.Tell) -> Layout:
            return layouts.umap(points, s.n_neighbors, s.min_dist, s.metric, seed, tell=tell)

        return Job(side, str(seed), umap, umap_epochs(len(points)))
    init = "pca" if side.endswith("PCA") else "random"

    def tsne(tell: layouts.Tell) -> Layout:
        return layouts.tsne(points, s.perplexity, s.metric, seed, init, tell)

    return Job(side, str(seed), tsne, tsne_steps(len(points)))


def _run(
    points: Points, jobs: Sequence[Job], metric: str, most: int, progress: Progress
) -> tuple[list[tuple[Job, np.ndarray]], bool]:
    """Every job's map, aligned; and whether all were made before a Cancel."""
    made: list[tuple[Job, np.ndarray]] = []
    steps = Steps(progress, sum(job.steps for job in jobs))
    reference = principal(points.features)
    try:
        steps(0)
        nearest(points, metric, most)
        tell = steps if compute_here(len(jobs)) else _tell_nobody
        found = run_batches(lambda job: job.run(tell).points, jobs, lambda: steps(0))
        for job, layout in zip(jobs, found, strict=True):
            made.append((job, align(layout, reference)))
            steps.close(job.steps)
    except Cancelled:
        return made, False
    return made, True


def _tell_nobody(done: int) -> None:
    """The steps of a layout that is made in another process."""


def _cut(usable: float, wanted: float) -> str:
    return "" if usable >= wanted else f"{usable:.3g} used, of {wanted:g}"


def _grid_side(
    job: Job, layout: np.ndarray, points: Points, source: Original, reach: tuple[float, float], shared: Described
) -> Side:
    f = faith(source, layout, points.labels) if source.k >= 1 else None
    measures = _short(f, source) if f else ()
    picture, arrays = (
        draw(layout, reach, shared["labels"], None, SMALL, palette(shared)),
        {"points": layout.astype(np.float32)},
    )
    return Side(job.side, measures, (picture,), arrays=arrays, captions=(job.caption,) if job.caption else ())


def _short(f: Faith, source: Original) -> tuple[Measure, ...]:
    found = []
    for name in ("trustworthiness", "continuity", "neighbour_overlap", "distance_correlation"):
        interval: Interval = getattr(f, name)
        if np.isnan(interval.value):
            found.append(Measure(name, None, "", "higher", "All distances are equal"))
        else:
            note = f"At k = {source.k}, as in the comparison"
            found.append(Measure(name, interval.value, "", "higher", note, interval.low, interval.high, interval.n))
    return tuple(found)


def _stability_side(
    name: str, maps: Sequence[tuple[str, np.ndarray]], source: Original, reach: tuple[float, float], shared: Described
) -> Side:
    layouts_ = [layout for _, layout in maps]
    pairs = [disparity(a, b) for a, b in combinations(layouts_, 2)]
    note = "Mean Procrustes disparity over all pairs of seeds; 0: always the same picture, 1: nothing alike"
    if pairs:
        # Pairs share seeds, so the interval is from the seeds' own means: n is the number of seeds.
        own = [np.mean([disparity(a, b) for b in layouts_ if b is not a]) for a in layouts_]
        found = mean_interval([float(v) for v in own], low=0.0, high=1.0)
        measured = Measure("disparity", float(np.mean(pairs)), "", "lower", note, found.low, found.high, len(maps))
    else:
        measured = Measure("disparity", None, "", "lower", "One seed was finished; a pair is needed")
    faiths = [faith(source, m, ()) for m in layouts_] if source.k >= 1 else []
    trust = mean_interval([f.trustworthiness.value for f in faiths], high=1.0) if faiths else None
    measures = [measured]
    if trust:
        measures.append(
            Measure("trustworthiness", trust.value, "", "higher", "Mean over seeds", trust.low, trust.high, trust.n)
        )
    pictures: list[Image.Image] = [draw(m, reach, shared["labels"], None, SMALL, palette(shared)) for m in layouts_]
    arrays: dict[str, Any] = {f"points_seed_{caption}": layout.astype(np.float32) for caption, layout in maps}
    captions = ("seed 0", *(caption for caption, _ in maps[1:]))
    return Side(name, tuple(measures), tuple(pictures), arrays=arrays, captions=captions)


def _say_grid(sides: Sequence[Side], limits: Sequence[str]) -> str:
    if not sides:
        return " ".join(["No map was finished.", *limits])
    values = {s.label: m.value for s in sides if (m := s.measure("trustworthiness")) and m.value is not None}
    if not values:
        return " ".join(["There are too few points to say how faithful a map is.", *limits])
    best, worst = max(values, key=lambda k: values[k] or 0), min(values, key=lambda k: values[k] or 0)
    said = f"The same data, {len(sides)} pictures: trustworthiness goes from {values[worst]:.3f} ({_told(worst)}) to " \
           f"{values[best]:.3f} ({_told(best)})."  # fmt: skip
    more = "What is there in every map is likelier to be in the data than what one of them shows."
    return " ".join(
        [
            said if len(sides) > 1 else f"One map, trustworthiness {values[best]:.3f}.",
            *([more] if len(sides) > 1 else []),
            *limits,
        ]
    )


def _told(label: str) -> str:
    value, _, method = label.partition(" · ")
    return f"{method} {value}"


def _say_stability(sides: Sequence[Side], limits: Sequence[str]) -> str:
    values = {s.label: m.value for s in sides if (m := s.measure("disparity")) and m.value is not None}
    if not values:
        return " ".join(["Too few seeds were finished to compare.", *limits])
    least, most = min(values, key=lambda k: values[k] or 0), max(values, key=lambda k: values[k] or 0)
    numbers = ", ".join(f"{name} {value:.3f}" for name, value in values.items())
    if len(values) == 1 or values[least] == values[most]:
        return " ".join([f"Mean Procrustes disparity between seeds: {numbers}.", *limits])
    return " ".join(
        [f"Another seed changes {most} most and {least} least (mean Procrustes disparity: {numbers}).", *limits]
    )
