"""One data set, two or three layouts from the same neighbors, aligned to each other, with their measures."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from demos.embeddings import data, layouts
from demos.embeddings.align import align, principal
from demos.embeddings.drawing import draw, frame, palette
from demos.embeddings.faithfulness import Faith, Original, faith, original, point_trust
from demos.embeddings.layouts import Layout, tsne_steps, umap_epochs, usable_neighbors, usable_perplexity
from demos.embeddings.measures import between, side_measures
from demos.embeddings.neighbours import nearest
from demos.embeddings.points import Points
from demos.embeddings.settings import EmbeddingSettings
from demos.embeddings.takeaway import say
from shared.comparison import Comparison, Side
from shared.demo import DemoError, Progress, no_progress
from shared.devices import processor

UNIT = "layout steps"
COMPILING = "layout steps; UMAP is being compiled, once after the start"
OTHER_UP_TO = 1000
"""Up to so many points every method is run a second time, at a third of its neighborhood."""

Run = Callable[[layouts.Tell], Layout]


@dataclass(frozen=True)
class Plan:
    """One side to be laid out: its name, what made it, how it is made, how many steps that takes, and the same with
    another setting, where that is done too."""

    name: str
    made: str
    run: Run
    steps: int
    other: Run | None = None


@dataclass(frozen=True, eq=False)
class Made:
    """A side that was laid out: the map in its own units and aligned, the seconds it took, and the other setting's."""

    plan: Plan
    layout: Layout
    aligned: np.ndarray
    seconds: float
    other: np.ndarray | None


class Steps:
    """Counts the layout steps of a whole run, and tells them on."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress, self._total, self._before, self._now = progress, max(1, total), 0, 0

    def __call__(self, done: int) -> None:
        """So many steps of the present part are done."""
        self._now = done
        unit = UNIT if layouts.is_compiled() or self._before == 0 else COMPILING
        self._progress(min(self._total, self._before + done), self._total, unit)

    def close(self, steps: int) -> None:
        """The part of so many steps is done."""
        self._before, self._now = self._before + steps, 0

    def again(self) -> None:
        """Tells the same count again, so that a Cancel is heard."""
        self(self._now)


def compare(settings: EmbeddingSettings, progress: Progress | None = None) -> Comparison:
    """t-SNE (A), UMAP (B) and a third way, of the same points from the same neighbors, with their measures.

    Every map is aligned (Procrustes) to the points' principal components. Arrays of each side: `points` [n, 2], the
    aligned map, and `trust` [n], each point's own trustworthiness. Those of side A also say what the points are:
    `labels` [n] with `label_names`, `texts`, `thumbs` [n, h, w] or [n, h, w, 3], and `neighbours` [n, k], the nearest
    in the original space.

    Raises DemoError, in one sentence, where the data can't be had or laid out, and what `progress` raises.
    """
    progress = progress or no_progress
    layouts.start_compiling()
    points = data.load(settings, progress)
    plans = _plans(settings, points)
    steps = Steps(progress, sum(p.steps * (2 if p.other else 1) for p in plans))
    steps(0)
    started = perf_counter()
    nearest(points, settings.metric, _most_neighbors(settings, points))
    search = perf_counter() - started
    made = [_make(plan, points, steps) for plan in plans]
    source = original(points, settings.metric, steps.again)
    faiths = [_faith(source, m.aligned, points, steps) for m in made]
    sides = _sides(settings, points, source, made, faiths)
    return Comparison(
        demo="embeddings",
        settings=public_settings(settings),
        sides=sides,
        takeaway=say(sides, points, limits_said(settings, points)),
        environment=environment(points, [m.layout.engine for m in made]),
        measures=between(points, [m.aligned for m in made[:2]], source, search),
    )


def public_settings(settings: Any) -> dict[str, Any]:
    """The settings as they are shown: of an upload only the file's name, and that only where it was used."""
    found = settings.model_dump()
    used = settings.dataset == "upload" and settings.upload
    return found | {"upload": Path(settings.upload).name if used else None}


def environment(points: Points, engines: Sequence[str]) -> dict[str, Any]:
    """Where this ran and with what."""
    libraries = ("openTSNE", "umap-learn", "scikit-learn", "numba", "numpy", "scipy")
    found = {name: _version(name) for name in libraries}
    return {
        **({"model": points.model, "weights": points.weights} if points.model else {}),
        "device": processor(),
        "threads": min(layouts.JOBS, os.cpu_count() or 1),
        "dtype": "float64",
        "data": points.title,
        "engines": ", ".join(dict.fromkeys(e for e in engines if e)),
        "python": platform.python_version(),
        **{name: version for name, version in found.items() if version},
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def limits_said(settings: Any, points: Points) -> tuple[str, ...]:
    """Sentences on settings that so few points do not allow, and on what was sampled or dropped."""
    count, said = len(points), list(points.notes)
    if points.sampled:
        said.insert(0, f"This is a sample of {count:,} of {points.rows:,} rows.")
    perplexity, neighbors = getattr(settings, "perplexity", 0.0), getattr(settings, "n_neighbors", 0)
    if perplexity and usable_perplexity(perplexity, count) < perplexity:
        said.append(
            f"{count} points allow a perplexity of {usable_perplexity(perplexity, count):.3g} at most; that was used."
        )
    if neighbors and usable_neighbors(neighbors, count) < neighbors:
        said.append(f"{count} points allow n_neighbors of {usable_neighbors(neighbors, count)} at most; that was used.")
    return tuple(said)


def _most_neighbors(settings: EmbeddingSettings, points: Points) -> int:
    return max(int(3 * usable_perplexity(settings.perplexity, len(points))), settings.n_neighbors, 15)


def _plans(settings: EmbeddingSettings, points: Points) -> list[Plan]:
    s, count, again = settings, len(points), len(points) <= OTHER_UP_TO
    perplexity, neighbors = usable_perplexity(s.perplexity, count), usable_neighbors(s.n_neighbors, count)
    third_perplexity, third_neighbors = max(1.0, perplexity / 3), max(2, neighbors // 3)
    size = f"a sample of {count:,} of {points.rows:,} points" if points.sampled else f"{count:,} points"

    def tsne(at: float) -> Run:
        return lambda tell: layouts.tsne(points, at, s.metric, s.seed, s.init, tell)

    def umap(at: int) -> Run:
        return lambda tell: layouts.umap(points, at, s.min_dist, s.metric, s.seed, s.init, tell)

    plans = [
        Plan("t-SNE", f"perplexity {perplexity:.3g} · seed {s.seed} · {size}", tsne(perplexity), tsne_steps(count),
             tsne(third_perplexity) if again else None),
        Plan("UMAP", f"n_neighbors {neighbors} · min_dist {s.min_dist:g} · seed {s.seed} · {size}", umap(neighbors),
             umap_epochs(count), umap(third_neighbors) if again else None),
    ]  # fmt: skip
    third = s.third if s.third != "auto" else "original" if points.truth is not None else "none"
    if third == "pca":
        plans.append(Plan("PCA", f"first two components · {size}", lambda tell: layouts.pca(points), 0))
    elif third == "original":
        truth = points.truth
        if truth is None:
            raise DemoError("third: this data set has no original in two dimensions; choose auto, none or pca.")
        what = "your two columns as they are" if s.dataset == "upload" else "the true shape, seen straight"
        plans.append(Plan("original", f"{what} · {size}", lambda tell: Layout(truth), 0))
    return plans


def _make(plan: Plan, points: Points, steps: Steps) -> Made:
    if plan.name == "UMAP":
        layouts.ready(steps.again)
    started = perf_counter()
    layout = plan.run(steps)
    seconds = perf_counter() - started
    steps.close(plan.steps)
    other = plan.other(steps).points if plan.other else None
    steps.close(plan.steps if plan.other else 0)
    return Made(plan, layout, align(layout.points, principal(points.features)), seconds, other)


def _faith(source: Original, layout: np.ndarray, points: Points, steps: Steps) -> Faith | None:
    return faith(source, layout, points.labels, steps.again) if source.k >= 1 else None


def _sides(
    settings: EmbeddingSettings, points: Points, source: Original, made: Sequence[Made], faiths: Sequence[Faith | None]
) -> tuple[Side, ...]:
    reach = frame([m.aligned for m in made])
    shared = describe(points, source, settings.metric)
    sides = []
    for index, (m, f) in enumerate(zip(made, faiths, strict=True)):
        trust = point_trust(f, source) if f else np.full(len(points), np.nan)
        shown = trust if settings.color_by == "own trust" else None
        picture = draw(m.aligned, reach, shared["labels"], shown, colors=palette(shared))
        arrays = {"points": m.aligned.astype(np.float32), "trust": trust.astype(np.float32)}
        sides.append(
            Side(
                label=m.plan.name,
                measures=side_measures(points, m, f, source),
                images=(picture,),
                captions=(m.plan.made,),
                arrays=arrays | (shared if index == 0 else {}),
            )
        )
    return tuple(sides)


def describe(points: Points, source: Original, metric: str) -> dict[str, np.ndarray]:
    """What the points are, as arrays: labels by number, their names and own colors, texts, thumbnails, neighbors."""
    names = sorted(set(points.labels), key=_natural)
    at = {name: i for i, name in enumerate(names)}
    found = {
        "labels": np.array([at[label] for label in points.labels] or [-1] * len(points), dtype=np.int16),
        "label_names": np.array(names, dtype=np.str_),
        "neighbours": nearest(points, metric, max(1, source.k)).indices.astype(np.int32),
    }
    if names and all(name in points.looks for name in names):
        found["label_looks"] = np.array([points.looks[name] for name in names], dtype=np.str_)
    if points.texts:
        found["texts"] = np.array(points.texts, dtype=np.str_)
    if points.thumbs is not None:
        found["thumbs"] = points.thumbs
    return found


def _natural(name: str) -> tuple[int, float, str]:
    try:
        return (0, float(name), name)
    except ValueError:
        return (1, 0.0, name)
