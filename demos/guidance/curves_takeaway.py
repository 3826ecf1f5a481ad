"""What curves say: where adherence levels off, where quality turns, where the knee is."""

from __future__ import annotations

from collections.abc import Sequence

from demos.guidance.axes import steps_said
from demos.guidance.curve_figures import curves_of
from shared.comparison import Measure, Side
from shared.table import format_value

FLAT = 0.02
"""Adherence within so much of its highest counts as level."""
FLAT_DISTANCE = 0.05
"""A distance within this share of its lowest counts as equal to it."""

Curve = list[tuple[float, Measure]]


def say(sides: Sequence[Side], vary: str, points: int) -> str:
    """The takeaway of curves of that many points, of which `sides` are done."""
    followed, distance = curves_of(sides, "adherence"), curves_of(sides, "reader_frechet_distance")
    sentences: list[str] = []
    if not sides:
        sentences.append("No point was finished.")
    elif not followed:
        sentences.append(f"The facts can't be judged: {sides[0].measures[0].note.rstrip('.')}.")
    elif vary == "guidance":
        sentences += [_levels_off(name, curve) for name, curve in followed.items()]
        sentences += [_turns(name, curve) for name, curve in distance.items()]
    else:
        sentences += [_knees(followed), *(_turns(name, curve, "steps") for name, curve in distance.items())]
    if 0 < len(sides) < points:
        sentences.append(f"Stopped early: {len(sides)} of {points} points.")
    return " ".join(sentences)


def level_from(curve: Curve) -> int:
    """The first point within FLAT of the curve's highest."""
    best = max(_value(m) for _, m in curve)
    return next(i for i, (_, m) in enumerate(curve) if _value(m) >= best - FLAT)


def _levels_off(name: str, curve: Curve) -> str:
    values = [_value(m) for _, m in curve]
    if len(curve) < 3:
        return f"{len(curve)} value{'s' * (len(curve) > 1)} of guidance with {name} can't show a curve."
    at, (last, _) = level_from(curve), curve[-1]
    where = f"guidance {curve[at][0]:g}"
    if max(values) - min(values) <= FLAT:
        return f"With {name}, adherence is level over all scales ({min(values):.2f} to {max(values):.2f})."
    if at == len(curve) - 1:
        said = f"With {name}, adherence still rises at {where} ({values[at]:.2f}): it does not level off here"
    elif at == 0:
        said = f"With {name}, adherence is highest from {where} on ({values[at]:.2f})"
    else:
        said = f"With {name}, adherence levels off at {where} ({values[at]:.2f})"
    if max(values) - values[-1] > FLAT:
        said += f" and falls to {values[-1]:.2f} at {last:g}"
    return f"{said}{_doubt(curve)}."


def _turns(name: str, curve: Curve, unit: str = "guidance") -> str:
    values = [_value(m) for _, m in curve]
    if len(curve) < 3:
        return ""
    lowest = min(values)
    at = values.index(lowest)
    where = f"guidance {curve[at][0]:g}" if unit == "guidance" else steps_said(curve[at][0])
    numbers = _printed(lowest)
    if max(values) <= lowest * (1 + FLAT_DISTANCE):
        return f"The reader Fréchet distance with {name} is about {numbers} throughout: quality does not turn."
    rises = values[-1] > lowest * (1 + FLAT_DISTANCE)
    if at == len(curve) - 1 or not rises:
        return f"The reader Fréchet distance with {name} is lowest at {where} ({numbers}) and does not rise after."
    turn = "only grows" if at == 0 else "grows again"
    return (
        f"The reader Fréchet distance with {name} is lowest at {where} ({numbers}) and {turn} to "
        f"{_printed(values[-1])}: quality turns there."
    )


def _knees(curves: dict[str, Curve]) -> str:
    told, knees = [], {}
    for name, curve in curves.items():
        values = [_value(m) for _, m in curve]
        if len(curve) < 3:
            told.append(f"{name} has too few step counts for a curve")
        elif max(values) - min(values) <= FLAT:
            told.append(
                f"{name} is level over all step counts ({min(values):.2f} to {max(values):.2f}), without a knee"
            )
        else:
            at = level_from(curve)
            knees[name] = curve[at][0]
            late = ", still rising" if at == len(curve) - 1 else ""
            told.append(f"{name} has its knee at {steps_said(curve[at][0])} ({values[at]:.2f}{late}){_doubt(curve)}")
    sentence = f"Adherence over steps: {'; '.join(told)}."
    if len(knees) < 2:
        return sentence
    first, last = min(knees, key=lambda k: knees[k]), max(knees, key=lambda k: knees[k])
    if knees[first] == knees[last]:
        return f"{sentence} The scheduler does not move the knee here."
    return f"{sentence} {first} needs {steps_said(knees[first])} for what {last} does in {knees[last]:g}."


def _doubt(curve: Curve) -> str:
    low = min((m for _, m in curve), key=_value)
    high = max((m for _, m in curve), key=_value)
    if low.high is None or high.low is None or high.low > low.high:
        return ""
    return ", but the bands overlap: take more captions"


def _value(m: Measure) -> float:
    assert m.value is not None
    return float(m.value)


def _printed(value: float) -> str:
    return format_value(value, "")
