"""What a sweep's measured values say: the best cell, the cheapest near it, an axis that changed nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demos.guidance.harm import harm_of, noun_of
from shared.comparison import Measure, Side
from shared.table import format_value, spell

NEAR = 0.05
"""A cell is near the best one where its value is within this share of it."""
SAME = 2
"""Pictures that differ by no more than this, of 255, are the same."""


@dataclass(frozen=True)
class Marks:
    """Positions among the sides: the best in a measure, and the one with the fewest U-Net calls near it. `equal` are
    the others with the very same value as the best, `close` those whose 95% intervals reach its interval."""

    best: int
    cheapest: int
    equal: tuple[int, ...] = ()
    close: tuple[int, ...] = ()

    @property
    def tied(self) -> bool:
        """Whether another cell may be as good as the best."""
        return bool(self.equal or self.close)


def marks(sides: Sequence[Side], name: str) -> Marks | None:
    """The cells to mark in a measure; None where no cell has it, or where neither direction is better. Of equally good
    cells the cheaper one is named the best."""
    found = {i: m for i, side in enumerate(sides) if (m := side.measure(name)) and m.value is not None}
    if not found or next(iter(found.values())).better == "neither":
        return None
    sign = 1 if next(iter(found.values())).better == "higher" else -1
    value = {i: sign * float(m.value or 0.0) for i, m in found.items()}
    cost = {i: _calls(sides[i]) for i in found}
    best = min(found, key=lambda i: (-value[i], cost[i], i))
    near = [i for i in found if value[i] >= value[best] - NEAR * abs(value[best])]
    equal = tuple(i for i in found if i != best and value[i] == value[best])
    close = tuple(i for i in found if i != best and i not in equal and _reaches(found[i], found[best], sign))
    return Marks(best, min(near, key=lambda i: (cost[i], -value[i], i)), equal, close)


def _reaches(other: Measure, best: Measure, sign: int) -> bool:
    """Whether a cell's interval reaches that of the best; without intervals nobody can tell."""
    if other.low is None or other.high is None or best.low is None or best.high is None:
        return False
    return other.high >= best.low if sign > 0 else other.low <= best.high


def axes_of(side: Side) -> tuple[float, int]:
    """A cell's guidance scale and step count, as its label has them."""
    found = re.fullmatch(r"guidance (\S+) · (\d+) steps?", side.label)
    assert found is not None, side.label
    return float(found[1]), int(found[2])


def idle_axes(sides: Sequence[Side]) -> tuple[str, ...]:
    """The axes along which no picture changes; of one value only, or with no two cells to compare, an axis is not."""
    drawn = {axes_of(side): side for side in sides if side.images}
    return tuple(name for position, name in enumerate(("guidance", "steps")) if _is_idle(list(drawn.items()), position))


def _is_idle(drawn: Sequence[tuple[tuple[float, int], Side]], position: int) -> bool:
    lines: dict[float, list[Side]] = {}
    for at, side in drawn:
        lines.setdefault(at[1 - position], []).append(side)
    pairs = [(line[0], other) for line in lines.values() for other in line[1:]]
    return bool(pairs) and all(_same(a, b) for a, b in pairs)


def _same(a: Side, b: Side) -> bool:
    return all(
        np.abs(np.asarray(p, dtype=int) - np.asarray(q, dtype=int)).max() <= SAME
        for p, q in zip(a.images, b.images, strict=True)
    )


def say(sides: Sequence[Side], cells: int, cut: str = "") -> str:
    """The takeaway of a sweep of that many cells, of which `sides` are done."""
    if not any(side.images for side in sides):
        return "No cell was drawn: it was stopped before the first was done." if not sides else _failed(sides)
    sentences = [_best(sides), _spread(sides)]
    for name in idle_axes(sides):
        sentences.append(f"Note: the {name} axis changed nothing, the pictures are the same all along it.")
    if len(sides) < cells:
        sentences.append(f"Stopped early: {len(sides)} of {cells} cells.")
    if not all(side.images for side in sides):
        sentences.append(_failed(sides))
    if cut:
        sentences.append("The text encoder left out the prompt's end.")
    return " ".join(filter(None, sentences))


def _best(sides: Sequence[Side]) -> str:
    for name, lead in (("adherence", ""), ("clip_score", "This prompt's facts can't be judged. ")):
        found = marks(sides, name)
        if found is None:
            continue
        best, cheapest = sides[found.best], sides[found.cheapest]
        values = [_value(side, name) for side in sides if _has(side, name)]
        if len(values) == 1:
            return f"{lead}{_said(name)} is {_printed(best, name)} at {best.label}, the only cell measured."
        if min(values) == max(values):
            return (
                f"{lead}{_said(name)} is the same in every cell ({_printed(best, name)}); the cheapest is "
                f"{best.label}, at {_calls(best)} U-Net calls a picture."
            )
        sentence = f"{lead}{_said(name)} is highest at {best.label} ({_printed(best, name)}){_tied(found)}"
        if best is not cheapest:
            sentence += (
                f"; {cheapest.label} comes within 5% of it ({_printed(cheapest, name)}) at {_calls(cheapest)} U-Net "
                f"calls a picture instead of {_calls(best)}"
            )
        else:
            sentence += ", and no cheaper cell comes within 5% of it"
        return f"{sentence}.{_doubt(sides, name, best)}"
    return "This prompt's facts can't be judged."


def _tied(found: Marks) -> str:
    parts = []
    if found.equal:
        count = len(found.equal)
        parts.append(f"tied with {count} cell{'s' * (count > 1)} of the same value")
    if found.close:
        count = len(found.close)
        parts.append(f"equal within the intervals to {count} {'others' if count > 1 else 'other'}")
    return f", {' and '.join(parts)}" if parts else ""


def _doubt(sides: Sequence[Side], name: str, best: Side) -> str:
    worst = min((s for s in sides if _has(s, name)), key=lambda s: _value(s, name))
    top, bottom = best.measure(name), worst.measure(name)
    if top is None or bottom is None or top.low is None or bottom.high is None:
        return " One seed a cell can't tell which cell is better: add seeds."
    return "" if top.low > bottom.high else " With these samples even the best and worst cells do not differ clearly."


def _spread(sides: Sequence[Side]) -> str:
    drawn = [side for side in sides if side.images]
    if len(drawn) < 2:
        return ""
    name, noun = harm_of(drawn), noun_of(drawn)
    measured = [side for side in drawn if _has(side, name)]
    if len(measured) < 2:
        return ""
    low = min(measured, key=lambda s: _value(s, name))
    high = max(measured, key=lambda s: _value(s, name))
    noun = f"{noun[:1].upper()}{noun[1:]}"
    if _printed(low, name) == _printed(high, name):
        return f"{noun} are equal in every cell ({_printed(low, name)})."
    return f"{noun} go from {_printed(low, name)} ({low.label}) to {_printed(high, name)} ({high.label})."


def _failed(sides: Sequence[Side]) -> str:
    failed = [side for side in sides if not side.images]
    reason = failed[0].measures[0].note.rstrip(".")
    return f"{len(failed)} of {len(sides)} cells failed: {reason}."


def _said(name: str) -> str:
    return "Adherence" if name == "adherence" else spell(name)


def _has(side: Side, name: str) -> bool:
    found = side.measure(name)
    return found is not None and found.value is not None


def _value(side: Side, name: str) -> float:
    found = side.measure(name)
    return float(found.value or 0.0) if found else 0.0


def _printed(side: Side, name: str) -> str:
    found: Measure | None = side.measure(name)
    assert found is not None and found.value is not None
    return format_value(found.value, found.unit)


def _calls(side: Side) -> int:
    return int(_value(side, "unet_calls"))
