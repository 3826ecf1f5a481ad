"""The gallery's colors, once: page, note card and plots read them here, in light and dark."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

LETTERS = "ABCDEF"

SIDE_COLORS: tuple[tuple[str, str, str], ...] = (
    ("#0072b2", "#56b4e9", "circle"),
    ("#c04f00", "#f5974f", "square"),
    ("#bf26ce", "#d65cec", "diamond"),
    ("#505611", "#d9f26a", "triangle-up"),
    ("#176474", "#5ceee6", "cross"),
    ("#74707c", "#cdc4c6", "star"),
)
"""For each position A to F: the color on light, the color on dark, the marker's shape. Color is never the only mark."""

LIGHT: Mapping[str, str] = MappingProxyType(
    {
        "page": "#fbfbf9",
        "surface": "#ffffff",
        "sunken": "#f1f1ed",
        "text": "#1b2027",
        "muted": "#57606a",
        "line": "#e1e2de",
        "strong-line": "#86898c",
        "good": "#0b7a55",
        "warn": "#8a4b00",
        "bad": "#b3261e",
        "bad-fill": "#fdf0ee",
        "button": "#1b2027",
        "button-hover": "#343b45",
        "button-text": "#ffffff",
    }
)
DARK: Mapping[str, str] = MappingProxyType(
    {
        "page": "#14181d",
        "surface": "#1c2127",
        "sunken": "#262c33",
        "text": "#e9edf1",
        "muted": "#a0a8b1",
        "line": "#30363e",
        "strong-line": "#727a84",
        "good": "#3ecf9b",
        "warn": "#f0b35b",
        "bad": "#ff8a80",
        "bad-fill": "#2e1e1d",
        "button": "#e9edf1",
        "button-hover": "#ffffff",
        "button-text": "#14181d",
    }
)


def palette(dark: bool) -> dict[str, str]:
    """Every color of one theme by its name; the sides are `a` to `f`."""
    sides = {letter.lower(): side[int(dark)] for letter, side in zip(LETTERS, SIDE_COLORS, strict=True)}
    return {**(DARK if dark else LIGHT), **sides}


def letter(index: int) -> str:
    """The letter of a side by its position: A, B, ... Z, then numbers from 27."""
    return chr(ord("A") + index) if index < 26 else str(index + 1)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colors (#rrggbb), 1 to 21, by WCAG 2.2 ("relative luminance", "contrast ratio")."""
    bright, dim = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def _luminance(color: str) -> float:
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
