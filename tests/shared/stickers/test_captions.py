"""Words to scenes and back, over thousands of seeded scenes."""

from __future__ import annotations

import random

import pytest

from shared.stickers import (
    BACKGROUNDS,
    COLORS,
    KINDS,
    RELATIONS,
    STYLES,
    CaptionError,
    Scene,
    Sticker,
    caption,
    parse_caption,
    unknown_words,
    vocabulary,
)
from shared.stickers.captions import leave_out


def facts(scene: Scene) -> tuple[object, ...]:
    return tuple((s.kind, s.color) for s in scene.stickers), scene.relation, scene.background


def drawn(seed: int, count: int) -> list[Scene]:
    """Scenes of one to three stickers with anything but the first kind left open now and then."""
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        number = rng.randint(1, 3)
        stickers = tuple(Sticker(rng.choice(KINDS), rng.choice([*COLORS, None])) for _ in range(number))
        relation = rng.choice([*RELATIONS, None]) if number > 1 else None
        found.append(Scene(stickers, relation, rng.choice([*BACKGROUNDS, None])))
    return found


@pytest.mark.parametrize("style", STYLES)
def test_a_caption_reads_back_as_its_scene(style: str) -> None:
    for scene in drawn(seed=1, count=2000):
        text = caption(scene, style)
        assert facts(parse_caption(text)) == facts(scene), text


def test_styles_word_the_same_scene_differently() -> None:
    scene = Scene((Sticker("car", "red"), Sticker("house", "blue")), "left of", "mint")
    assert [caption(scene, style) for style in STYLES] == [
        "a red car left of a blue house on a mint background",
        "red car left of blue house, mint background",
        "on a mint background, a red car left of a blue house",
        "a picture of a red car to the left of a blue house on a mint background",
        "there is a red car that is to the left of a blue house on a mint background",
    ]


def test_articles_fit_the_next_word() -> None:
    scene = Scene((Sticker("apple", "orange"), Sticker("umbrella")), "above")
    assert caption(scene) == "an orange apple above an umbrella"


def test_an_unknown_style_is_refused() -> None:
    with pytest.raises(ValueError, match=r"style must be one of plain, bare, .* not 'loud'"):
        caption(Scene((Sticker("car"),)), "loud")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RED CAR", (("car", "red"),)),
        ("  a red car,   and a blue house!  ", (("car", "red"), ("house", "blue"))),
        ("cat", (("cat", None),)),
    ],
)
def test_case_punctuation_and_blanks_carry_no_fact(text: str, expected: tuple[tuple[str, str | None], ...]) -> None:
    scene = parse_caption(text)
    assert tuple((s.kind, s.color) for s in scene.stickers) == expected
    assert scene.relation is None and scene.background is None


@pytest.mark.parametrize(("word", "relation"), [("over", "above"), ("under", "below"), ("beneath", "below")])
def test_other_words_for_relations(word: str, relation: str) -> None:
    assert parse_caption(f"a star {word} a heart").relation == relation


@pytest.mark.parametrize(
    ("text", "word", "sentence"),
    [
        ("a red dragon", "dragon", "does not know “dragon”"),
        ("a red hause", "hause", "did you mean “house”?"),
        ("a red cra", "cra", "did you mean “car”?"),
        ("ein rotes Auto", "ein", "does not know “ein”"),
        ("un gato rojo", "un", "does not know “un”"),
        ("赤い車", "赤い車", "does not know “赤い車”"),
        ("🚗", "🚗", "does not know “🚗”"),
        ("2 cars", "2", "does not know “2”"),
        ("x" * 3000, "x" * 3000, f"does not know “{'x' * 40}”"),
    ],
)
def test_an_unknown_word_is_named(text: str, word: str, sentence: str) -> None:
    with pytest.raises(CaptionError) as caught:
        parse_caption(text)
    assert caught.value.word == word
    assert sentence in str(caught.value)
    assert unknown_words(text)[0] == word


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The prompt is empty"),
        ("  ,. ", "The prompt is empty"),
        ("on a mint background", "names no sticker"),
        ("a red blue car", "two colors in a row, red and blue"),
        ("a car that is red", "The color red has no sticker after it"),
        ("a car on a mint and sky background", "two backgrounds, mint and sky"),
        ("cat car bus boat", "names 4 stickers: up to 3"),
        ("a cat above a car left of a bus", "more than one relation (above, left of)"),
        ("a cat left", "“left of” needs two stickers"),
    ],
)
def test_words_that_make_no_scene_get_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(CaptionError) as caught:
        parse_caption(text)
    assert sentence in str(caught.value)
    assert caught.value.word is None


def test_unknown_words_come_in_order_and_once() -> None:
    assert unknown_words("a zebra left of a red car, a zebra and 3 moons") == ("zebra", "3", "moons")
    assert unknown_words("a red car") == ()
    assert unknown_words("") == ()


def test_the_vocabulary_is_the_world() -> None:
    words = vocabulary()
    assert words["kinds"] == KINDS and words["colors"] == tuple(COLORS)
    assert words["backgrounds"] == tuple(BACKGROUNDS) and words["relations"] == RELATIONS
    assert unknown_words(" ".join(w for group in words.values() for w in group)) == ()


def test_a_caption_can_leave_facts_out() -> None:
    scene = Scene((Sticker("car", "red"), Sticker("house", "blue")), "left of", "mint")
    assert caption(leave_out(scene, color_of=1)) == "a red car left of a house on a mint background"
    assert caption(leave_out(scene, background=True)) == "a red car left of a blue house"
