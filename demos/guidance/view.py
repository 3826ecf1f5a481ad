"""The tab's own parts: word chips and "surprise me" under the prompt, and a slider over the two pictures."""

from __future__ import annotations

import random
from html import escape
from typing import Any

import gradio as gr
from gradio.components import Component
from PIL import Image

from demos.guidance import DEMO
from demos.guidance.words import add_word, prompt_note, surprise, word_groups
from shared.comparison import Comparison
from shared.ui.controls import Controls
from shared.ui.tab import View, build_tab

_INSTANT: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
_SLIDER_SIDE = 512  # pixels; pictures are enlarged smoothly, as those beside each other are

_CHIPS_CSS = """
.words { display: grid; gap: 6px; }
.words div { display: flex; flex-wrap: wrap; gap: 4px; align-items: baseline; }
.words b { flex: 0 0 100%; font-size: 12px; font-weight: 400; color: var(--body-text-color-subdued); }
.words button { border: 1px solid var(--border-color-primary); border-radius: 999px; padding: 1px 9px;
  background: var(--background-fill-secondary); color: var(--body-text-color); font: inherit; font-size: 12px;
  line-height: 20px; cursor: pointer; }
.words button:hover, .words button:focus-visible { border-color: var(--body-text-color); }
"""
# The event carries the word; the quoted name 'pick' is how Gradio learns of it.
_CHIPS_JS = """
element.addEventListener('click', (event) => {
  const chip = event.target.closest('button[data-word]');
  if (chip) trigger('pick', {word: chip.dataset.word});
});
"""


def build() -> None:
    """Draw the tab inside an open Gradio context."""
    buttons: list[gr.Button] = []
    tab = build_tab(
        DEMO,
        below={"prompt": lambda controls: buttons.append(_draw_words(controls))},
        views=[View(_draw_slider, slider_pair, "Slide B over A")],
    )
    prompt = tab.controls["prompt"]
    tab.run_after(buttons[0].click(lambda: surprise(random.Random()), None, prompt, **_INSTANT))


def _draw_words(controls: Controls) -> gr.Button:
    """The note on unknown words, "surprise me" and the chips; returns the button, so that it can run, too."""
    prompt = controls["prompt"]
    note = gr.HTML("", elem_classes=["sbs-tight", "sbs-prompt-note"])
    button = gr.Button("Surprise me", size="sm", min_width=0, elem_classes="sbs-chip")
    with gr.Accordion("Words it knows", open=False, elem_classes="sbs-words"):
        chips = gr.HTML(
            chips_html(), css_template=_CHIPS_CSS, js_on_load=_CHIPS_JS, apply_default_css=False
        )  # fmt: skip
    chips.pick(_add_picked, prompt, prompt, **_INSTANT)  # pyright: ignore[reportAttributeAccessIssue]
    prompt.change(note_html, prompt, note, **_INSTANT)  # pyright: ignore[reportAttributeAccessIssue]
    return button


def _add_picked(prompt: str, event: gr.EventData) -> str:
    return add_word(prompt, str(event.word))


def note_html(prompt: str) -> str:
    """What the world does not know in the prompt, as a line under it; empty where all is well."""
    note = prompt_note(str(prompt or ""))
    return f'<p class="sbs-quiet" role="status">{escape(note)}</p>' if note else ""


def chips_html() -> str:
    """A button for every word that the model knows, by group."""
    groups = "".join(
        f"<div><b>{escape(title)}</b>"
        + "".join(f'<button type="button" data-word="{escape(w)}">{escape(w)}</button>' for w in words)
        + "</div>"
        for title, words in word_groups()
    )
    return f'<div class="words">{groups}</div>'


def _draw_slider(comparison: Comparison | None) -> Component:
    return gr.ImageSlider(
        slider_pair(comparison) if comparison else None,
        type="pil",
        format="png",
        height=420,
        interactive=False,
        show_label=False,
        buttons=["fullscreen"],
        elem_classes="sbs-slider",
    )


def slider_pair(comparison: Comparison) -> tuple[Image.Image, Image.Image]:
    """Both sides' first picture, enlarged smoothly."""
    first, second = (_enlarge(side.images[0]) for side in comparison.sides)
    return first, second


def _enlarge(picture: Image.Image) -> Image.Image:
    if max(picture.size) >= _SLIDER_SIDE:
        return picture
    scale = _SLIDER_SIDE / max(picture.size)
    return picture.resize((round(picture.width * scale), round(picture.height * scale)), Image.Resampling.BICUBIC)
