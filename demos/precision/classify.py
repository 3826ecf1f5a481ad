"""Classify: the scene reader on hard scenes, whose truth is known, and EfficientNet-Lite0 on photos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from demos.precision.engines import Engine
from demos.precision.networks import Inputs, Network, answer_logits, photo_classifier, scene_reader
from demos.precision.photos import photo_inputs
from demos.precision.pictures import answer_picture
from demos.precision.scenes import hard_scenes, to_input
from demos.precision.settings import PrecisionSettings
from demos.precision.tasks import SHOWN, Judged, Tick, calls_for, mean, relative_error, run_all, share
from shared.demo import DemoError
from shared.stickers import KINDS

MOST_PHOTOS = 100
_AGREEMENT = "Share of hard scenes on which this side names the same kind as FP32"
_ACCURACY = "Share of hard scenes (one small sticker, at random places, under noise) whose kind is named right"
_ERROR = (
    "Difference of the scene reader's logits from FP32's, as a share of them (root mean squares); the mean over scenes"
)
_PHOTOS = "Share of photo crops on which EfficientNet-Lite0 names the same class as in FP32"


class Classify:
    """The task's networks and how their answers are judged."""

    quality = "agreement"

    def __init__(self, settings: PrecisionSettings) -> None:
        self.count, self.seed = settings.n_quality, settings.seed
        reader = scene_reader()
        try:
            self.networks: tuple[Network, ...] = (photo_classifier(), reader)
        except DemoError:
            self.networks = (reader,)  # without EfficientNet's package the scene reader is timed
        self.timed_as = f"One call of {self.networks[0].title}"
        self.photos = min(self.count, MOST_PHOTOS) if len(self.networks) > 1 else 0

    def ticks(self) -> int:
        """Calls for scenes and photos."""
        return calls_for(self.count) + calls_for(self.photos)

    def right_data(self, network: Network, size: int, seed: int) -> Inputs:
        """Hard scenes for the reader, photo crops for EfficientNet."""
        return network.example(size, seed)

    def judge(self, engines: Mapping[str, Sequence[Engine]], tick: Tick) -> dict[str, Judged]:
        """agreement, photo_agreement, accuracy and logit_error, and pictures of the answers."""
        scenes = hard_scenes(self.count, self.seed)
        inputs = (to_input(scenes.pictures),)
        reference = engines.get("eager_fp32") or next(iter(engines.values()))
        logits = {n: run_all(own[-1], inputs, tick, then=answer_logits).numpy() for n, own in engines.items()}
        photos = self._photo_answers(engines, tick)
        base = next(name for name, found in engines.items() if found is reference)
        shown = self._choose(logits, base)
        seen = (to_input(scenes.pictures[shown]),)
        evidence = {name: own[-1].run(seen).numpy() for name, own in engines.items()}
        return {
            name: self._judged(name, logits[name], logits[base], evidence[name], photos, base, shown)
            for name in engines
        }

    def _photo_answers(self, engines: Mapping[str, Sequence[Engine]], tick: Tick) -> dict[str, np.ndarray]:
        if not self.photos:
            return {}
        inputs = (photo_inputs(self.photos, self.seed),)
        return {name: run_all(found[0], inputs, tick).argmax(-1).numpy() for name, found in engines.items()}

    def _choose(self, logits: Mapping[str, np.ndarray], base: str) -> list[int]:
        """The scenes to show: those first whose answers differ most from FP32's."""
        moved = sum(np.abs(own - logits[base]).max(axis=1) for own in logits.values())
        differs = sum((own.argmax(1) != logits[base].argmax(1)).astype(int) for own in logits.values())
        order = np.lexsort((-np.asarray(moved), -np.asarray(differs)))
        return order[:SHOWN].tolist()

    def _judged(
        self,
        name: str,
        logits: np.ndarray,
        truth: np.ndarray,
        evidence: np.ndarray,
        photos: Mapping[str, np.ndarray],
        base: str,
        shown: Sequence[int],
    ) -> Judged:
        scenes = hard_scenes(self.count, self.seed)
        answers = logits.argmax(1)
        measures = [
            share("agreement", answers == truth.argmax(1), _AGREEMENT),
            share("accuracy", answers == scenes.truth, _ACCURACY),
            mean("logit_error", relative_error(logits, truth), "share", "lower", _ERROR, 0, np.inf),
        ]
        if photos:
            measures.insert(1, share("photo_agreement", photos[name] == photos[base], _PHOTOS))
        pictures, captions = [], []
        for place, i in enumerate(shown):
            found, true = KINDS[int(answers[i])], KINDS[int(scenes.truth[i])]
            pictures.append(answer_picture(scenes.pictures[i], evidence[place], logits[i]))
            captions.append(f"{found} ✓" if found == true else f"{found}, not {true}")
        return Judged(tuple(measures), tuple(pictures), tuple(captions), {"logits": logits.astype(np.float32)})
