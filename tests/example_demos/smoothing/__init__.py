"""Mean against median: a small demo that shows what a folder in demos/ has to hold."""

from __future__ import annotations

from typing import Any

from demos.smoothing.settings import SmoothingSettings, SweepSettings
from shared.comparison import Comparison, winner
from shared.demo import Answer, Demo, Prediction, Preset, Study


def _compare(settings: SmoothingSettings, progress: Any = None) -> Comparison:
    from demos.smoothing.compute import compare

    return compare(settings, progress)


def _sweep(settings: SweepSettings, progress: Any = None) -> Comparison:
    from demos.smoothing.compute import sweep

    return sweep(settings, progress)


def _build() -> None:
    from shared.ui.tab import build_tab

    build_tab(DEMO)


def _wins(index: int | None) -> Any:
    return lambda comparison: winner(comparison.sides, "psnr") == index


DEMO = Demo(
    slug="smoothing",
    title="Smoothing",
    question="Does the median remove salt-and-pepper noise better than the mean?",
    hint="Same picture, same noise; only the filter differs.",
    order=900,
    Settings=SmoothingSettings,
    compare=_compare,
    build=_build,
    predictions=(
        Prediction(
            "Which side comes nearer to the clean picture?",
            (Answer("A", _wins(0)), Answer("B", _wins(1)), Answer("about equal", _wins(None))),
        ),
    ),
    trap="A smoother picture is not a more faithful one.",
    presets=(
        Preset("wide", "Wide windows", {"window_a": 7, "window_b": 7}, "S1", "Smoothness is not fidelity."),
        Preset("clean", "No noise", {"noise": 0.0, "filter_b": "mean"}, "S2", "The same filter twice is a tie."),
    ),
    studies=(Study("sweep", "Sweep the noise", SweepSettings, _sweep),),
)
