"""The measure table as values that every view prints the same: page, note card, Markdown."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from shared.colors import letter
from shared.comparison import ARROWS, Better, Comparison, Measure, Side, winner

SHARES = ("share", "0..1", "fraction")
YES_NO = "yes/no"
"""The unit of a measure that is 1 or 0."""
SPELLINGS = {
    "unet": "U-Net",
    "clip": "CLIP",
    "kl": "KL",
    "psnr": "PSNR",
    "fp32": "FP32",
    "bf16": "BF16",
    "fp16": "FP16",
    "int8": "INT8",
}
NOT_MEASURED = "not measured"
NO_DIFFERENCE = "no clear difference"
NO_SINGLE_BEST = "no single best"
"""Some sides differ clearly, but none from all the others."""
EQUAL = "equal"
PAIRED = "clear on paired samples"
GAIN = "_gain"
"""How the name of a measure between two sides ends that is B's less A's over paired samples: `adherence_gain`. Its
interval is narrower than the sides' own, since what the samples share is in neither."""
MOST_COLUMNS = 6
"""Beyond so many sides a table has a row per side, and pictures stand on a contact sheet."""


@dataclass(frozen=True)
class Cell:
    """One value as it is printed: `text` with its unit, `interval` beside it (empty where there is none)."""

    text: str
    interval: str = ""
    note: str = ""
    measured: bool = True


@dataclass(frozen=True)
class Row:
    """One measure over all sides. `winner` is the better side's position; `verdict` says that none is."""

    name: str
    title: str
    unit: str
    better: Better
    cells: tuple[Cell | None, ...]
    winner: int | None = None
    verdict: str = ""
    note: str = ""

    @property
    def arrow(self) -> str:
        """The arrow of the better direction, empty where neither is better."""
        return ARROWS[self.better]


def rows(c: Comparison) -> tuple[Row, ...]:
    """A row for each measure that any side has, in the order in which the sides name them.

    A side that lacks a measure has None as its cell. Where the sides' own intervals leave it open which is better and
    there is a paired difference of the two, that one decides.
    """
    names = dict.fromkeys(m.name for side in c.sides for m in side.measures)
    gains = {m.name.removesuffix(GAIN): m for m in c.measures if m.name.endswith(GAIN) and len(c.sides) == 2}
    return tuple(_decided(_row(c.sides, name), gains.get(name)) for name in names)


def rows_between(c: Comparison) -> tuple[Row, ...]:
    """A row with a single cell for each measure between the sides."""
    return tuple(
        Row(m.name, spell(m.name), unit_beside_name(m), m.better, (cell(m),), note=note_of([m])) for m in c.measures
    )


def spell(name: str) -> str:
    """A measure's name as words: `kinds_right` becomes "kinds right", `unet_calls` "U-Net calls"."""
    return " ".join(SPELLINGS.get(word, word) for word in name.split("_"))


def headline(side: Side) -> str:
    """The side's first measure in a few words, for places with room for one: "adherence 0.75"."""
    if not side.measures:
        return ""
    first = side.measures[0]
    return f"{spell(first.name)} {cell(first).text}" if cell(first).measured else first.note


def cell(measure: Measure) -> Cell:
    """The measure's value and interval as text."""
    if not _is_number(measure.value):
        return Cell(NOT_MEASURED, note=measure.note, measured=False)
    if measure.unit == YES_NO:
        return Cell("yes" if measure.value else "no", note=measure.note)
    unit = _short(measure.unit)
    text = format_value(measure.value, measure.unit)
    interval = ""
    if _is_number(measure.low) and _is_number(measure.high) and measure.low != measure.high:
        low, high = format_value(measure.low, measure.unit), format_value(measure.high, measure.unit)
        joint = "–" if measure.low >= 0 else " to "
        interval = f"{low}{joint}{high}"
    return Cell(f"{text} {unit}".strip(), interval, measure.note)


def format_value(value: float, unit: str) -> str:
    """A number as text: shares with two digits after the point, counts whole, everything else to three digits.

    A share that two digits would print as 0.00 or 1.00 though it is neither keeps up to four, so that small shares stay
    apart.
    """
    return _printed(value, unit).replace("-", "−")


def _printed(value: float, unit: str) -> str:
    if unit in SHARES:
        from_end = abs(value - round(value))
        if from_end < 0.00005 or abs(value) >= 1.005:
            return f"{round(value) if from_end < 0.00005 else value:.2f}"
        digits = 2 if from_end >= 0.005 else 3 if from_end >= 0.0005 else 4
        return f"{value:.{digits}f}"
    if float(value).is_integer() and abs(value) < 1e6 and not _is_physical(unit):
        return f"{int(value):,}"
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if -4 <= size < 6:
        return f"{round(value, 2 - size):,.{max(0, 2 - size)}f}"
    return f"{value:.2e}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")


def unit_beside_name(measure: Measure) -> str:
    """What of a unit neither follows each value nor is said by the name: of "s per picture" the "per picture"."""
    rest = "" if measure.unit in (*SHARES, YES_NO) else measure.unit.removeprefix(_short(measure.unit)).strip()
    return "" if spell(measure.name).lower().endswith(rest.lower()) else rest


def note_of(measures: Sequence[Measure]) -> str:
    """How a measure was made, with the sample size; notes that differ between sides are each led by the letter."""
    notes = [m.note.strip() for m in measures]
    counts = {m.n for m in measures if m.n is not None}
    said = list(dict.fromkeys(n for n in notes if n))
    if len(said) > 1:
        said = [f"{letter(i)}: {n}" for i, n in enumerate(notes) if n]
    if len(counts) == 1:
        n = counts.pop()
        said.append(f"{n:,} sample{'' if n == 1 else 's'} a side" if len(measures) > 1 else f"n = {n:,}")
    return " ".join(s if s.endswith((".", "?", "!")) else f"{s}." for s in said)


def to_markdown(c: Comparison) -> str:
    """The measure table as Markdown. Arrows show the better direction, the better side is bold.

    Up to six sides stand as columns, more as rows. Text is escaped, so that a label can't break the table.
    """
    parts = [_side_rows(c) if len(c.sides) > MOST_COLUMNS else _side_columns(c)]
    between = rows_between(c)
    if between:
        lines = [_line(["between the sides", "better", "value"]), _line([":--", ":-:", "--:"])]
        lines += [_line([_name(r), r.arrow, *[_text(x, False) for x in r.cells]]) for r in between]
        parts.append("\n".join(lines))
    if not c.complete:
        parts.append("Stopped early: what was done by then.")
    return "\n\n".join(parts) + "\n"


def _row(sides: Sequence[Side], name: str) -> Row:
    found = [side.measure(name) for side in sides]
    present = [m for m in found if m is not None]
    first = present[0]
    best = winner(sides, name)
    has_intervals = len(found) > 1 and all(m is not None and _is_number(m.low) and _is_number(m.high) for m in found)
    verdict = NO_DIFFERENCE if best is None and has_intervals and first.better != "neither" else ""
    if verdict and max(m.low for m in present if m.low is not None) > min(
        m.high for m in present if m.high is not None
    ):
        verdict = NO_SINGLE_BEST
    if verdict and all(m is not None and m.low == m.high == m.value for m in found):
        # Counts are known: they differ or they do not, and no interval is in doubt.
        verdict = EQUAL if len({m.value for m in present}) == 1 else ""
    return Row(
        name,
        spell(name),
        unit_beside_name(first),
        first.better,
        tuple(cell(m) if m is not None else None for m in found),
        best,
        verdict,
        note_of(present),
    )


def _decided(row: Row, gain: Measure | None) -> Row:
    if row.verdict != NO_DIFFERENCE or gain is None or gain.low is None or gain.high is None:
        return row
    if gain.low <= 0 <= gain.high:
        return row
    return replace(row, winner=int((gain.low > 0) == (row.better == "higher")), verdict=PAIRED)


def _side_columns(c: Comparison) -> str:
    heads = [f"{letter(i)}: {escape(side.label)}" for i, side in enumerate(c.sides)]
    lines = [_line(["measure", "better", *heads]), _line([":--", ":-:", *["--:"] * len(heads)])]
    for row in rows(c):
        cells = [_text(x, i == row.winner) for i, x in enumerate(row.cells)]
        lines.append(_line([_name(row), row.arrow, *cells]))
    return "\n".join(lines)


def _side_rows(c: Comparison) -> str:
    table = rows(c)
    lines = [
        _line(["side", *[f"{_name(row)} {row.arrow}".strip() for row in table]]),
        _line([":--", *["--:"] * len(table)]),
    ]
    for index, side in enumerate(c.sides):
        cells = [_text(row.cells[index], index == row.winner) for row in table]
        lines.append(_line([escape(side.label), *cells]))
    return "\n".join(lines)


def _name(row: Row) -> str:
    unit = f" ({row.unit})" if row.unit else ""
    verdict = f", {row.verdict}" if row.verdict else ""
    return escape(f"{row.title}{unit}{verdict}")


def _text(shown: Cell | None, wins: bool) -> str:
    if shown is None:
        return ""
    value = f"**{escape(shown.text)}**" if wins else escape(shown.text)
    if not shown.measured:
        return f"{value} ({escape(shown.note)})" if shown.note else value
    return f"{value} ({shown.interval})" if shown.interval else value


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escape(text: str) -> str:
    """The text with Markdown's own characters and HTML's brackets made plain, on one line."""
    plain = re.sub(r"([\\|*_`\[\]~])", r"\\\1", " ".join(text.split()))
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _is_number(value: float | None) -> TypeGuard[float]:
    return value is not None and math.isfinite(value)


def _short(unit: str) -> str:
    head = unit.split(" per ")[0]
    return head if len(head) <= 4 and unit not in SHARES else ""


def _is_physical(unit: str) -> bool:
    """Whether a whole number of the unit is a coincidence rather than a count."""
    return unit.split(" ")[0] in ("s", "ms", "µs", "MiB", "GiB", "MB", "GB", "dB", "%", "GFLOP/s", "W", "J")
