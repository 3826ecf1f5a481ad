"""A comparison as files: JSON, CSV, arrays as NPZ, the note card as PNG."""

from __future__ import annotations

import csv
import io
import json
import re
from urllib.parse import urlencode

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from shared.colors import letter
from shared.comparison import Comparison, Measure, plain
from shared.environment import generator

COLUMNS = ("side", "label", "measure", "value", "low", "high", "n", "unit", "better", "note")
MADE_BY = "made by Side by Side"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the start of a formula."""


def to_json(c: Comparison) -> str:
    """Settings, measures, takeaway and environment as strict JSON: NaN and infinity are null."""
    return json.dumps(c.to_dict(), ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def to_csv(c: Comparison) -> str:
    """A row for each side and measure; measures between the sides have an empty side. Nulls are empty cells.

    Text that a spreadsheet would run as a formula is led by an apostrophe.
    """
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for index, side in enumerate(c.sides):
        writer.writerows(_csv_row(letter(index), side.label, m) for m in side.measures)
    writer.writerows(_csv_row("", "", m) for m in c.measures)
    return file.getvalue()


def to_npz(c: Comparison) -> bytes:
    """The sides' arrays as a compressed NPZ, named `A_<name>`, `B_<name>`, ...; it loads with `allow_pickle=False`.

    Arrays of objects, which only a pickle could hold, are stored as text.
    """
    arrays: dict[str, np.ndarray] = {}
    for index, side in enumerate(c.sides):
        for name, array in side.arrays.items():
            values = np.asarray(array)
            key = _free_name(f"{letter(index)}_{_safe_name(name)}", arrays)
            arrays[key] = values.astype(str) if values.dtype.hasobject else values
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()


def card_png(c: Comparison, width: int = 1600, dark: bool = False, query: str = "", address: str = "") -> bytes:
    """The note card as PNG. Its text chunks carry the settings, the takeaway and the link's query, so that a picture
    found in notes can be made again. Without a `query` the link names every setting. `address` is the gallery's, which
    the card then prints with the link."""
    from shared.card import draw_card

    link = query.removeprefix("?") or link_query(c)
    return _to_png(draw_card(c, width, dark, f"{address}?{link}" if address else ""), c, link)


def side_png(c: Comparison, index: int) -> bytes:
    """A side's picture as PNG, with the card's text chunks; empty where the side has no picture."""
    face = c.sides[index].face
    return _to_png(face, c, link_query(c)) if face else b""


def _to_png(picture: Image.Image, c: Comparison, link: str) -> bytes:
    chunks = PngInfo()
    settings = json.dumps(plain(c.settings), ensure_ascii=False, allow_nan=False)
    texts = {"Software": MADE_BY, "Description": c.takeaway, "Settings": settings, "Link": f"?{link}"}
    if generator(c.environment):
        texts["Source"] = f"AI-generated pictures, by {generator(c.environment)}"
    for name, text in texts.items():
        chunks.add_itxt(name, text.replace("\0", ""))
    file = io.BytesIO()
    picture.save(file, "PNG", pnginfo=chunks)
    return file.getvalue()


def link_query(c: Comparison) -> str:
    """The query of a link with every setting that is a plain value or a list of them; the model as it was resolved."""
    demo, _, study = c.demo.partition(".")
    values = {k: v for k, v in c.settings.items() if isinstance(v, (str, int, float, list, tuple)) and v != ""}
    model = c.environment.get("model")
    if "model" in values and isinstance(model, str) and model:
        values["model"] = model
    return urlencode(
        {"demo": demo, **({"study": study} if study else {}), **{k: _query_text(v) for k, v in values.items()}}
    )


def _query_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(_query_text, value)) if isinstance(value, (list, tuple)) else str(value)


def _csv_row(side: str, label: str, m: Measure) -> list[object]:
    numbers = [plain(v) for v in (m.value, m.low, m.high, m.n)]
    return [side, _inert(label), _inert(m.name), *numbers, _inert(m.unit), m.better, _inert(m.note)]


def _inert(text: str) -> str:
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) or text.startswith(_FORMULA) else text


def _safe_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "_", str(name)).strip("_")[:80] or "array"


def _free_name(name: str, taken: dict[str, np.ndarray]) -> str:
    number, free = 2, name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free
