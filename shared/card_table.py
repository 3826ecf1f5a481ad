"""The measure table of a note card."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image, ImageDraw

from shared.colors import letter
from shared.comparison import ARROWS, Comparison, Measure
from shared.lettering import Lettering
from shared.styling import Style, mark, stack
from shared.table import MOST_COLUMNS, NOT_MEASURED, Cell, Row, cell, rows, rows_between, spell

_SIZE, _SMALL, _PAD = 27, 22, 11


def table_block(c: Comparison, style: Style, width: int) -> Image.Image | None:
    """The measures: a column per side, or, beyond six sides, where each measure is lowest and highest."""
    if not rows(c) and not c.measures:
        return None
    if len(c.sides) > MOST_COLUMNS:
        lines = _range_lines(c, style, width)
    else:
        table = _Columns(c, style, width)
        lines = [table.head(), *(table.row(row) for row in rows(c))]
    if c.measures:
        lines.append(_cells(["between the sides"], [width], style, _SMALL, "muted", bold=True))
        lines += [_between_line(row, style, width) for row in rows_between(c)]
    return stack(lines, 0, style.colors["page"])


class _Columns:
    """The table's measures in pixels: the name's column, the arrow's, then one for each side."""

    def __init__(self, c: Comparison, style: Style, width: int) -> None:
        self.c, self.style, self.width = c, style, width
        self.text = Lettering(style.px(_SIZE), style.colors["text"])
        self.wins = Lettering(style.px(_SIZE), style.colors["good"], bold=True)
        self.small = Lettering(style.px(_SMALL), style.colors["muted"])
        self.inline = len(c.sides) <= 3
        self.name = round(width * (0.40 if len(c.sides) <= 2 else 0.30 if len(c.sides) <= 4 else 0.26))
        self.arrow = style.px(64)
        self.each = (width - self.name - self.arrow) // max(1, len(c.sides))
        found = [x.interval for row in rows(c) for x in row.cells if x and x.interval]
        self.aside = max(map(self.small.width, found), default=0) + style.px(12) if self.inline and found else 0

    def left(self, index: int) -> int:
        return self.name + self.arrow + index * self.each

    def right(self, index: int) -> int:
        """Where the values of a side end; inline intervals follow."""
        return self.left(index) + self.each - self.aside

    def head(self) -> Image.Image:
        block = self._block(self.small.line)
        bold = Lettering(self.small.size, self.style.colors["muted"], bold=True)
        y = self.style.px(_PAD)
        bold.write(block, (0, y), "measured in this run")
        bold.write(block, (self.name + (self.arrow - bold.width("better")) // 2, y), "better")
        for index in range(len(self.c.sides)):
            name = Lettering(self.text.size, self.style.side(index), bold=True)
            x = self.right(index) - name.width(letter(index))
            name.write(block, (x, y - self.style.px(3)), letter(index))
            mark(block, (x - self.style.px(25), y + self.style.px(6)), self.style.px(16), index, self.style)
        return block

    def row(self, row: Row) -> Image.Image:
        name = self._name(row)
        missing = [x for x in row.cells if x is not None and not x.measured]
        notes = list(dict.fromkeys(x.note for x in missing))
        if len(missing) == len(row.cells) and len(notes) == 1:
            room = self.width - self.left(0)
            why = self.style.paragraph(f"{NOT_MEASURED}: {notes[0]}", room, _SMALL, "muted")
            cells = [(self.left(0), why)]
        else:
            cells = [(self.left(i), self._cell(x, i == row.winner)) for i, x in enumerate(row.cells) if x is not None]
        block = self._block(max([name.height, *(picture.height for _, picture in cells)]))
        y = self.style.px(_PAD)
        block.paste(name, (0, y))
        arrow = ARROWS[row.better]
        self.text.write(block, (self.name + (self.arrow - self.text.width(arrow)) // 2, y), arrow)
        for x, picture in cells:
            block.paste(picture, (x, y))
        return block

    def _name(self, row: Row) -> Image.Image:
        room = self.name - self.style.px(16)
        name = self.style.paragraph(row.title, room, _SIZE, "text")
        said = ", ".join(x for x in (row.unit, row.verdict) if x)
        used = self.text.width(row.title) + self.style.px(12)
        if said and name.height == self.text.line and used + self.small.width(said) <= room:
            self.small.write(name, (used, self.style.px(5)), said)
            return name
        return stack([name, self.style.paragraph(said, room, _SMALL, "muted")], 0, self.style.colors["page"])

    def _cell(self, shown: Cell, wins: bool) -> Image.Image:
        room = self.each
        if not shown.measured:
            note = f": {shown.note}" if shown.note else ""
            said = self.style.paragraph(f"{NOT_MEASURED}{note}", room - self.style.px(24), _SMALL, "muted")
            block = Image.new("RGB", (room, said.height), self.style.colors["page"])
            block.paste(said, (self.style.px(24), 0))
            return block
        text = self.wins if wins else self.text
        words = f"✓ {shown.text}" if wins else shown.text
        below = bool(shown.interval) and not self.inline
        block = Image.new("RGB", (room, text.line + (self.small.line if below else 0)), self.style.colors["page"])
        text.write(block, (room - self.aside - text.width(words), 0), words)
        if below:
            self.small.write(block, (room - self.small.width(shown.interval), text.line), shown.interval)
        elif shown.interval:
            self.small.write(block, (room - self.aside + self.style.px(12), self.style.px(5)), shown.interval)
        return block

    def _block(self, height: int) -> Image.Image:
        return _ruled(self.width, height, self.style)


def _between_line(row: Row, style: Style, width: int) -> Image.Image:
    shown = row.cells[0]
    assert shown is not None, "a measure between the sides has one value"
    arrow = f" {row.arrow}" if row.arrow else ""
    unit = f" ({row.unit})" if row.unit else ""
    interval = f" ({shown.interval})" if shown.interval else ""
    value = f"{shown.text}{interval}" if shown.measured else f"{NOT_MEASURED}: {shown.note}"
    half = width * 2 // 5
    name = style.paragraph(f"{row.title}{unit}{arrow}", half - style.px(16), _SIZE, "text")
    said = style.paragraph(
        value, width - half, _SIZE if shown.measured else _SMALL, "text" if shown.measured else "muted"
    )
    block = _ruled(width, max(name.height, said.height), style)
    block.paste(name, (0, style.px(_PAD)))
    block.paste(said, (half, style.px(_PAD)))
    return block


def _range_lines(c: Comparison, style: Style, width: int) -> list[Image.Image]:
    """For each measure, the lowest and the highest value with the side that has it."""
    rooms = [round(width * share) for share in (0.28, 0.08, 0.32, 0.32)]
    lines = [_cells(["measured in this run", "better", "lowest", "highest"], rooms, style, _SMALL, "muted", bold=True)]
    for row in rows(c):
        found = [(m, side.label) for side in c.sides if (m := side.measure(row.name)) and cell(m).measured]
        ends = _ends(found) if found else [NOT_MEASURED, ""]
        unit = f" ({row.unit})" if row.unit else ""
        lines.append(_cells([f"{spell(row.name)}{unit}", row.arrow, *ends], rooms, style, _SIZE, "text"))
    return lines


def _ends(found: Sequence[tuple[Measure, str]]) -> list[str]:
    if len({measure.value for measure, _ in found}) == 1:
        return [f"{cell(found[0][0]).text} throughout", ""]
    ends = []
    for sign in (1, -1):
        measure, label = min(found, key=lambda pair: sign * (pair[0].value or 0.0))
        more = sum(1 for m, _ in found if m.value == measure.value) - 1
        ends.append(f"{cell(measure).text} at {label}" + (f" (and {more} more)" if more else ""))
    return ends


def _cells(
    texts: Sequence[str], rooms: Sequence[int], style: Style, size: float, color: str, bold: bool = False
) -> Image.Image:
    gap = style.px(16)
    blocks = [style.paragraph(t, room - gap, size, color, bold=bold) for t, room in zip(texts, rooms, strict=True)]
    line = _ruled(sum(rooms), max(b.height for b in blocks), style)
    for index, block in enumerate(blocks):
        line.paste(block, (sum(rooms[:index]), style.px(_PAD)))
    return line


def _ruled(width: int, height: int, style: Style) -> Image.Image:
    """An empty row of that inner height with a thin line below."""
    block = Image.new("RGB", (width, height + 2 * style.px(_PAD)), style.colors["page"])
    thick = style.px(2)
    ImageDraw.Draw(block).rectangle((0, block.height - thick, width, block.height), fill=style.colors["line"])
    return block
