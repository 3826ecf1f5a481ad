"""Filters one noisy picture in two ways and measures how near each comes to the clean one."""

from __future__ import annotations

import math
import platform
import time

import numpy as np
from PIL import Image, ImageDraw

from demos.smoothing.settings import SmoothingSettings, SweepSettings
from shared.comparison import Comparison, Measure, Side, winner
from shared.demo import Cancelled, DemoError, Progress, no_progress

SIZE = 96


def compare(settings: SmoothingSettings, progress: Progress | None = None) -> Comparison:
    """Both filters on the same `samples` noisy pictures. Raises DemoError for an even window."""
    progress = progress or no_progress
    clean = draw_clean()
    rng = np.random.default_rng(settings.seed)
    noisy = [add_noise(clean, settings.noise, rng) for _ in range(settings.samples)]
    plans = (("a", settings.filter_a, settings.window_a), ("b", settings.filter_b, settings.window_b))
    sides = []
    for index, (letter, name, window) in enumerate(plans):
        check_window(f"window_{letter}", window)
        progress(index * settings.samples, 2 * settings.samples, "pictures")
        started = time.perf_counter()
        results = []
        for n, picture in enumerate(noisy, start=1):
            results.append(smooth(picture, name, window))
            progress(index * settings.samples + n, 2 * settings.samples, "pictures")
        seconds = (time.perf_counter() - started) / settings.samples
        sides.append(describe(f"{name}, window {window}", clean, noisy[0], results, seconds))
    return Comparison("smoothing", settings.model_dump(), tuple(sides), say(tuple(sides)), environment())


def sweep(settings: SweepSettings, progress: Progress | None = None) -> Comparison:
    """Both filters at every noise level, a side each; cancelled, it returns the sides it has."""
    progress = progress or no_progress
    check_window("window", settings.window)
    clean, sides, complete = draw_clean(), [], True
    total = 2 * len(settings.levels) * settings.samples
    try:
        for level in settings.levels:
            rng = np.random.default_rng(settings.seed)
            noisy = [add_noise(clean, level, rng) for _ in range(settings.samples)]
            for name in ("mean", "median"):
                done, started, results = len(sides) * settings.samples, time.perf_counter(), []
                for n, picture in enumerate(noisy, start=1):
                    results.append(smooth(picture, name, settings.window))
                    progress(done + n, total, "pictures")
                seconds = (time.perf_counter() - started) / settings.samples
                sides.append(describe(f"{name}, noise {level:g}", clean, noisy[0], results, seconds))
    except Cancelled:
        if not sides:
            raise
        complete = False
    takeaway = f"Measured {len(sides)} of {2 * len(settings.levels)} filters and noise levels."
    return Comparison("smoothing", settings.model_dump(), tuple(sides), takeaway, environment(), complete=complete)


def check_window(name: str, window: int) -> None:
    """Raises DemoError unless a window of that width has a middle pixel."""
    if window % 2 == 0:
        raise DemoError(f"{name} must be odd, so that the window has a middle pixel, not {window}.")


def draw_clean() -> np.ndarray:
    """The clean picture, float [SIZE, SIZE, 3] in 0..1."""
    picture = Image.new("RGB", (SIZE, SIZE), (191, 226, 240))
    pen = ImageDraw.Draw(picture)
    pen.rectangle((14, 44, 50, 80), fill=(214, 106, 60))
    pen.ellipse((46, 14, 84, 52), fill=(247, 202, 69))
    pen.polygon([(10, 46), (32, 22), (54, 46)], fill=(86, 88, 120))
    return np.asarray(picture, dtype=np.float64) / 255


def add_noise(clean: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """A copy with that share of the pixels set to black or white (salt and pepper)."""
    noisy = clean.copy()
    hit = rng.random(clean.shape[:2]) < share
    noisy[hit] = rng.integers(0, 2, hit.sum())[:, None]
    return noisy


def smooth(picture: np.ndarray, name: str, window: int) -> np.ndarray:
    """The mean or median of each pixel's window [height, width, 3]; edges repeat."""
    half = window // 2
    padded = np.pad(picture, ((half, half), (half, half), (0, 0)), mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (window, window), axis=(0, 1))
    return windows.mean((-2, -1)) if name == "mean" else np.median(windows, axis=(-2, -1))


def psnr(clean: np.ndarray, result: np.ndarray) -> float:
    """Peak signal-to-noise ratio in dB for pictures in 0..1: -10 log10 of the mean squared error."""
    return -10 * math.log10(max(float(((clean - result) ** 2).mean()), 1e-10))


def describe(label: str, clean: np.ndarray, noisy: np.ndarray, results: list[np.ndarray], seconds: float) -> Side:
    """The side of one filter: its first picture, the noisy one below it, and its measures over all pictures."""
    values = np.array([psnr(clean, r) for r in results])
    half = 1.96 * values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else None
    mean = float(values.mean())
    low, high = (None, None) if half is None else (mean - half, mean + half)
    measures = (
        Measure("psnr", mean, "dB", "higher", "Against the clean picture, mean over the samples.", low, high,
                len(values)),
        Measure("latency", seconds, "s", "lower", "Seconds per picture, mean over the samples.", n=len(values)),
        Measure("saturation", float(((results[0] <= 0) | (results[0] >= 1)).mean()), "share", "neither",
                "Values at either end of the range, first sample.", n=1),
    )  # fmt: skip
    pictures = tuple(to_image(p) for p in (results[0], noisy, clean))
    return Side(label, measures, pictures, arrays={"error": np.abs(clean - results[0]).mean(-1)},
                captions=("", "noisy", "clean"))  # fmt: skip


def to_image(picture: np.ndarray) -> Image.Image:
    """A picture from floats [height, width, 3] in 0..1."""
    return Image.fromarray((picture * 255).round().astype(np.uint8))


def say(sides: tuple[Side, ...]) -> str:
    """One sentence from the measured values."""
    best = winner(sides, "psnr")
    found = [m.value for m in (s.measure("psnr") for s in sides) if m and m.value is not None]
    if best is None:
        return f"No clear difference: {found[0]:.1f} dB against {found[1]:.1f} dB."
    return f"{'AB'[best]} came nearer to the clean picture: {found[best]:.1f} dB against {found[1 - best]:.1f} dB."


def environment() -> dict[str, str]:
    """Where it ran."""
    return {"device": "cpu", "numpy": np.__version__, "python": platform.python_version(), "model": "no model"}
