"""What the smoothing demo can be set to."""

from __future__ import annotations

from typing import Literal

from shared.settings import Settings, setting

Filter = Literal["mean", "median"]


class SmoothingSettings(Settings):
    """A mean filter against a median filter on the same noisy picture."""

    noise: float = setting(
        0.15, "Noise", "Share of pixels set to black or white.", main=True, step=0.01, ge=0.0, le=0.9
    )
    filter_a: Filter = setting("mean", "filter", main=True, group="filter", side="a")
    filter_b: Filter = setting("median", "filter", main=True, group="filter", side="b")
    window_a: int = setting(3, "window", "Width in pixels.", main=True, group="window", side="a", step=2, ge=1, le=9)
    window_b: int = setting(3, "window", "Width in pixels.", main=True, group="window", side="b", step=2, ge=1, le=9)
    seed: int = setting(0, "Seed", "Chooses the noise.", main=True, ge=0, le=2**31 - 1)
    samples: int = setting(8, "Samples", "Noisy pictures behind each number.", ge=1, le=64, costs=True)
    caption: str = setting("", "Note", "Words for your own card.", max_length=200)


class SweepSettings(Settings):
    """Both filters over several noise levels."""

    levels: tuple[float, ...] = setting((0.05, 0.15, 0.3), "Noise levels", "Separated by commas.", min_length=1,
                                        max_length=12, costs=True)  # fmt: skip
    window: int = setting(3, "Window", step=2, ge=1, le=9)
    samples: int = setting(8, "Samples", "Noisy pictures behind each number.", ge=1, le=5000, costs=True)
    seed: int = setting(0, "Seed", ge=0, le=2**31 - 1)
