"""From a caption to its words, and from a word to the tokens that stand for it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from shared.demo import DemoError
from shared.stickers import BACKGROUNDS, COLORS, KINDS, CaptionError, Scene, parse_caption

START, END = "start", "end"


@dataclass(frozen=True)
class Word:
    """A word of the caption: its text, its position among the words, and the places of its tokens."""

    text: str
    position: int
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class Caption:
    """A caption's words with their tokens; `end` is the place of the end token. What the text encoder cut off has no
    tokens and is no word here."""

    text: str
    words: tuple[Word, ...]
    end: int

    def find(self, wanted: str) -> Word:
        """The word of that text, the first of several; "start" and "end" are the special tokens, where the caption
        has no such word. Raises DemoError where there is none."""
        plain = clean(wanted)
        for word in self.words:
            if clean(word.text) == plain:
                return word
        if plain in (START, END):
            return Word(plain, -1, (0,) if plain == START else (self.end,))
        shown = ", ".join(dict.fromkeys(w.text for w in self.words)) or "none"
        raise DemoError(f"word: “{wanted[:40]}” is not in the prompt; its words are {shown[:300]}.")

    def phrase(self, word: Word) -> tuple[Word, ...]:
        """The words that name the same thing: a sticker's color and its kind, a background's name and "background".
        Any other word stands alone."""
        text = clean(word.text)
        if word.position < 0:
            return (word,)
        before = self.words[word.position - 1] if word.position > 0 else None
        after = self.words[word.position + 1] if word.position + 1 < len(self.words) else None
        if before and ((text in KINDS and clean(before.text) in COLORS)
                       or (text == "background" and clean(before.text) in BACKGROUNDS)):  # fmt: skip
            return (before, word)
        if after and ((text in COLORS and clean(after.text) in KINDS)
                      or (text in BACKGROUNDS and clean(after.text) == "background")):  # fmt: skip
            return (word, after)
        return (word,)


def clean(text: str) -> str:
    """A word in small letters without the punctuation around it."""
    return text.lower().strip(" \t\n,.;:!?\"'()“”")


def read_caption(tokenizer: Any, text: str) -> Caption:
    """The caption's words and their tokens, as the tokenizer cuts them; a word of several tokens has them all.

    Each word is tokenized on its own: byte-pair merges never cross blanks.
    """
    limit = tokenizer.model_max_length - 1  # the end token always has a place
    words: list[Word] = []
    at = 1  # after the start token
    for found in re.findall(r"\S+", text):
        count = len(tokenizer(found, add_special_tokens=False).input_ids)
        if at + count > limit:
            break
        if count and clean(found):
            words.append(Word(found.strip(",.;:!?"), len(words), tuple(range(at, at + count))))
        at += count
    return Caption(text, tuple(words), min(at, limit))


def default_word(caption: Caption) -> str:
    """The word to show where none is chosen: the first kind of sticker, else the longest word."""
    kinds = [clean(w.text) for w in caption.words if clean(w.text) in KINDS]
    if kinds:
        return kinds[0]
    return clean(max(caption.words, key=lambda w: len(w.text)).text) if caption.words else START


def scene_of(text: str) -> Scene | None:
    """The scene that a caption names, or None where it names none."""
    try:
        return parse_caption(text)
    except CaptionError:
        return None


def sticker_of(caption: Caption, word: Word, scene: Scene) -> int | None:
    """Which sticker of the scene a word names, by its kind or by the color before that; None for any other word."""
    text = clean(word.text)
    kinds = [w for w in caption.words if clean(w.text) in KINDS]
    for index, found in enumerate(kinds[: len(scene.stickers)]):
        named = {clean(w.text) for w in caption.phrase(found)}
        same_place = any(w.position == word.position for w in caption.phrase(found))
        if same_place and text in named:
            return index
    return None


def names_background(word: Word) -> bool:
    """Whether a word names the background."""
    return clean(word.text) in (*BACKGROUNDS, "background")
