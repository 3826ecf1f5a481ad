"""Guidance scale and step count: what each buys, and what it costs."""

from __future__ import annotations

from demos.guidance.predictions import PREDICTIONS, TRAP
from demos.guidance.presets import PRESETS
from demos.guidance.settings import CurvesSettings, GuidanceSettings, ProcessSettings, SweepSettings
from shared.comparison import Comparison
from shared.demo import Demo, Progress, Study


def compare(settings: GuidanceSettings, progress: Progress | None = None) -> Comparison:
    """See demos.guidance.compute; imported here only when it is needed."""
    from demos.guidance.compute import compare as compute

    return compute(settings, progress)


def run_sweep(settings: SweepSettings, progress: Progress | None = None) -> Comparison:
    """See demos.guidance.sweep."""
    from demos.guidance.sweep import run_sweep as run

    return run(settings, progress)


def run_curves(settings: CurvesSettings, progress: Progress | None = None) -> Comparison:
    """See demos.guidance.curves."""
    from demos.guidance.curves import run_curves as run

    return run(settings, progress)


def run_process(settings: ProcessSettings, progress: Progress | None = None) -> Comparison:
    """See demos.guidance.process."""
    from demos.guidance.process import run_process as run

    return run(settings, progress)


def warm_up() -> None:
    """Load what the first run needs; the app calls this in the background once the page is up."""
    from demos.guidance.compute import warm_up as warm

    warm()


def build() -> None:
    """Draw the tab; see demos.guidance.view."""
    from demos.guidance.view import build as draw

    draw()


DEMO = Demo(
    slug="guidance",
    title="Guidance & steps",
    question="Does a higher guidance scale give a better picture?",
    order=1,
    Settings=GuidanceSettings,
    compare=compare,
    build=build,
    predictions=PREDICTIONS,
    trap=TRAP,
    presets=PRESETS,
    studies=(
        Study("sweep", "Sweep: guidance × steps", SweepSettings, run_sweep, gives_way=True),
        Study("curves", "Curves over many captions", CurvesSettings, run_curves, gives_way=True),
        Study("process", "Forward and reverse", ProcessSettings, run_process),
    ),
    hint="Same prompt, same noise; only what you set differs.",
    extra={
        "warm_up": warm_up,
        "first_rows": ("adherence", "kinds_right", "off_palette", "unet_calls", "latency"),
    },
)
