"""Draws a demo's whole tab from the contract: prediction, controls, presets, studies, and the result beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import gradio as gr
from gradio.context import Context

from shared.demo import Demo, Prediction, Preset, Study
from shared.settings import look
from shared.stored import load_default
from shared.ui.controls import Hook, draw_controls
from shared.ui.links import OPENER
from shared.ui.panel import Panel, View
from shared.ui.runner import Place, Runner
from shared.ui.workshop import count_answers

__all__ = ["Tab", "View", "build_tab"]


class Tab:
    """The parts of a drawn tab, for a demo that adds something of its own.

    `controls`: the components by field name. `panel.shown`: a State with what is on view. `runner.run_after(event)`
    runs the comparison after an event, with what the controls hold then.
    """

    def __init__(self, demo: Demo, panel: Panel, runner: Runner) -> None:
        self.demo, self.panel, self.runner = demo, panel, runner

    @property
    def controls(self) -> Mapping[str, Any]:
        """The main comparison's components by field name."""
        return self.runner.places[""].controls

    def run_after(self, event: Any) -> None:
        """Runs the comparison after a Gradio event, such as a click that fills in a prompt."""
        self.runner.run_after(event)


def build_tab(
    demo: Demo,
    *,
    below: Mapping[str, Hook] | None = None,
    views: Sequence[View] = (),
    first_controls: Callable[[], None] | None = None,
) -> Tab:
    """Draws the tab inside an open Gradio context, and returns its parts.

    - `below`: by field name, a function called right below that field's control with the controls drawn so far. It
      may draw chips, a note or a button and wire them: `{"prompt": draw_word_chips}`, where draw_word_chips makes a
      `gr.HTML` and has `controls["prompt"].change(...)` name the unknown words in it (`queue=False`,
      `show_progress="hidden"`, `api_visibility="private"`). What it writes into a control is read by the next run.
    - `views`: more ways to look at a result, below the sides, such as an image slider: see `View`.
    - `first_controls` draws something above the first control.

    A demo whose button should also run ("surprise me") keeps the button from its hook and calls
    `tab.run_after(button.click(...))` on what this function returns. A plain demo's build is
    `lambda: build_tab(DEMO)`, wrapped so that it returns nothing.
    """
    gr.HTML(_question_html(demo), elem_classes="sbs-tight sbs-question")
    with gr.Row(elem_classes="sbs-tab", elem_id=f"sbs-{demo.slug}"):
        with gr.Column(scale=0, min_width=300, elem_classes="sbs-left"):
            answers = _draw_predictions(demo.predictions)
            if first_controls:
                first_controls()
            place = _draw_main(demo, below or {})
            presets = _draw_presets(demo.presets)
            studies = {study.slug: _draw_study(study) for study in demo.studies}
        with gr.Column(scale=1, min_width=320, elem_classes="sbs-right"):
            panel = Panel(demo, load_default(demo), views)
    runner = Runner(demo, panel, answers, {"": place, **studies})
    count_answers(demo, answers, panel.shown)
    for preset, button in presets:
        runner.wire_preset(preset, button)
    if Context.root_block is not None:
        runner.wire_links(_draw_opener(demo, Context.root_block))
    return Tab(demo, panel, runner)


def _draw_opener(demo: Demo, blocks: gr.Blocks) -> gr.Button:
    """A button that nobody sees, beside the tabs: what is in a tab is on the page only once the tab was open."""
    inside, Context.block = Context.block, blocks
    try:
        return gr.Button("Open the link", elem_id=f"{OPENER}{demo.slug}", elem_classes="sbs-hidden")
    finally:
        Context.block = inside


def _question_html(demo: Demo) -> str:
    hint = f"<span>{escape(demo.hint)}</span>" if demo.hint else ""
    return f"<div class='sbs-question-line'><h2>{escape(demo.question)}</h2>{hint}</div>"


def _draw_predictions(predictions: Sequence[Prediction]) -> list[gr.Radio]:
    """The first question, and the others in a closed accordion, so that the controls stay near the top."""
    first = [_draw_prediction(p.question, [a.label for a in p.answers]) for p in predictions[:1]]
    if len(predictions) < 2:
        return first
    more = f"{len(predictions) - 1} more question{'' if len(predictions) == 2 else 's'}"
    with gr.Accordion(more, open=False, elem_classes="sbs-more"):
        return first + [_draw_prediction(p.question, [a.label for a in p.answers]) for p in predictions[1:]]


def _draw_prediction(question: str, labels: list[str]) -> gr.Radio:
    return gr.Radio(labels, value=None, label=f"Predict first: {question}", elem_classes=["sbs-chips", "sbs-predict"])


def _draw_main(demo: Demo, below: Mapping[str, Hook]) -> Place:
    controls = draw_controls(demo.Settings, main=True, hooks=below)
    go, stop, status = _draw_buttons("Compare")
    rest = [n for n, f in demo.Settings.model_fields.items() if n not in controls and _drawn(f)]
    if rest:
        with gr.Accordion(f"More: {_titles(demo, rest)}", open=False, elem_classes="sbs-more"):
            controls |= draw_controls(demo.Settings, main=False, hooks=below)
    return Place(demo.Settings, demo.compare, controls, go, stop, status)


def _draw_study(study: Study) -> Place:
    with gr.Accordion(study.title, open=False, elem_classes=["sbs-study", f"sbs-study-{study.slug}"]) as accordion:
        controls = draw_controls(study.Settings)
        go, stop, status = _draw_buttons("Run")
    return Place(study.Settings, study.run, controls, go, stop, status, study.gives_way, accordion)


def _draw_buttons(label: str) -> tuple[gr.Button, gr.Button, gr.HTML]:
    go = gr.Button(label, variant="primary", elem_classes="sbs-go")
    stop = gr.Button("Cancel", variant="stop", visible=False, elem_classes="sbs-cancel")
    status = gr.HTML("", elem_classes="sbs-tight sbs-status")
    return go, stop, status


def _draw_presets(presets: Sequence[Preset]) -> list[tuple[Preset, gr.Button]]:
    if not presets:
        return []
    with gr.Row(elem_classes="sbs-presets"):
        return [(p, gr.Button(p.title, size="sm", elem_classes="sbs-chip", min_width=0)) for p in presets]


def _drawn(info: Any) -> bool:
    return not look(info).get("hidden")


def _titles(demo: Demo, names: list[str]) -> str:
    titles = list(dict.fromkeys((demo.Settings.model_fields[n].title or n).lower() for n in names))
    return ", ".join(titles[:3]) + (", ..." if len(titles) > 3 else "")
