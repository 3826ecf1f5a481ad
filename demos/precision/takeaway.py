"""The takeaway: what the measured values say about formats and engines, and where that is not the textbook's."""

from __future__ import annotations

from collections.abc import Sequence

from demos.precision.decision import Decision, quality_of
from shared.comparison import Measure, Side
from shared.measuring import WIDE
from shared.table import cell, spell

NEAR = 0.1
"""Two medians less than this share apart are called equal."""


def say(sides: Sequence[Side], decision: Decision, calibration: str = "scenes") -> str:
    """Engine against format; what INT8 cost in quality; the recommendation with its way back; a warning on drift."""
    sentences = [
        _speed(sides),
        _quality(sides, calibration),
        f"{decision.why}.",
        f"{decision.way_back}.",
        _unsteady(sides),
    ]
    return " ".join(s for s in sentences if s)


def _speed(sides: Sequence[Side]) -> str:
    found = {side.label: p.value for side in sides if (p := side.measure("p50")) is not None and p.value}
    eager, engine, int8 = (found.get(n) for n in ("eager FP32", "ONNX Runtime FP32", "ONNX Runtime static INT8"))
    said = []
    if eager and engine:
        said.append(f"The engine alone, at the same format, made it {_times(eager, engine)}")
    if engine and int8:
        said.append(f"static INT8 in that engine {_then(engine, int8)}")
    elif eager and int8:
        said.append(
            f"Static INT8 in ONNX Runtime was {_times(eager, int8)} than eager FP32".replace("than than", "than")
        )
    text = _start("; ".join(said)) + "." * bool(said)
    return " ".join(filter(None, (text, _surprises(found))))


def _times(before: float, after: float) -> str:
    if abs(after - before) <= NEAR * before:
        return "neither faster nor slower"
    return f"{before / after:.1f} times faster" if after < before else f"{after / before:.1f} times slower"


def _then(before: float, after: float) -> str:
    if abs(after - before) <= NEAR * before:
        return "was no faster: smaller, not faster"
    if after < before:
        return f"was {before / after:.1f} times faster again"
    return f"was {after / before:.1f} times slower: smaller, not faster"


def _surprises(found: dict[str, float]) -> str:
    """Formats that textbooks call faster and that were not."""
    eager = found.get("eager FP32")
    names = ("eager BF16", "eager FP16", "torchao dynamic INT8", "torchao weight-only INT8")
    slower = [name for name in names if eager and name in found and found[name] > eager * (1 - NEAR)]
    if not slower:
        return ""
    verb = "was" if len(slower) == 1 else "were"
    return (
        f"{_start(_and(slower))} {verb} no faster than FP32 in the same engine: a narrower format needs kernels for it."
    )


def _of_int8(measured: str, calibration: str) -> str:
    """ "Static INT8's accuracy", or with how it was calibrated where that was not the right way."""
    how = {"noise": "calibrated on noise", "none": "without calibration"}.get(calibration)
    return f"The {measured} of static INT8 {how}" if how else f"Static INT8's {measured}"


def _quality(sides: Sequence[Side], calibration: str) -> str:
    side = next((s for s in sides if s.label == "ONNX Runtime static INT8"), None)
    if side is None:
        return ""
    reference = next((s for s in sides if s.label == "eager FP32"), None)
    own, other = (s.measure("accuracy") if s is not None else None for s in (side, reference))
    if own is not None and other is not None and own.value is not None and other.value is not None:
        values = f"{own.value:.2f} against FP32's {other.value:.2f}"
        said = f"{_of_int8('accuracy', calibration)} was {values}: {_apart(own, other)}."
        return f"{said}{_photos(side)}"
    quality = quality_of(side)
    if quality is None or quality.value is None:
        return ""
    return f"{_of_int8(spell(quality.name) + ' with FP32', calibration)} was {cell(quality).text}."


def _photos(side: Side) -> str:
    scenes, photos = side.measure("agreement"), side.measure("photo_agreement")
    if scenes is None or photos is None or scenes.low is None or photos.high is None or photos.value is None:
        return ""
    if photos.high >= scenes.low:
        return ""
    return f" On photos it cost more: EfficientNet-Lite0 named FP32's class on {photos.value:.2f} of the crops."


def _apart(own: Measure, other: Measure) -> str:
    assert own.value is not None and other.value is not None
    if own.high is not None and other.low is not None and own.high < other.low:
        return "worse beyond the intervals"
    if own.low is not None and other.high is not None and own.low > other.high:
        return "better beyond the intervals"
    return "equal" if own.value == other.value else "no clear difference"


def _unsteady(sides: Sequence[Side]) -> str:
    names = [
        s.label for s in sides if (m := s.measure("spread")) is not None and m.value is not None and m.value > WIDE
    ]
    whose = "All timings" if len(names) == len(sides) > 1 else f"The timings of {_and(names)}" if names else ""
    return f"{whose} spread widely: something else ran, so measure again." if whose else ""


def _start(text: str) -> str:
    return text[:1].upper() + text[1:]


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
