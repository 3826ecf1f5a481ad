"""What a visitor may predict, and from which measured values each answer is right or wrong."""

from __future__ import annotations

from demos.attention.takeaway import REAL, TIE, by_label, controls, value
from shared.comparison import Comparison
from shared.demo import Answer, Prediction


def _best(c: Comparison) -> str | None:
    """The label of the side whose map overlaps the mask most; empty for a tie, None where the run can't tell."""
    real = [s for label in REAL if (s := by_label(c.sides, label)) is not None]
    own = [(v, s.label) for s in real if (v := value(s, "iou")) is not None]
    if len(own) < 2:
        return None
    others = [(v, "control") for s in controls(c.sides) if (v := value(s, "iou")) is not None]
    ranked = sorted([*own, *others], reverse=True)
    return "" if ranked[0][0] - ranked[1][0] < TIE else ranked[0][1]


def _is(label: str):  # noqa: ANN202
    def holds(c: Comparison) -> bool | None:
        best = _best(c)
        return None if best is None else best == label

    return holds


PREDICTIONS = (
    Prediction(
        "Which map finds the named sticker best?",
        (
            Answer("cross-attention", _is("cross-attention")),
            Answer("Grad-CAM", _is("Grad-CAM")),
            Answer("an edge detector or another control", _is("control")),
            Answer("no difference: they show the same thing", _is("")),
        ),
    ),
)

TRAP = (
    "Both maps show where a model looks, not why it decides: they explain different models, and a map that looks right "
    "proves nothing until a control fails where it succeeds."
)
