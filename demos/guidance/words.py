"""Helps with the prompt: which words the model knows, what is unknown, and a random caption."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from shared.stickers import CaptionError, caption, parse_caption, random_scene, unknown_words, vocabulary

LONGEST_LIST = 5


def word_groups() -> list[tuple[str, tuple[str, ...]]]:
    """Every word with a meaning, as titles and words."""
    words = vocabulary()
    titles = {"kinds": "Stickers", "colors": "Colors", "relations": "How they stand", "backgrounds": "Backgrounds"}
    return [(title, words[group]) for group, title in titles.items()]


def put_word(prompt: str, word: str, at: int | None = None) -> str:
    """The prompt with a word of the vocabulary in it: in the place of the word of its group (color, kind, relation,
    background) that is nearest to position `at` (by default the end), else where a caption would have it. A word that
    is not in the vocabulary changes nothing."""
    group = next((name for name, words in vocabulary().items() if word in words), None)
    if group is None:
        return prompt
    text = " ".join(prompt.split())
    at = len(text) if at is None else at
    found = _spans(text, vocabulary()[group])
    if found and not _is_open(text, group):
        start, end = min(found, key=lambda span: (min(abs(at - span[0]), abs(at - span[1])), -span[0]))
        return _fit_articles(f"{text[:start]}{word}{text[end:]}")
    return _fit_articles(_add(text, word, group))


_GROUND = re.compile(r",?\s*\bon an? \w+ background\b")


def _is_open(text: str, group: str) -> bool:
    """Whether the caption waits for a word of the group: a sticker after a relation, a kind after its color."""
    if group not in ("kinds", "colors"):
        return False
    words = vocabulary()
    waiting = ("and", "a", "an", *words["relations"], *(words["colors"] if group == "kinds" else ()))
    return _GROUND.split(text)[0].rstrip().endswith(tuple(f" {word}" for word in waiting))


def _add(text: str, word: str, group: str) -> str:
    kinds = _spans(text, vocabulary()["kinds"])
    if group == "colors" and kinds and not _is_open(text, group):
        return f"{text[: kinds[-1][0]]}{word} {text[kinds[-1][0] :]}"
    if group == "relations" and (joined := re.search(r"\band\b", text)):
        return f"{text[: joined.start()]}{word}{text[joined.end() :]}"
    ground = _GROUND.search(text)
    head, tail = (text[: ground.start()], text[ground.start() :]) if ground else (text, "")
    start = f"{head} " if head else ""
    if group == "backgrounds":
        return f"{start}on a {word} background"
    if group == "relations":
        return f"{start}{word}{tail}"
    colors = vocabulary()["colors"]
    bare = head.split()[-1:] and head.split()[-1] in (*colors, "a", "an")
    return f"{start}{'' if bare else 'a '}{word}{tail}"


def _spans(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where any of the words stands in the text, as whole words."""
    found = re.finditer(rf"\b(?:{'|'.join(map(re.escape, words))})\b", text, re.IGNORECASE)
    return [match.span() for match in found]


def _fit_articles(text: str) -> str:
    return re.sub(r"\b([Aa])n?(?= (\w))", lambda m: f"{m[1]}n" if m[2].lower() in "aeiou" else m[1], text)


def prompt_note(prompt: str) -> str:
    """One sentence on what the sticker world does not know in the prompt; empty where it knows all of it."""
    unknown = unknown_words(prompt)
    try:
        parse_caption(prompt)
    except CaptionError as error:
        if len(unknown) <= 1:
            return str(error)
        named = ", ".join(f"“{word[:40]}”" for word in unknown[:LONGEST_LIST])
        more = f" and {len(unknown) - LONGEST_LIST} more" if len(unknown) > LONGEST_LIST else ""
        return f"The sticker world does not know {named}{more}: the model will guess, and no facts are measured."
    return ""


def surprise(rng: random.Random) -> str:
    """A caption of a random scene."""
    return caption(random_scene(rng))
