"""Calibration: static INT8 of the scene reader with the right data, noise and none, by amount and by weight scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from demos.precision.classify import Classify
from demos.precision.engines import CannotRun, Engine, build
from demos.precision.exporting import Calibrating
from demos.precision.figures import lines
from demos.precision.networks import answer_logits
from demos.precision.scenes import hard_scenes, to_input
from demos.precision.settings import CalibrationSettings, PrecisionSettings, read_counts
from demos.precision.tasks import Tick, calibrating_for, calls_for, run_all
from shared.comparison import Comparison, Measure, Side
from shared.demo import Cancelled, Progress, no_progress
from shared.devices import environment
from shared.intervals import LEVEL

UNIT = "calls"
_WAYS = {True: "per channel", False: "per tensor"}


@dataclass(frozen=True)
class Cell:
    """One way to calibrate: what is looked at, how many of it (0: none), and whether each channel has its scale."""

    data: str
    size: int
    per_channel: bool

    @property
    def label(self) -> str:
        """ "scenes 16 · per channel", or "none · per tensor"."""
        return f"{self.data}{f' {self.size}' if self.size else ''} · {_WAYS[self.per_channel]}"


def cells(settings: CalibrationSettings) -> tuple[Cell, ...]:
    """Every way: scenes and noise in each amount and none, each per channel and per tensor."""
    amounts = read_counts(settings.sizes, 512)
    kinds = [(data, n) for data in ("scenes", "noise") for n in amounts] + [("none", 0)]
    return tuple(Cell(data, n, way) for data, n in kinds for way in (True, False))


def bootstrap_difference(hits: np.ndarray, others: np.ndarray, samples: int, seed: int) -> tuple[float, float, float]:
    """The mean of `hits` minus that of `others`, paired [n], with the 95% percentile interval over resampled pairs
    (Efron and Tibshirani 1993, chapter 13)."""
    differences = hits.astype(float) - others.astype(float)
    rng, n = np.random.default_rng([seed % 2**63, 11]), len(differences)
    means = np.concatenate(
        [differences[rng.integers(0, n, (min(1000, samples - i), n))].mean(axis=1) for i in range(0, samples, 1000)]
    )
    low, high = np.quantile(means, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return float(differences.mean()), float(low), float(high)


def run_calibration(settings: CalibrationSettings, progress: Progress | None = None) -> Comparison:
    """A side for FP32 and for each way to calibrate, with its accuracy on hard scenes and what it lost against FP32.

    Cancelled, it returns the sides that are done with `complete=False`.
    """
    progress = progress or no_progress
    progress(0, 1, UNIT)
    task = Classify(PrecisionSettings(n_quality=settings.n_quality, seed=settings.seed))
    network = task.networks[-1]
    wanted = cells(settings)
    each = calls_for(settings.n_quality) + 1
    total, done = len(wanted) * each + each - 1, 0

    def tick() -> None:
        nonlocal done
        done += 1
        progress(done, total, UNIT)

    scenes = hard_scenes(settings.n_quality, settings.seed)
    inputs = (to_input(scenes.pictures),)
    sides: list[Side] = []
    complete = True
    with network.loaded.alone(lambda: progress(done, total, UNIT)):
        try:
            reference = _answers(build("eager_fp32", network, Calibrating("none", None, True)), inputs, tick)
            sides.append(_side("FP32", reference, reference, scenes.truth, settings))
            for cell in wanted:
                tick()
                calibrating = calibrating_for(task, network, cell.data, cell.size, cell.per_channel, settings.seed)
                try:
                    answers = _answers(build("ort_int8", network, calibrating), inputs, tick)
                    sides.append(_side(cell.label, answers, reference, scenes.truth, settings))
                except CannotRun as why:
                    sides.append(Side(cell.label, (Measure("accuracy", None, "share", "higher", str(why)),)))
        except Cancelled:
            complete = False
    return Comparison(
        demo="precision.calibration",
        settings=settings.model_dump(),
        sides=tuple(sides),
        takeaway=say(sides),
        environment=environment(network.loaded.device, torch.float32, "onnxruntime", model=network.title,
                                weights=network.loaded.origin),
        figures=(_figure(sides, wanted),) if len(sides) > 1 else (),
        complete=complete,
    )  # fmt: skip


def _answers(engine: Engine, inputs: tuple[torch.Tensor, ...], tick: Tick) -> np.ndarray:
    return run_all(engine, inputs, tick, then=answer_logits).argmax(-1).numpy()


def _side(label: str, answers: np.ndarray, reference: np.ndarray, truth: np.ndarray, s: CalibrationSettings) -> Side:
    hits = answers == truth
    n = len(truth)
    lost, low, high = bootstrap_difference(hits, reference == truth, s.bootstrap, s.seed)
    accuracy, a_low, a_high = bootstrap_difference(hits, np.zeros(n), s.bootstrap, s.seed)
    same, s_low, s_high = bootstrap_difference(answers == reference, np.zeros(n), s.bootstrap, s.seed)
    note = f"95% interval from {s.bootstrap:,} bootstrap samples"
    return Side(
        label,
        (
            Measure("accuracy", accuracy, "share", "higher", f"On hard scenes; {note}", a_low, a_high, n),
            Measure("agreement", same, "share", "higher", f"The same answer as FP32; {note}", s_low, s_high, n),
            Measure("accuracy_gain", lost, "share", "higher", f"Accuracy minus FP32's, paired by scene; {note}", low,
                    high, n),
        ),
    )  # fmt: skip


def say(sides: list[Side]) -> str:
    """Best calibrated against none, what noise did, and what a scale for each channel did, from what was measured."""
    found = {side.label: m for side in sides if (m := side.measure("accuracy")) is not None and m.value is not None}
    scenes = {name: m for name, m in found.items() if name.startswith("scenes")}
    if "FP32" not in found or not scenes:
        return "Stopped before anything could be compared."
    base = found["FP32"].value or 0.0
    best = max(scenes, key=lambda name: scenes[name].value or 0.0)
    sentences = [f"FP32 is right on {base:.2f} of the scenes, INT8 calibrated on {best} on {scenes[best].value:.2f}."]
    for kind, words in (("none", "Without calibration"), ("noise", "Calibrated on noise")):
        own = [m for name, m in found.items() if name.startswith(kind)]
        if not own:
            continue
        top = max(own, key=lambda m: m.value or 0.0)
        low = scenes[best].low
        clear = top.high is not None and low is not None and top.high < low
        verdict = "clearly worse" if clear else "no clear difference"
        sentences.append(f"{words} it is at most {top.value:.2f}: {verdict}.")
    sentences.append(_channels(found))
    return " ".join(s for s in sentences if s)


def _channels(found: dict[str, Measure]) -> str:
    pairs = [
        ((m.value or 0.0) - (found[other].value or 0.0))
        for name, m in found.items()
        if name.startswith("scenes") and name.endswith("per channel")
        and (other := name.replace("per channel", "per tensor")) in found
    ]  # fmt: skip
    if not pairs:
        return ""
    gain = float(np.mean(pairs))
    if abs(gain) < 0.01:
        return "A scale for each channel instead of each tensor changed accuracy by less than 0.01 here."
    return f"A scale for each channel {'gained' if gain > 0 else 'lost'} {abs(gain):.2f} on average."


def _figure(sides: list[Side], wanted: tuple[Cell, ...]) -> object:
    found = {side.label: side.measure("accuracy") for side in sides}
    curves: dict[str, list[tuple[float, float, float | None, float | None]]] = {}
    for cell in wanted:
        m = found.get(cell.label)
        if m is not None and m.value is not None and cell.size:
            curves.setdefault(f"{cell.data}, {_WAYS[cell.per_channel]}", []).append((cell.size, m.value, m.low, m.high))
    base = found.get("FP32")
    return lines(curves, "pictures in calibration", "accuracy ↑", level=base.value if base else None, level_name="FP32")
