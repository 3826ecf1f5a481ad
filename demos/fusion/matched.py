"""Latency at matched accuracy: how fast each design is at the smallest size that is accurate enough."""

from __future__ import annotations

import numpy as np

from demos.fusion.measures import time_in_turns
from demos.fusion.models import DESIGNS, Inputs, Variant, answer, catalog, load
from demos.fusion.settings import FusionSettings
from shared.comparison import Measure

TOLERANCE = 0.01
NO_MATCH = "For the fusion designs of task digit trained with modality dropout 0.3: these are bundled in three sizes"


def matched_latencies(settings: FusionSettings, test: Inputs, truth: np.ndarray, one: Inputs) -> dict[str, Measure]:
    """For each design the latency of its smallest bundled size that reaches the accuracy all designs can reach.

    That accuracy is the lowest, over the designs, of the best size's on the test pairs, less one point.
    """
    sizes = {d: _sizes(d, settings) for d in DESIGNS}
    if any(len(found) < 2 for found in sizes.values()):
        return {}
    reached = {
        d: {v.scale: _accuracy(v, test, truth, settings.late_rule) for v in variants} for d, variants in sizes.items()
    }
    target = min(max(found.values()) for found in reached.values()) - TOLERANCE
    chosen = {
        d: min((v for v in variants if reached[d][v.scale] >= target), key=lambda v: v.scale)
        for d, variants in sizes.items()
    }
    times = time_in_turns([load(chosen[d]) for d in DESIGNS], one, settings.late_rule)
    measures = {}
    for design, time in zip(DESIGNS, times, strict=True):
        note = (
            f"Latency of the smallest of {len(sizes[design])} sizes whose accuracy is at least {target:.3f}, which all "
            "three designs reach"
        )
        measures[design] = Measure("matched_latency", time.value, "ms", "lower", note, time.low, time.high, time.n)
    return measures


def _sizes(design: str, settings: FusionSettings) -> list[Variant]:
    wanted = (design, settings.task, float(settings.trained_with))
    return [v for v in catalog() if (v.design, v.task, v.dropout) == wanted]


def _accuracy(variant: Variant, test: Inputs, truth: np.ndarray, rule: str) -> float:
    return float((answer(load(variant), test, rule).argmax(axis=1) == truth).mean())
