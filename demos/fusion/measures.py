"""From answers to measures: accuracy with intervals, calibration error, falls paired over test pairs, latency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from demos.fusion.models import Inputs, answer
from demos.fusion.networks import Fusion
from shared.comparison import Measure
from shared.intervals import Interval, paired_difference, share_interval
from shared.quality import expected_calibration_error

STATES = ("both", "image_only", "audio_only", "none")
"""What is available. `image_only` is what is left when the sound is gone."""
GONE: Mapping[str, str] = {"both": "none", "image_only": "audio", "audio_only": "image", "none": "both"}
BINS = 15
TIMED = 30


@dataclass(frozen=True)
class Marks:
    """One model's answers to the test pairs in each state: right or wrong [n], and how sure it was [n]."""

    right: Mapping[str, np.ndarray]
    sure: Mapping[str, np.ndarray]

    def accuracy(self, state: str) -> Interval:
        """The share of right answers, with Wilson's interval."""
        right = self.right[state]
        return share_interval(int(right.sum()), len(right))

    def fall(self) -> np.ndarray:
        """By how much each pair's answer got worse with one modality gone, on average over which: -1 to 1 [n]."""
        one = (self.right["image_only"].astype(float) + self.right["audio_only"]) / 2
        return self.right["both"].astype(float) - one


def mark(answers: Mapping[str, np.ndarray], truth: np.ndarray) -> Marks:
    """Probabilities [n, 10] by state, compared with the true digits [n]."""
    return Marks(
        {state: p.argmax(axis=1) == truth for state, p in answers.items()},
        {state: p.max(axis=1) for state, p in answers.items()},
    )


def accuracy_measure(marks: Marks, state: str, note: str = "") -> Measure:
    """`accuracy_both` and the like."""
    found = marks.accuracy(state)
    said = {"both": "Picture and sound are there", "image_only": "The sound is missing",
            "audio_only": "The picture is missing", "none": "Both are missing"}[state]  # fmt: skip
    return Measure(
        f"accuracy_{state}", found.value, "share", "higher",
        f"{said}; {found.n} test pairs that no model was trained on{note}", found.low, found.high, found.n,
    )  # fmt: skip


def calibration_measure(marks: Marks, seed: int, draws: int = 200) -> Measure:
    """The calibration error with both there; its interval by bootstrap over the test pairs."""
    sure, right = marks.sure["both"], marks.right["both"]
    rng = np.random.default_rng([seed, 9])
    found = []
    for _ in range(draws):
        chosen = rng.integers(0, len(sure), len(sure))
        found.append(expected_calibration_error(sure[chosen], right[chosen], BINS))
    low, high = np.quantile(found, (0.025, 0.975))
    value = expected_calibration_error(sure, right, BINS)
    note = (
        "How far confidence and accuracy lie apart, picture and sound there: expected calibration error over "
        f"{BINS} bins; interval by bootstrap"
    )
    return Measure(
        "calibration_error", value, "share", "lower", note, float(min(low, value)), float(max(high, value)), len(sure)
    )


def compare_falls(first: Marks, second: Marks) -> Interval:
    """By how much more the first falls than the second when one modality goes, over the same pairs, -1 to 1."""
    return paired_difference(
        second.fall().tolist(), first.fall().tolist(), low=-1, high=1, grain=1 / (2 * max(1, len(first.fall())))
    )


def marking_gain(marked: np.ndarray, unmarked: np.ndarray, how: str) -> Measure:
    """By how much more answers are right where what is missing is marked; which are right, bool [n], same pairs."""
    found = paired_difference(
        unmarked.astype(float).tolist(), marked.astype(float).tolist(), low=-1, high=1, grain=1 / max(1, len(marked))
    )
    note = f"By how much more test pairs are right with the mask token than with {how}, paired over the test pairs"
    return Measure("marking_gain", found.value, "share", "neither", note, found.low, found.high, found.n)


def total_variation(first: np.ndarray, second: np.ndarray) -> float:
    """Half the summed distance of two distributions, 0 (the same) to 1 (nothing in common)."""
    return float(np.abs(first - second).sum() / 2)


def time_in_turns(networks: Sequence[Fusion], inputs: Inputs, rule: str, repeats: int = TIMED) -> list[Interval]:
    """Milliseconds to answer one pair, for each network: the networks take turns, after three warm-up answers each.

    The value is the median and the interval that of the median, by order statistics.
    """
    one = Inputs(inputs.image[:1], inputs.audio[:1], inputs.present)
    for network in networks:
        for _ in range(3):
            answer(network, one, rule)
    seconds: list[list[float]] = [[] for _ in networks]
    for turn in range(repeats):
        order = range(len(networks)) if turn % 2 == 0 else range(len(networks) - 1, -1, -1)
        for index in order:
            started = perf_counter()
            answer(networks[index], one, rule)
            seconds[index].append(1000 * (perf_counter() - started))
    return [_median(s) for s in seconds]


def _median(values: Sequence[float]) -> Interval:
    from scipy.stats import binom

    ordered = np.sort(values)
    n = len(ordered)
    below = int(binom.ppf(0.025, n, 0.5))
    return Interval(
        float(np.median(ordered)), float(ordered[max(0, below - 1)]), float(ordered[min(n - 1, n - below)]), n
    )


def latency_measure(found: Interval) -> Measure:
    """Milliseconds for one pair."""
    note = "The network alone, one pair, median of 30 after a warm-up, models in turns"
    return Measure("latency", found.value, "ms", "lower", note, found.low, found.high, found.n)
