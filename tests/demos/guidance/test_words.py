from __future__ import annotations

import random

import pytest

from demos.guidance.words import add_word, prompt_note, surprise, word_groups
from shared.stickers import parse_caption


def test_chips_build_a_caption():
    prompt = ""
    for word in ("red", "car", "left of", "house", "mint"):
        prompt = add_word(prompt, word)
    assert prompt == "a red car left of a house on a mint background"
    scene = parse_caption(prompt)
    assert [(s.kind, s.color) for s in scene.stickers] == [("car", "red"), ("house", None)]
    assert (scene.relation, scene.background) == ("left of", "mint")


def test_articles_fit():
    assert add_word("", "orange") == "an orange"
    assert add_word("an", "orange") == "an orange"
    assert add_word("a car left of", "umbrella") == "a car left of an umbrella"


def test_a_word_that_is_no_chip_changes_nothing():
    assert add_word("a car", "<script>") == "a car"


def test_every_word_is_offered():
    assert sum(len(words) for _, words in word_groups()) >= 24 + 8 + 6 + 4


@pytest.mark.parametrize(
    ("prompt", "note"),
    [
        ("a red car", ""),
        ("a red dragn", "“dragn”"),
        ("un coche rojo", "does not know “un”, “coche”, “rojo”: the model will guess"),
        ("", "The prompt is empty"),
        ("🦖", "“🦖”"),
        ("a b c d e f g h", " and 2 more"),
    ],
)
def test_unknown_words_are_named(prompt, note):
    assert note in prompt_note(prompt) and bool(prompt_note(prompt)) == bool(note)


def test_surprise_is_a_caption_that_the_seed_decides():
    one = surprise(random.Random(4))
    assert one == surprise(random.Random(4)) != surprise(random.Random(5))
    assert parse_caption(one).background is not None
