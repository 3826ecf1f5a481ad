"""One picture and one sound, three fusion designs and two references, before and after a modality goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

from demos.fusion.bars import draw_bars
from demos.fusion.data import draw_pairs, put_noise_on_pictures, put_noise_on_sounds, read_at, to_features
from demos.fusion.matched import NO_MATCH, matched_latencies
from demos.fusion.measures import (
    GONE,
    STATES,
    Marks,
    accuracy_measure,
    calibration_measure,
    compare_falls,
    latency_measure,
    mark,
    marking_gain,
    time_in_turns,
    total_variation,
)
from demos.fusion.models import (
    DESIGNS,
    NAMES,
    REFERENCES,
    Inputs,
    answer,
    drop,
    load,
    make_inputs,
    variant_for,
)
from demos.fusion.networks import Fusion, count_parameters
from demos.fusion.sample import Sample, make_sample
from demos.fusion.settings import DropAs, FusionSettings, Task
from demos.fusion.takeaway import say
from shared.comparison import Comparison, Measure, Side
from shared.demo import Progress, no_progress
from shared.devices import environment
from shared.intervals import share_interval
from shared.sound import RATE

UNIT = "batches of answers"
MODEL = "fusion models trained here"


@dataclass(frozen=True)
class Answered:
    """What one model says to the sample, before and after the drop (probabilities [10]), and its marks on the test."""

    before: np.ndarray
    after: np.ndarray
    marks: Marks


def compare(settings: FusionSettings, progress: Progress | None = None) -> Comparison:
    """Five sides: early, intermediate, late fusion, the picture alone, the sound alone.

    Each side's image holds the ten probabilities before and after the drop. Arrays: `before` and `after` [10]; the
    first side also has the sample, `picture` [h, w], `log_mel` [32, 48] and `sound` [7680] at 8 kHz, as the models get
    them, noise and all.

    Raises DemoError for a drawing or a sound that is none, and whatever `progress` raises to stop the work.
    """
    progress = progress or no_progress
    names = (*DESIGNS, *REFERENCES)
    total = 2 + len(names) * len(STATES) + 2
    progress(0, total, UNIT)
    sample = make_sample(settings)
    one = make_inputs(sample.picture[None], sample.window[None], sample.present)
    networks = {name: load(variant_for(name, settings.task, settings.trained_with)) for name in names}
    test, truth = test_inputs(settings.task, settings.n, settings.seed, settings.image_noise, settings.audio_noise)
    progress(2, total, UNIT)
    forced = _forced(settings, test)
    answered: dict[str, Answered] = {}
    extra: dict[str, tuple[Measure, ...]] = {}
    done = 2
    for name, network in networks.items():
        answers: dict[str, np.ndarray] = {}
        for state in STATES:
            gone = drop(test, GONE[state], settings.drop_as, settings.seed)
            answers[state] = answer(network, gone, settings.late_rule)
            done += 1
            progress(done, total, UNIT)
        before = answer(network, one, settings.late_rule)[0]
        after = answer(network, drop(one, settings.drop, settings.drop_as, settings.seed), settings.late_rule)[0]
        marks = mark(answers, truth)
        extra[name] = _extra(network, marks, test, forced, truth, settings)
        answered[name] = Answered(before, after, marks)
    latencies = time_in_turns(list(networks.values()), one, settings.late_rule)
    progress(done + 1, total, UNIT)
    matched = matched_latencies(settings, test, truth, one)
    sides = tuple(
        _side(
            name,
            networks[name],
            answered[name],
            latency_measure(time),
            matched.get(name),
            settings,
            sample.answer,
            extra[name],
        )
        for name, time in zip(names, latencies, strict=True)
    )
    first = sides[0]
    sides = (
        Side(first.label, first.measures, first.images, None, {**first.arrays, **_shown(sample, one)}, first.captions),
        *sides[1:],
    )
    between = _between(answered)
    return Comparison(
        demo="fusion",
        settings=settings.model_dump(),
        sides=sides,
        takeaway=say(settings, sides, between, sample),
        environment=environment(
            torch.device("cpu"), torch.float32, model=MODEL, weights="bundled", speech="synthetic speech (espeak-ng)"
        ),
        measures=between,
    )


def test_inputs(task: Task, n: int, seed: int, image_noise: float, audio_noise: float) -> tuple[Inputs, np.ndarray]:
    """The test pairs of these settings with their noise, as the networks take them, and the answers [n]."""
    pairs = draw_pairs(task, n, seed)
    pictures = put_noise_on_pictures(pairs.pictures, image_noise, seed)
    windows = put_noise_on_sounds(pairs.windows, audio_noise, seed)
    return make_inputs(pictures, windows), pairs.answers


def mark_all(
    networks: Mapping[str, Fusion], test: Inputs, truth: np.ndarray, how: DropAs, seed: int, rule: str = "average"
) -> dict[str, Marks]:
    """Every network's marks in every state."""
    return {
        name: mark({s: answer(network, drop(test, GONE[s], how, seed), rule) for s in STATES}, truth)
        for name, network in networks.items()
    }


def _forced(settings: FusionSettings, test: Inputs) -> Inputs | None:
    """The test pairs with their sounds read at the forced rate, if there is one and a sound to read."""
    if not settings.force_sample_rate or settings.audio == "none":
        return None
    windows = read_at(draw_pairs(settings.task, settings.n, settings.seed).windows, settings.force_sample_rate)
    heard = to_features(put_noise_on_sounds(windows, settings.audio_noise, settings.seed))
    return Inputs(test.image, torch.from_numpy(heard)[:, None])


def _extra(
    network: Fusion, marks: Marks, test: Inputs, forced: Inputs | None, truth: np.ndarray, settings: FusionSettings
) -> tuple[Measure, ...]:
    """What marking would have gained where a modality is missing unmarked, and what a forced rate leaves."""
    found: list[Measure] = []
    if settings.drop != "none" and settings.drop_as != "mask token":
        state = "image_only" if settings.drop == "audio" else "audio_only"
        marked = answer(network, drop(test, settings.drop, "mask token"), settings.late_rule).argmax(axis=1) == truth
        found.append(marking_gain(marked, marks.right[state], settings.drop_as))
    if forced is not None:
        right = answer(network, forced, settings.late_rule).argmax(axis=1) == truth
        share = share_interval(int(right.sum()), len(right))
        note = (
            f"Picture and sound are there, the sound, of {RATE:,} samples a second, read as if it had "
            f"{settings.force_sample_rate:,}"
        )
        found.append(
            Measure("accuracy_forced_rate", share.value, "share", "higher", note, share.low, share.high, share.n)
        )
    return tuple(found)


def _shown(sample: Sample, one: Inputs) -> dict[str, np.ndarray]:
    return {
        "picture": sample.picture.astype(np.float32),
        "log_mel": one.audio[0, 0].numpy(),
        "sound": sample.window.astype(np.float32),
    }


def _side(
    name: str,
    network: Fusion,
    answered: Answered,
    latency: Measure,
    matched: Measure | None,
    settings: FusionSettings,
    truth: int | None,
    extra: tuple[Measure, ...],
) -> Side:
    marks = answered.marks
    index = (*DESIGNS, *REFERENCES).index(name)
    confidence = float(answered.after.max())
    measures = [
        *(accuracy_measure(marks, state) for state in STATES),
        *extra,
        calibration_measure(marks, settings.seed),
        Measure("confidence", confidence, "share", "neither", "Largest probability for this sample, after the drop"),
        Measure(
            "shift", total_variation(answered.before, answered.after), "share", "neither",
            "Total variation between the answers to this sample before and after the drop: 0 the same, 1 nothing alike",
        ),
        latency,
        matched or Measure("matched_latency", None, "ms", "lower", NO_MATCH),
        Measure.exact("parameters", count_parameters(network), "", "neither", "Numbers that training sets"),
    ]  # fmt: skip
    said = f"{answered.before.argmax()} before, {answered.after.argmax()} after"
    caption = f"says {said}" + ("" if truth is None else f"; right is {truth}")
    return Side(
        label=NAMES[name],
        measures=tuple(measures),
        images=(draw_bars(answered.before, answered.after, index, truth),),
        arrays={"before": answered.before, "after": answered.after},
        captions=(caption,),
    )


def _between(answered: Mapping[str, Answered]) -> tuple[Measure, ...]:
    note = (
        "By how much more early fusion's accuracy falls than late fusion's when one modality goes (mean over which), "
        "paired over the test pairs"
    )
    found = compare_falls(answered["early"].marks, answered["late"].marks)
    return (Measure("early_falls_more", found.value, "share", "neither", note, found.low, found.high, found.n),)


def warm_up() -> None:
    """Load the default models and answer once, so that the first visitor does not wait for it."""
    compare(FusionSettings(n=50))
