"""From a scene to words and back."""

from __future__ import annotations

import difflib
import re
from dataclasses import replace

from shared.stickers.palette import BACKGROUNDS, COLORS
from shared.stickers.scene import KINDS, RELATIONS, Scene, Sticker

STYLES: tuple[str, ...] = ("plain", "bare", "background first", "picture", "long")

# Words that carry no fact. "background" and "of" belong to the phrases around them.
_FILLER_WORDS = (
    "a an the of to on in with and is there some picture drawing image sticker stickers scene background backdrop "
    "colored coloured standing sitting that one please draw show me front"
)
_FILLERS = frozenset(_FILLER_WORDS.split())
_RELATION_WORDS = {"left": "left of", "right": "right of", "above": "above", "over": "above", "below": "below",
                   "under": "below", "beneath": "below"}  # fmt: skip
MAX_STICKERS = 3
_KNOWN = frozenset((*KINDS, *COLORS, *BACKGROUNDS, *_RELATION_WORDS)) | _FILLERS


class CaptionError(ValueError):
    """A caption that the world can't draw; the message is one sentence for the reader. `word` is the unknown word."""

    def __init__(self, message: str, word: str | None = None) -> None:
        super().__init__(message)
        self.word = word


def caption(scene: Scene, style: str = "plain") -> str:
    """The scene in words, in one of STYLES. What the scene leaves open is left out.

    >>> caption(Scene((Sticker("car", "red"), Sticker("house", "blue")), "left of", "mint"))
    'a red car left of a blue house on a mint background'
    """
    if style not in STYLES:
        raise ValueError(f"style must be one of {', '.join(STYLES)}, not {style!r}")
    article = style != "bare"
    relation = scene.relation or "and"
    if style in ("picture", "long") and relation in ("left of", "right of"):
        relation = f"to the {relation}"
    if style == "long":
        relation = f"that is {relation}" if scene.relation else relation
    text = f" {relation} ".join(_noun_phrase(s, article) for s in scene.stickers)
    ground = scene.background
    if style == "bare":
        return f"{text}, {ground} background" if ground else text
    if style == "background first":
        return f"on {_with_article(ground)} background, {text}" if ground else text
    if style == "picture":
        text = f"a picture of {text}"
    if style == "long":
        text = f"there is {text}"
    return f"{text} on {_with_article(ground)} background" if ground else text


def _with_article(words: str) -> str:
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def _noun_phrase(sticker: Sticker, article: bool) -> str:
    words = f"{sticker.color} {sticker.kind}" if sticker.color else sticker.kind
    return _with_article(words) if article else words


def parse_caption(text: str) -> Scene:
    """The scene that a caption names, not placed. Colors, relation and background may be left out.

    Raises CaptionError, with a sentence for the reader, where a word is unknown or the words do not make a scene.
    """
    words = _split(text)
    if not words:
        raise CaptionError("The prompt is empty: name at least one sticker, such as “a red car”.")
    stickers: list[Sticker] = []
    relations: list[str] = []
    background: str | None = None
    color: str | None = None
    for word in words:
        if word in BACKGROUNDS:
            if background not in (None, word):
                raise CaptionError(f"The prompt names two backgrounds, {background} and {word}: one is possible.")
            background = word
        elif word in COLORS:
            if color is not None:
                raise CaptionError(f"The prompt gives two colors in a row, {color} and {word}: one a sticker.")
            color = word
        elif word in KINDS:
            stickers.append(Sticker(word, color))
            color = None
        elif word in _RELATION_WORDS:
            relations.append(_RELATION_WORDS[word])
        elif word not in _FILLERS:
            raise CaptionError(_unknown(word), word)
    if not stickers:
        raise CaptionError("The prompt names no sticker: add one, such as “a red car”.")
    if color is not None:
        raise CaptionError(f"The color {color} has no sticker after it.")
    if len(stickers) > MAX_STICKERS:
        raise CaptionError(f"The prompt names {len(stickers)} stickers: up to {MAX_STICKERS} are possible.")
    if len(set(relations)) > 1:
        raise CaptionError(f"The prompt names more than one relation ({', '.join(relations)}): use one.")
    if relations and len(stickers) < 2:
        raise CaptionError(f"“{relations[0]}” needs two stickers, and the prompt names one.")
    return Scene(tuple(stickers), relations[0] if relations else None, background)


def _split(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+|[^\w\s,.;:!?\"'()-]", text.lower())


def unknown_words(text: str) -> tuple[str, ...]:
    """The words of a prompt that the world does not know, in order, each once."""
    return tuple(dict.fromkeys(word for word in _split(text) if word not in _KNOWN))


def _unknown(word: str) -> str:
    known = sorted(_KNOWN - _FILLERS)
    # Swapped letters are the commonest slip, and a ratio of matching blocks ranks them low.
    near = [w for w in known if sorted(w) == sorted(word)] or difflib.get_close_matches(word, known, n=1, cutoff=0.7)
    hint = f": did you mean “{near[0]}”?" if near else "."
    return f"The sticker world does not know “{word[:40]}”{hint}"


def vocabulary() -> dict[str, tuple[str, ...]]:
    """Every word with a meaning, by group: for word chips, and for the tokenizer of the text encoder."""
    return {
        "kinds": KINDS,
        "colors": tuple(COLORS),
        "backgrounds": tuple(BACKGROUNDS),
        "relations": RELATIONS,
    }


def leave_out(scene: Scene, *, color_of: int | None = None, background: bool = False) -> Scene:
    """The scene as a caption would name it that leaves out one sticker's color or the background."""
    stickers = tuple(replace(s, color=None) if i == color_of else s for i, s in enumerate(scene.stickers))
    return Scene(stickers, scene.relation, None if background else scene.background)
