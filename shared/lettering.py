"""Text on pictures: fonts that are there, wrapping, and something readable for letters that no font has."""

from __future__ import annotations

import importlib.util
import math
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

OTHER_FONTS = ("DejaVuSans.ttf", "NotoSansCJK-Regular.ttc", "Arial Unicode.ttf", "arialuni.ttf", "msyh.ttc")
"""Fonts of the machine, tried for letters that the gallery's own font lacks."""
PLAIN = {"↑": "^", "↓": "v", "✓": "*", "–": "-", "−": "-", "·": "|", "“": '"', "”": '"', "’": "'", "…": "..."}
"""What stands for a sign in a font that lacks it."""
FINER = 4
_NOWHERE = "\U0010fffd"


@dataclass(frozen=True)
class Lettering:
    """How one kind of text looks: size in pixels, weight, color (#rrggbb)."""

    size: int
    color: str
    bold: bool = False

    @property
    def line(self) -> int:
        """The height of a line, in pixels."""
        return round(self.size * 1.28)

    def width(self, text: str) -> int:
        """How wide the text is on one line, in pixels."""
        return math.ceil(sum(self._lengths(readable(text))) / FINER)

    def wrap(self, text: str, width: int) -> list[str]:
        """The text in lines no wider than `width` pixels; a word that is too long is cut between letters."""
        lines: list[str] = []
        for word in readable(text).split():
            joined = f"{lines[-1]} {word}" if lines else word
            if lines and self.width(joined) <= width:
                lines[-1] = joined
                continue
            lines += self._pieces(word, width)
        return lines

    def write(self, picture: Image.Image, at: tuple[int, int], text: str) -> None:
        """Draws one line with its top left corner at `at`.

        It is drawn larger and scaled down, so that letters stand where they belong and not on whole pixels.
        """
        said = readable(text)
        room = (self.width(said) + 2 * self.size, 2 * self.size)
        mask = Image.new("L", (room[0] * FINER, room[1] * FINER), 0)
        pen, x = ImageDraw.Draw(mask), self.size * FINER / 2
        for (index, run), length in zip(_runs(said), self._lengths(said), strict=True):
            pen.text((x, 1.48 * self.size * FINER), run, font=self._font(index), fill=255, anchor="ls")
            x += length
        mask = mask.resize(room, Image.Resampling.BOX)
        picture.paste(self.color, (at[0] - self.size // 2, at[1] - self.size // 2), mask)

    def _lengths(self, text: str) -> list[float]:
        return [self._font(index).getlength(run) for index, run in _runs(text)]

    def _font(self, index: int) -> ImageFont.FreeTypeFont:
        return _font(index, self.size * FINER, self.bold)

    def _pieces(self, word: str, width: int) -> Iterator[str]:
        piece = ""
        for char in word:
            if piece and self.width(piece + char) > width:
                yield piece
                piece = ""
            piece += char
        yield piece


def readable(text: str) -> str:
    """The text with signs that no font has spelled out: `[CJK text]` for letters, `[automobile]` for a picture sign."""
    parts = []
    for name, run in groupby(" ".join(str(text).split()), key=_missing_name):
        if not name:
            parts.append("".join(run))
        elif name != "mark":
            parts.append(PLAIN.get(name, f"[{name}]"))
    return "".join(parts)


@cache
def _missing_name(char: str) -> str:
    """Nothing for a character that can be drawn, "mark" for one that has no shape of its own, else what to call it."""
    if char == " " or any(_has(index, char) for index in range(len(_files()))):
        return ""
    if char in PLAIN:
        return char
    category = unicodedata.category(char)
    if category[0] in "MC":
        return "mark"
    name = unicodedata.name(char, "sign")
    return f"{name.split()[0].split('-')[0]} text" if category[0] == "L" else name.lower()


def _runs(text: str) -> Iterator[tuple[int, str]]:
    for index, run in groupby(text, key=_which_font):
        yield index, "".join(run)


@cache
def _which_font(char: str) -> int:
    return next((i for i in range(len(_files())) if char == " " or _has(i, char)), 0)


@cache
def _has(index: int, char: str) -> bool:
    return _shape(index, char) != _shape(index, _NOWHERE)


def _shape(index: int, char: str) -> bytes:
    picture = Image.new("L", (64, 48))
    ImageDraw.Draw(picture).text((8, 36), char, font=_font(index, 24, False), fill=255, anchor="ls")
    return picture.tobytes()


@cache
def _files() -> tuple[tuple[Path | str, Path | str] | None, ...]:
    """Regular and bold of each font at hand, the gallery's own first; None is Pillow's default."""
    found: list[tuple[Path | str, Path | str] | None] = []
    spec = importlib.util.find_spec("gradio")
    if spec and spec.origin:
        folder = Path(spec.origin).parent / "templates/frontend/static/fonts/SourceSansPro"
        own = (folder / "SourceSansPro-Regular.woff2", folder / "SourceSansPro-Bold.woff2")
        if all(_opens(path) for path in own):
            found.append(own)
    found = found or [None]
    for name in OTHER_FONTS:
        bold = name.replace("Sans.ttf", "Sans-Bold.ttf").replace("Regular", "Bold")
        if _opens(name):
            found.append((name, bold if _opens(bold) else name))
    return tuple(found)


def _opens(path: Path | str) -> bool:
    try:
        ImageFont.truetype(str(path), 24)
    except OSError:
        return False
    return True


@cache
def _font(index: int, size: int, bold: bool) -> ImageFont.FreeTypeFont:
    files = _files()[index]
    if files is None:
        font = ImageFont.load_default(size)
        assert isinstance(font, ImageFont.FreeTypeFont), "Pillow is built without FreeType"
        return font
    return ImageFont.truetype(str(files[int(bold)]), size)
