"""Cross-attention maps beside Grad-CAM on one picture, with a ground truth and controls."""

from __future__ import annotations

from demos.attention.predictions import PREDICTIONS, TRAP
from demos.attention.presets import PRESETS
from demos.attention.settings import AttentionSettings, BenchmarkSettings, ShortcutSettings
from shared.comparison import Comparison
from shared.demo import Demo, Progress, Study


def compare(settings: AttentionSettings, progress: Progress | None = None) -> Comparison:
    """See demos.attention.compute; imported here only when it is needed."""
    from demos.attention.compute import compare as compute

    return compute(settings, progress)


def run_benchmark(settings: BenchmarkSettings, progress: Progress | None = None) -> Comparison:
    """See demos.attention.benchmark."""
    from demos.attention.benchmark import run_benchmark as run

    return run(settings, progress)


def run_shortcut(settings: ShortcutSettings, progress: Progress | None = None) -> Comparison:
    """See demos.attention.shortcut."""
    from demos.attention.shortcut import run_shortcut as run

    return run(settings, progress)


def warm_up() -> None:
    """Load what the first run needs; the app calls this in the background once the page is up."""
    from demos.attention.compute import warm_up as warm

    warm()


def prepare() -> None:
    """Choose heads, timestep and threshold for the bundled weights anew; see demos.attention.choose."""
    from demos.attention.choose import renew

    renew()


def build() -> None:
    """Draw the tab; see demos.attention.view."""
    from demos.attention.view import build as draw

    draw()


DEMO = Demo(
    slug="attention",
    title="Attention & Grad-CAM",
    question="Do these maps show what the model looks at?",
    order=2,
    Settings=AttentionSettings,
    compare=compare,
    build=build,
    predictions=PREDICTIONS,
    trap=TRAP,
    presets=PRESETS,
    studies=(
        Study("benchmark", "Benchmark: many scenes", BenchmarkSettings, run_benchmark),
        Study("shortcut", "Shortcut: right for the wrong reason", ShortcutSettings, run_shortcut),
    ),
    hint="Same picture, same color scale; only the method differs.",
    extra={
        "warm_up": warm_up,
        "prepare": prepare,
        "first_rows": ("iou", "pointing_game", "energy_inside", "area", "deletion_auc", "insertion_auc"),
    },
)
