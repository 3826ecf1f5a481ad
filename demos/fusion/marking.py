"""What stands in for a missing modality: the mask token, zeros, or noise."""

from __future__ import annotations

import torch

from demos.fusion.compute import MODEL, UNIT, test_inputs
from demos.fusion.matrix_figure import draw_states
from demos.fusion.measures import accuracy_measure, mark
from demos.fusion.models import DESIGNS, NAMES, answer, drop, load, variant_for
from demos.fusion.settings import DropAs, MarkingSettings
from shared.comparison import Comparison, Measure, Side, winner
from shared.demo import Cancelled, Progress, no_progress
from shared.devices import environment

WAYS: tuple[DropAs, ...] = ("mask token", "zeros", "noise")


def run_marking(settings: MarkingSettings, progress: Progress | None = None) -> Comparison:
    """A side per way, with the accuracy of every design where one modality is gone, on the same test pairs.

    Cancelled, it returns the ways that are done.
    """
    progress = progress or no_progress
    total = len(WAYS) * len(DESIGNS)
    state = "image_only" if settings.drop == "audio" else "audio_only"
    what = "sound" if settings.drop == "audio" else "picture"
    sides: list[Side] = []
    complete = True
    try:
        progress(0, total, UNIT)
        test, truth = test_inputs(settings.task, settings.n, settings.seed, settings.image_noise, settings.audio_noise)
        for index, way in enumerate(WAYS):
            measures: list[Measure] = []
            for place, design in enumerate(DESIGNS):
                network = load(variant_for(design, settings.task, settings.trained_with))
                marks = mark({state: answer(network, drop(test, settings.drop, way, settings.seed))}, truth)
                m = accuracy_measure(marks, state, f"; {NAMES[design]}, the missing {what} given as {way}")
                measures.append(Measure(f"accuracy_{design}", m.value, m.unit, m.better, m.note, m.low, m.high, m.n))
                progress(index * len(DESIGNS) + place + 1, total, UNIT)
            sides.append(Side(way, tuple(measures), images=(draw_states(measures, index, DESIGN_TITLES),)))
    except Cancelled:
        complete = False
    return Comparison(
        demo="fusion",
        settings=settings.model_dump(),
        sides=tuple(sides),
        takeaway=say(sides) if complete else "Stopped before every way was measured.",
        environment=environment(torch.device("cpu"), torch.float32, model=MODEL, weights="bundled"),
        complete=complete,
    )


DESIGN_TITLES = ("early", "intermed.", "late")


def say(sides: list[Side]) -> str:
    """For which designs the mask token is clearly better than zeros, and for which it is not."""
    better, worse, alike = [], [], []
    values = []
    for design in DESIGNS:
        name = f"accuracy_{design}"
        found = winner(sides[:2], name)
        (better if found == 0 else worse if found == 1 else alike).append(design)
        shares = [m.value for s in sides if (m := s.measure(name)) is not None and m.value is not None]
        values.append(
            f"{design} {shares[0]:.0%} with the mask token, {shares[1]:.0%} with zeros, {shares[2]:.0%} with noise"
        )
    parts = [
        f"a mask token clearly beats zeros in {_join(better)} fusion" if better else "",
        f"zeros clearly beat the mask token in {_join(worse)} fusion" if worse else "",
        f"there is no clear difference in {_join(alike)} fusion" if alike else "",
    ]
    said = "; ".join(p for p in parts if p)
    return f"{said[0].upper()}{said[1:]}: {'; '.join(values)}."


def _join(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
