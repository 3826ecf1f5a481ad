"""Comparisons for the tests of tables, pages, cards and exports."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image

from shared.comparison import Comparison, Measure, Side

HOSTILE = '<script>alert("x")</script> & | ` * \\ ${window.x}'
ENVIRONMENT = {
    "model": "sticker_diffusion",
    "device": "CPU (test)",
    "threads": 2,
    "dtype": "float32",
    "torch": "2.13.0+cpu",
    "date": "2026-01-02 03:04 UTC",
}
SETTINGS = {
    "prompt": "a red car on a mint background",
    "seed": 13,
    "guidance_a": 1.0,
    "guidance_b": 7.5,
    "steps_a": 20,
    "steps_b": 10,
    "model": "auto",
}


def picture(color: tuple[int, int, int], size: tuple[int, int] = (64, 64)) -> Image.Image:
    return Image.new("RGB", size, color)


def share(value: float, low: float | None = None, high: float | None = None, better: str = "higher") -> Measure:
    return Measure("adherence", value, "share", better, "Facts right.", low, high, 4)  # type: ignore[arg-type]


def compared(*measures: Measure, film: bool = False, between: Sequence[Measure] = ()) -> Comparison:
    """A comparison whose sides have one measure each."""
    frames = tuple(picture((i * 20, 0, 0)) for i in range(6)) if film else ()
    captions = ("", "1", "4", "8", "12", "16", "20") if film else ()
    sides = tuple(
        Side(f"guidance {i + 1}", (m,), (picture((0, 40 * i, 200)), *frames), captions=captions)
        for i, m in enumerate(measures)
    )
    return Comparison("guidance", SETTINGS, sides, "B followed the prompt better.", ENVIRONMENT, tuple(between))


def grid() -> Comparison:
    """Eight sides whose labels form a grid; one cell has failed and has no picture."""
    sides = []
    for steps in (4, 8):
        for guidance in (1, 3, 5, 7.5):
            failed = (steps, guidance) == (8, 3)
            m = Measure("adherence", None if failed else guidance / 10, "share", "higher", "This cell failed.")
            images = () if failed else (picture((0, 100, 200)),)
            sides.append(Side(f"guidance {guidance:g}, steps {steps}", (m,), images))
    return Comparison("guidance.sweep", {"seed": 3}, tuple(sides), "Steps changed nothing.", ENVIRONMENT)


def hostile() -> Comparison:
    """User text that wants to be markup, in every place where text can stand."""
    measures = (
        Measure(HOSTILE, 0.5, HOSTILE, "higher", HOSTILE, 0.4, 0.6, 4),
        Measure("missing", None, "share", "higher", HOSTILE),
    )
    side = Side(HOSTILE, measures, (picture((9, 9, 9)),) * 3, captions=(HOSTILE, HOSTILE, "2"))
    between = Measure(f"between {HOSTILE}", None, "share", "neither", HOSTILE)
    settings = {"prompt": HOSTILE, "seed": 1, "x_a": HOSTILE}
    environment = {"model": HOSTILE, "device": HOSTILE, "date": HOSTILE}
    plain = Side("=1+1", measures, (picture((9, 9, 9)),), arrays={"../a b": np.arange(3), "ü": np.arange(2)})
    return Comparison("guidance", settings, (side, plain), HOSTILE, environment, (between,))
