"""Which side follows the prompt better, and what its settings did to the looks, by the most telling measure."""

from __future__ import annotations

from collections.abc import Sequence

from shared.comparison import Measure, Side, winner
from shared.table import format_value

NOUNS = {"off_palette": "pixels off the palette", "saturation": "saturated colors"}


def harm_of(sides: Sequence[Side]) -> str:
    """The measure's name: off_palette where every side has it, else saturation."""
    found = [side.measure("off_palette") for side in sides]
    return "off_palette" if all(m is not None and m.value is not None for m in found) else "saturation"


def noun_of(sides: Sequence[Side]) -> str:
    """What the measure counts, in words."""
    return NOUNS[harm_of(sides)]


def follower(sides: Sequence[Side], gain: Measure | None) -> int | None:
    """The side that clearly follows the prompt better: by the sides' own intervals, or by the differences on the same
    noises, whose interval is narrower because the noise is in neither; None where neither tells."""
    better = winner(sides, "adherence")
    if better is not None or gain is None or gain.low is None or gain.high is None or gain.low <= 0 <= gain.high:
        return better
    return int(gain.low > 0)


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
