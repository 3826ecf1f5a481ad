from __future__ import annotations

import numpy as np
from PIL import Image

from demos.attention.pictures import colored, overlay, with_outline
from demos.attention.view import looks_html
from shared.comparison import Comparison, Side


def result(word="car"):
    found = np.random.default_rng(0).random((8, 8)).astype(np.float32)
    arrays = {"map": found, "word": np.stack([found, found]), "word_names": np.array(["start", word]),
              "layer": found[None], "layer_names": np.array(["mid"])}  # fmt: skip
    picture = Image.new("RGB", (8, 8), "white")
    return Comparison("attention", {}, (Side("cross-attention", (), (picture,), arrays=arrays),
                                        Side("control: blob", (), (picture,), arrays={"map": found})),
                      "", {})  # fmt: skip


def test_every_word_is_a_chip_with_its_map():
    html = looks_html(result())
    assert html.count('data-kind="word"') == 2 and html.count('data-kind="side"') == 2
    assert html.count('data-kind="part"') == 1 and "By layer" in html and "By step" not in html
    assert 'type="range"' in html and "Look closer: opacity, layers" in html


def test_words_from_outside_are_escaped():
    html = looks_html(result('"><script>alert(1)</script>'))
    assert "<script>" not in html and "&lt;script&gt;" in html


def test_a_result_without_maps_shows_nothing():
    html = looks_html(Comparison("attention", {}, (Side("A", ()),), "", {}))
    assert "chip" not in html and "<img" not in html


def test_colors_grow_lighter_and_flat_maps_are_dark():
    ramp = np.asarray(colored(np.linspace(0, 1, 50)[None]).convert("L")).astype(int)[0]
    assert (np.diff(ramp) >= 0).all() and ramp[-1] - ramp[0] > 150
    assert len(set(np.asarray(colored(np.ones((3, 3)))).reshape(-1, 3).sum(1).tolist())) == 1


def test_an_overlay_mixes_by_its_opacity():
    picture, found = Image.new("RGB", (4, 4), "white"), np.eye(4)
    assert np.array_equal(np.asarray(overlay(picture, found, 0.0)), np.asarray(picture))
    assert np.array_equal(np.asarray(overlay(picture, found, 1.0)), np.asarray(colored(found)))


def test_the_outline_leaves_the_inside_alone():
    mask = np.zeros((16, 16), dtype=bool)
    mask[4:12, 4:12] = True
    found = np.asarray(with_outline(Image.new("RGB", (16, 16), (9, 99, 199)), mask))
    assert tuple(found[8, 8]) == (9, 99, 199) and tuple(found[4, 4]) == (255, 255, 255)
