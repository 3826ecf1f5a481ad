from __future__ import annotations

import pytest

from demos.attention.words import default_word, names_background, read_caption, scene_of, sticker_of
from shared.demo import DemoError
from tests.tiny import tiny_tokenizer

TEXT = "a red car left of a blue house on a mint background"


@pytest.fixture(scope="module")
def tokenizer():
    return tiny_tokenizer()


def test_every_words_tokens_stand_where_the_tokenizer_puts_them(tokenizer):
    ids = tokenizer("a redcar, zebra").input_ids
    caption = read_caption(tokenizer, "a redcar, zebra")
    for word in caption.words:
        alone = tokenizer(word.text, add_special_tokens=False).input_ids
        assert [ids[t] for t in word.tokens][: len(alone)] == alone
    assert len(caption.words[-1].tokens) > 1  # an unknown word has several
    assert ids[caption.end] == tokenizer.eos_token_id


def test_a_stickers_phrase_is_its_color_and_kind(tokenizer):
    caption = read_caption(tokenizer, TEXT)
    assert [w.text for w in caption.phrase(caption.find("car"))] == ["red", "car"]
    assert [w.text for w in caption.phrase(caption.find("Blue"))] == ["blue", "house"]
    assert [w.text for w in caption.phrase(caption.find("mint"))] == ["mint", "background"]
    assert [w.text for w in caption.phrase(caption.find("left"))] == ["left"]


def test_words_find_their_sticker(tokenizer):
    caption, scene = read_caption(tokenizer, TEXT), scene_of(TEXT)
    assert scene is not None
    found = {w: sticker_of(caption, caption.find(w), scene) for w in ("red", "car", "blue", "house", "mint", "left")}
    assert found == {"red": 0, "car": 0, "blue": 1, "house": 1, "mint": None, "left": None}
    assert names_background(caption.find("mint")) and not names_background(caption.find("car"))
    assert default_word(caption) == "car"


def test_special_tokens_have_maps_and_other_words_a_sentence(tokenizer):
    caption = read_caption(tokenizer, TEXT)
    assert caption.find("start").tokens == (0,) and caption.find("end").tokens == (caption.end,)
    with pytest.raises(DemoError, match="word: “boat” is not in the prompt; its words are a, red, car"):
        caption.find("boat")


def test_what_the_encoder_cuts_off_is_no_word(tokenizer):
    caption = read_caption(tokenizer, "car " * 50)
    assert len(caption.words) == tokenizer.model_max_length - 2 and caption.end == tokenizer.model_max_length - 1
    assert read_caption(tokenizer, "").words == () and default_word(read_caption(tokenizer, "")) == "start"
