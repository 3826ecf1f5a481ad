"""The tab's own part: the maps of all sides linked, with search, lasso, and each point's true neighbors."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import gradio as gr
import numpy as np
from gradio.components import Component
from PIL import Image

from demos.embeddings import DEMO, drawing
from shared.comparison import Comparison
from shared.ui.tab import View, build_tab

_HERE = Path(__file__).parent
_TEMPLATE = """
<style>
#sbs-embeddings .sbs-side .sbs-frame { max-height: clamp(232px, calc(100vh - 400px), 620px); }
@media (max-width: 700px) { #sbs-embeddings .sbs-sides { grid-template-columns: 1fr; } }
</style>
<div class="link" style="display:none">
  <div class="bar">
    <input type="search" placeholder="Find a label or text" aria-label="Find a label or text">
    <span class="count" role="status"></span>
    <button type="button" data-tool="lasso" aria-pressed="true" title="Draw a loop around points">Lasso</button>
    <button type="button" data-tool="move" aria-pressed="false" title="Drag the map">Move</button>
    <button type="button" data-reset title="Whole maps, nothing selected">Reset</button>
    <button type="button" data-grow aria-pressed="false">Larger</button>
    <span class="hint mouse">Hover: the point in every map. Loop: select. Click: its true neighbors.</span>
    <span class="hint touch">Tap: a point's true neighbors. Lasso: select with a loop; tap it again to scroll.</span>
  </div>
  <div class="legend" role="group" aria-label="Labels"></div>
  <div class="detail" aria-live="polite"></div>
</div>
<div class="tip" role="tooltip"></div>
"""
MOST_SHEET = 4096
"""Pixels a side of the picture that holds all thumbnails."""


def build() -> None:
    """Draw the tab inside an open Gradio context."""
    tab = build_tab(DEMO, views=[View(_draw_maps, payload)])
    _follow_uploads(tab.controls)
    for study in ("grid", "stability"):
        _follow_uploads(tab.runner.places[study].controls)


def _follow_uploads(controls: Any) -> None:
    """A file that was just uploaded, or text just pasted, becomes the data set."""
    instant: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
    controls["upload"].upload(lambda: "upload", None, controls["dataset"], **instant)
    controls["text"].input(
        lambda text: "text" if text.strip() else gr.skip(), controls["text"], controls["dataset"], **instant
    )


def _draw_maps(comparison: Comparison | None) -> Component:
    return gr.HTML(
        payload(comparison) if comparison else "",
        html_template=_TEMPLATE,
        css_template=(_HERE / "scatter.css").read_text(encoding="utf-8"),
        js_on_load=(_HERE / "scatter.js").read_text(encoding="utf-8"),
        apply_default_css=False,
        elem_classes=["sbs-tight", "sbs-maps"],
    )


def payload(c: Comparison) -> str:
    """All that the linked maps show, as JSON text; numbers are base64. Empty where the result carries no points.

    One string, because Gradio compares the parts of a nested value at every update.
    """
    if not c.sides or not all("points" in s.arrays and "trust" in s.arrays for s in c.sides):
        return ""
    shared = c.sides[0].arrays
    near = np.asarray(shared["neighbours"], dtype="<i4")
    layouts = [np.asarray(s.arrays["points"], dtype="<f4") for s in c.sides]
    return json.dumps(
        {
            "key": f"{c.environment.get('data')}, {c.settings.get('n_points')}, {c.settings.get('standardize')}",
            "count": len(near),
            "k": near.shape[1],
            "order": _base64(drawing.order(len(near)), "<i4"),
            "reach": drawing.frame(layouts),
            "sides": [
                {"name": s.label, "points": _base64(xy, "<f4"), "trust": _base64(s.arrays["trust"], "<f4")}
                for s, xy in zip(c.sides, layouts, strict=True)
            ],
            "labels": _base64(shared["labels"], "<i2"),
            "names": [str(name) for name in shared["label_names"]],
            "texts": [str(text) for text in shared["texts"]] if "texts" in shared else None,
            "neighbours": _base64(near, "<i4"),
            "byTrust": c.settings.get("color_by") == "own trust",
            "steps": drawing.TRUST_STEPS,
            "most": drawing.MOST_LABELS,
            "light": _colors(drawing.palette(shared), drawing.PLAIN),
            "dark": _colors(drawing.palette(shared, dark=True), drawing.PLAIN_DARK),
            "sheet": thumbnail_sheet(np.asarray(shared["thumbs"])) if "thumbs" in shared else None,
        }
    )


def thumbnail_sheet(thumbs: np.ndarray) -> dict[str, Any]:
    """All thumbnails [n, h, w] or [n, h, w, 3] in one picture: its data address, a tile's width and height, and how
    many stand in a row."""
    count, height, width = thumbs.shape[:3]
    columns = max(1, min(count, MOST_SHEET // width))
    rows = -(-count // columns)
    sheet = np.full((rows * height, columns * width, *thumbs.shape[3:]), 255, dtype=np.uint8)
    for i, tile in enumerate(thumbs):
        y, x = divmod(i, columns)
        sheet[y * height : (y + 1) * height, x * width : (x + 1) * width] = tile
    file, kind = io.BytesIO(), "png" if thumbs.ndim == 3 else "jpeg"
    Image.fromarray(sheet).save(file, kind, **({"optimize": True} if kind == "png" else {"quality": 82}))
    uri = f"data:image/{kind};base64,{base64.b64encode(file.getvalue()).decode()}"
    return {"uri": uri, "tile": [width, height], "columns": columns}


def _colors(labels: tuple[str, ...], plain: str) -> dict[str, Any]:
    return {"labels": labels, "trust": drawing.TRUST, "plain": plain, "unknown": drawing.UNKNOWN}


def _base64(values: Any, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()
