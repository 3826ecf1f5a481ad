"""The takeaway: what the measured values say, in words; and where that is not what textbooks say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shared.comparison import Measure, Side, winner

if TYPE_CHECKING:
    from shared.sampling import Plan

LETTERS = "AB"
USUAL = 10.0
"""Up to this scale textbooks expect more guidance to follow the prompt better; beyond it, to distort."""


def say(sides: Sequence[Side], plans: Sequence[Plan], cut: str = "") -> str:
    """A sentence on adherence, saturation and cost; one more where the result is not the textbook's, and one where
    the prompt's end was cut off."""
    sentences = [f"{_followed(sides)}{_cost(sides)}."]
    surprise = _against_textbook(sides, plans)
    if surprise:
        sentences.append(surprise)
    if cut:
        sentences.append(f"The text encoder left out the prompt's end, from “{_short(cut)}”.")
    return " ".join(sentences)


def _followed(sides: Sequence[Side]) -> str:
    a, b = _pair(sides, "adherence")
    better = winner(sides, "adherence")
    if a.value is None or b.value is None:
        return f"This prompt's facts can't be judged; {_saturated_alone(sides)}"
    if better is not None:
        values = (a.value, b.value)
        numbers = f"{values[better]:.2f} of the facts against {values[1 - better]:.2f}"
        return f"{LETTERS[better]} followed the prompt better ({numbers}){_saturated_beside(sides, better)}"
    if a.value == b.value:
        return f"Both sides followed the prompt equally ({a.value:.2f} of the facts); {_saturated_alone(sides)}"
    if a.low is None or b.low is None:
        return (
            f"One sample a side can't tell which follows the prompt better (A {a.value:.2f}, B {b.value:.2f} "
            f"of the facts); {_saturated_alone(sides)}"
        )
    return (
        f"No clear difference in following the prompt: the adherence intervals of A ({_span(a)}) and B ({_span(b)}) "
        f"overlap; {_saturated_alone(sides)}"
    )


def _saturated_beside(sides: Sequence[Side], better: int) -> str:
    a, b = _pair(sides, "saturation")
    values = (a.value or 0.0, b.value or 0.0)
    numbers = f"{_share(values[better])} against {_share(values[1 - better])}"
    cleaner = winner(sides, "saturation")
    if cleaner is None:
        return f" with no clear difference in saturated colors ({numbers})"
    if cleaner == better:
        return f", with fewer saturated colors too ({numbers})"
    return f" and paid with more saturated colors ({numbers})"


def _saturated_alone(sides: Sequence[Side]) -> str:
    a, b = _pair(sides, "saturation")
    values = (a.value or 0.0, b.value or 0.0)
    cleaner = winner(sides, "saturation")
    if cleaner is not None:
        worse = 1 - cleaner
        return f"{LETTERS[worse]} has more saturated colors ({_share(values[worse])} against {_share(values[cleaner])})"
    if values[0] == values[1]:
        return f"saturated colors are equal ({_share(values[0])})"
    overlap = ": the intervals overlap" if a.low is not None and b.low is not None else ""
    return f"saturated colors do not differ clearly (A {_share(values[0])}, B {_share(values[1])}{overlap})"


def _cost(sides: Sequence[Side]) -> str:
    a, b = (int(m.value or 0) for m in _pair(sides, "unet_calls"))
    if a == b:
        return f", at {a} U-Net call{'s' * (a != 1)} a picture on both sides"
    return f", at {a} U-Net call{'s' * (a != 1)} a picture for A and {b} for B"


def _against_textbook(sides: Sequence[Side], plans: Sequence[Plan]) -> str:
    """Only where one setting differs, so that the result can be put down to it."""
    if _pair(sides, "adherence")[0].value is None:
        return ""
    a, b = plans
    better = winner(sides, "adherence")
    if (a.rescale, a.start, a.until) != (b.rescale, b.start, b.until):
        return _remedy(sides, plans)
    if a.guidance != b.guidance and (a.steps, a.scheduler) == (b.steps, b.scheduler):
        low, high = (0, 1) if a.guidance < b.guidance else (1, 0)
        if max(a.guidance, b.guidance) <= USUAL:
            return _expected(better, high, "the higher guidance scale to follow the prompt better")
        if min(a.guidance, b.guidance) > 1 and winner(sides, "saturation") != low:
            return f"Textbooks expect harsher colors at guidance {plans[high].guidance:g}; here that does not show."
    elif a.steps != b.steps and (a.guidance, a.scheduler) == (b.guidance, b.scheduler):
        more = 0 if a.steps > b.steps else 1
        if better == 1 - more:
            return "Textbooks expect more steps to be at least as good; here fewer were better."
    return ""


def _remedy(sides: Sequence[Side], plans: Sequence[Plan]) -> str:
    """What a remedy against too much guidance did, where the sides differ in one alone."""
    a, b = plans
    if (a.guidance, a.steps, a.scheduler) != (b.guidance, b.steps, b.scheduler):
        return ""
    if (a.start, a.until) == (b.start, b.until):
        remedied = 0 if a.rescale > b.rescale else 1
        cleaner = winner(sides, "saturation")
        if cleaner == remedied:
            return f"Rescaling ({LETTERS[remedied]}) lowered the saturated colors, as it is meant to."
        return "Rescaling is meant to lower the saturated colors; these samples don't show it."
    if a.rescale == b.rescale and winner(sides, "adherence") is None:
        return "Guidance in a part of the steps only cost no clear adherence here."
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


def _share(value: float) -> str:
    return f"{value:.2f}" if value >= 0.005 or value == 0 else "under 0.01"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:37]}..."
