from __future__ import annotations

import base64
import io
import re

import gradio as gr
import numpy as np
from PIL import Image

from demos.guidance.view import note_html, words_html
from shared.comparison import Comparison, Side
from shared.stickers import vocabulary
from shared.ui.slide import draw_slide, slide_html


def test_every_word_is_a_button():
    offered = re.findall(r'data-word="([^"]+)"', words_html())
    assert sorted(offered) == sorted(word for group in vocabulary().values() for word in group)


def test_a_note_from_outside_is_escaped():
    assert note_html("a red car") == ""
    shown = note_html("a <img src=x onerror=alert(1)> car")
    assert "does not know" in shown and "“&lt;”" in shown
    assert "<img" not in shown


def test_the_slide_holds_both_first_pictures_in_the_page():
    small, other = Image.new("RGB", (128, 128), "#123456"), Image.new("RGB", (128, 128), "#abcdef")
    sides = (Side("<b>a", (), (small, other)), Side("b", (), (other, small)))
    html = slide_html(Comparison("guidance", {}, sides, "", {}))
    sources = re.findall(r'src="data:image/png;base64,([^"]+)"', html)
    found = [np.asarray(Image.open(io.BytesIO(base64.b64decode(s))))[0, 0].tolist() for s in sources]
    assert found == [[0x12, 0x34, 0x56], [0xAB, 0xCD, 0xEF]]
    assert "<b>" not in html and 'type="range"' in html
    assert slide_html(Comparison("guidance", {}, (Side("a", ()), sides[1]), "", {})) == ""


def test_no_picture_of_the_tab_goes_through_gradios_cache():
    with gr.Blocks() as blocks:
        draw_slide(None)
    assert {type(block).__name__ for block in blocks.blocks.values()} <= {"HTML"}
