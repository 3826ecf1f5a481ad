"""What a visitor may predict, and from which measured values each answer is right or wrong."""

from __future__ import annotations

from demos.fusion.takeaway import DESIGNS
from shared.comparison import Comparison, Side, winner
from shared.demo import Answer, Prediction


def _falls(c: Comparison) -> tuple[float, float] | None:
    found = next((m for m in c.measures if m.name == "early_falls_more"), None)
    return (found.low, found.high) if found and found.low is not None and found.high is not None else None


def _early_falls(c: Comparison) -> bool | None:
    ends = _falls(c)
    return ends[0] > 0 if ends else None


def _late_falls(c: Comparison) -> bool | None:
    ends = _falls(c)
    return ends[1] < 0 if ends else None


def _alike(c: Comparison) -> bool | None:
    ends = _falls(c)
    return ends[0] <= 0 <= ends[1] if ends else None


def _best(c: Comparison) -> Side | None:
    designs = c.sides[:DESIGNS]
    index = winner(designs, "accuracy_both")
    return None if index is None else designs[index]


def _is_best(place: int, c: Comparison) -> bool | None:
    if len(c.sides) < DESIGNS:
        return None
    return _best(c) is c.sides[place]


PREDICTIONS = (
    Prediction(
        "One modality goes missing. Which design's accuracy falls more?",
        (Answer("early", _early_falls), Answer("late", _late_falls), Answer("both alike", _alike)),
    ),
    Prediction(
        "With picture and sound there, which design is clearly the most accurate?",
        (
            Answer("early", lambda c: _is_best(0, c)),
            Answer("intermediate", lambda c: _is_best(1, c)),
            Answer("late", lambda c: _is_best(2, c)),
            Answer("none of them", lambda c: _best(c) is None if len(c.sides) >= DESIGNS else None),
        ),
    ),
)

TRAP = (
    "“Cross-attention is robust by itself.” What helps is training with gaps, and marking them: a modality that is "
    "missing must not pass for an array of zeros."
)
