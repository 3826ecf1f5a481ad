"""From a Comparison to HTML, in pure functions. Every text is escaped; every class starts with `sbs-`."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from PIL import Image

from shared.colors import LETTERS, SIDE_COLORS, letter
from shared.comparison import Comparison, Side
from shared.demo import Answer, Prediction
from shared.environment import environment_parts
from shared.pictures import films, is_sharp, settings_line, sheet
from shared.table import MOST_COLUMNS, NOT_MEASURED, Cell, Row, headline, rows, rows_between

_SHAPES = {
    "circle": '<circle cx="6" cy="6" r="5"/>',
    "square": '<rect x="1.5" y="1.5" width="9" height="9"/>',
    "diamond": '<path d="M6 0l6 6-6 6-6-6z"/>',
    "triangle-up": '<path d="M6 .8l5.6 10H.4z"/>',
    "cross": '<path d="M4 .5h4V4h3.5v4H8v3.5H4V8H.5V4H4z"/>',
    "star": '<path d="M6 .2l1.8 3.9 4.2.5-3.1 2.9.8 4.2L6 9.6l-3.7 2.1.8-4.2L0 4.6l4.2-.5z"/>',
}

MOST_BESIDE = 3
"""Up to so many sides have their films beside their pictures; of more there is no room."""


@dataclass(frozen=True)
class GalleryCard:
    """A demo's card in the gallery: where it leads, its title and question, and one or two of its pictures."""

    slug: str
    title: str
    question: str
    pictures: tuple[Image.Image, ...] = ()


WITH_THE_NUMBERS = "verdict: with the numbers"


def data_uri(picture: Image.Image) -> str:
    """The picture as a `data:image/png` address, at its own size."""
    file = io.BytesIO()
    picture.convert("RGBA" if "A" in picture.getbands() else "RGB").save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def sides_html(c: Comparison, *, film: bool = True, first: Sequence[str] = (), told: bool = True) -> str:
    """The sides next to each other: letter and label, the plain picture, the settings that made it, the film.

    All pictures have the same size, which leaves room for the table's rows above the fold. Beyond six sides: a contact
    sheet, with its axes where the labels form a grid; nothing where none has a picture, as the table names the sides.
    `first` as in `table_html`. Not `told`: the line below a picture waits for the prediction, as it holds a result.
    """
    if len(c.sides) > MOST_COLUMNS:
        return _sheet_html(c) if any(side.face for side in c.sides) else ""
    columns = "".join(_side_html(c, i, film, told) for i in range(len(c.sides)))
    below = len(first) + 1 if first else len(rows(c)) + len(c.measures)
    sizes = f"--sbs-n:{max(1, len(c.sides))};--sbs-ratio:{_ratio(c):.3f};--sbs-rows:{below}"
    few = " sbs-few" if len(c.sides) <= MOST_BESIDE else ""
    return f'<div class="sbs-sides{few}" style="{sizes}">{columns}</div>'


def table_html(c: Comparison, first: Sequence[str] = ()) -> str:
    """The measure table; a check mark stands only where one side is better beyond the intervals.

    Up to six sides are columns; more are rows. Measures between the sides have rows of their own below. With `first`,
    names of measures, the rows of all others are folded away until they are asked for.
    """
    table = rows(c)
    if not table and not c.measures:
        return ""
    body = _table_of_rows(c, table) if len(c.sides) > MOST_COLUMNS else _table_of_columns(c, table, first)
    stopped = "" if c.complete else '<p class="sbs-quiet">Stopped early. This is what was done by then.</p>'
    return f'<div class="sbs-measured">{body}{stopped}</div>'


def takeaway_html(
    c: Comparison,
    prediction: Prediction | None,
    answer: Answer | None,
    trap: str,
    more: Sequence[tuple[Prediction, Answer]] = (),
) -> str:
    """The sentence, what was predicted and whether the measured values agree, and the trap.

    `more` are further questions that were answered; each stands in a line of its own.
    """
    said = _outcome_html(c, prediction, answer) if prediction and answer else ""
    warned = f'<p class="sbs-trap"><b>The trap:</b> {_text(trap)}</p>' if trap else ""
    sentence = f'<p><b class="sbs-sentence">{_text(c.takeaway)}</b> {said}</p>'
    others = "".join(f"<p>{_text(p.question)} {_outcome_html(c, p, a)}</p>" for p, a in more)
    return f'<section class="sbs-takeaway" aria-label="Takeaway">{sentence}{others}{warned}</section>'


def error_html(sentence: str) -> str:
    """One sentence that says what went wrong; read out at once by screen readers."""
    return f'<div class="sbs-error" role="alert">{_text(sentence)}</div>' if sentence else ""


def progress_html(done: int, total: int, unit: str, seconds_left: float | None) -> str:
    """How much of the work is done, in its own units, with a bar and the time left where it is known."""
    share = min(1.0, max(0.0, done / total)) if total > 0 else 0.0
    count = f"{done:,} of {total:,} {unit}" if total > 0 else f"{done:,} {unit}"
    left = f", {time_left(seconds_left)} left" if seconds_left is not None and done < total else ""
    return (
        f'<div class="sbs-progress" role="progressbar" aria-valuemin="0" aria-valuemax="{max(0, total)}" '
        f'aria-valuenow="{max(0, done)}" aria-label="{_text(count + left)}">'
        f'<span class="sbs-bar"><span style="width:{100 * share:.1f}%"></span></span>'
        f'<span class="sbs-count">{_text(count + left)}</span></div>'
    )


def time_left(seconds: float) -> str:
    """A duration in words: "4 s", "2 min 5 s", "1 h 3 min"."""
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min" + (f" {whole % 60} s" if whole % 60 else "")
    return f"{whole // 3600} h" + (f" {whole % 3600 // 60} min" if whole % 3600 // 60 else "")


def environment_line(c: Comparison) -> str:
    """Model, device, versions and date in one quiet line."""
    return f'<span class="sbs-environment">{_text(" · ".join(environment_parts(c.environment, libraries=2)))}</span>'


def gallery_html(cards: Sequence[GalleryCard]) -> str:
    """A card per demo: its pictures, title and question; the whole card is a link that opens the demo."""
    return f'<div class="sbs-gallery">{"".join(map(_card_html, cards))}</div>'


def _card_html(card: GalleryCard) -> str:
    marks = "".join(
        f'<span class="sbs-cut sbs-{letter(i).lower()}">{_img(p, "", "sbs-picture")}<i>{letter(i)}</i></span>'
        for i, p in enumerate(card.pictures[:2])
    )
    return (
        f'<a class="sbs-card" data-demo="{_text(card.slug)}" href="?demo={quote(card.slug, safe="")}">'
        f'<span class="sbs-cuts">{marks}</span><b>{_text(card.title)}</b>'
        f'<span class="sbs-ask">{_text(card.question)}</span></a>'
    )


def _side_html(c: Comparison, index: int, film: bool, told: bool = True) -> str:
    side = c.sides[index]
    made = settings_line(c, index) if told else WITH_THE_NUMBERS
    caption = f"<figcaption>{_text(made)}</figcaption>" if made else ""
    strip = "".join(_film_html(side, group) for group in films(side)) if film else ""
    strip = f'<div class="sbs-films">{strip}</div>' if strip else ""
    # Where no side has a picture, the labels alone: empty frames would push the table below the fold.
    frame = f"<figure>{_frame(side, f'{letter(index)}: {side.label}')}{caption}</figure>"
    return (
        f'<section class="sbs-side sbs-{_key(index)}" data-side="{letter(index)}" aria-label="Side {letter(index)}">'
        f'<h3 class="sbs-label">{_mark(index)}<span>{letter(index)}</span> {_text(side.label)}</h3>'
        f"{frame if any(s.face for s in c.sides) else ''}{strip}</section>"
    )


def _film_html(side: Side, group: Sequence[tuple[Image.Image, str]]) -> str:
    shots = ""
    for picture, caption in group:
        alt = f"{side.label}, {caption}" if caption else side.label
        shots += f'<li>{_img(picture, alt, "sbs-shot")}<span title="{_text(caption)}">{_text(caption)}</span></li>'
    return f'<ol class="sbs-film">{shots}</ol>'


def _frame(side: Side, alt: str) -> str:
    inside = _img(side.face, alt, "sbs-picture") if side.face else '<span class="sbs-blank">no picture</span>'
    return f'<div class="sbs-frame">{inside}</div>'


def _img(picture: Image.Image, alt: str, name: str) -> str:
    sharp = " sbs-sharp" if is_sharp(picture) else ""
    width, height = picture.size
    return f'<img class="{name}{sharp}" src="{data_uri(picture)}" width="{width}" height="{height}" alt="{_text(alt)}">'


def _sheet_html(c: Comparison) -> str:
    axes = sheet([side.label for side in c.sides])
    tiles = [_tile_html(side) for side in c.sides]
    ratio = f"--sbs-ratio:{_ratio(c):.3f}"
    if axes is None:
        return f'<div class="sbs-sheet" style="{ratio}">{"".join(tiles)}</div>'
    found = dict(zip(axes.places, tiles, strict=True))
    head = "".join(f'<th scope="col">{_text(name)}</th>' for name in axes.columns)
    body = "".join(
        f'<tr><th scope="row">{_text(name)}</th>'
        + "".join(f"<td>{found.get((y, x), '')}</td>" for x in range(len(axes.columns)))
        + "</tr>"
        for y, name in enumerate(axes.rows)
    )
    return (
        f'<div class="sbs-scroll" tabindex="0" role="region" aria-label="Contact sheet">'
        f'<table class="sbs-grid" style="{ratio}">'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _tile_html(side: Side) -> str:
    name = f"<b>{_text(side.label)}</b> "
    return (
        f'<figure class="sbs-tile">{_frame(side, side.label)}'
        f"<figcaption>{name}<span>{_text(headline(side))}</span></figcaption></figure>"
    )


def _table_of_columns(c: Comparison, table: Sequence[Row], first: Sequence[str]) -> str:
    heads = "".join(
        f'<th scope="col" class="sbs-value sbs-{_key(i)}" title="{_text(s.label)}">{_mark(i)}{letter(i)}</th>'
        for i, s in enumerate(c.sides)
    )
    drawn = [(row, _row_html(row, len(c.sides))) for row in table]
    drawn += [(row, _row_html(row, len(c.sides), between=True)) for row in rows_between(c)]
    later = [(row, html) for row, html in drawn if first and row.name not in first]
    lines = "".join(html for row, html in drawn if not first or row.name in first)
    lines += "".join(html.replace("<tr", '<tr class="sbs-later"', 1) for _, html in later)
    has_intervals = any(x and x.interval for row in table for x in row.cells)
    aligned = "" if not has_intervals else " sbs-intervals" if len(c.sides) <= 3 else " sbs-stacked"
    return (
        f'<table class="sbs-table{aligned}"><thead><tr><th scope="col">measured in this run</th>'
        f'<th scope="col" class="sbs-arrow">better</th>{heads}</tr></thead><tbody>{lines}</tbody></table>'
        f"{_fold_html([row.title for row, _ in later])}"
    )


def _fold_html(titles: Sequence[str]) -> str:
    """What unfolds the rows of these titles, which stand in the table above; the style sheet hides them till then."""
    if not titles:
        return ""
    said = f"{len(titles)} more measure{'' if len(titles) == 1 else 's'}: {', '.join(titles)}"
    return f'<details class="sbs-fold"><summary>{_text(said)}</summary></details>'


def _table_of_rows(c: Comparison, table: Sequence[Row]) -> str:
    missing = [row for row in table if _common_reason(row)]
    table = [row for row in table if row not in missing]
    heads = "".join(f'<th scope="col" class="sbs-value">{_name_html(r)} {_arrow(r)}</th>' for r in table)
    lines = ""
    for index, side in enumerate(c.sides):
        cells = "".join(_cell_html(row.cells[index], index == row.winner, note=True) for row in table)
        lines += f'<tr data-side="{letter(index)}"><th scope="row">{_text(side.label)}</th>{cells}</tr>'
    between = "".join(_row_html(row, 1, between=True) for row in rows_between(c))
    more = f'<table class="sbs-table"><tbody>{between}</tbody></table>' if between else ""
    more += "".join(
        f'<p class="sbs-quiet">{_text(row.title)}: {NOT_MEASURED}. {_text(_common_reason(row))}</p>' for row in missing
    )
    return (
        '<div class="sbs-scroll" tabindex="0" role="region" aria-label="Measures of every side">'
        f'<table class="sbs-table"><thead><tr><th scope="col">side</th>{heads}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>{more}"
    )


def _common_reason(row: Row) -> str:
    """Why no side has the measure, where the reason is one for all; empty where some side has it."""
    reasons = {cell.note if cell and not cell.measured else "" for cell in row.cells}
    return reasons.pop() if len(reasons) == 1 else ""


def _row_html(row: Row, columns: int, between: bool = False) -> str:
    said = "between the sides" if between else row.verdict
    verdict = f' <span class="sbs-verdict">{_text(said)}</span>' if said else ""
    head = f'<th scope="row">{_name_html(row)}{verdict}</th><td class="sbs-arrow">{_arrow(row)}</td>'
    missing = [x for x in row.cells if x is not None and not x.measured]
    notes = {x.note for x in missing}
    if between:
        cells = _cell_html(row.cells[0], False, note=True, span=columns)
    elif len(missing) == len(row.cells) and len(notes) == 1 and columns > 1:
        why = f'<span class="sbs-why">{_text(notes.pop())}</span>'
        cells = f'<td class="sbs-value sbs-wide sbs-null" colspan="{columns}">{NOT_MEASURED} {why}</td>'
    else:
        cells = "".join(_cell_html(x, i == row.winner, note=True) for i, x in enumerate(row.cells))
    return f'<tr data-measure="{_text(row.name)}">{head}{cells}</tr>'


def _cell_html(shown: Cell | None, wins: bool, note: bool = False, span: int = 1) -> str:
    over = f' colspan="{span}"' if span > 1 else ""
    wide = " sbs-wide" if span > 1 else ""
    if shown is None:
        return f'<td class="sbs-value"{over}></td>'
    if not shown.measured:
        why = f'<span class="sbs-why">{_text(shown.note)}</span>' if note and shown.note else ""
        return f'<td class="sbs-value{wide} sbs-null"{over}>{NOT_MEASURED} {why}</td>'
    check = '<span class="sbs-check" role="img" aria-label="better">✓</span> ' if wins else ""
    title = ' title="95% interval"' if shown.interval else ""
    interval = f'<span class="sbs-interval"{title}>{_text(shown.interval)}</span>'
    value = f"<b>{_text(shown.text)}</b>" if wins else f"<span>{_text(shown.text)}</span>"
    return f'<td class="sbs-value{wide}{" sbs-wins" if wins else ""}"{over}>{check}{value} {interval}</td>'


def _name_html(row: Row) -> str:
    unit = f' <span class="sbs-unit">{_text(row.unit)}</span>' if row.unit else ""
    if not row.note:
        return f"<span>{_text(row.title)}</span>{unit}"
    return f'<abbr class="sbs-note" tabindex="0" title="{_text(row.note)}">{_text(row.title)}</abbr>{unit}'


def _arrow(row: Row) -> str:
    return f'<span role="img" aria-label="{row.better} is better">{row.arrow}</span>' if row.arrow else ""


def _outcome_html(c: Comparison, prediction: Prediction, answer: Answer) -> str:
    held = answer.holds(c)
    if held is True:
        kind, verdict = "agree", "The measured values agree."
    elif held is False:
        true = next((a.label for a in prediction.answers if a.holds(c) is True), "")
        kind = "disagree"
        verdict = f"The measured values disagree: they say “{true}”." if true else "The measured values disagree."
    else:
        kind, verdict = "unsure", "This run can't tell."
        verdict += f" The preset “{prediction.told_by}” can." if prediction.told_by else ""
    return f'<span class="sbs-outcome sbs-{kind}">You predicted “{_text(answer.label)}”. {_text(verdict)}</span>'


def _mark(index: int) -> str:
    if index >= len(SIDE_COLORS):
        return ""
    return f'<svg class="sbs-mark" viewBox="0 0 12 12" aria-hidden="true">{_SHAPES[SIDE_COLORS[index][2]]}</svg>'


def _key(index: int) -> str:
    return LETTERS[index].lower() if index < len(LETTERS) else "other"


def _ratio(c: Comparison) -> float:
    """Width over height of the widest of the plain pictures, within sensible bounds."""
    sizes = [side.images[0].size for side in c.sides if side.images]
    return min(3.0, max([w / max(1, h) for w, h in sizes], default=1.0)) if sizes else 1.0


def _text(text: str) -> str:
    return escape(str(text), quote=True)
