"""What a visitor may predict, and from which measured values each answer is right or wrong."""

from __future__ import annotations

from collections.abc import Callable

from demos.precision.decision import quality_of
from shared.comparison import Comparison, Measure
from shared.demo import Answer, Prediction


def _of(c: Comparison, label: str, name: str) -> Measure | None:
    side = next((s for s in c.sides if s.label == label), None)
    found = side.measure(name) if side else None
    return found if found is not None and found.value is not None else None


def _fastest(c: Comparison) -> str | None:
    """The side with the lowest median whose interval lies below every other's, "" where none, None where unknown."""
    timed = [(s.label, m) for s in c.sides if (m := s.measure("p50")) is not None and m.value is not None]
    if len(timed) < 2 or any(m.low is None or m.high is None for _, m in timed):
        return None
    label, best = min(timed, key=lambda pair: pair[1].value or 0.0)
    clear = all(best.high < m.low for other, m in timed if other != label)  # type: ignore[operator]
    return label if clear else ""


def _is_fastest(*labels: str) -> Callable[[Comparison], bool | None]:
    def holds(c: Comparison) -> bool | None:
        found = _fastest(c)
        return None if found is None else found in labels

    return holds


def _step(c: Comparison) -> tuple[float, float] | None:
    """How many times faster the engine made FP32, and INT8 made the engine."""
    values = [_of(c, label, "p50") for label in ("eager FP32", "ONNX Runtime FP32", "ONNX Runtime static INT8")]
    if any(m is None for m in values):
        return None
    eager, engine, int8 = (float(m.value) for m in values)  # type: ignore[union-attr,arg-type]
    return eager / engine, engine / int8


def _engine_more(c: Comparison) -> bool | None:
    found = _step(c)
    return None if found is None else found[0] > found[1]


def _format_more(c: Comparison) -> bool | None:
    found = _step(c)
    return None if found is None else found[0] <= found[1]


def _int8_passes(c: Comparison) -> bool | None:
    side = next((s for s in c.sides if s.label == "ONNX Runtime static INT8"), None)
    quality = quality_of(side) if side else None
    if quality is None or quality.value is None:
        return None
    return quality.value >= float(c.settings["quality_floor"])


def _int8_fails(c: Comparison) -> bool | None:
    passes = _int8_passes(c)
    return None if passes is None else not passes


PREDICTIONS = (
    Prediction(
        "Which side is fastest?",
        (
            Answer("eager BF16", _is_fastest("eager BF16", "eager FP16")),
            Answer("ONNX Runtime INT8", _is_fastest("ONNX Runtime static INT8")),
            Answer("torchao INT8", _is_fastest("torchao dynamic INT8", "torchao weight-only INT8")),
            Answer("one in FP32", _is_fastest("eager FP32", "ONNX Runtime FP32", "compiled FP32")),
        ),
    ),
    Prediction(
        "What saves more time, the engine or INT8 in it?",
        (Answer("the engine", _engine_more), Answer("INT8", _format_more)),
    ),
    Prediction(
        "Does static INT8 keep the quality floor?",
        (Answer("yes", _int8_passes), Answer("no", _int8_fails)),
    ),
)

TRAP = (
    "Lower precision is not speed: it pays where kernels for it exist, and the engine can matter more than the format. "
    "Before quantizing a pipeline, count its steps."
)
