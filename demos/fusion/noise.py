"""Accuracy against the noise on the picture, and against the noise on the sound."""

from __future__ import annotations

import numpy as np
import torch

from demos.fusion.compute import MODEL, UNIT
from demos.fusion.data import draw_pairs, put_noise_on_pictures, put_noise_on_sounds
from demos.fusion.lines import Line, draw_lines
from demos.fusion.models import DESIGNS, NAMES, REFERENCES, answer, load, make_inputs, variant_for
from demos.fusion.settings import NoiseSettings
from shared.comparison import Comparison, Measure, Side
from shared.demo import Cancelled, Progress, no_progress
from shared.devices import environment
from shared.intervals import Interval, share_interval

MOST = {"image": 1.2, "audio": 2.4}
TITLES = {"image": "noise on the picture", "audio": "noise on the sound"}
TRAINED_UP_TO = {"image": 0.8, "audio": 1.4}


def run_noise(settings: NoiseSettings, progress: Progress | None = None) -> Comparison:
    """A side per model with its accuracy at no noise and at the most noise of either modality, the other at its
    setting, and a figure of the curves. Arrays: `levels_image`, `accuracy_image` and the same for audio [levels].

    Cancelled, it returns nothing but that it was: half a curve compares nothing.
    """
    progress = progress or no_progress
    names = (*DESIGNS, *REFERENCES)
    levels = {kind: np.round(np.linspace(0, most, settings.levels), 3) for kind, most in MOST.items()}
    curves: dict[tuple[str, str], list[Interval]] = {(n, k): [] for n in names for k in MOST}
    total, done, complete = 2 * settings.levels * len(names), 0, True
    try:
        progress(0, total, UNIT)
        pairs = draw_pairs(settings.task, settings.n, settings.seed)
        for kind, values in levels.items():
            for value in values:
                image, audio = settings.image_noise, settings.audio_noise
                image, audio = (float(value), audio) if kind == "image" else (image, float(value))
                inputs = make_inputs(
                    put_noise_on_pictures(pairs.pictures, image, settings.seed),
                    put_noise_on_sounds(pairs.windows, audio, settings.seed),
                )
                for name in names:
                    network = load(variant_for(name, settings.task, settings.trained_with))
                    right = answer(network, inputs).argmax(axis=1) == pairs.answers
                    curves[name, kind].append(share_interval(int(right.sum()), len(right)))
                    done += 1
                    progress(done, total, UNIT)
    except Cancelled:
        complete = False
    sides = tuple(_side(name, curves, levels) for name in names) if complete else ()
    return Comparison(
        demo="fusion",
        settings=settings.model_dump(),
        sides=sides,
        takeaway=say(curves, levels) if complete else "Stopped before the curves were whole.",
        environment=environment(torch.device("cpu"), torch.float32, model=MODEL, weights="bundled"),
        figures=(_figure(curves, levels),) if complete else (),
        complete=complete,
    )


def _side(name: str, curves: dict[tuple[str, str], list[Interval]], levels: dict[str, np.ndarray]) -> Side:
    measures, arrays = [], {}
    for kind, title in TITLES.items():
        for place, said in ((0, "no"), (-1, "most")):
            i = curves[name, kind][place]
            note = f"Accuracy with both there at {said} {title} ({levels[kind][place]:g}), the other as set"
            measures.append(
                Measure(f"accuracy_{said}_{kind}_noise", i.value, "share", "higher", note, i.low, i.high, i.n)
            )
        arrays |= {f"levels_{kind}": levels[kind], f"accuracy_{kind}": np.array([i.value for i in curves[name, kind]])}
    return Side(NAMES[name], tuple(measures), arrays=arrays)


def _figure(curves: dict[tuple[str, str], list[Interval]], levels: dict[str, np.ndarray]) -> object:
    names = list(dict.fromkeys(name for name, _ in curves))
    panels = [
        (
            f"{title} (trained up to {TRAINED_UP_TO[kind]:g})",
            [Line(NAMES[n], levels[kind].tolist(), curves[n, kind]) for n in names],
        )
        for kind, title in TITLES.items()
    ]
    return draw_lines(panels, "noise", "accuracy, both there ↑")


def say(curves: dict[tuple[str, str], list[Interval]], levels: dict[str, np.ndarray]) -> str:
    """Whether fusion holds on where one modality drowns, against the better reference there."""
    parts = []
    for kind in MOST:
        last = {name: curves[name, kind][-1] for name in (*DESIGNS, *REFERENCES)}
        best = max(DESIGNS, key=lambda d: last[d].value)
        other = max(REFERENCES, key=lambda r: last[r].value)
        low, high, rival = last[best].low, last[best].high, last[other]
        clear = low is not None and high is not None and rival.low is not None and rival.high is not None
        said = "no clear difference"
        if clear and low is not None and rival.high is not None and low > rival.high:
            said = "fusion still gains"
        elif clear and high is not None and rival.low is not None and high < rival.low:
            said = "fusion is dragged below it"
        parts.append(
            f"At the most {TITLES[kind]} ({levels[kind][-1]:g}) the best design, {best}, gets {last[best].value:.0%} "
            f"right and the {NAMES[other]} {rival.value:.0%}: {said}."
        )
    return " ".join(parts)
