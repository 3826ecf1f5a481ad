"""One picture over the other, with an edge to slide; the pictures lie in the page itself, so that no file is left."""

from __future__ import annotations

from html import escape

import gradio as gr

from shared.colors import letter
from shared.comparison import Comparison
from shared.pictures import is_sharp
from shared.ui.html import data_uri

_CSS = """
.slide { position: relative; max-width: 420px; margin: 0 auto; }
.slide img { display: block; width: 100%; height: auto; margin: 0; border-radius: 8px; }
.slide .over { position: absolute; inset: 0 0 auto 0; clip-path: inset(0 0 0 var(--edge, 50%)); }
.slide .edge { position: absolute; top: 0; bottom: 34px; left: var(--edge, 50%); width: 2px; margin-left: -1px;
  background: var(--body-text-color); pointer-events: none; }
.slide label { display: flex; align-items: center; gap: 8px; height: 34px; font-size: 13px; }
.slide input { flex: 1; }
.slide img.sharp { image-rendering: pixelated; }
"""
_JS = """
element.addEventListener('input', (event) => {
  const slide = event.target.closest('.slide');
  if (slide) slide.style.setProperty('--edge', event.target.value + '%');
});
"""


def draw_slide(comparison: Comparison | None) -> gr.HTML:
    """The component, inside an open Gradio context."""
    return gr.HTML(
        slide_html(comparison) if comparison else "",
        css_template=_CSS,
        js_on_load=_JS,
        apply_default_css=False,
        elem_classes=["sbs-tight", "sbs-slide"],
    )


def slide_html(comparison: Comparison) -> str:
    """Both sides' first pictures, B over A from the edge on, and the slider that moves the edge."""
    pictures = [side.images[0] for side in comparison.sides[:2] if side.images]
    if len(pictures) < 2:
        return ""
    shown = []
    for index, (picture, name) in enumerate(zip(pictures, ("under", "over"), strict=True)):
        alt = escape(f"{letter(index)}: {comparison.sides[index].label}", quote=True)
        sharp = " sharp" if is_sharp(picture) else ""
        shown.append(f'<img class="{name}{sharp}" src="{data_uri(picture)}" alt="{alt}">')
    return (
        f'<div class="slide">{"".join(shown)}<span class="edge"></span>'
        '<label>A<input type="range" min="0" max="100" value="50" aria-label="Where B begins over A">B</label></div>'
    )
