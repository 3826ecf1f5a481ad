"""The right column of a tab: sides, views of the demo's own, table, takeaway, share bar, environment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr
from gradio.components import Component

from shared.comparison import Comparison
from shared.demo import Answer, Demo, Prediction
from shared.ui.html import environment_line, sides_html, table_html, takeaway_html
from shared.ui.links import query_of_comparison
from shared.ui.share import DOWNLOADS, SAVE, Download, ShareBar, draw_share_bar, pack

MOST_FIGURES = 6
NOTHING_YET = '<p class="sbs-quiet sbs-nothing">Choose your settings and press Compare.</p>'


@dataclass(frozen=True)
class View:
    """One more way to look at a result.

    `draw(comparison)` makes the component inside the open column, holding the comparison's value, or nothing where it
    gets None. `value(comparison)` is what the component shows for another result. Without a title the view stands right
    below the sides; with one, in a closed accordion below the takeaway, so that the table stays above the fold. Views
    are for results of `compare`; a study's result hides nothing of theirs.
    """

    draw: Callable[[Comparison | None], Component]
    value: Callable[[Comparison], Any]
    title: str = ""


@dataclass(frozen=True, eq=False)
class Shown:
    """What a session sees in a tab: a result, of which study if any, and whether its table is unfolded.

    Compared by identity; it lives in the session's State.
    """

    comparison: Comparison
    study: str = ""
    reveal: bool = False


class Panel:
    """The right column's components, and what each shows for a result."""

    def __init__(self, demo: Demo, first: Comparison | None, views: Sequence[View]) -> None:
        """Draws the column inside an open Gradio context; `first` is the stored default result, if there is one."""
        self.demo, self.views = demo, tuple(views)
        self.first = Shown(first) if first else None
        self.shown = gr.State(None)
        self.sides = gr.HTML(sides_html(first) if first else NOTHING_YET, elem_classes="sbs-tight sbs-pictures")
        below = {view: view.draw(first) for view in self.views if not view.title}
        self.show_me = gr.Button(
            "Show me the numbers", size="sm", visible=first is not None, elem_classes="sbs-show-me", min_width=0
        )
        self.table = gr.HTML(table_html(first) if first else "", visible=False, elem_classes="sbs-tight sbs-numbers")
        self.takeaway = gr.HTML("", visible=False, elem_classes="sbs-tight sbs-said")
        below |= {view: self._draw_in_accordion(view, first) for view in self.views if view.title}
        self.drawn = tuple(below[view] for view in self.views)
        self.figures = tuple(gr.Plot(visible=False, show_label=False) for _ in range(MOST_FIGURES))
        with gr.Row(elem_classes="sbs-foot", visible=first is not None) as self.foot:
            query = query_of_comparison(demo, "", first) if first else ""
            self.share: ShareBar = draw_share_bar(query)
            self.environment = gr.HTML(environment_line(first) if first else "", elem_classes="sbs-tight sbs-where")
        for button, download in zip(self.share.downloads, DOWNLOADS, strict=True):
            self._wire_download(button, download)

    @property
    def outputs(self) -> list[Any]:
        """Every component that `update` may change."""
        return [self.shown, self.sides, *self.drawn, self.show_me, self.table, self.takeaway, *self.figures, self.foot,
                self.share.query, self.environment]  # fmt: skip

    def update(self, shown: Shown, answers: Sequence[Any]) -> dict[Any, Any]:
        """What every component shows for a result, given the answers to the predictions (labels or None)."""
        c = shown.comparison
        changed: dict[Any, Any] = {
            self.shown: shown,
            self.sides: sides_html(c),
            self.foot: gr.Row(visible=True),
            self.share.query: query_of_comparison(self.demo, shown.study, c),
            self.environment: environment_line(c),
        }
        if not shown.study:
            changed |= {component: view.value(c) for component, view in zip(self.drawn, self.views, strict=True)}
        return changed | self._fold(shown, answers)

    def unfold(self, shown: Shown | None, answers: Sequence[Any]) -> dict[Any, Any]:
        """Shows table, winner and takeaway of the result on view."""
        now = shown or self.first
        if now is None:
            return {self.shown: shown}
        now = replace(now, reveal=True)
        return {self.shown: now} | self._fold(now, answers)

    def _fold(self, shown: Shown, answers: Sequence[Any]) -> dict[Any, Any]:
        c, open_ = shown.comparison, shown.reveal
        figures = [f for f in (*c.figures, *(s.figure for s in c.sides)) if f is not None] if open_ else []
        answered = [] if shown.study else self._answered(answers)
        prediction, answer = answered[0] if answered else (None, None)
        slots = {
            slot: gr.Plot(figures[n], visible=True) if n < len(figures) else gr.Plot(None, visible=False)
            for n, slot in enumerate(self.figures)
        }
        return slots | {
            self.show_me: gr.Button(visible=not open_),
            self.table: gr.HTML(table_html(c), visible=open_),
            self.takeaway: gr.HTML(
                takeaway_html(c, prediction, answer, "" if shown.study else self.demo.trap) if open_ else "",
                visible=open_,
            ),
        }

    def _answered(self, labels: Sequence[Any]) -> list[tuple[Prediction, Answer]]:
        """The predictions that were answered, with their answers."""
        pairs = zip(self.demo.predictions, labels, strict=True)
        found = ((p, next((a for a in p.answers if a.label == label), None)) for p, label in pairs)
        return [(p, a) for p, a in found if a is not None]

    def _draw_in_accordion(self, view: View, first: Comparison | None) -> Component:
        with gr.Accordion(view.title, open=False, elem_classes="sbs-view"):
            return view.draw(first)

    def _wire_download(self, button: gr.Button, download: Download) -> None:
        def make(shown: Shown | None) -> str:
            now = shown or self.first
            return pack(download, now.comparison, now.study) if now else ""

        made = button.click(make, self.shown, self.share.payload, show_progress="hidden", api_visibility="private",
                            concurrency_limit=4)  # fmt: skip
        made.then(None, self.share.payload, self.share.payload, js=SAVE, api_visibility="private")
