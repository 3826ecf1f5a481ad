"""The tab's own parts: word chips and "surprise me" under the prompt, and a slider over the two pictures."""

from __future__ import annotations

import random
from html import escape
from typing import Any

import gradio as gr

from demos.guidance import DEMO
from demos.guidance.words import prompt_note, put_word, surprise, word_groups
from shared.ui.controls import Controls
from shared.ui.slide import draw_slide, slide_html
from shared.ui.tab import View, build_tab

_INSTANT: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}

_WORDS_CSS = """
.words { display: flex; flex-wrap: wrap; gap: 6px; font-size: 12px; line-height: 20px; }
.words details[open] { flex: 0 0 100%; }
.words summary { display: inline-block; list-style: none; }
.words summary::-webkit-details-marker { display: none; }
.words summary::after { content: " +"; }
.words details[open] summary::after { content: " –"; }
.words div { display: flex; flex-wrap: wrap; gap: 4px; margin-top: 6px; }
.words p { margin: 6px 0 0; color: var(--body-text-color-subdued); }
.words b { flex: 0 0 100%; font-weight: 400; color: var(--body-text-color-subdued); }
.words button, .words summary { border: 1px solid var(--border-color-primary); border-radius: 999px; padding: 1px 10px;
  background: var(--background-fill-primary); color: var(--body-text-color); font: inherit; cursor: pointer; }
.words button:hover, .words button:focus-visible, .words summary:hover { border-color: var(--body-text-color); }
"""
# Gradio learns of the events 'pick' and 'surprise' by their quoted names; 'pick' carries the word, and where the cursor
# stands in the prompt.
_WORDS_JS = """
element.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (!button) return;
  const box = element.closest('.sbs-left') && element.closest('.sbs-left').querySelector('.sbs-field-prompt textarea');
  if (button.dataset.word) trigger('pick', {word: button.dataset.word, at: box ? box.selectionStart : null});
  else trigger('surprise', {});
});
"""


def build() -> None:
    """Draw the tab inside an open Gradio context."""
    drawn: list[gr.HTML] = []
    tab = build_tab(
        DEMO,
        below={"prompt": lambda controls: drawn.append(_draw_words(controls))},
        views=[View(draw_slide, slide_html, "Slide B over A")],
    )
    prompt = tab.controls["prompt"]
    surprised = drawn[0].surprise(  # pyright: ignore[reportAttributeAccessIssue]
        lambda: surprise(random.Random()), None, prompt, **_INSTANT
    )
    tab.run_after(surprised)


def _draw_words(controls: Controls) -> gr.HTML:
    """The note on unknown words, and below it "Surprise me" and the word chips."""
    prompt = controls["prompt"]
    note = gr.HTML("", visible=False, elem_classes=["sbs-tight", "sbs-prompt-note"])
    words = gr.HTML(
        words_html(),
        css_template=_WORDS_CSS,
        js_on_load=_WORDS_JS,
        apply_default_css=False,
        elem_classes=["sbs-tight", "sbs-words"],
    )
    words.pick(_add_picked, prompt, prompt, **_INSTANT)  # pyright: ignore[reportAttributeAccessIssue]
    prompt.change(_show_note, prompt, note, **_INSTANT)  # pyright: ignore[reportAttributeAccessIssue]
    return words


def _add_picked(prompt: str, event: gr.EventData) -> str:
    at = getattr(event, "at", None)
    return put_word(str(prompt or ""), str(event.word), at if isinstance(at, int) else None)


def _show_note(prompt: str) -> gr.HTML:
    note = note_html(prompt)
    return gr.HTML(note, visible=bool(note))


def note_html(prompt: str) -> str:
    """What the world does not know in the prompt, as a line under it; empty where all is well."""
    note = prompt_note(str(prompt or ""))
    return f'<p class="sbs-quiet" role="status">{escape(note)}</p>' if note else ""


def words_html() -> str:
    """The button "Surprise me", and a button for every word that the model knows, by group, to unfold."""
    groups = "".join(
        f"<div><b>{escape(title)}</b>"
        + "".join(f'<button type="button" data-word="{escape(w)}">{escape(w)}</button>' for w in words)
        + "</div>"
        for title, words in word_groups()
    )
    return (
        '<div class="words"><button type="button">Surprise me</button>'
        "<details><summary>Words it knows</summary><p>A word takes the place of the one of its kind that is nearest to "
        f"the cursor.</p>{groups}</details></div>"
    )
