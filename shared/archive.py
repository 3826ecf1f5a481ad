"""A whole comparison as one file and back: JSON, PNG pictures and an NPZ in a zip. Nothing in it can run code."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from PIL import Image

from shared.comparison import Comparison, Measure, Side, plain

FACTS, ARRAYS = "facts.json", "arrays.npz"


class NotStorable(ValueError):
    """A comparison holds something that a file can't, such as a figure of an unknown kind."""


def pack(comparison: Comparison) -> bytes:
    """The comparison as a zip. Raises NotStorable."""
    facts = comparison.to_dict() | {"figures": [_figure(f) for f in comparison.figures]}
    arrays: dict[str, np.ndarray] = {}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for index, (side, found) in enumerate(zip(comparison.sides, facts["sides"], strict=True)):
            found["captions"] = list(side.captions)
            found["cover"] = side.cover
            found["figure"] = _figure(side.figure)
            found["images"] = [{"name": f"{index}_{n}.png", "info": _flags(p.info)} for n, p in enumerate(side.images)]
            for entry, picture in zip(found["images"], side.images, strict=True):
                made.writestr(entry["name"], _png(picture))
            for name, array in side.arrays.items():
                arrays[f"{index}/{name}"] = _numbers(array)
        stored = io.BytesIO()
        np.savez_compressed(stored, allow_pickle=False, **arrays)
        made.writestr(ARRAYS, stored.getvalue())
        made.writestr(FACTS, json.dumps(facts, ensure_ascii=False, allow_nan=False))
    return file.getvalue()


def unpack(content: bytes) -> Comparison:
    """The comparison that `pack` made into `content`. Raises whatever a damaged file makes its readers raise."""
    with zipfile.ZipFile(io.BytesIO(content)) as made:
        facts = json.loads(made.read(FACTS))
        with np.load(io.BytesIO(made.read(ARRAYS)), allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files}
        sides = tuple(_side(made, index, side, arrays) for index, side in enumerate(facts["sides"]))
    return Comparison(
        facts["demo"],
        facts["settings"],
        sides,
        facts["takeaway"],
        facts["environment"],
        tuple(Measure(**m) for m in facts["measures"]),
        tuple(_drawn(f) for f in facts["figures"]),
        facts["complete"],
    )


def _side(made: zipfile.ZipFile, index: int, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Side:
    start = f"{index}/"
    own = {name.removeprefix(start): a for name, a in arrays.items() if name.startswith(start)}
    pictures = []
    for entry in facts["images"]:
        with Image.open(io.BytesIO(made.read(entry["name"]))) as picture:
            picture.load()
            picture.info = dict(entry["info"])
            pictures.append(picture)
    measures = tuple(Measure(**m) for m in facts["measures"])
    return Side(facts["label"], measures, tuple(pictures), _drawn(facts["figure"]), own, tuple(facts["captions"]),
                facts["cover"])  # fmt: skip


def _figure(figure: Any) -> Any:
    if figure is None:
        return None
    if not hasattr(figure, "to_plotly_json"):
        raise NotStorable(f"a figure of the kind {type(figure).__name__}")
    return json.loads(figure.to_json())


def _drawn(facts: Any) -> Any:
    if facts is None:
        return None
    import plotly.graph_objects as go

    return go.Figure(facts)


def _flags(info: Mapping[Any, Any]) -> dict[str, Any]:
    return plain({k: v for k, v in info.items() if isinstance(k, str) and isinstance(v, (bool, int, float, str))})


def _numbers(array: Any) -> np.ndarray:
    values = np.asarray(array)
    if values.dtype.hasobject:
        raise NotStorable("an array of objects")
    return values


def _png(picture: Image.Image) -> bytes:
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=1)
    return file.getvalue()
