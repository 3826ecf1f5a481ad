"""The sentences under a comparison, built from what was measured; swapped or tied values give others."""

from __future__ import annotations

from collections.abc import Sequence

from demos.fusion.sample import Sample
from demos.fusion.settings import FusionSettings
from shared.comparison import Measure, Side, winner
from shared.sound import RATE

DESIGNS = 3
"""The first three sides are the fusion designs, the others the references."""


def say(settings: FusionSettings, sides: Sequence[Side], between: Sequence[Measure], sample: Sample) -> str:
    """Two or three sentences: what the sample showed, and what the test pairs say."""
    special = [on_rate(settings.force_sample_rate, sides)] if _has(sides, "accuracy_forced_rate") else []
    special += [on_marking(settings, sides)] if _has(sides, "marking_gain") else []
    parts = [_on_sample(settings, sides, sample), *special]
    if settings.task == "both_needed":
        parts.append(on_both_needed(sides, settings.trained_with))
    else:
        parts.append(on_falls(sides, between))
        # What was asked for comes before what every run says: nobody reads six sentences.
        parts += [] if special else [on_gain(sides), on_latency(sides)]
    return " ".join(p for p in parts if p)


def _has(sides: Sequence[Side], name: str) -> bool:
    return all(side.measure(name) is not None for side in sides[:DESIGNS])


def _on_sample(settings: FusionSettings, sides: Sequence[Side], sample: Sample) -> str:
    there = dict(zip(("image", "audio"), sample.present, strict=True))
    gone = settings.drop if settings.drop_as == "mask token" else "none"
    if not any(is_there for m, is_there in there.items() if m != gone):
        return "Nothing is left to answer from: what you see is each model's prior."
    if settings.drop == "none":
        return ""
    if not there[settings.drop]:
        return f"This sample has no {'picture' if settings.drop == 'image' else 'sound'} that could be taken away."
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
    early, middle, late = (100 * _fall(side) for side in sides[:DESIGNS])
    said = f"early fusion falls by {early:.0f} points, intermediate by {middle:.0f} and late by {late:.0f}"
    if extra.low > 0:
        verdict = "late fusion tolerates the gap better than early"
    elif extra.high < 0:
        verdict = "early fusion tolerates the gap better than late"
    else:
        verdict = "no clear difference between early and late with this training"
    return f"Over the test pairs, with one modality gone, {said}: {verdict}."


def on_marking(settings: FusionSettings, sides: Sequence[Side]) -> str:
    """In which designs an unmarked stand-in clearly costs accuracy, where it was measured."""
    found = [(s.label, m) for s in sides[:DESIGNS] if (m := s.measure("marking_gain")) is not None]
    what = "picture" if settings.drop == "image" else "sound"
    costs, gains, rest = [], [], []
    for label, m in found:
        points = 100 * (m.value or 0)
        if m.low is not None and m.low > 0:
            costs.append(f"{label} {points:.0f} points")
        elif m.high is not None and m.high < 0:
            gains.append(f"{label} {-points:.0f} points")
        else:
            rest.append(label)
    parts = [
        f"costs {_join(costs)}" if costs else "",
        f"gains {_join(gains)}" if gains else "",
        f"makes no clear difference in {_join(rest)}" if rest else "",
    ]
    return f"Giving {settings.drop_as} for the missing {what}, not a mask token, {_join([p for p in parts if p])}."


def on_rate(rate: int, sides: Sequence[Side]) -> str:
    """What reading the sounds at a forced rate leaves of the reference that has nothing else."""
    if rate == RATE:
        return f"The sound was read as if at {rate:,} samples a second, the test pairs' true rate."
    alone = sides[4]
    forced = [_value(side, "accuracy_forced_rate") for side in sides[:DESIGNS]]
    return (
        f"Read as if at {rate:,} samples a second, not {RATE:,}, the test pairs' sounds leave {alone.label} "
        f"{_value(alone, 'accuracy_forced_rate'):.0%} right instead of {_value(alone, 'accuracy_both'):.0%}, and the "
        f"designs, with the picture, {_range(min(forced), max(forced))}; what follows is at the true rate."
    )


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
    said = "no better" if best <= alone[0] else "not all of them better"
    return f"With both, the designs get {_range(worst, best)} right, {said} than {alone[1]} with {alone[0]:.0%}."


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


def on_both_needed(sides: Sequence[Side], trained_with: str) -> str:
    """Whether a task that needs both modalities defeats late fusion, as the test pairs have it."""
    early, late, picture = sides[0], sides[2], sides[3]
    shares = [f"{_value(side, 'accuracy_both'):.0%}" for side in sides[:DESIGNS]]
    said = f"{shares[0]} for early fusion, {shares[1]} for intermediate and {shares[2]} for late"
    alone = f"{_value(picture, 'accuracy_both'):.0%}"
    guess = f"{picture.label}, which sees both digits but not which is asked for, gets {alone}"
    if all(winner([side, picture], "accuracy_both") != 0 for side in sides[:DESIGNS]):
        whole = (1 - float(trained_with)) ** 2
        why = f" Trained with dropout {trained_with}, they saw {whole:.0%} of their pairs whole." if whole < 1 else ""
        return f"This task needs picture and sound at once, and no design clearly uses both: {said}; {guess}.{why}"
    best = winner([early, late], "accuracy_both")
    if best == 0:
        return (
            f"This task needs picture and sound at once: {said}; {guess}. Each of late fusion's classifiers sees one "
            "of the two and can't know the answer, so no rule that joins them can."
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


def _join(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _range(low: float, high: float) -> str:
    return f"{low:.0%}" if f"{low:.0%}" == f"{high:.0%}" else f"{low:.0%} to {high:.0%}"
