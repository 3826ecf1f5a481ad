"""What a remedy did, in numbers, where the sides differ in one remedy alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demos.guidance.harm import cleaner, follower, harms, noun_of, share
from shared.comparison import Measure, Side, winner

if TYPE_CHECKING:
    from shared.sampling import Plan

LETTERS = "AB"
DEFAULT_SCHEDULER = "ddim"
"""The one that is set where nobody chose."""


@dataclass(frozen=True)
class Told:
    """What the takeaway needs to know beside sides and plans: each side's negative prompt, whether the model was
    distilled to run without guidance, the adherence of B minus that of A on the same noises, and the schedulers that
    were asked for in vain, because the model keeps its own."""

    negatives: tuple[str, str] = ("", "")
    scale_is_learned: bool = False
    gain: Measure | None = None
    ignored: tuple[str, ...] = ()


def remedy_said(sides: Sequence[Side], plans: Sequence[Plan], told: Told) -> str:
    """One sentence with both sides' numbers; empty where the sides differ in something else, or in no remedy."""
    a, b = plans
    if (a.guidance, a.steps, a.scheduler) != (b.guidance, b.steps, b.scheduler):
        return _idle_negative(sides, plans, told)
    interval = (a.start, a.until) != (b.start, b.until)
    differing = (told.negatives[0] != told.negatives[1], a.rescale != b.rescale, interval)
    if sum(differing) != 1:
        return _idle_negative(sides, plans, told)
    if differing[0]:
        return _negative(sides, plans, told)
    return _rescale(sides, plans) if differing[1] else _interval(sides, plans, told.gain)


def _negative(sides: Sequence[Side], plans: Sequence[Plan], told: Told) -> str:
    steered = 1 if told.negatives[1] else 0
    if all(told.negatives):
        return ""
    if plans[steered].guidance == 1:
        return _UNREAD
    word, letter = _short(told.negatives[steered]), LETTERS[steered]
    seen = [side.measure("negative_seen") for side in sides]
    if any(m is None or m.value is None for m in seen):
        return f"The negative prompt “{word}” ({letter}) names nothing that the judge could look for."
    after, before = (float(m.value or 0.0) for m in (seen[steered], seen[1 - steered]) if m)
    numbers = f"{share(before)} without it, {share(after)} with it"
    if before == after:
        return f"The negative prompt “{word}” ({letter}) changed nothing in how many pictures show it ({numbers})."
    did = "lowered" if after < before else "raised"
    clear = winner(sides, "negative_seen")
    doubt = "" if clear is not None else ", though the intervals overlap"
    against = " That is the reverse of what it is for." if after > before else ""
    return (
        f"The negative prompt “{word}” ({letter}) {did} the share of pictures that show it: {numbers}{doubt}.{against}"
    )


_UNREAD = "At guidance 1 the negative prompt is not read: it changes nothing here."


def _idle_negative(sides: Sequence[Side], plans: Sequence[Plan], told: Told) -> str:
    """A negative prompt on both sides, which those without guidance do not read."""
    a, b = plans
    if told.negatives[0] != told.negatives[1] or not told.negatives[0] or 1 not in (a.guidance, b.guidance):
        return ""
    if a.guidance == b.guidance:
        return _UNREAD
    idle = 0 if a.guidance == 1 else 1
    seen = [side.measure("negative_seen") for side in sides]
    shown = [m.value for m in seen if m is not None and m.value is not None]
    numbers = (
        f": {share(shown[idle])} of {LETTERS[idle]}'s pictures show it and {share(shown[1 - idle])} of "
        f"{LETTERS[1 - idle]}'s"
        if len(shown) == 2
        else ""
    )
    return f"At guidance 1 ({LETTERS[idle]}) the negative prompt is not read{numbers}."


def _rescale(sides: Sequence[Side], plans: Sequence[Plan]) -> str:
    remedied = 0 if plans[0].rescale > plans[1].rescale else 1
    values, noun = harms(sides), noun_of(sides)
    numbers = f"{share(values[1 - remedied])} without, {share(values[remedied])} with it"
    clean = cleaner(sides)
    if clean == remedied:
        return f"Rescaling ({LETTERS[remedied]}) lowered the {noun}, as it is meant to: {numbers}."
    if clean == 1 - remedied:
        return f"Rescaling ({LETTERS[remedied]}) is meant to lower the {noun}; here it raised them: {numbers}."
    return f"Rescaling ({LETTERS[remedied]}) is meant to lower the {noun}; these samples don't show it: {numbers}."


def _interval(sides: Sequence[Side], plans: Sequence[Plan], gain: Measure | None) -> str:
    widths = [p.until - p.start for p in plans]
    part = 0 if widths[0] < widths[1] else 1
    calls = [int(m.value or 0) for side in sides if (m := side.measure("unet_calls"))]
    followed = [side.measure("adherence") for side in sides]
    said = f"Guidance in a part of the steps ({LETTERS[part]}) took {calls[part]} U-Net calls a picture instead of "
    said += f"{calls[1 - part]}"
    values = [m.value for m in followed if m is not None and m.value is not None]
    if len(values) < 2:
        return f"{said}."
    better = follower(sides, gain)
    numbers = f"adherence {share(values[part])} against {share(values[1 - part])}"
    if better is None:
        return f"{said}, with no clear difference in adherence ({numbers})."
    return f"{said} and {'even gained' if better == part else 'cost'} adherence ({numbers})."


def distilled_said(sides: Sequence[Side], plans: Sequence[Plan], gain: Measure | None) -> str:
    """What guidance did to a model that was distilled to run without it."""
    a, b = plans
    if a.guidance == b.guidance or (a.steps, a.scheduler) != (b.steps, b.scheduler):
        return ""
    # Below 1 the prompt counts for less, which is another thing than doing without guidance.
    if min(a.guidance, b.guidance) < 1:
        return ""
    high = 0 if a.guidance > b.guidance else 1
    calls = [int(m.value or 0) for side in sides if (m := side.measure("unet_calls"))]
    better = follower(sides, gain)
    did = "helped all the same" if better == high else "made it worse" if better == 1 - high else "did not help clearly"
    cost = f", at {calls[high]} U-Net calls instead of {calls[1 - high]}" if calls[high] != calls[1 - high] else ""
    return f"This model was distilled to run without guidance; raising it {did}{cost}."


def own_scheduler_said(ignored: Sequence[str]) -> str:
    """That a model keeps its own scheduler, where others than the default were asked for."""
    if set(ignored) <= {DEFAULT_SCHEDULER}:
        return ""
    return "This model keeps the scheduler it was distilled with (lcm), so the choice of a scheduler changes nothing."


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:37]}..."
