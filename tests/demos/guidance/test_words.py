from __future__ import annotations

import random

import pytest

from demos.guidance.words import prompt_note, put_word, surprise, word_groups
from shared.stickers import parse_caption, vocabulary

CAPTION = "a red car left of a blue house on a mint background"


def test_chips_build_a_caption():
    prompt = ""
    for word in ("car", "red", "mint", "left of", "blue", "house"):
        prompt = put_word(prompt, word)
    assert prompt == CAPTION


@pytest.mark.parametrize(
    ("word", "caption"),
    [
        ("green", "a red car left of a green house on a mint background"),
        ("orange", "a red car left of an orange house on a mint background"),
        ("umbrella", "a red car left of a blue umbrella on a mint background"),
        ("night", "a red car left of a blue house on a night background"),
        ("above", "a red car above a blue house on a mint background"),
    ],
)
def test_a_word_takes_the_place_of_the_last_of_its_kind(word, caption):
    assert put_word(CAPTION, word) == caption
    parse_caption(caption)


@pytest.mark.parametrize(
    ("word", "at", "caption"),
    [
        ("green", 3, "a green car left of a blue house on a mint background"),
        ("apple", 8, "a red apple left of a blue house on a mint background"),
        ("orange", 0, "an orange car left of a blue house on a mint background"),
        ("green", 25, "a red car left of a green house on a mint background"),
        ("green", 999, "a red car left of a green house on a mint background"),
    ],
)
def test_the_cursor_says_which(word, at, caption):
    assert put_word(CAPTION, word, at) == caption


def test_a_word_without_one_of_its_kind_goes_where_a_caption_has_it():
    assert put_word("a car left of a house", "blue") == "a car left of a blue house"
    assert put_word("a car", "mint") == "a car on a mint background"
    assert put_word("a red car and a blue house", "above") == "a red car above a blue house"
    assert put_word("", "orange") == "an orange" and put_word("an orange", "car") == "an orange car"


def test_every_chip_keeps_a_caption_a_caption():
    for words in vocabulary().values():
        for word in words:
            for at in (0, 4, 8, 20, None):
                parse_caption(put_word(CAPTION, word, at))


def test_a_word_that_is_no_chip_changes_nothing():
    assert put_word("a car", "<script>") == "a car"


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
