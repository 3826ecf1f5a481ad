"""Figures below a result: each with its words for those who can't see it, and saved as PNG at twice the size or SVG."""

from __future__ import annotations

from html import escape
from typing import Any

import gradio as gr
import numpy as np

MOST_VALUES = 40
MOST_CHARACTERS = 3_000

# The figure is the plot that stands right before these words. Plotly draws an SVG in layers; they are joined into one
# picture, on the page's own color, so that nothing leaves the browser.
SCRIPT = """
const plotOf = () => {
  let at = element.closest('.block') || element;
  while (at && !(at.previousElementSibling && at.previousElementSibling.querySelector('.js-plotly-plot'))) {
    at = at.parentElement;
    if (at && at.classList.contains('sbs-right')) return null;
  }
  return at && at.previousElementSibling.querySelector('.js-plotly-plot');
};
const join = (plot) => {
  const layers = [...plot.querySelectorAll('svg.main-svg')];
  const box = plot.getBoundingClientRect(), name = 'http://www.w3.org/2000/svg';
  const whole = document.createElementNS(name, 'svg');
  whole.setAttribute('xmlns', name); whole.setAttribute('xmlns:xlink', 'http://www.w3.org/1999/xlink');
  whole.setAttribute('width', box.width); whole.setAttribute('height', box.height);
  whole.setAttribute('viewBox', `0 0 ${box.width} ${box.height}`);
  const ground = document.createElementNS(name, 'rect');
  ground.setAttribute('width', '100%'); ground.setAttribute('height', '100%');
  ground.setAttribute('fill', getComputedStyle(document.body).getPropertyValue('--sbs-page').trim() || '#ffffff');
  whole.appendChild(ground);
  for (const layer of layers) for (const part of layer.children) whole.appendChild(part.cloneNode(true));
  // What is referred to lies in the picture itself; plotly names it with the page's address.
  const text = new XMLSerializer().serializeToString(whole);
  const inside = text.replace(/url\\((?:&quot;|["'])?[^)]*?#([^)"'&]+)(?:&quot;|["'])?\\)/g, 'url(#$1)');
  return {text: inside, width: box.width, height: box.height};
};
const save = (blob, ending) => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob); link.download = 'figure' + ending;
  document.body.appendChild(link); link.click(); link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
element.addEventListener('click', async (event) => {
  const button = event.target.closest('button[data-save]'), plot = button && plotOf();
  if (!plot) return;
  const {text, width, height} = join(plot);
  if (button.dataset.save === 'svg') return save(new Blob([text], {type: 'image/svg+xml'}), '.svg');
  const picture = new Image();
  picture.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(text);
  await picture.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(2 * width); canvas.height = Math.round(2 * height);
  canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => save(blob, '.png'), 'image/png');
});
// A plot comes some time after its words: it is named once it is there.
const name = (tries) => {
  const plot = plotOf(), words = element.querySelector('.sbs-figure-words p');
  if (plot && words) {
    plot.setAttribute('role', 'img'); plot.setAttribute('aria-label', words.textContent.slice(0, 400));
  }
  if (tries > 0) setTimeout(() => name(tries - 1), 500);
};
watch('value', () => name(40));
name(40);
"""


def draw_figure() -> tuple[gr.Plot, gr.HTML]:
    """A hidden place for a figure, and for its words and buttons below; call it inside an open Gradio context."""
    plot = gr.Plot(visible=False, show_label=False, elem_classes="sbs-figure")
    words = gr.HTML("", visible=False, js_on_load=SCRIPT, apply_default_css=False,
                    elem_classes=["sbs-tight", "sbs-figure-foot"])  # fmt: skip
    return plot, words


def figure_html(figure: Any) -> str:
    """The buttons that save a figure, and its words to unfold."""
    return (
        '<div class="sbs-figure-words"><button type="button" data-save="png">Save PNG</button>'
        '<button type="button" data-save="svg">Save SVG</button>'
        f"<details><summary>In words</summary><p>{escape(describe(figure))}</p></details></div>"
    )


def describe(figure: Any) -> str:
    """A plotly figure in words: what its axes show, and every series with its values. Text for a reader, not markup."""
    if not hasattr(figure, "to_plotly_json"):
        return "A figure."
    layout = figure.to_plotly_json().get("layout", {})
    axes = [_axis_title(layout.get(name)) for name in ("xaxis", "yaxis")]
    named = [f"{side} {title}" for side, title in zip(("across:", "up:"), axes, strict=True) if title]
    parts = [f"A figure, {', '.join(named)}." if named else "A figure."]
    for trace in figure.data:
        kind = str(trace.type)
        if kind == "heatmap":
            parts.append(_heat_map_words(trace))
        elif getattr(trace, "hoverinfo", None) == "skip" and getattr(trace, "showlegend", None) is False:
            continue  # a band around a line, or dots on it
        elif getattr(trace, "y", None) is not None and getattr(trace, "x", None) is not None:
            parts.append(_series_words(trace))
    notes = [str(a.get("text", "")) for a in layout.get("annotations", ()) if a.get("text")]
    if notes:
        parts.append(f"Written in it: {'; '.join(notes)}.")
    text = " ".join(" ".join(part.split()) for part in parts)
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 3]}..."


def _series_words(trace: Any) -> str:
    xs, ys = list(trace.x), list(trace.y)
    name = f"{trace.name}: " if trace.name else ""
    if len(xs) > MOST_VALUES:
        numbers = [float(y) for y in ys if isinstance(y, (int, float, np.number)) and np.isfinite(y)]
        if not numbers:
            return f"{name}{len(xs):,} points."
        return f"{name}{len(xs):,} points from {_said(min(numbers))} to {_said(max(numbers))}."
    return f"{name}{', '.join(f'{_said(y)} at {_said(x)}' for x, y in zip(xs, ys, strict=False))}."


def _heat_map_words(trace: Any) -> str:
    columns = [str(x) for x in (trace.x if trace.x is not None else range(len(trace.z[0])))]
    texts = trace.text if trace.text is not None else trace.z
    lines = []
    for index, row in enumerate(texts):
        name = str(trace.y[index]) if trace.y is not None else str(index + 1)
        cells = ", ".join(f"{_said(value)} at {x}" for x, value in zip(columns, row, strict=False))
        lines.append(f"Row {name}: {cells}.")
    return " ".join(lines[:MOST_VALUES])


def _axis_title(axis: Any) -> str:
    title = axis.get("title") if isinstance(axis, dict) else None
    text = title.get("text") if isinstance(title, dict) else title
    return " ".join(str(text).split()) if text else ""


def _said(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, (int, float, np.number)):
        return f"{float(value):.4g}"
    return str(value)
