"""The tab's own parts: the picture under two sides, ten times the difference, the blind game, and the decision."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from urllib.parse import quote

import gradio as gr
from gradio.components import Component

from demos.precision import DEMO
from demos.precision.decision import decision_of, to_csv, to_markdown, values_of
from shared.colors import letter
from shared.comparison import Comparison
from shared.ui.html import data_uri
from shared.ui.tab import View, build_tab

_HERE = Path(__file__).parent
_TEMPLATE = """
<div class="look" hidden>
  <div class="bar"><span>A beside</span><div class="bar sides" role="group" aria-label="The other side"></div></div>
  <div class="bar">
    <button type="button" data-mode="slide" aria-pressed="true">Slide</button>
    <button type="button" data-mode="toggle" aria-pressed="false">Toggle</button>
    <button type="button" data-mode="difference" aria-pressed="false">Difference × 10</button>
    <button type="button" data-move="-1" aria-label="Picture before">‹</button><span class="count"></span>
    <button type="button" data-move="1" aria-label="Next picture">›</button>
    <button type="button" data-game>Blind game</button>
  </div>
  <div class="stage">
    <canvas aria-label="The picture under two sides"></canvas>
    <input type="range" min="0" max="100" value="50" aria-label="How much of A is seen">
    <div class="caps"><span></span><span></span></div>
  </div>
  <div class="game" hidden></div>
</div>
"""
_HEADS = ("P50", "P95", "quality", "weights")
_SHEET_CSS = """
.sheet { overflow-x: auto; font-size: 13px; line-height: 18px; color: var(--body-text-color); }
.sheet table { width: 100%; border-collapse: collapse; }
.sheet th, .sheet td { padding: 4px 8px; text-align: left; vertical-align: baseline; border-bottom: 1px solid var(--border-color-primary); }
.sheet th { font-weight: 700; color: var(--body-text-color-subdued); }
.sheet .number { text-align: right; white-space: nowrap; }
.sheet tr.best td { font-weight: 700; }
.sheet p { margin: 8px 0; }
@media (max-width: 700px) {
  .sheet thead { display: none; }
  .sheet tr { display: flex; flex-wrap: wrap; gap: 0 12px; padding: 6px 0; border-bottom: 1px solid var(--border-color-primary); }
  .sheet td { padding: 0; border: 0; }
  .sheet td:first-child, .sheet td:last-child { flex-basis: 100%; }
  .sheet td[data-head]::before { content: attr(data-head) " "; font-weight: 400; color: var(--body-text-color-subdued); }
}
.sheet a { margin-right: 12px; color: var(--body-text-color); text-decoration: underline; }
"""  # noqa: E501


def build() -> None:
    """Draw the tab inside an open Gradio context."""
    build_tab(
        DEMO,
        views=[
            View(_draw_decision, decision_html, "Decision: accept or reject, and the way back"),
            View(_draw_look, payload, "Slide, toggle, difference × 10, and a blind game"),
        ],
    )


def _draw_decision(comparison: Comparison | None) -> Component:
    return gr.HTML(
        decision_html(comparison) if comparison else "",
        css_template=_SHEET_CSS,
        apply_default_css=False,
        elem_classes=["sbs-tight", "sbs-decision"],
    )


def decision_html(c: Comparison) -> str:
    """Each side's verdict with its reason, the recommendation and its way back, and both as files to save."""
    found = decision_of(c)
    if found is None:
        return ""
    lines = ""
    for i, (side, verdict) in enumerate(zip(c.sides, found.verdicts, strict=True)):
        numbers = "".join(
            f'<td class="number" data-head="{head}">{escape(text)}</td>'
            for head, text in zip(_HEADS, values_of(side), strict=True)
        )
        best = ' class="best"' if i == found.recommended else ""
        said = "accept" if verdict.accepted else "reject"
        lines += (
            f"<tr{best}><td>{letter(i)} {escape(side.label)}</td>{numbers}<td>{said}</td>"
            f"<td>{escape(verdict.reason)}.</td></tr>"
        )
    heads = "".join(f'<th class="number">{h}</th>' for h in _HEADS)
    objective, floor = float(c.settings["latency_objective"]), float(c.settings["quality_floor"])
    return (
        f'<div class="sheet"><p>Gates set beforehand: P95 up to {objective:g} ms, quality at least {floor:g}.</p>'
        f"<table><thead><tr><th>side</th>{heads}<th>verdict</th><th>reason</th></tr></thead><tbody>{lines}</tbody></table>"
        f"<p><b>{escape(found.why)}.</b> {escape(found.way_back)}.</p><p>"
        f"{_save('precision-decision.md', 'text/markdown', to_markdown(c), 'Save as Markdown')}"
        f"{_save('precision-decision.csv', 'text/csv', to_csv(c), 'Save as CSV')}"
        "The card below holds the verdicts under the pictures.</p></div>"
    )


def _save(name: str, kind: str, text: str, label: str) -> str:
    return f'<a download="{name}" href="data:{kind};charset=utf-8,{quote(text)}">{label}</a>'


def _draw_look(comparison: Comparison | None) -> Component:
    return gr.HTML(
        payload(comparison) if comparison else "",
        html_template=_TEMPLATE,
        css_template=(_HERE / "blind.css").read_text(encoding="utf-8"),
        js_on_load=(_HERE / "blind.js").read_text(encoding="utf-8"),
        apply_default_css=False,
        elem_classes=["sbs-tight", "sbs-look"],
    )


def payload(c: Comparison) -> str:
    """All pictures of all sides that have some, as JSON text; empty where fewer than two sides have any. Sides that
    computed the same picture share it: `pictures` of a side are places in the list of all."""
    shown = [(i, side) for i, side in enumerate(c.sides) if side.images]
    if len(shown) < 2:
        return ""
    count = min(len(side.images) for _, side in shown)
    uris = [[data_uri(picture) for picture in side.images[:count]] for _, side in shown]
    places = {uri: place for place, uri in enumerate(dict.fromkeys(uri for own in uris for uri in own))}
    return json.dumps(
        {
            "pictures": list(places),
            "sides": [
                {
                    "letter": letter(i),
                    "label": side.label,
                    "pictures": [places[uri] for uri in own],
                    # The first caption is the verdict: it would give the game away and says nothing of the picture.
                    "captions": ["", *side.captions[1:count]],
                }
                for (i, side), own in zip(shown, uris, strict=True)
            ],
        }
    )
