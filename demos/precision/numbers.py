"""Numbers: one typed value in FP32, BF16, FP16 and INT8, and a real gradient with and without loss scaling."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from demos.precision.figures import GREY, SEEN_ON_BOTH
from demos.precision.scenes import hard_scenes, to_input
from demos.precision.settings import NumbersSettings
from shared.comparison import Comparison, Measure, Side
from shared.demo import DemoError, Progress, no_progress
from shared.devices import environment
from shared.models import load_scene_reader
from shared.stickers import KINDS

FORMATS: dict[str, torch.dtype] = {"FP32": torch.float32, "BF16": torch.bfloat16, "FP16": torch.float16}
LEVELS = 127
"""INT8's largest whole number; symmetric, so -128 is not used."""
BATCH = 16


@dataclass(frozen=True)
class Stored:
    """What a format makes of a value: the value as stored, the distance to the next one, and its limits."""

    value: float
    step: float
    largest: float
    smallest: float
    """The smallest number above 0 that it holds."""
    fate: str
    """"", or what happened: overflow, underflow, clipped."""


def store(value: float, name: str, int8_range: float = 1.0) -> Stored:
    """A value in a format. In INT8 it is one of 255 steps from -int8_range to int8_range, and clipped beyond.

    The distance is to the next larger magnitude, as `numpy.spacing` has it.
    """
    if name == "INT8":
        step = int8_range / LEVELS
        level = round(value / step) if abs(value) < 2 * int8_range else math.copysign(LEVELS + 1, value)
        held = max(-LEVELS, min(LEVELS, level)) * step
        fate = "clipped" if abs(level) > LEVELS else "underflow" if value and not held else ""
        return Stored(held, step, int8_range, step, fate)
    kind = FORMATS[name]
    info = torch.finfo(kind)
    held = float(torch.tensor(value, dtype=torch.float64).to(kind))
    # Of the numbers below the normal ones, the step and the smallest are one: all formats here have subnormals.
    smallest = info.smallest_normal * info.eps
    fate = "overflow" if math.isinf(held) else "underflow" if value and not held else ""
    return Stored(held, _step(held, info), info.max, smallest, fate)


def _step(held: float, info: torch.finfo) -> float:
    if math.isinf(held):
        return float("nan")
    exponent = max(math.frexp(abs(held))[1] - 1, math.frexp(info.smallest_normal)[1] - 1) if held else 0
    return math.ldexp(info.eps, exponent) if held else info.smallest_normal * info.eps


def reader_gradient(seed: int) -> np.ndarray:
    """The gradient of the scene reader's own loss (cross-entropy of each kind's presence) on hard scenes, in FP32, at
    its trained weights; every weight's, in one row."""
    loaded = load_scene_reader()
    scenes = hard_scenes(BATCH, seed)
    truth = torch.nn.functional.one_hot(torch.from_numpy(scenes.truth.copy()), len(KINDS)).float().to(loaded.device)
    reader = copy.deepcopy(loaded.model).eval().requires_grad_(True)  # the shared one must not gather gradients
    loss = torch.nn.functional.binary_cross_entropy_with_logits(
        reader.logits(to_input(scenes.pictures).to(loaded.device)), truth
    )
    loss.backward()
    return torch.cat([p.grad.flatten() for p in reader.parameters() if p.grad is not None]).cpu().numpy()


def scale_gradient(gradient: np.ndarray, name: str, scale: float) -> tuple[float, float, float]:
    """A gradient stored in a format after the loss was multiplied by `scale`, and divided again in FP32.

    The shares of its values (those that are not 0) that became 0 and that overflowed, and the relative error of the
    rest, as the root of summed squares (Micikevicius et al. 2018, arXiv 1710.03740, section 3.2).
    """
    values = torch.from_numpy(gradient[gradient != 0])
    held = (values * scale).to(FORMATS[name]).float() / scale
    finite = torch.isfinite(held)
    lost = (held == 0).float().mean()
    error = (held - values)[finite].norm() / values[finite].norm().clamp(min=1e-30)
    return float(lost), float((~finite).float().mean()), float(error)


def run_numbers(settings: NumbersSettings, progress: Progress | None = None) -> Comparison:
    """A side for each format: the typed value as stored, its step and limits; and the shares of a real gradient that
    vanish and overflow in it, without and with loss scaling."""
    progress = progress or no_progress
    progress(0, 2, "gradients")
    try:
        gradient, why = reader_gradient(settings.seed), ""
    except DemoError as error:
        gradient, why = np.zeros(0, np.float32), str(error)
    progress(1, 2, "gradients")
    sides = tuple(
        Side(name, (*_stored_measures(settings, name), *_gradient_measures(settings, name, gradient, why)))
        for name in (*FORMATS, "INT8")
    )
    progress(2, 2, "gradients")
    return Comparison(
        demo="precision.numbers",
        settings=settings.model_dump(),
        sides=sides,
        takeaway=say(settings, sides),
        environment=environment(torch.device("cpu"), torch.float32, model="scene reader's gradient"),
        figures=(_figure(gradient),) if len(gradient) else (),
    )


def _stored_measures(settings: NumbersSettings, name: str) -> list[Measure]:
    s = store(settings.value, name, settings.int8_range)
    fate = {"": "", "overflow": "Overflow: beyond the largest number", "clipped": "Beyond the range: cut to its end",
            "underflow": "Underflow: below half the smallest number above 0"}[s.fate]  # fmt: skip
    error = abs(s.value - settings.value) / abs(settings.value) if settings.value and math.isfinite(s.value) else None
    kept = Measure.exact("stored", s.value, "", "neither", fate) if math.isfinite(s.value) else (
        Measure("stored", None, "", "neither", fate))  # fmt: skip
    wrong = "Difference of the stored value from the typed one, as a share of it"
    return [
        kept,
        Measure("relative_error", error, "", "lower", wrong if error is not None else fate or "Of 0 there is none"),
        Measure("step", s.step, "", "neither", "To the next number there") if math.isfinite(s.step) else (
            Measure("step", None, "", "neither", fate)),
        Measure.exact("largest", s.largest, "", "neither", "INT8's is the range that calibration chose"),
        Measure.exact("smallest_above_0", s.smallest, "", "neither", "Subnormal numbers counted"),
    ]  # fmt: skip


_NO_INT8 = "Gradients are not stored in INT8 here"


def _gradient_measures(settings: NumbersSettings, name: str, gradient: np.ndarray, why: str) -> list[Measure]:
    names = ("gradient_vanished", "vanished_scaled", "overflowed_scaled", "error_scaled")
    if name == "INT8" or why:
        return [Measure(n, None, "share", "lower", why or _NO_INT8) for n in names]
    lost, _, _ = scale_gradient(gradient, name, 1.0)
    kept, over, error = scale_gradient(gradient, name, float(settings.loss_scale))
    n, scaled = int((gradient != 0).sum()), f"with the loss times {settings.loss_scale:,}"
    return [
        Measure.exact(names[0], lost, "share", "lower", f"Of the {n:,} values of a gradient, those that became 0"),
        Measure.exact(names[1], kept, "share", "lower", f"The same {scaled}"),
        Measure.exact(names[2], over, "share", "lower", f"Values beyond the largest number {scaled}"),
        Measure.exact(names[3], error, "share", "lower", f"Relative error of the finite values {scaled}"),
    ]


def say(settings: NumbersSettings, sides: Sequence[Side]) -> str:
    """What each format made of the value, and what loss scaling did to the gradient."""
    parts = []
    for side in sides:
        s = store(settings.value, side.label, settings.int8_range)
        fate = {"overflow": "overflows", "underflow": "becomes 0", "clipped": f"is cut to {s.value:g}"}.get(s.fate)
        parts.append(f"in {side.label} {fate or f'is {s.value:.9g}'}")
    return f"{settings.value:g} {', '.join(parts)}. {_say_gradient(settings, sides)}".strip()


def _say_gradient(settings: NumbersSettings, sides: Sequence[Side]) -> str:
    found = {s.label: (s.measure("gradient_vanished"), s.measure("vanished_scaled"), s.measure("overflowed_scaled"))
             for s in sides}  # fmt: skip
    values = {name: [m.value if m else None for m in own] for name, own in found.items()}
    bf16, fp16 = values.get("BF16", [None] * 3), values.get("FP16", [None] * 3)
    if fp16[0] is None or fp16[1] is None or bf16[0] is None or fp16[2] is None:
        return ""
    first = f"Of a real gradient FP16 loses {_percent(fp16[0])} to 0 and BF16 {_percent(bf16[0])}"
    if fp16[2] > 0:
        return f"{first}; a loss scale of {settings.loss_scale:,} is too much, {_percent(fp16[2])} overflow in FP16."
    if fp16[1] < fp16[0]:
        return f"{first}; with a loss scale of {settings.loss_scale:,} FP16 loses {_percent(fp16[1])}."
    return f"{first}; a loss scale of {settings.loss_scale:,} changes nothing here."


def _percent(share: float) -> str:
    """Two digits of a share that may be far below a hundredth, "0.012%"."""
    return f"{100 * share:.2g}%" if share < 0.1 else f"{share:.0%}"


def _figure(gradient: np.ndarray) -> Any:
    import plotly.graph_objects as go

    size = np.log2(np.abs(gradient[gradient != 0]).astype(np.float64))
    counts, edges = np.histogram(size, bins=np.arange(math.floor(size.min()), math.ceil(size.max()) + 1))
    figure = go.Figure()
    figure.add_bar(x=edges[:-1] + 0.5, y=counts, marker={"color": SEEN_ON_BOTH[0]}, name="gradient values")
    for i, (name, kind) in enumerate(FORMATS.items()):
        info = torch.finfo(kind)
        x = math.log2(info.smallest_normal * info.eps) - 1
        if x > edges[0] - 12:
            figure.add_vline(x=x, line={"color": SEEN_ON_BOTH[i], "dash": "dash"}, annotation_text=f"0 in {name}",
                             annotation_font_color=GREY)  # fmt: skip
    figure.update_layout(
        height=300, margin={"l": 60, "r": 10, "t": 24, "b": 50}, paper_bgcolor="rgba(0,0,0,0)", bargap=0.05,
        plot_bgcolor="rgba(0,0,0,0)", font={"color": GREY, "size": 13}, showlegend=False,
        xaxis={"title": "size of a gradient's value, power of 2", "fixedrange": True, "zeroline": False,
               "gridcolor": "rgba(125,133,144,0.25)"},
        yaxis={"title": "values", "fixedrange": True, "gridcolor": "rgba(125,133,144,0.25)"},
    )  # fmt: skip
    return figure
