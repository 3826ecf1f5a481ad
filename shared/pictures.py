"""What page and note card both need to know about a comparison's pictures: sheets, films, captions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from shared.colors import letter
from shared.comparison import Comparison, Side

DATA_PICTURE = 32
"""Pictures up to this many pixels are data (8x8 digits, 28x28 garments, maps) and are enlarged with sharp pixels."""


@dataclass(frozen=True)
class Sheet:
    """A contact sheet's axes: a title for every row and column, and where each side stands."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    places: tuple[tuple[int, int], ...]


def is_sharp(picture: Image.Image) -> bool:
    """Whether the picture is data, to be enlarged without smoothing."""
    return max(picture.size) <= DATA_PICTURE


def sheet(labels: Sequence[str]) -> Sheet | None:
    """The two axes that the labels name ("guidance 3, steps 20"), or None where they are no full grid.

    The first part of a label is the column, the second the row.
    """
    parts = [[p.strip() for p in re.split(r"\s*[·|;×]\s*|,\s+", label)] for label in labels]
    if any(len(p) != 2 or not all(p) for p in parts):
        return None
    columns, lines = list(dict.fromkeys(p[0] for p in parts)), list(dict.fromkeys(p[1] for p in parts))
    places = tuple((lines.index(p[1]), columns.index(p[0])) for p in parts)
    is_grid = len(set(places)) == len(labels) and len(columns) > 1 and len(lines) > 1
    return Sheet(tuple(lines), tuple(columns), places) if is_grid and len(labels) > len(columns) else None


def films(side: Side) -> list[list[tuple[Image.Image, str]]]:
    """The pictures beside the one that stands for the side, with their captions, in groups: steps (captions that are
    numbers) and others."""
    groups: list[list[tuple[Image.Image, str]]] = []
    last: bool | None = None
    for index, picture in enumerate(side.images):
        if index == side.cover:
            continue
        caption = side.captions[index] if index < len(side.captions) else ""
        is_step = bool(re.fullmatch(r"[\d.,]*", caption))
        if is_step != last:
            groups.append([])
        groups[-1].append((picture, caption))
        last = is_step
    return groups


def settings_line(c: Comparison, index: int) -> str:
    """What made the side: its picture's caption, else its own settings (`steps_a`, ...) and the seed."""
    side = c.sides[index]
    if len(side.captions) > side.cover and side.captions[side.cover]:
        return side.captions[side.cover]
    ending = f"_{letter(index).lower()}"
    own = [(k.removesuffix(ending), v) for k, v in c.settings.items() if k.endswith(ending)]
    seed = [("seed", c.settings["seed"])] if "seed" in c.settings else []
    return " · ".join(f"{k.replace('_', ' ')} {show(v)}" for k, v in own + seed if show(v))


def show(value: object) -> str:
    """A setting's value as text: no trailing zeros, yes and no, lists with commas, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(show, value))
    return str(value)
