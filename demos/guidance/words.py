"""Helps with the prompt: which words the model knows, what is unknown, and a random caption."""

from __future__ import annotations

import random

from shared.stickers import CaptionError, caption, parse_caption, random_scene, unknown_words, vocabulary

LONGEST_LIST = 5


def word_groups() -> list[tuple[str, tuple[str, ...]]]:
    """Every word with a meaning, as titles and words."""
    words = vocabulary()
    titles = {"kinds": "Stickers", "colors": "Colors", "relations": "How they stand", "backgrounds": "Backgrounds"}
    return [(title, words[group]) for group, title in titles.items()]


def add_word(prompt: str, word: str) -> str:
    """The prompt with a word added, in the words around it that make a caption: "a" before a color, "on a ...
    background" around a background. A word that is not in the vocabulary changes nothing."""
    words = vocabulary()
    text = prompt.rstrip()
    start = f"{text} " if text else ""
    if word in words["backgrounds"]:
        return f"{start}on a {word} background"
    if word in words["relations"]:
        return f"{start}{word}"
    last = text.split()[-1] if text else ""
    if word in words["colors"] or (word in words["kinds"] and last not in words["colors"]):
        article = "" if last in ("a", "an") else "an " if word[0] in "aeiou" else "a "
        return f"{start}{article}{word}"
    return f"{start}{word}" if word in words["kinds"] else prompt


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
