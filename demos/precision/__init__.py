"""FP32, BF16, FP16 and INT8: latency and quality in one run, and a decision."""

from __future__ import annotations

from demos.precision.predictions import PREDICTIONS, TRAP
from demos.precision.presets import PRESETS
from demos.precision.settings import (
    BatchesSettings,
    CalibrationSettings,
    NumbersSettings,
    PrecisionSettings,
    RooflineSettings,
    StagesSettings,
)
from shared.comparison import Comparison
from shared.demo import Demo, Progress, Study


def compare(settings: PrecisionSettings, progress: Progress | None = None) -> Comparison:
    """See demos.precision.compute; imported here only when it is needed."""
    from demos.precision.compute import compare as compute

    return compute(settings, progress)


def run_calibration(settings: CalibrationSettings, progress: Progress | None = None) -> Comparison:
    """See demos.precision.calibration."""
    from demos.precision.calibration import run_calibration as run

    return run(settings, progress)


def run_stages(settings: StagesSettings, progress: Progress | None = None) -> Comparison:
    """See demos.precision.stages."""
    from demos.precision.stages import run_stages as run

    return run(settings, progress)


def run_batches(settings: BatchesSettings, progress: Progress | None = None) -> Comparison:
    """See demos.precision.batches."""
    from demos.precision.batches import run_batches as run

    return run(settings, progress)


def run_roofline(settings: RooflineSettings, progress: Progress | None = None) -> Comparison:
    """See demos.precision.roofline."""
    from demos.precision.roofline import run_roofline as run

    return run(settings, progress)


def run_numbers(settings: NumbersSettings, progress: Progress | None = None) -> Comparison:
    """See demos.precision.numbers."""
    from demos.precision.numbers import run_numbers as run

    return run(settings, progress)


def build() -> None:
    """Draw the tab; see demos.precision.view."""
    from demos.precision.view import build as draw

    draw()


FIRST_ROWS = ("p50", "p95", "agreement", "photo_agreement", "accuracy", "ssim", "psnr", "adherence", "cosine",
              "recall_at_1", "accepted", "weights")  # fmt: skip

DEMO = Demo(
    slug="precision",
    title="Precision",
    question="Does a lower precision make a model faster?",
    order=4,
    Settings=PrecisionSettings,
    compare=compare,
    build=build,
    predictions=PREDICTIONS,
    trap=TRAP,
    presets=PRESETS,
    studies=(
        Study("calibration", "Calibration: right data, noise, none", CalibrationSettings, run_calibration),
        Study("stages", "Stages, and fewer steps beside INT8", StagesSettings, run_stages),
        Study("batches", "Batches: throughput and P99", BatchesSettings, run_batches),
        Study("roofline", "Roofline of this machine", RooflineSettings, run_roofline),
        Study("numbers", "Numbers: a value in four formats", NumbersSettings, run_numbers),
    ),
    extra={
        "captions_tell": True,
        "first_rows": FIRST_ROWS,
        "film_sides": 0,
    },
    hint="Same inputs, sides timed in turns; only format and engine differ.",
)
