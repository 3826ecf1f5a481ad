"""The one value that every demo makes and every view shows: sides with measures, what was set, what it means."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from PIL import Image

Better = Literal["higher", "lower", "neither"]
ARROWS: Mapping[str, str] = MappingProxyType({"higher": "↑", "lower": "↓", "neither": ""})


@dataclass(frozen=True)
class Measure:
    """One measured number.

    `low` and `high` are the ends of its 95% interval; an exact count has both equal to the value, and a single
    measurement has neither. `n` is how many samples stand behind it. `note` says how it was measured, or why it
    is null.
    """

    name: str
    value: float | None
    unit: str
    better: Better
    note: str = ""
    low: float | None = None
    high: float | None = None
    n: int | None = None

    def __post_init__(self) -> None:
        if self.better not in ARROWS:
            raise ValueError(f"better must be higher, lower or neither, not {self.better!r}")
        if self.value is None and not self.note:
            raise ValueError(f"{self.name}: a null value needs a note that says why")

    @classmethod
    def exact(cls, name: str, value: float, unit: str, better: Better, note: str = "") -> Measure:
        """A count or another number with no sampling error: its interval is the value itself."""
        return cls(name, value, unit, better, note, low=value, high=value)


@dataclass(frozen=True)
class Side:
    """One technique or setting, with what it made.

    `images[0]` is the plain picture; films, overlays and maps follow, named by `captions` (one for each image, or
    none). `arrays` holds what the pictures were made from: a map [height, width], points [n, 2]. `cover` is the index
    of the picture that stands for the side on page and card, where that is not the plain one.
    """

    label: str
    measures: tuple[Measure, ...]
    images: tuple[Image.Image, ...] = ()
    figure: Any = None
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    captions: tuple[str, ...] = ()
    cover: int = 0

    @property
    def face(self) -> Image.Image | None:
        """The picture that stands for the side, or None where it has none."""
        return self.images[min(self.cover, len(self.images) - 1)] if self.images else None

    def measure(self, name: str) -> Measure | None:
        """The side's measure of that name, if it has one."""
        return next((m for m in self.measures if m.name == name), None)


@dataclass(frozen=True)
class Comparison:
    """Sides on the same input, in one run. `measures` are between the sides; `environment` is where it ran. Its
    `drawn_by` names the model that drew the pictures where that is not its `model`, and is empty where none did."""

    demo: str
    settings: dict[str, Any]
    sides: tuple[Side, ...]
    takeaway: str
    environment: dict[str, Any]
    measures: tuple[Measure, ...] = ()
    figures: tuple[Any, ...] = ()
    complete: bool = True

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe: settings, every measure, takeaway and environment; no pictures. NaN and infinity become None."""
        return plain(
            {
                "demo": self.demo,
                "settings": self.settings,
                "sides": [{"label": s.label, "measures": [vars(m) for m in s.measures]} for s in self.sides],
                "measures": [vars(m) for m in self.measures],
                "takeaway": self.takeaway,
                "environment": self.environment,
                "complete": self.complete,
            }
        )

    def to_markdown(self) -> str:
        """The measure table as Markdown; arrows show the better direction, the better side is bold."""
        from shared.table import to_markdown

        return to_markdown(self)

    def card(self, width: int = 1600, dark: bool = False) -> Image.Image:
        """A picture for notes: sides, settings, seed, measures, takeaway, model, device and versions."""
        from shared.card import draw_card

        return draw_card(self, width=width, dark=dark)


def winner(sides: Sequence[Side], name: str) -> int | None:
    """The index of the side that is better in the measure `name`, or None where there is no clear difference.

    A side wins only if its 95% interval lies wholly on the better side of every other side's interval. A value
    without an interval, such as one sample, never wins and never lets another win.
    """
    measures = [side.measure(name) for side in sides]
    if len(measures) < 2 or any(m is None or m.low is None or m.high is None for m in measures):
        return None
    found = [m for m in measures if m is not None]
    better = found[0].better
    if better == "neither":
        return None
    sign = 1 if better == "higher" else -1
    spans = [sorted((sign * m.low, sign * m.high)) for m in found if m.low is not None and m.high is not None]
    for index, (low, _) in enumerate(spans):
        if all(low > high for other, (_, high) in enumerate(spans) if other != index):
            return index
    return None


def plain(value: Any) -> Any:
    """The value with only what JSON has: numpy scalars and arrays become Python ones, NaN and infinity None."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
