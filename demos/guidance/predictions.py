"""What a visitor may predict, and from which measured values each answer is right or wrong."""

from __future__ import annotations

from demos.guidance.harm import cleaner, follower
from shared.comparison import Comparison
from shared.demo import Answer, Prediction


def _judged(c: Comparison) -> bool:
    """Whether the run can tell at all: a judge, and enough samples for an interval."""
    measures = [side.measure("adherence") for side in c.sides]
    return all(m is not None and m.low is not None for m in measures)


def _better(c: Comparison) -> int | None:
    gain = next((m for m in c.measures if m.name == "adherence_gain"), None)
    return follower(c.sides, gain)


def _a_follows(c: Comparison) -> bool | None:
    return _better(c) == 0 if _judged(c) else None


def _equal(c: Comparison) -> bool | None:
    return _better(c) is None if _judged(c) else None


def _b_and_clean(c: Comparison) -> bool | None:
    # Looks are measured by their colors here: what is not clearly more off the palette looks no worse.
    return _better(c) == 1 and cleaner(c.sides) != 0 if _judged(c) else None


def _b_but_harsh(c: Comparison) -> bool | None:
    return _better(c) == 1 and cleaner(c.sides) == 0 if _judged(c) else None


PREDICTIONS = (
    Prediction(
        "Which side follows the prompt better?",
        (
            Answer("A", _a_follows),
            Answer("B, and it looks no worse", _b_and_clean),
            Answer("B, but it looks worse", _b_but_harsh),
            Answer("no clear difference", _equal),
        ),
    ),
)

TRAP = (
    "More guidance is not more quality: adherence and picture quality are two numbers, and each step above guidance 1 "
    "calls the U-Net twice. A negative prompt only takes the place of the empty one: without guidance it does nothing."
)
