"""Axes as people type them: `1, 3, 5, 7.5`, `1-15 (+2)`, `1-10 [5]`; every mistake is one sentence.

- a list: values with commas; with semicolons the comma is a decimal mark (`1; 3; 7,5`)
- a range: `1-5` is 1, 2, 3, 4, 5; `1-15 (+2)` goes on by 2; `1-10 [5]` are five values, evenly spread
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

MOST_VALUES = 36
_NUMBER = r"[+-]?(?:\d{1,19}(?:\.\d{0,6})?|\.\d{1,6})"
_RANGE = re.compile(
    rf"(?P<first>{_NUMBER})\s*-\s*(?P<last>{_NUMBER})\s*(?:\(\s*(?P<step>{_NUMBER})\s*\)|\[\s*(?P<count>\d{{1,6}})\s*\])?"
)
_HOW = "write 1, 3, 7.5 or 1-15 (+2) or 1-10 [5]"


def as_axis(value: Any) -> Any:
    """What a settings field of axis values was given, as text: lists and single numbers are accepted too."""
    if isinstance(value, (list, tuple)):
        return "; ".join(str(v) for v in value)
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def read_numbers(text: str, low: float, high: float) -> tuple[float, ...]:
    """The values of an axis of numbers, each once, in the order typed. Raises ValueError with one sentence."""
    return tuple(dict.fromkeys(float(value) for value in _read(text, low, high)))


def read_whole_numbers(text: str, low: int, high: int, most: int = MOST_VALUES) -> tuple[int, ...]:
    """The values of an axis of up to `most` whole numbers; `7.0` is one, and evenly spread values are rounded. Raises
    ValueError with one sentence."""
    found: list[int] = []
    for value in _read(text, low, high, most, whole=True):
        if value != value.to_integral_value():
            raise ValueError(f"{value.normalize():f} is no whole number.")
        found.append(int(value))
    return tuple(dict.fromkeys(found))


def _read(text: str, low: float, high: float, most: int = MOST_VALUES, whole: bool = False) -> list[Decimal]:
    plain = text.replace("–", "-").replace("—", "-").replace("−", "-")
    pieces = plain.replace(",", ".").split(";") if ";" in plain else plain.split(",")
    pieces = [piece.strip() for piece in pieces]
    if not any(pieces):
        raise ValueError(f"There are no values: {_HOW}.")
    found: list[Decimal] = []
    for piece in filter(None, pieces):
        found += _read_piece(piece, most, whole)
        if len(found) > most:
            raise ValueError(_too_many(len(found), most))
    for value in found:
        if not low <= value <= high:
            raise ValueError(f"{value.normalize():f} is outside {_said(low)} to {_said(high)}.")
    return found


def _read_piece(piece: str, most: int, whole: bool) -> list[Decimal]:
    if re.fullmatch(_NUMBER, piece):
        return [Decimal(piece)]
    found = _RANGE.fullmatch(piece)
    if found is None:
        shown = piece if len(piece) <= 40 else f"{piece[:37]}..."
        raise ValueError(f"“{shown}” is neither a number nor a range: {_HOW}.")
    first, last = Decimal(found["first"]), Decimal(found["last"])
    if found["count"]:
        return _spread(first, last, int(found["count"]), most, whole)
    return _march(first, last, Decimal(found["step"]) if found["step"] else Decimal(1 if last >= first else -1), most)


def _march(first: Decimal, last: Decimal, step: Decimal, most: int) -> list[Decimal]:
    if step == 0:
        raise ValueError("A range can't go on by 0.")
    if (last - first) * step < 0:
        raise ValueError(f"From {first:f} one never gets to {last:f} by steps of {step:f}.")
    count = int((last - first) / step) + 1
    if count > most:
        raise ValueError(_too_many(count, most))
    return [first + i * step for i in range(count)]


def _spread(first: Decimal, last: Decimal, count: int, most: int, whole: bool) -> list[Decimal]:
    if count < 1:
        raise ValueError("A range needs at least one value.")
    if count > most:
        raise ValueError(_too_many(count, most))
    if count == 1:
        return [first]
    exact = [first + (last - first) * i / (count - 1) for i in range(count)]
    return [value.quantize(Decimal(1) if whole else Decimal("0.0001"), ROUND_HALF_UP) for value in exact]


def _too_many(count: int, most: int) -> str:
    return f"{count:,} values are too many: there may be up to {most}."


def _said(bound: float) -> str:
    return f"{int(bound):,}" if float(bound).is_integer() else f"{bound:g}"


def values_said(values: Sequence[float]) -> str:
    """Values as a list for people: "1, 3, 7.5"."""
    return ", ".join(f"{v:g}" for v in values)


def steps_said(count: float) -> str:
    """A number of steps in words: "1 step", "8 steps"."""
    return f"{count:g} step{'' if count == 1 else 's'}"
