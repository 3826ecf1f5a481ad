"""Embed: a text encoder on captions, judged by what it finds and by how far its vectors turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from demos.precision.engines import Engine
from demos.precision.networks import Inputs, Network, sentence_encoder, tokenize_pairs
from demos.precision.pictures import similarity_picture
from demos.precision.scenes import test_scenes
from demos.precision.settings import PrecisionSettings
from demos.precision.tasks import SHOWN, Judged, Tick, calls_for, mean, run_all, share
from shared.stickers import caption

MAP = 16
"""Texts a map."""
_COSINE = "Cosine between this side's vector of a text and FP32's; the mean over texts"
_RECALL = "Share of captions, reworded, whose nearest plain caption (by this side's vectors) is the same scene's"


class Embed:
    """The task's network and how its vectors are judged."""

    quality = "cosine"

    def __init__(self, settings: PrecisionSettings) -> None:
        self.networks: tuple[Network, ...] = (sentence_encoder(),)
        self.count, self.seed = settings.n_quality, settings.seed
        self.timed_as = f"One call of {self.networks[0].title} on texts of 24 tokens"

    def ticks(self) -> int:
        """Calls for plain and for reworded captions."""
        return 2 * calls_for(self.count)

    def right_data(self, network: Network, size: int, seed: int) -> Inputs:
        """Captions of other scenes."""
        return network.example(size, seed)

    def judge(self, engines: Mapping[str, Sequence[Engine]], tick: Tick) -> dict[str, Judged]:
        """cosine and recall_at_1, and maps of which texts are near each other."""
        scenes = test_scenes(self.count, self.seed)
        tokenizer = self.networks[0].loaded.tokenizer
        plain, reworded = (
            tokenize_pairs(tokenizer, [caption(s, style) for s in scenes]) for style in ("plain", "long")
        )
        vectors = {
            name: (run_all(found[0], plain, tick).numpy(), run_all(found[0], reworded, tick).numpy())
            for name, found in engines.items()
        }
        base = "eager_fp32" if "eager_fp32" in vectors else next(iter(vectors))
        return {name: _judged(*own, vectors[base][0]) for name, own in vectors.items()}


def _judged(plain: np.ndarray, reworded: np.ndarray, truth: np.ndarray) -> Judged:
    cosines = (unit(plain) * unit(truth)).sum(axis=1)
    nearest = (unit(reworded) @ unit(plain).T).argmax(axis=1)
    measures = (
        mean("cosine", cosines, "share", "higher", _COSINE, -1, 1),
        share("recall_at_1", nearest == np.arange(len(plain)), _RECALL),
    )
    parts = [unit(plain)[i : i + MAP] for i in range(0, max(1, len(plain) - MAP + 1), MAP)][:SHOWN]
    pictures = tuple(similarity_picture(part @ part.T) for part in parts)
    captions = tuple(f"texts {i * MAP + 1} to {i * MAP + len(part)}" for i, part in enumerate(parts))
    return Judged(measures, pictures, captions, {"vectors": plain.astype(np.float32)})


def unit(vectors: np.ndarray) -> np.ndarray:
    """Rows of length 1."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
