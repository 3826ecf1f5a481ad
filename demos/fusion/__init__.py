"""Early, intermediate and late fusion of a picture and a sound, when one of them goes missing."""

from __future__ import annotations

from demos.fusion.predictions import PREDICTIONS, TRAP
from demos.fusion.presets import PRESETS
from demos.fusion.settings import (
    AvailabilitySettings,
    DominanceSettings,
    FusionSettings,
    MarkingSettings,
    MissingRateSettings,
    NoiseSettings,
)
from shared.comparison import Comparison
from shared.demo import Demo, Progress, Study


def compare(settings: FusionSettings, progress: Progress | None = None) -> Comparison:
    """See demos.fusion.compute; imported here only when it is needed."""
    from demos.fusion.compute import compare as compute

    return compute(settings, progress)


def run_availability(settings: AvailabilitySettings, progress: Progress | None = None) -> Comparison:
    """See demos.fusion.availability."""
    from demos.fusion.availability import run_availability as run

    return run(settings, progress)


def run_missing_rate(settings: MissingRateSettings, progress: Progress | None = None) -> Comparison:
    """See demos.fusion.missing_rate."""
    from demos.fusion.missing_rate import run_missing_rate as run

    return run(settings, progress)


def run_marking(settings: MarkingSettings, progress: Progress | None = None) -> Comparison:
    """See demos.fusion.marking."""
    from demos.fusion.marking import run_marking as run

    return run(settings, progress)


def run_noise(settings: NoiseSettings, progress: Progress | None = None) -> Comparison:
    """See demos.fusion.noise."""
    from demos.fusion.noise import run_noise as run

    return run(settings, progress)


def run_dominance(settings: DominanceSettings, progress: Progress | None = None) -> Comparison:
    """See demos.fusion.dominance."""
    from demos.fusion.dominance import run_dominance as run

    return run(settings, progress)


def warm_up() -> None:
    """Load what the first run needs; the app calls this in the background once the page is up."""
    from demos.fusion.compute import warm_up as warm

    warm()


def build() -> None:
    """Draw the tab; see demos.fusion.view."""
    from demos.fusion.view import build as draw

    draw()


DEMO = Demo(
    slug="fusion",
    title="Fusion",
    question="What happens to a model of two senses when one goes missing?",
    order=5,
    Settings=FusionSettings,
    compare=compare,
    build=build,
    predictions=PREDICTIONS,
    trap=TRAP,
    presets=PRESETS,
    studies=(
        Study("availability", "Availability: both, one, none", AvailabilitySettings, run_availability),
        Study("missing_rate", "Missing rate against training", MissingRateSettings, run_missing_rate),
        Study("marking", "Marking: token, zeros, noise", MarkingSettings, run_marking),
        Study("noise", "Noise on either modality", NoiseSettings, run_noise),
        Study("dominance", "Dominance in training", DominanceSettings, run_dominance),
    ),
    hint="Same pairs, same training budget; only where they meet differs.",
    extra={
        "warm_up": warm_up,
        "first_rows": ("accuracy_both", "accuracy_image_only", "accuracy_audio_only", "early_falls_more"),
    },
)
