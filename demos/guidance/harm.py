"""What a side's settings did to its pictures' looks, by the most telling measure that both sides have."""

from __future__ import annotations

from collections.abc import Sequence

from shared.comparison import Side, winner
from shared.table import format_value

NOUNS = {"off_palette": "pixels off the palette", "saturation": "saturated colors"}


def harm_of(sides: Sequence[Side]) -> str:
    """The measure's name: off_palette where every side has it, else saturation."""
    found = [side.measure("off_palette") for side in sides]
    return "off_palette" if all(m is not None and m.value is not None for m in found) else "saturation"


def noun_of(sides: Sequence[Side]) -> str:
    """What the measure counts, in words."""
    return NOUNS[harm_of(sides)]


def cleaner(sides: Sequence[Side]) -> int | None:
    """The side that is clearly less harmed, or None."""
    return winner(sides, harm_of(sides))


def harms(sides: Sequence[Side]) -> tuple[float, ...]:
    """Each side's value; 0 where it has none."""
    found = [side.measure(harm_of(sides)) for side in sides]
    return tuple(float(m.value or 0.0) if m else 0.0 for m in found)


def share(value: float) -> str:
    """A share as the table prints it."""
    return format_value(value, "share")
