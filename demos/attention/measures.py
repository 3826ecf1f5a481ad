"""What is measured on a side's map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from demos.attention.classifiers import Classifier
from shared import explaining
from shared.comparison import Better, Measure
from shared.intervals import mean_interval

_IOU = "Overlap over union of the mask and the map above the threshold, after the map is brought to 0..1"
_POINT = "1 where the map's highest pixel lies in the mask"
_ENERGY = "The share of the map's mass that lies in the mask"
_AREA = "The share of the picture where the map is above the threshold"
_DELETION = (
    "Mean probability of the class while the map's highest parts are blurred first, in 32 steps: lower means that what "
    "the map marks is what the classifier needs"
)
_INSERTION = (
    "Mean probability of the class while the map's highest parts are uncovered first on a blurred picture, in 32 steps"
)
SPECS: tuple[tuple[str, str, Better, str], ...] = (
    ("iou", "share", "higher", _IOU),
    ("pointing_game", "share", "higher", _POINT),
    ("energy_inside", "share", "higher", _ENERGY),
    ("area", "share", "neither", _AREA),
    ("deletion_auc", "probability", "lower", _DELETION),
    ("insertion_auc", "probability", "higher", _INSERTION),
)
LATENCY = "Seconds to make the map once, after a warm-up; a control's is the work of its map alone"


@dataclass
class Found:
    """One method's maps [height, width] on one picture (several where it is random), the seconds that one took, and
    why there is none. `causal` holds deletion and insertion where they were measured."""

    maps: list[np.ndarray]
    seconds: float | None = None
    why: str = ""
    note: str = ""
    causal: list[tuple[float, float]] = field(default_factory=list)


def scores(found: np.ndarray, mask: np.ndarray, threshold: float) -> dict[str, float]:
    """iou, pointing_game, energy_inside and area of one map."""
    return {
        "iou": explaining.iou(found, mask, threshold),
        "pointing_game": explaining.pointing_game(found, mask),
        "energy_inside": explaining.energy_inside(found, mask),
        "area": explaining.area(found, threshold),
    }


def causal(classifier: Classifier, pixels: np.ndarray, found: np.ndarray, target: int) -> tuple[float, float]:
    """deletion_auc and insertion_auc of a map at the classifier's size, on pixels [size, size, 3] of 0..255."""
    deleted, inserted = explaining.causal_curves(pixels, found, lambda f: classifier.probabilities_of(f, target))
    return explaining.area_under(deleted), explaining.area_under(inserted)


def side_measures(found: Found, mask: np.ndarray | None, why_no_mask: str, threshold: float) -> tuple[Measure, ...]:
    """Every measure of one side. Null with a note without a map, where the map marks
    nothing, and where a measure needs a mask and there is none."""
    if not found.maps:
        missing = [Measure(name, None, unit, better, found.why) for name, unit, better, _ in SPECS]
        return (*missing, _latency(found))
    measures: list[Measure] = []
    values: dict[str, list[float]] = {"area": [explaining.area(m, threshold) for m in found.maps]}
    flat = all(explaining.is_flat(m) for m in found.maps)
    if mask is not None and not flat:
        each = [scores(m, mask, threshold) for m in found.maps]
        values = {name: [e[name] for e in each] for name in each[0]}
    values["deletion_auc"] = [d for d, _ in found.causal]
    values["insertion_auc"] = [i for _, i in found.causal]
    for name, unit, better, note in SPECS:
        if not values.get(name):
            why = FLAT if flat else why_no_mask if name in ("iou", "pointing_game", "energy_inside") else NO_CURVE
            measures.append(Measure(name, None, unit, better, why))
            continue
        measures.append(mean_measure(name, unit, better, note, values[name]))
    return (*measures, _latency(found))


NO_CURVE = "Not measured here"
FLAT = "The map marks nothing"


def mean_measure(name: str, unit: str, better: Better, note: str, values: Sequence[float]) -> Measure:
    """The mean over samples with its interval; one value has none."""
    found = mean_interval(values, low=0.0, high=1.0, grain=0.01)
    more = f"; mean of {len(values)}" if len(values) > 1 else ""
    return Measure(name, found.value, unit, better, note + more, found.low, found.high, found.n)


def _latency(found: Found) -> Measure:
    why = found.why or "Not timed"
    return Measure("latency", found.seconds, "s", "lower", LATENCY if found.seconds is not None else why)


def between(first: np.ndarray, others: Sequence[np.ndarray], name: str, note: str) -> Measure:
    """Spearman's rank correlation of one side's map with each of the others, over the pixels; of several the mean."""
    values = [v for other in others if (v := explaining.agreement(first, other)) is not None]
    if not values:
        return Measure(name, None, "rank correlation", "neither", "One map is flat")
    found = mean_interval(values, low=-1.0, high=1.0, grain=0.01)
    return Measure(name, found.value, "rank correlation", "neither", note, found.low, found.high, found.n)
