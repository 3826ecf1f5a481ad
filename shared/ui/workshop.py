"""The workshop's part of the gallery: links that hide the numbers, and the room's predictions behind a password."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import gradio as gr

from shared.demo import Demo
from shared.hosting import hosting
from shared.lessons import preset_link
from shared.tally import TALLY, Tally, is_teacher

QUIETLY: Mapping[str, Any] = {"concurrency_limit": None, "show_progress": "hidden", "api_visibility": "private"}
WRONG = '<p class="sbs-quiet">That is not the password that this gallery was started with.</p>'
WRONG_WAITS = 1.0  # seconds, so that guessing is slow
OTHERS_TRY = '<p class="sbs-quiet">Somebody else is trying a password just now: press again in a moment.</p>'
_one_guess = threading.Lock()


def draw_workshop(demos: Sequence[Demo]) -> None:
    """Draws the accordion, inside an open Gradio context; nothing where no password was given at launch."""
    if not hosting().teacher:
        return
    with gr.Accordion("Workshop: links with the numbers hidden, and the room's predictions", open=False):
        gr.HTML(links_html(demos), elem_classes="sbs-tight sbs-index")
        with gr.Row():
            password = gr.Textbox(label="Teacher's password", type="password", max_lines=1, scale=2)
            show = gr.Button("Show the room's predictions", size="sm")
            reset = gr.Button("Reset", size="sm", variant="stop")
        board = gr.HTML("", elem_classes="sbs-tight sbs-numbers")
    show.click(lambda given: reveal(demos, given), password, board, **QUIETLY)
    reset.click(lambda given: reveal(demos, given, begin_anew=True), password, board, **QUIETLY)


def count_answers(demo: Demo, answers: Sequence[gr.Radio], shown: gr.State) -> None:
    """Counts what is chosen in these, a question each, once a visitor and only before the numbers of the result on view
    were seen; nothing where there is no workshop. `shown` holds what the visitor sees, a Shown or None."""
    if not hosting().teacher:
        return
    for number, answer in enumerate(answers):
        counted = gr.State(0)
        answer.input(_counter(demo, number), [answer, counted, shown], counted, **QUIETLY)


def _counter(demo: Demo, number: int) -> Any:
    known = {answer.label for answer in demo.predictions[number].answers}

    def count(chosen: Any, counted: int, shown: Any) -> int:
        if chosen not in known or (shown is not None and shown.peeked):
            return counted
        return TALLY.choose(demo.slug, number, chosen, counted)

    return count


def reveal(demos: Sequence[Demo], given: object, begin_anew: bool = False, tally: Tally = TALLY) -> str:
    """The board for the teacher, after a reset if wanted; a sentence for everybody else."""
    if not _one_guess.acquire(blocking=False):  # else many guesses side by side would be as fast as no waiting
        return OTHERS_TRY
    try:
        if not is_teacher(given, hosting().teacher):
            time.sleep(WRONG_WAITS)
            return WRONG
    finally:
        _one_guess.release()
    if begin_anew:
        tally.reset()
    return board_html(demos, tally)


def board_html(demos: Sequence[Demo], tally: Tally) -> str:
    """The counts of every question that somebody has answered, as a table."""
    rows = []
    for demo in demos:
        for number, prediction in enumerate(demo.predictions):
            counts = tally.counts(demo.slug, number)
            if counts:
                cells = "".join(
                    f"<td>{escape(a.label)}: <b>{counts.get(a.label, 0)}</b></td>" for a in prediction.answers
                )
                rows.append(f"<tr><th scope='row'>{escape(demo.title)}: {escape(prediction.question)}</th>{cells}</tr>")
    if not rows:
        return '<p class="sbs-quiet">Nobody has predicted anything yet.</p>'
    return f"<table class='sbs-board'><caption>The room's predictions</caption>{''.join(rows)}</table>"


def links_html(demos: Sequence[Demo]) -> str:
    """A list of every demo's presets, each a link that opens it with the prediction not yet revealed."""
    parts = []
    for demo in demos:
        links = " · ".join(
            f"<a href='{escape(preset_link(demo, p), quote=True)}'>{escape(p.title)}</a>" for p in demo.presets
        )
        parts.append(f"<li><b>{escape(demo.title)}</b> {links}</li>")
    return f"<ul class='sbs-workshop'>{''.join(parts)}</ul>"
