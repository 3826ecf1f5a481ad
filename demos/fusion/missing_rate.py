"""Accuracy against how often a modality is missing, for every design and every training dropout."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from demos.fusion.compute import MODEL, UNIT, mark_all, test_inputs
from demos.fusion.lines import Line, draw_lines
from demos.fusion.measures import Marks
from demos.fusion.models import DESIGNS, catalog, load, variant_for
from demos.fusion.settings import MissingRateSettings
from shared.comparison import Comparison, Measure, Side
from shared.demo import Cancelled, Progress, no_progress
from shared.devices import environment
from shared.intervals import Interval, mean_interval

TRAINED = ("0", "0.3", "0.6")
RATES = tuple(round(0.1 * i, 1) for i in range(11))
KINDS = {"image": "pictures", "audio": "sounds", "both": "either, each on its own"}


def run_missing_rate(settings: MissingRateSettings, progress: Progress | None = None) -> Comparison:
    """A side per design and training dropout ("early fusion, trained with 0.3"), and a figure per kind of gap.

    Which pairs lack what is drawn independently of the pair, so the accuracy at a rate is the expected one over those
    draws, from the answers with both, one and none. Cancelled, it returns the models that are done.
    """
    progress = progress or no_progress
    bundled = tuple(t for t in TRAINED if all(variant_for(d, settings.task, t) in catalog() for d in DESIGNS))
    total = len(DESIGNS) * len(bundled)
    found: dict[tuple[str, str], Marks] = {}
    complete = True
    try:
        progress(0, total, UNIT)
        test, truth = test_inputs(settings.task, settings.n, settings.seed, settings.image_noise, settings.audio_noise)
        for design in DESIGNS:
            for trained in bundled:
                network = load(variant_for(design, settings.task, trained))
                marks = mark_all({design: network}, test, truth, settings.drop_as, settings.seed)
                found[design, trained] = marks[design]
                progress(len(found), total, UNIT)
    except Cancelled:
        complete = False
    sides = tuple(_side(design, trained, marks) for (design, trained), marks in found.items())
    return Comparison(
        demo="fusion",
        settings=settings.model_dump(),
        sides=sides,
        takeaway=say(found) if complete else "Stopped before every model was measured.",
        environment=environment(torch.device("cpu"), torch.float32, model=MODEL, weights="bundled"),
        figures=_figures(found) if complete else (),
        complete=complete,
    )


def accuracy_at(marks: Marks, kind: str, rate: float) -> Interval:
    """The expected accuracy where each pair lacks what `kind` says with probability `rate`; t interval over pairs."""
    r, right = rate, {k: v.astype(float) for k, v in marks.right.items()}
    if kind == "image":
        values = (1 - r) * right["both"] + r * right["audio_only"]
    elif kind == "audio":
        values = (1 - r) * right["both"] + r * right["image_only"]
    else:
        one = right["image_only"] + right["audio_only"]
        values = (1 - r) ** 2 * right["both"] + r * (1 - r) * one + r**2 * right["none"]
    return mean_interval(values.tolist(), low=0, high=1, grain=1.0)


def _side(design: str, trained: str, marks: Marks) -> Side:
    def measure(name: str, kind: str, rate: float, said: str) -> Measure:
        i = accuracy_at(marks, kind, rate)
        return Measure(name, i.value, "share", "higher", f"Expected accuracy, {said}", i.low, i.high, i.n)

    rates = {kind: [accuracy_at(marks, kind, r).value for r in RATES] for kind in KINDS}
    return Side(
        f"{design} · trained with {trained}",
        (
            measure("accuracy_complete", "both", 0.0, "nothing missing"),
            measure("accuracy_30_missing", "both", 0.3, "each modality missing in 30% of the pairs"),
            measure("accuracy_60_missing", "both", 0.6, "each modality missing in 60% of the pairs"),
            measure("accuracy_pictures_gone", "image", 1.0, "all pictures missing"),
            measure("accuracy_sounds_gone", "audio", 1.0, "all sounds missing"),
        ),
        arrays={"rates": np.array(RATES), **{k: np.array(v) for k, v in rates.items()}},
    )


def _figures(found: dict[tuple[str, str], Marks]) -> tuple[object, ...]:
    figures = []
    for kind, said in KINDS.items():
        panels = []
        for design in DESIGNS:
            panels.append(
                (f"{design} fusion", [
                    Line(
                        f"trained with {trained}", RATES,
                        [accuracy_at(found[design, trained], kind, r) for r in RATES], float(trained),
                    )
                    for trained in TRAINED
                    if (design, trained) in found
                ])
            )  # fmt: skip
        figures.append(draw_lines(panels, f"share missing: {said}", "accuracy ↑", "the ring marks the trained rate"))
    return tuple(figures)


def say(found: dict[tuple[str, str], Marks]) -> str:
    """What training with gaps bought the early design, and whether more of it than was met in use helped."""
    missing = [t for t in TRAINED if ("early", t) not in found]
    if missing:
        here = accuracy_at(found["early", TRAINED[0]], "both", 0.3)
        return (
            f"With each modality missing in 30% of the pairs, early fusion, trained without gaps, gets "
            f"{here.value:.0%} right. No models of this task trained with {' or '.join(missing)} are bundled."
        )
    plain, some, much = (accuracy_at(found["early", t], "both", 0.3) for t in TRAINED)
    first = (
        f"With each modality missing in 30% of the pairs, early fusion gets {plain.value:.0%} right trained "
        f"without gaps, {some.value:.0%} with 0.3 and {much.value:.0%} with 0.6."
    )
    whole, dense = (accuracy_at(found["early", t], "both", 0.0) for t in ("0", "0.6"))
    far = [accuracy_at(found["early", t], "both", 0.8) for t in ("0.3", "0.6")]
    second = (
        f"At 80% missing it is {far[0].value:.0%} for the one trained with 0.3 and {far[1].value:.0%} for 0.6"
        f"{_clear(far)}; with nothing missing, {whole.value:.0%} without dropout and {dense.value:.0%} with 0.6"
        f"{_clear((whole, dense))}."
    )
    return f"{first} {second}"


def _clear(pair: Sequence[Interval]) -> str:
    a, b = pair
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return ""
    return "" if a.high < b.low or b.high < a.low else ", no clear difference"
