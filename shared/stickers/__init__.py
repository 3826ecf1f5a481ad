"""The sticker world: little scenes whose caption, facts and masks are known exactly."""

from shared.stickers.captions import STYLES, CaptionError, caption, parse_caption, unknown_words, vocabulary
from shared.stickers.palette import BACKGROUNDS, COLORS
from shared.stickers.render import render
from shared.stickers.scene import (
    HELD_OUT,
    KINDS,
    OPPOSITE,
    RELATIONS,
    Scene,
    Sticker,
    is_for_testing,
    place,
    random_scene,
)

__all__ = [
    "BACKGROUNDS",
    "COLORS",
    "HELD_OUT",
    "KINDS",
    "OPPOSITE",
    "RELATIONS",
    "STYLES",
    "CaptionError",
    "Scene",
    "Sticker",
    "caption",
    "is_for_testing",
    "parse_caption",
    "place",
    "random_scene",
    "render",
    "unknown_words",
    "vocabulary",
]
