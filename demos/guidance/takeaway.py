"""The takeaway: what the measured values say, in words; and where that is not what textbooks say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from demos.guidance.harm import cleaner, follower, harm_of, harms, noun_of, share
from demos.guidance.remedy_takeaway import Told, distilled_said, own_scheduler_said, remedy_said
from shared.comparison import Measure, Side, winner

if TYPE_CHECKING:
    from shared.sampling import Plan

LETTERS = "AB"
FEW_STEPS = 10
"""Up to so many steps textbooks expect a solver of higher order to be ahead; with many, all samplers agree. At one step
they are one and the same."""
USUAL = 10.0
"""Up to this scale textbooks expect more guidance to follow the prompt better; beyond it, to distort."""


def say(sides: Sequence[Side], plans: Sequence[Plan], cut: str = "", told: Told | None = None) -> str:
    """A sentence on adherence, looks and cost; before it what a remedy did, where the sides differ in one alone; after
    it where the result is not the textbook's, and where the prompt's end was cut off."""
    told = told or Told()
    sentences = [remedy_said(sides, plans, told), f"{_followed(sides, told.gain)}{_cost(sides)}."]
    has_remedy = bool(sentences[0])
    if not has_remedy:
        sentences.append(distilled_said(sides, plans, told.gain) if told.scale_is_learned else "")
        sentences.append(_against_textbook(sides, plans, told))
    sentences.append(own_scheduler_said(told.ignored))
    sentences = [sentence for sentence in sentences if sentence]
    if cut:
        sentences.append(f"The text encoder left out the prompt's end, from “{_short(cut)}”.")
    return " ".join(sentences)


def _followed(sides: Sequence[Side], gain: Measure | None) -> str:
    a, b = _pair(sides, "adherence")
    better = winner(sides, "adherence")
    if a.value is None or b.value is None:
        return f"This prompt's facts can't be judged; {_harmed_alone(sides)}"
    if better is not None:
        values = (a.value, b.value)
        numbers = f"{values[better]:.2f} of the facts against {values[1 - better]:.2f}"
        return f"{LETTERS[better]} followed the prompt better ({numbers}){_harmed_beside(sides, better)}"
    by_pairs = follower(sides, gain)
    if (
        by_pairs is not None
        and gain is not None
        and gain.value is not None
        and gain.low is not None
        and gain.high is not None
    ):
        low, high = sorted((abs(gain.low), abs(gain.high)))
        span = f"{share(low)} to {share(high)}"  # a bound near zero is not printed as zero
        numbers = f"by {abs(gain.value):.2f} of the facts, {span}; A {a.value:.2f}, B {b.value:.2f}"
        return (
            f"On the same noises {LETTERS[by_pairs]} followed the prompt better ({numbers})"
            f"{_harmed_beside(sides, by_pairs)}"
        )
    if a.value == b.value:
        return f"Both sides followed the prompt equally ({a.value:.2f} of the facts); {_harmed_alone(sides)}"
    if a.low is None or b.low is None:
        return (
            f"One sample a side can't tell which follows the prompt better (A {a.value:.2f}, B {b.value:.2f} "
            f"of the facts); {_harmed_alone(sides)}"
        )
    return (
        f"No clear difference in following the prompt: the adherence intervals of A ({_span(a)}) and B ({_span(b)}) "
        f"overlap; {_harmed_alone(sides)}"
    )


def _harmed_beside(sides: Sequence[Side], better: int) -> str:
    values, noun = harms(sides), noun_of(sides)
    numbers = f"{share(values[better])} against {share(values[1 - better])}"
    clean = cleaner(sides)
    if clean is None:
        return f" with no clear difference in {noun} ({numbers})"
    if clean == better:
        return f", with fewer {noun} too ({numbers})"
    return f" and paid with more {noun} ({numbers})"


def _harmed_alone(sides: Sequence[Side]) -> str:
    values, noun = harms(sides), noun_of(sides)
    clean = cleaner(sides)
    if clean is not None:
        worse = 1 - clean
        return f"{LETTERS[worse]} has more {noun} ({share(values[worse])} against {share(values[clean])})"
    if values[0] == values[1]:
        return f"{noun} are equal ({share(values[0])})"
    a, b = _pair(sides, harm_of(sides))
    overlap = ": the intervals overlap" if a.low is not None and b.low is not None else ""
    return f"{noun} do not differ clearly (A {share(values[0])}, B {share(values[1])}{overlap})"


def _cost(sides: Sequence[Side]) -> str:
    a, b = (int(m.value or 0) for m in _pair(sides, "unet_calls"))
    if a == b:
        return f", at {a} U-Net call{'s' * (a != 1)} a picture on both sides"
    return f", at {a} U-Net call{'s' * (a != 1)} a picture for A and {b} for B"


def _against_textbook(sides: Sequence[Side], plans: Sequence[Plan], told: Told) -> str:
    """Only where one setting differs, so that the result can be put down to it."""
    if _pair(sides, "adherence")[0].value is None:
        return ""
    a, b = plans
    better = follower(sides, told.gain)
    if a.guidance != b.guidance and (a.steps, a.scheduler) == (b.steps, b.scheduler):
        low, high = (0, 1) if a.guidance < b.guidance else (1, 0)
        if told.scale_is_learned:
            return ""
        if max(a.guidance, b.guidance) <= USUAL:
            return _expected(better, high, "the higher guidance scale to follow the prompt better")
        if min(a.guidance, b.guidance) > 1 and cleaner(sides) != low:
            return f"Textbooks expect harsher colors at guidance {plans[high].guidance:g}; here that does not show."
    elif a.steps != b.steps and (a.guidance, a.scheduler) == (b.guidance, b.scheduler):
        more = 0 if a.steps > b.steps else 1
        if better == 1 - more:
            return "Textbooks expect more steps to be at least as good; here fewer were better."
    elif {a.scheduler, b.scheduler} == {"ddim", "dpm++"} and (a.guidance, a.steps) == (b.guidance, b.steps):
        solver = 0 if a.scheduler == "dpm++" else 1
        if 1 < a.steps <= FEW_STEPS:
            return _expected(better, solver, f"DPM-Solver++ to follow better than DDIM in {a.steps} steps")
    return ""


def _expected(better: int | None, expected: int, what: str) -> str:
    if better == expected:
        return ""
    if better is None:
        return f"Textbooks expect {what}; these samples don't show it."
    return f"Textbooks expect {what}; here the other side did."


def _pair(sides: Sequence[Side], name: str) -> tuple[Measure, Measure]:
    first, second = (side.measure(name) for side in sides)
    assert first is not None and second is not None, name
    return first, second


def _span(m: Measure) -> str:
    return f"{m.low:.2f} to {m.high:.2f}"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:37]}..."
