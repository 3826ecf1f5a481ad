"""The note card: a comparison as one picture, with everything that someone needs to make it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw

from shared.card_table import table_block
from shared.colors import letter, palette
from shared.comparison import Comparison, Side
from shared.environment import environment_parts
from shared.lettering import Lettering
from shared.pictures import films, is_sharp, settings_line, sheet, show
from shared.styling import Style, beside, mark, stack
from shared.table import MOST_COLUMNS, headline

SMALLEST, LARGEST = 400, 4000
MARGIN = 56
MOST_SHOTS = 6


def draw_card(c: Comparison, width: int = 1600, dark: bool = False, link: str = "") -> Image.Image:
    """The card, `width` pixels wide and as high as its content: prompt, sides with labels and settings, measures,
    takeaway, settings with the seed, model, device, versions, date, and a `link` if there is one. Beyond six sides: a
    contact sheet.

    Raises ValueError for a width outside 400 to 4,000.
    """
    if not SMALLEST <= width <= LARGEST:
        raise ValueError(f"A card is {SMALLEST:,} to {LARGEST:,} pixels wide, not {width:,}.")
    style = Style(palette(dark), width / 1600)
    inner = width - 2 * style.px(MARGIN)
    has_pictures = any(side.images for side in c.sides)
    pictures = _sheet_block if len(c.sides) > MOST_COLUMNS else _sides_block
    blocks = [
        _head_block(c, style, inner),
        pictures(c, style, inner) if has_pictures else None,
        table_block(c, style, inner),
        _takeaway_block(c, style, inner),
        _foot_block(c, style, inner, link),
    ]
    body = stack([b for b in blocks if b is not None], style.px(30), style.colors["page"])
    card = Image.new("RGB", (width, body.height + 2 * style.px(MARGIN)), style.colors["page"])
    card.paste(body, (style.px(MARGIN), style.px(MARGIN)))
    return card


def _head_block(c: Comparison, style: Style, width: int) -> Image.Image:
    name = c.demo.replace("_", " ").replace(".", ": ").strip()
    title = f"Side by Side · {name[:1].upper()}{name[1:]}"
    prompt = show(c.settings.get("prompt"))
    parts = [style.paragraph(title, width, 24, "muted", bold=True)]
    if prompt:
        size = 40 if len(prompt) <= 220 else 27
        parts.append(style.paragraph(f"“{prompt}”", width, size, "text", bold=True))
    return stack(parts, style.px(4), style.colors["page"])


def _sides_block(c: Comparison, style: Style, width: int) -> Image.Image:
    count = len(c.sides)
    across = count if count <= 4 else 3
    gap = style.px(32 if across <= 2 else 24)
    each = (width - gap * (across - 1)) // max(1, across)
    strip = count <= 2 and any(side.images[1:] for side in c.sides)
    picture = min(each - style.px(144 if strip else 0), style.px(736))
    size = (picture, round(picture / _ratio(c.sides)))
    lines = []
    for start in range(0, count, across):
        indices = range(start, min(count, start + across))
        heads = [_side_head(c, i, style, each) for i in indices]
        shots = [_framed(c.sides[i], size, style) for i in indices]
        if strip:
            side_films = [_film(c.sides[i], style, size[1], across=1) for i in indices]
            shots = [
                beside([p, f] if f else [p], style.px(16), style.colors["page"])
                for p, f in zip(shots, side_films, strict=True)
            ]
        made = [style.paragraph(settings_line(c, i), each, 23, "muted") for i in indices]
        under = [None if strip else _film(c.sides[i], style, each, across=MOST_SHOTS) for i in indices]
        rows = [
            _line_up(heads, each, gap, style, low=True),
            _line_up(shots, each, gap, style),
            _line_up(made, each, gap, style),
        ]
        if any(under):
            rows.append(_line_up(under, each, gap, style))
        lines.append(stack(rows, style.px(9), style.colors["page"]))
    return stack(lines, style.px(28), style.colors["page"])


def _line_up(blocks: Sequence[Image.Image | None], each: int, gap: int, style: Style, low: bool = False) -> Image.Image:
    """The blocks in columns of equal width, on one line; `low` puts their lower ends on it, else the upper."""
    height = max((b.height for b in blocks if b), default=1)
    width = len(blocks) * each + (len(blocks) - 1) * gap
    line = Image.new("RGB", (width, height), style.colors["page"])
    for index, block in enumerate(blocks):
        if block:
            line.paste(block, (index * (each + gap), height - block.height if low else 0))
    return line


def _side_head(c: Comparison, index: int, style: Style, width: int) -> Image.Image:
    text = Lettering(style.px(31), style.side(index), bold=True)
    name, indent = letter(index), style.px(30)
    label = style.paragraph(
        c.sides[index].label, width - indent - text.width(name) - style.px(14), 31, style.side(index), bold=True
    )
    block = Image.new("RGB", (width, max(text.line, label.height)), style.colors["page"])
    mark(block, (style.px(1), round(text.size * 0.4)), style.px(19), index, style)
    text.write(block, (indent, 0), name)
    block.paste(label, (width - label.width, 0))
    return block


def _framed(side: Side, size: tuple[int, int], style: Style) -> Image.Image:
    """The side's plain picture, fitted into `size` on a quiet ground; a labelled blank where there is none."""
    block = Image.new("RGB", size, style.colors["sunken"])
    if side.face:
        fitted = _fit(side.face, size)
        block.paste(fitted, ((size[0] - fitted.width) // 2, (size[1] - fitted.height) // 2))
    else:
        text = Lettering(max(8, min(style.px(22), size[0] // 8)), style.colors["muted"])
        text.write(block, ((size[0] - text.width("no picture")) // 2, (size[1] - text.line) // 2), "no picture")
    return _rounded(block, style.px(10), style)


def _fit(picture: Image.Image, size: tuple[int, int]) -> Image.Image:
    scale = min(size[0] / picture.width, size[1] / picture.height)
    way = Image.Resampling.NEAREST if is_sharp(picture) else Image.Resampling.LANCZOS
    shape = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    opaque = picture.convert("RGB") if "A" not in picture.getbands() else _on_white(picture)
    return opaque.resize(shape, way)


def _on_white(picture: Image.Image) -> Image.Image:
    layer = picture.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer).convert("RGB")


def _rounded(block: Image.Image, radius: int, style: Style) -> Image.Image:
    mask = Image.new("L", (block.width * 4, block.height * 4), 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, mask.width - 1, mask.height - 1), radius * 4, fill=255)
    ground = Image.new("RGB", block.size, style.colors["page"])
    ground.paste(block, mask=mask.resize(block.size, Image.Resampling.BOX))
    return ground


def _film(side: Side, style: Style, length: int, across: int) -> Image.Image | None:
    """The first group of the film: beside the picture (across 1, `length` high) or under it (`length` wide)."""
    groups = films(side)
    if not groups:
        return None
    group = groups[0]
    if len(group) > MOST_SHOTS:
        keep = [round(i * (len(group) - 1) / (MOST_SHOTS - 1)) for i in range(MOST_SHOTS)]
        group = [group[i] for i in keep]
    text, gap = Lettering(style.px(20), style.colors["muted"]), style.px(8)
    shot = (length - gap * (MOST_SHOTS - 1)) // MOST_SHOTS
    tiles = []
    for picture, caption in group:
        tile = _rounded(_tile(picture, shot, style), style.px(5), style)
        if across == 1:
            words = (text.wrap(caption, style.px(40)) or [""])[0]
            label = Image.new("RGB", (style.px(40), shot), style.colors["page"])
            text.write(label, (0, (shot - text.line) // 2), words)
            tiles.append(beside([tile, label], style.px(8), style.colors["page"]))
        else:
            label = Image.new("RGB", (shot, text.line), style.colors["page"])
            text.write(label, (0, 0), (text.wrap(caption, shot) or [""])[0])
            tiles.append(stack([tile, label], 0, style.colors["page"]))
    return (stack if across == 1 else beside)(tiles, gap, style.colors["page"])


def _tile(picture: Image.Image, size: int, style: Style) -> Image.Image:
    tile = Image.new("RGB", (size, size), style.colors["sunken"])
    fitted = _fit(picture, (size, size))
    tile.paste(fitted, ((size - fitted.width) // 2, (size - fitted.height) // 2))
    return tile


@dataclass(frozen=True)
class _Grid:
    columns: int
    lines: int
    places: tuple[tuple[int, int], ...]
    heads: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def _sheet_block(c: Comparison, style: Style, width: int) -> Image.Image:
    """A tile for each side with its first measure below; axis values at the ends where the labels form a grid."""
    axes = sheet([side.label for side in c.sides])
    if axes:
        grid = _Grid(len(axes.columns), len(axes.rows), axes.places, axes.columns, axes.rows)
    else:
        columns = min(6, len(c.sides))
        places = tuple(divmod(i, columns) for i in range(len(c.sides)))
        grid = _Grid(columns, places[-1][0] + 1, places)
    gap, left = style.px(14), style.px(150) if axes else 0
    tile = min((width - left - gap * (grid.columns - 1)) // grid.columns, style.px(300))
    size = (tile, round(tile / _ratio(c.sides)))
    heads = [style.paragraph(h, tile, 22, "text", bold=True, center=True) for h in grid.heads]
    parts = [_spread([None, *heads], left, tile, gap, style)] if axes else []
    for row in range(grid.lines):
        found = {x: side for (y, x), side in zip(grid.places, c.sides, strict=True) if y == row}
        tiles: list[Image.Image | None] = [
            _sheet_tile(found[x], size, style) if x in found else None for x in range(grid.columns)
        ]
        name = style.paragraph(grid.names[row], left - gap, 22, "text", bold=True) if axes else None
        parts.append(_spread([name, *tiles], left, tile, gap, style))
    return stack(parts, style.px(12), style.colors["page"])


def _spread(blocks: Sequence[Image.Image | None], left: int, each: int, gap: int, style: Style) -> Image.Image:
    height = max((b.height for b in blocks if b), default=1)
    line = Image.new("RGB", (left + (each + gap) * (len(blocks) - 1), height), style.colors["page"])
    for index, block in enumerate(blocks):
        if block and index:
            line.paste(block, (left + (index - 1) * (each + gap), 0))
        elif block:
            line.paste(block, (0, max(0, (min(each, height) - block.height) // 2)))
    return line


def _sheet_tile(side: Side, size: tuple[int, int], style: Style) -> Image.Image:
    parts = [_framed(side, size, style)]
    parts.append(style.paragraph(side.label, size[0], 21, "text", bold=True))
    parts.append(style.paragraph(headline(side), size[0], 20, "muted"))
    return stack(parts, style.px(3), style.colors["page"])


def _takeaway_block(c: Comparison, style: Style, width: int) -> Image.Image:
    pad = style.px(24)
    words = style.paragraph(c.takeaway, width - 3 * pad, 31, "text", bold=True, ground="surface")
    block = Image.new("RGB", (width, words.height + 2 * style.px(18)), style.colors["surface"])
    ImageDraw.Draw(block).rectangle((0, 0, style.px(7) - 1, block.height), fill=style.colors["good"])
    block.paste(words, (style.px(7) + pad, style.px(18)))
    return block


def _foot_block(c: Comparison, style: Style, width: int, link: str) -> Image.Image:
    parts = [style.paragraph(_common_settings(c), width, 23, "muted")]
    where = " · ".join(environment_parts(c.environment))
    stopped = "" if c.complete else "Stopped early: what was done by then. "
    parts.append(style.paragraph(f"{stopped}{where}", width, 23, "muted"))
    parts.append(style.paragraph(link, width, 23, "muted"))
    return stack(parts, style.px(6), style.colors["page"])


def _common_settings(c: Comparison) -> str:
    """The settings that no side's own line says, without the prompt that stands at the top and what is empty."""
    sided = {f"_{letter(i).lower()}" for i in range(len(c.sides))} if len(c.sides) <= MOST_COLUMNS else set()
    hidden = {"prompt", "model"} if c.environment.get("model") else {"prompt"}
    shown = [
        f"{name.replace('_', ' ')} {show(value)}"
        for name, value in c.settings.items()
        if name not in hidden and show(value) and not (len(name) > 2 and name[-2:] in sided)
    ]
    return " · ".join(shown)


def _ratio(sides: Sequence[Side]) -> float:
    sizes = [side.images[0].size for side in sides if side.images]
    return min(3.0, max((w / max(1, h) for w, h in sizes), default=1.0))
