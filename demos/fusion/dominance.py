"""Which modality led the training, read from the recipe's log, with and without rebalancing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from demos.fusion.data import bundle
from demos.fusion.lines import Line, draw_lines
from demos.fusion.settings import DominanceSettings
from shared.comparison import Comparison, Measure, Side, winner
from shared.demo import DemoError, Progress, no_progress
from shared.intervals import Interval, share_interval

LABELS = {"plain": "one loss, as it comes", "rebalanced": "rebalanced gradients"}
MODALITIES = {"image": "picture", "audio": "sound"}


def run_dominance(settings: DominanceSettings, progress: Progress | None = None) -> Comparison:
    """Two trainings of the same network from the same start: both classifiers through one loss on their summed scores.

    The rebalanced one turns down the gradients of the modality whose classifier is surer of the right answer, as OGM-GE
    does (Peng et al. 2022, equations 6 to 10, without its noise). Arrays: `steps`, `gradient_image`, `accuracy_image`
    and the same for audio. Nothing is trained here: the log is the recipe's and carries its own hardware and date.
    Raises DemoError where this release holds no log.
    """
    progress = progress or no_progress
    progress(0, 1, "logs")
    path = bundle() / "dominance.json"
    if not path.exists():
        raise DemoError("This release holds no training log; `python -m assets.fusion.dominance` makes it.")
    log = json.loads(path.read_text())
    sides = tuple(_side(kind, log["runs"][kind], settings.smooth, log["n"]) for kind in LABELS)
    progress(1, 1, "logs")
    return Comparison(
        demo="fusion",
        settings=settings.model_dump(),
        sides=sides,
        takeaway=say(sides),
        environment=log["environment"],
        figures=(_figure(sides, "gradient"), _figure(sides, "accuracy")),
    )


def _side(kind: str, run: dict[str, Any], smooth: int, n: int) -> Side:
    arrays = {name: np.array(values, dtype=float) for name, values in run.items()}
    for name in list(arrays):
        if name.startswith("gradient"):
            arrays[name] = _smooth(arrays[name], smooth)
    third = max(1, len(arrays["steps"]) // 3)
    ratio = float(np.median(arrays["gradient_image"][:third]) / np.median(arrays["gradient_audio"][:third]))
    measures = [
        Measure(
            "gradient_ratio", ratio, "picture / sound", "neither",
            "Median norm of the picture classifier's gradient over that of the sound's, first third of the training",
        )
    ]  # fmt: skip
    for name, said in (("both", "both"), ("image", "the picture alone"), ("audio", "the sound alone")):
        found = share_interval(round(float(arrays[f"accuracy_{name}"][-1]) * n), n)
        measures.append(
            Measure(
                f"final_accuracy_{name}", found.value, "share", "higher",
                f"Of {said}, by its own scores in the jointly trained network, at the end, {n} test pairs",
                found.low, found.high, n,
            )
        )  # fmt: skip
    return Side(LABELS[kind], tuple(measures), arrays=arrays)


def _smooth(values: np.ndarray, width: int) -> np.ndarray:
    half = width // 2
    return np.array([np.median(values[max(0, i - half) : i + half + 1]) for i in range(len(values))])


def _figure(sides: Sequence[Side], what: str) -> object:
    def line(side: Side, name: str, title: str) -> Line:
        values = side.arrays[f"{what}_{name}"]
        return Line(title, side.arrays["steps"].tolist(), [Interval(float(v), None, None, 1) for v in values])

    names = MODALITIES if what == "gradient" else {**MODALITIES, "both": "both"}
    panels = [(side.label, [line(side, name, title) for name, title in names.items()]) for side in sides]
    return draw_lines(
        panels, "training step", "gradient norm" if what == "gradient" else "accuracy ↑", share=what == "accuracy"
    )


def say(sides: Sequence[Side]) -> str:
    """Which modality led, and whether turning it down helped the other one and both together."""
    plain, rebalanced = sides
    accuracy = {
        side.label: {m: _value(side, f"final_accuracy_{m}") for m in ("image", "audio", "both")} for side in sides
    }
    lead = "image" if accuracy[plain.label]["image"] >= accuracy[plain.label]["audio"] else "audio"
    other = "audio" if lead == "image" else "image"
    before, after = accuracy[plain.label], accuracy[rebalanced.label]
    said = {"image": "picture", "audio": "sound"}
    clear = winner([_as_one(plain, "image"), _as_one(plain, "audio")], "final_accuracy") is not None
    first = (
        f"Trained through one loss, {f'the {said[lead]} leads' if clear else 'neither clearly leads at the end'}: the "
        f"{said[lead]} alone ends at {before[lead]:.0%}, the {said[other]} at {before[other]:.0%}."
    )
    weak = _change(plain, rebalanced, f"final_accuracy_{other}")
    both = _change(plain, rebalanced, "final_accuracy_both")
    return (
        f"{first} Rebalanced, the {said[other]} alone ends at {after[other]:.0%} ({weak}), and both together at "
        f"{after['both']:.0%} instead of {before['both']:.0%} ({both})."
    )


def _as_one(side: Side, modality: str) -> Side:
    """A side whose `final_accuracy` is the modality's, so that two modalities can be compared like sides."""
    found = side.measure(f"final_accuracy_{modality}")
    return Side(modality, () if found is None else (replace(found, name="final_accuracy"),))


def _change(plain: Side, rebalanced: Side, name: str) -> str:
    a, b = plain.measure(name), rebalanced.measure(name)
    if a is None or b is None or None in (a.low, a.high, b.low, b.high):
        return "not measured"
    assert a.low is not None and a.high is not None and b.low is not None and b.high is not None
    return "clearly better" if b.low > a.high else "clearly worse" if b.high < a.low else "no clear difference"


def _value(side: Side, name: str) -> float:
    found = side.measure(name)
    return 0.0 if found is None or found.value is None else found.value
