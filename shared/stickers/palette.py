"""The words of the world: colors and backgrounds, each with its hex value."""

from __future__ import annotations

COLORS: dict[str, str] = {
    "red": "#E23B3B",
    "orange": "#F48A20",
    "yellow": "#F6CB2F",
    "green": "#35A853",
    "blue": "#2F6FDE",
    "purple": "#8A45C8",
    "pink": "#F38DBA",
    "brown": "#8A5A3B",
}

BACKGROUNDS: dict[str, str] = {
    "mint": "#BFE9D5",
    "sky": "#B9DBF3",
    "cream": "#F6ECCD",
    "lavender": "#D8CDF0",
    "peach": "#F6CDB6",
    "night": "#2E3557",
}
