from __future__ import annotations

import re

import numpy as np
from PIL import Image

from demos.guidance.view import note_html, slider_pair, words_html
from shared.comparison import Comparison, Side
from shared.stickers import vocabulary


def test_every_word_is_a_button():
    offered = re.findall(r'data-word="([^"]+)"', words_html())
    assert sorted(offered) == sorted(word for group in vocabulary().values() for word in group)


def test_a_note_from_outside_is_escaped():
    assert note_html("a red car") == ""
    shown = note_html("a <img src=x onerror=alert(1)> car")
    assert "does not know" in shown and "“&lt;”" in shown
    assert "<img" not in shown


def test_the_slider_gets_both_first_pictures_enlarged_alike():
    small, other = Image.new("RGB", (128, 128), "#123456"), Image.new("RGB", (128, 128), "#abcdef")
    sides = (Side("a", (), (small, other)), Side("b", (), (other, small)))
    first, second = slider_pair(Comparison("guidance", {}, sides, "", {}))
    assert first.size == second.size == (512, 512)
    assert np.asarray(first)[0, 0].tolist() == [0x12, 0x34, 0x56]
    assert np.asarray(second)[0, 0].tolist() == [0xAB, 0xCD, 0xEF]
