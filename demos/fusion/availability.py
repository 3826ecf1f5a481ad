"""The matrix of what each model gets right with both modalities, with one, and with none."""

from __future__ import annotations

import torch

from demos.fusion.compute import MODEL, UNIT, test_inputs
from demos.fusion.matrix_figure import draw_states
from demos.fusion.measures import GONE, STATES, accuracy_measure, calibration_measure, compare_falls, mark
from demos.fusion.models import DESIGNS, NAMES, REFERENCES, answer, drop, load, variant_for
from demos.fusion.settings import AvailabilitySettings
from demos.fusion.takeaway import on_both_needed, on_falls, on_gain
from shared.comparison import Comparison, Measure, Side
from shared.demo import Cancelled, Progress, no_progress
from shared.devices import environment


def run_availability(settings: AvailabilitySettings, progress: Progress | None = None) -> Comparison:
    """A side per model, with `accuracy_both`, `accuracy_image_only`, `accuracy_audio_only` and `accuracy_none`, all on
    the same test pairs; what is missing is marked by the mask token. Cancelled, it returns the models that are done."""
    progress = progress or no_progress
    names = (*DESIGNS, *REFERENCES)
    total = len(names) * len(STATES)
    sides: list[Side] = []
    found = {}
    complete = True
    try:
        progress(0, total, UNIT)
        test, truth = test_inputs(settings.task, settings.n, settings.seed, settings.image_noise, settings.audio_noise)
        for index, name in enumerate(names):
            network = load(variant_for(name, settings.task, settings.trained_with))
            answers = {}
            for place, state in enumerate(STATES):
                answers[state] = answer(network, drop(test, GONE[state], "mask token", settings.seed))
                progress(index * len(STATES) + place + 1, total, UNIT)
            marks = found[name] = mark(answers, truth)
            measures = (*(accuracy_measure(marks, s) for s in STATES), calibration_measure(marks, settings.seed))
            sides.append(Side(NAMES[name], measures, images=(draw_states(measures[:4], index),)))
    except Cancelled:
        complete = False
    between: tuple[Measure, ...] = ()
    said = "Stopped before every model was measured."
    if complete:
        extra = compare_falls(found["early"], found["late"])
        note = "By how much more early fusion falls than late when one modality goes, paired over the test pairs"
        between = (Measure("early_falls_more", extra.value, "share", "neither", note, extra.low, extra.high, extra.n),)
        if settings.task == "both_needed":
            said = on_both_needed(sides, settings.trained_with)
        else:
            said = f"{on_falls(sides, between)} {on_gain(sides)}"
    return Comparison(
        demo="fusion",
        settings=settings.model_dump(),
        sides=tuple(sides),
        takeaway=said,
        environment=environment(torch.device("cpu"), torch.float32, model=MODEL, weights="bundled"),
        measures=between,
        complete=complete,
    )
