"""The tab's own part: the caption's words as chips with their maps, a larger look with adjustable opacity, strips."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import gradio as gr
import numpy as np
from gradio.components import Component
from PIL import Image

from demos.attention import DEMO
from demos.attention.pictures import OPACITY, colored
from shared.comparison import Comparison, Side
from shared.ui.html import data_uri
from shared.ui.tab import View, build_tab

_HERE = Path(__file__).parent
LARGE = 192  # pixels of a map in the larger look
# Six sides are too narrow for a film beside each picture: it stands below.
_SIDES = """<style>
#sbs-attention .sbs-side:has(.sbs-films) { grid-template-columns: minmax(0, 1fr); }
#sbs-attention .sbs-side:has(.sbs-films) > .sbs-films { --shot: 44px; grid-area: 3 / 1; margin: 4px 0 0; gap: 4px 8px; }
#sbs-attention .sbs-label { font-size: 13px; line-height: 17px; }
@media (min-width: 1180px) {
  #sbs-attention .sbs-stacked .sbs-interval { display: inline; margin-left: 2px; font-size: 11px; }
  #sbs-attention .sbs-stacked { table-layout: fixed; }
  #sbs-attention .sbs-stacked th:first-child { width: 228px; }
  #sbs-attention .sbs-stacked thead .sbs-arrow { width: 56px; }
}
</style>"""
STRIPS = (("layer", "By layer"), ("head", "By head"), ("step", "By step"), ("timestep", "By timestep"))


def build() -> None:
    """Draw the tab inside an open Gradio context."""
    tab = build_tab(DEMO, views=[View(_draw_looks, looks_html, studies=True)])
    _follow_photos(tab.controls)


def _follow_photos(controls: Any) -> None:
    """A photo that was just uploaded or picked becomes the picture."""
    for event in (controls["photo"].upload, controls["example"].input):
        event(lambda: "photo", None, controls["source"], queue=False, show_progress="hidden", api_visibility="private")


def _draw_looks(comparison: Comparison | None) -> Component:
    return gr.HTML(
        looks_html(comparison) if comparison else "",
        css_template=(_HERE / "looks.css").read_text(encoding="utf-8"),
        js_on_load=(_HERE / "looks.js").read_text(encoding="utf-8"),
        apply_default_css=False,
        elem_classes=["sbs-tight", "sbs-looks"],
    )


def looks_html(c: Comparison) -> str:
    """Word chips with their maps, then a larger look at any map, with the strips of its parts; only the style of
    the sides where the result has no maps."""
    sides = [s for s in c.sides if "map" in s.arrays]
    if not sides:
        return _SIDES
    first = c.sides[0]
    words = _chips(first, "word", "word") if "word" in first.arrays else ""
    shown = "".join(
        _chip(s.label.removeprefix("control: "), np.asarray(s.arrays["map"]), "side", f"{s.label}", size=LARGE)
        for s in sides
    )
    strips = "".join(
        f'<div class="row"><b>{title}</b><div class="strip">{_chips(first, key, "part")}</div></div>'
        for key, title in STRIPS
        if key in first.arrays
    )
    row = f'<div class="row words"><b>Words</b><div class="strip">{words}</div></div>' if words else ""
    start = _uri(np.asarray(sides[0].arrays["map"]), LARGE)
    picture = data_uri(first.images[0])
    parts = "opacity, layers, heads, steps" if strips else "opacity"
    return (
        f'{_SIDES}<div class="looks">{row}'
        f'<details class="more"><summary>Look closer: {parts}</summary><div class="closer">'
        f'<figure><div class="stack"><img src="{picture}" alt="the plain picture">'
        f'<img class="top" src="{start}" alt="the map" style="opacity:{OPACITY}"></div>'
        f'<figcaption class="named" aria-live="polite">{escape(sides[0].label)}</figcaption>'
        "<label>Map over picture "
        f'<input type="range" min="0" max="100" value="{round(100 * OPACITY)}"></label></figure>'
        f'<div class="rows"><div class="row"><b>Sides</b><div class="strip">{shown}</div></div>{strips}</div>'
        "</div></details></div>"
    )


def _chips(side: Side, key: str, kind: str) -> str:
    names = [str(n) for n in side.arrays[f"{key}_names"]]
    found = np.asarray(side.arrays[key], dtype=np.float32)
    return "".join(_chip(n, m, kind, f"{kind} {n}") for n, m in zip(names, found, strict=True))


def _chip(name: str, found: np.ndarray, kind: str, title: str, size: int = 0) -> str:
    label = escape(name, quote=True)
    return (
        f'<button type="button" class="chip" data-kind="{kind}" data-name="{escape(title, quote=True)}" '
        f'aria-pressed="false" title="{label}"><img src="{_uri(found, size)}" alt=""><span>{label}</span></button>'
    )


def _uri(found: np.ndarray, size: int) -> str:
    picture = colored(np.asarray(found, dtype=np.float32))
    if size and max(picture.size) > size:
        picture = picture.resize((size, size), Image.Resampling.BILINEAR)
    return data_uri(picture)
