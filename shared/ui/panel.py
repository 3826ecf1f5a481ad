"""The right column of a tab: sides, views of the demo's own, table, takeaway, share bar, environment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr
from gradio.components import Component

from shared.comparison import Comparison
from shared.demo import Answer, Demo, Prediction
from shared.settings import Settings
from shared.ui.figures import draw_figure, figure_html
from shared.ui.html import environment_line, sides_html, table_html, takeaway_html
from shared.ui.links import query_of_comparison, whole_query
from shared.ui.share import DOWNLOADS, Download, Origin, ShareBar, address_of, draw_share_bar, pack

MOST_FIGURES = 8
NOTHING_YET = '<p class="sbs-quiet sbs-nothing">Choose your settings and press Compare.</p>'


@dataclass(frozen=True)
class View:
    """One more way to look at a result.

    `draw(comparison)` makes the component inside the open column, holding the comparison's value, or nothing where it
    gets None. `value(comparison)` is what the component shows for another result. Without a title the view stands right
    below the sides; with one, in a closed accordion below the takeaway, so that the table stays above the fold. Views
    are for results of `compare`, and a study's result hides nothing of theirs, unless the view is of `studies` too.
    """

    draw: Callable[[Comparison | None], Component]
    value: Callable[[Comparison], Any]
    title: str = ""
    studies: bool = False


@dataclass(frozen=True, eq=False)
class Shown:
    """What a session sees in a tab: a result, of which study if any, whether its table is unfolded, the settings that
    made it, the answers to the predictions (labels or None) that were for it, and whether its numbers were seen before
    any answer was given.

    Compared by identity; it lives in the session's State.
    """

    comparison: Comparison
    study: str = ""
    reveal: bool = False
    settings: Settings | None = None
    answers: tuple[Any, ...] = ()
    peeked: bool = False


class Panel:
    """The right column's components, and what each shows for a result."""

    def __init__(self, demo: Demo, first: Comparison | None, views: Sequence[View]) -> None:
        """Draws the column inside an open Gradio context; `first` is the stored default result, if there is one."""
        self.demo, self.views = demo, tuple(views)
        self.first = Shown(first, settings=demo.Settings()) if first else None
        self.shown = gr.State(None)
        rows = demo.extra.get("first_rows", ())
        self.stale = gr.HTML("", visible=False, elem_classes="sbs-tight sbs-freshness")
        self.sides = gr.HTML(
            self._sides_html(first, rows, told=False) if first else NOTHING_YET, elem_classes="sbs-tight sbs-pictures"
        )
        below = {view: view.draw(first) for view in self.views if not view.title}
        self.show_me = gr.Button(
            "Show me the numbers", size="sm", visible=first is not None, elem_classes="sbs-show-me", min_width=0
        )
        self.table = gr.HTML(
            table_html(first, rows) if first else "", visible=False, elem_classes="sbs-tight sbs-numbers"
        )
        self.takeaway = gr.HTML("", visible=False, elem_classes="sbs-tight sbs-said")
        below |= {view: self._draw_in_accordion(view, first) for view in self.views if view.title}
        self.drawn = tuple(below[view] for view in self.views)
        drawn = tuple(draw_figure() for _ in range(MOST_FIGURES))
        self.figures, self.words = tuple(plot for plot, _ in drawn), tuple(words for _, words in drawn)
        with gr.Row(elem_classes="sbs-foot", visible=first is not None) as self.foot:
            query = query_of_comparison(demo, "", first) if first else ""
            self.share: ShareBar = draw_share_bar(query)
            self.environment = gr.HTML(environment_line(first) if first else "", elem_classes="sbs-tight sbs-where")
        for button, download in zip(self.share.downloads, DOWNLOADS, strict=True):
            self._wire_download(button, download)

    @property
    def outputs(self) -> list[Any]:
        """Every component that `update` may change."""
        parts = (self.shown, self.stale, self.sides, *self.drawn, self.show_me, self.table, self.takeaway)
        return [*parts, *self.figures, *self.words, self.foot, self.share.query, self.share.saves, self.environment]

    def update(self, shown: Shown) -> dict[Any, Any]:
        """What every component shows for a result."""
        c = shown.comparison
        changed: dict[Any, Any] = {
            self.shown: shown,
            self.stale: gr.HTML("", visible=False),
            self.sides: self._sides_html(c, self._first_rows(shown), shown.reveal or bool(shown.study)),
            self.foot: gr.Row(visible=True),
            self.share.query: query_of_comparison(self.demo, shown.study, c),
            self.environment: environment_line(c),
        }
        changed |= {
            component: view.value(c)
            for component, view in zip(self.drawn, self.views, strict=True)
            if view.studies or not shown.study
        }
        return changed | self._fold(shown)

    def unfold(self, shown: Shown | None, *answers: Any) -> dict[Any, Any]:
        """Shows table, winner and takeaway of the result on view, and what comes of the answers (labels or None)."""
        now = shown or self.first
        if now is None:
            return {self.shown: shown}
        peeked = now.peeked or not (any(answers) or any(now.answers))
        now = replace(now, reveal=True, answers=answers if any(answers) else now.answers, peeked=peeked)
        changed: dict[Any, Any] = {self.shown: now}
        if self._captions_tell:
            changed[self.sides] = self._sides_html(now.comparison, self._first_rows(now))
        return changed | self._fold(now)

    def answers_for_next(self, shown: Shown | None, answers: Sequence[Any]) -> tuple[Any, ...]:
        """The answers that are for the next run: those that were not for the result on view already."""
        now = shown or self.first
        used = now is not None and tuple(answers) == now.answers
        return tuple(answers) if any(answers) and not used else ()

    def _fold(self, shown: Shown) -> dict[Any, Any]:
        c, open_ = shown.comparison, shown.reveal
        figures = [f for f in (*c.figures, *(s.figure for s in c.sides)) if f is not None] if open_ else []
        answered = [] if shown.study else self._answered(shown.answers)
        prediction, answer = answered[0] if answered else (None, None)
        slots = {
            slot: gr.Plot(figures[n], visible=True) if n < len(figures) else gr.Plot(None, visible=False)
            for n, slot in enumerate(self.figures)
        }
        words = {
            slot: gr.HTML(figure_html(figures[n]) if n < len(figures) else "", visible=n < len(figures))
            for n, slot in enumerate(self.words)
        }
        return (
            slots
            | words
            | {
                self.share.saves: gr.Row(visible=open_),
                self.show_me: gr.Button(visible=not open_),
                self.table: gr.HTML(table_html(c, self._first_rows(shown)), visible=open_),
                self.takeaway: gr.HTML(
                    takeaway_html(c, prediction, answer, "" if shown.study else self.demo.trap, answered[1:])
                    if open_
                    else "",
                    visible=open_,
                ),
            }
        )

    @property
    def _captions_tell(self) -> bool:
        """Whether the lines below this demo's pictures hold results, which wait for the prediction."""
        return bool(self.demo.extra.get("captions_tell", False))

    def _sides_html(self, c: Comparison, first: Sequence[str], told: bool = True) -> str:
        film = len(c.sides) <= self.demo.extra.get("film_sides", len(c.sides))
        return sides_html(c, film=film, first=first, told=told or not self._captions_tell)

    def _first_rows(self, shown: Shown) -> tuple[str, ...]:
        """The measures that the demo wants above the others; a study's table has them all."""
        return () if shown.study else tuple(self.demo.extra.get("first_rows", ()))

    def _answered(self, labels: Sequence[Any]) -> list[tuple[Prediction, Answer]]:
        """The predictions that were answered, with their answers."""
        pairs = zip(self.demo.predictions, labels, strict=False)
        found = ((p, next((a for a in p.answers if a.label == label), None)) for p, label in pairs)
        return [(p, a) for p, a in found if a is not None]

    def _draw_in_accordion(self, view: View, first: Comparison | None) -> Component:
        with gr.Accordion(view.title, open=False, elem_classes="sbs-view"):
            return view.draw(first)

    def _wire_download(self, button: gr.Button, download: Download) -> None:
        def make(shown: Shown | None, request: gr.Request) -> str:
            now = shown or self.first
            if now is None:
                return ""
            c = now.comparison
            query = whole_query(self.demo, now.study, c.settings, c.environment)
            address = address_of(dict(request.headers)) if request else ""
            return pack(download, c, Origin(now.study, query, address))

        made = button.click(make, self.shown, self.share.payload, show_progress="hidden", api_visibility="private",
                            concurrency_limit=4)  # fmt: skip
        made.then(None, self.share.payload, self.share.payload, js=download.script, api_visibility="private")
