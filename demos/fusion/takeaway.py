"""The sentences under a comparison, built from what was measured; swapped or tied values give others."""

from __future__ import annotations

from collections.abc import Sequence

from demos.fusion.sample import Sample
from demos.fusion.settings import FusionSettings
from shared.comparison import Measure, Side, winner

DESIGNS = 3
"""The first three sides are the fusion designs, the others the references."""


def say(settings: FusionSettings, sides: Sequence[Side], between: Sequence[Measure], sample: Sample) -> str:
    """Two or three sentences: what the sample showed, and what the test pairs say."""
    parts = [_on_sample(settings, sides, sample)]
    if settings.task == "both_needed":
        parts.append(on_both_needed(sides))
    else:
        parts.append(on_falls(sides, between))
        parts.append(on_gain(sides))
        parts.append(on_latency(sides))
    if settings.force_sample_rate and settings.audio != "none":
        parts.append(
            f"The sound was read as if at {settings.force_sample_rate:,} samples a second; the test pairs were not."
        )
    return " ".join(p for p in parts if p)


def _on_sample(settings: FusionSettings, sides: Sequence[Side], sample: Sample) -> str:
    gone = [settings.drop in ("image", "audio") and settings.drop == m for m in ("image", "audio")]
    left = [there and not away for there, away in zip(sample.present, gone, strict=True)]
    if not any(left) and settings.drop_as == "mask token":
        return "Nothing is left to answer from: what you see is each model's prior."
    if settings.drop == "none":
        return ""
    shifts = [(s.label, m.value) for s in sides[:DESIGNS] if (m := s.measure("shift")) and m.value is not None]
    most, least = max(shifts, key=lambda x: x[1]), min(shifts, key=lambda x: x[1])
    what = "picture" if settings.drop == "image" else "sound"
    if most[1] - least[1] < 0.05:
        return f"Without its {what}, this sample's answer shifts by {most[1]:.2f} or less in every fusion design."
    return (
        f"Without its {what}, this sample's answer shifts most in {most[0]} ({most[1]:.2f} of 1) and least in "
        f"{least[0]} ({least[1]:.2f})."
    )


def on_falls(sides: Sequence[Side], between: Sequence[Measure]) -> str:
    """Which of early and late falls more when one modality goes, over the test pairs."""
    extra = next((m for m in between if m.name == "early_falls_more"), None)
    if extra is None or extra.value is None or extra.low is None or extra.high is None:
        return ""
    early, late = _fall(sides[0]), _fall(sides[2])
    said = f"early fusion falls by {100 * early:.0f} points and late fusion by {100 * late:.0f}"
    if extra.low > 0:
        return f"Over the test pairs, with one modality gone, {said}: late fusion tolerates the gap better here."
    if extra.high < 0:
        return f"Over the test pairs, with one modality gone, {said}: here early fusion tolerates the gap better."
    return f"Over the test pairs, with one modality gone, {said}: no clear difference with this training."


def on_gain(sides: Sequence[Side]) -> str:
    """Whether both modalities together beat the better one alone."""
    both = [_value(s, "accuracy_both") for s in sides[:DESIGNS]]
    alone = max(
        (_value(sides[3], "accuracy_both"), sides[3].label), (_value(sides[4], "accuracy_both"), sides[4].label)
    )
    worst, best = min(both), max(both)
    if worst > alone[0]:
        return (
            f"With both, the designs get {_range(worst, best)} right; {alone[1]}, the better reference, {alone[0]:.0%}."
        )
    return f"With both, the designs get {_range(worst, best)} right, no better than {alone[1]} with {alone[0]:.0%}."


def on_latency(sides: Sequence[Side]) -> str:
    """Which design is fastest at an accuracy that all reach, where it was measured."""
    designs = sides[:DESIGNS]
    found = [m for s in designs if (m := s.measure("matched_latency")) is not None and m.value is not None]
    if len(found) < len(designs):
        return ""
    said = ", ".join(f"{s.label} {m.value:.2f} ms" for s, m in zip(designs, found, strict=True))
    best = winner(designs, "matched_latency")
    verdict = "no clear difference" if best is None else f"{designs[best].label} is the fastest"
    return f"At an accuracy that all three reach: {said}; {verdict}."


def on_both_needed(sides: Sequence[Side]) -> str:
    """Whether a task that needs both modalities defeats late fusion, as the test pairs have it."""
    early, late = sides[0], sides[2]
    said = f"{_value(early, 'accuracy_both'):.0%} for early fusion and {_value(late, 'accuracy_both'):.0%} for late"
    best = winner([early, late], "accuracy_both")
    if best == 0:
        return (
            f"This task needs picture and sound at once: {said}. Each of late fusion's classifiers sees one of them "
            "and can't know the answer, so no rule that joins them can."
        )
    if best == 1:
        return f"This task needs picture and sound at once, and yet late fusion does better: {said}."
    return f"This task needs picture and sound at once, and yet there is no clear difference: {said}."


def _fall(side: Side) -> float:
    one = (_value(side, "accuracy_image_only") + _value(side, "accuracy_audio_only")) / 2
    return _value(side, "accuracy_both") - one


def _value(side: Side, name: str) -> float:
    found = side.measure(name)
    return 0.0 if found is None or found.value is None else found.value


def _range(low: float, high: float) -> str:
    return f"{low:.0%}" if f"{low:.0%}" == f"{high:.0%}" else f"{low:.0%} to {high:.0%}"
