"""How far the scene reader's confidence can be believed, and what it takes for what, on unseen renders.

`python -m assets.scene_reader.calibration` prints the tables of the model card.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from assets.scene_reader.recipe import degrade, labels
from shared.quality import expected_calibration_error
from shared.reader import SceneReader, load_reader
from shared.stickers import BACKGROUNDS, COLORS, KINDS, Scene
from shared.training import rendered, scenes, to_tensor

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Answers:
    """One head's answers over n questions: probability of the answer given, whether it is right, and both in words."""

    sure: np.ndarray
    right: np.ndarray
    pairs: list[tuple[str, str]]


@torch.no_grad()
def answers(reader: SceneReader, pictures: Tensor, chosen: list[Scene]) -> dict[str, Answers]:
    """The reader's answers on pictures [n, 3, 128, 128] of placed scenes: which kind is there (one question for each
    sticker: the likeliest kind but the other one's), its color, the background."""
    truth = labels(chosen)
    parts = [reader(part) for part in pictures.split(64)]
    presence = torch.cat([p.presence for p in parts]).sigmoid()
    color = torch.cat([p.color for p in parts]).softmax(-1)
    ground = torch.cat([p.background for p in parts]).softmax(-1)
    kinds: list[tuple[float, str, str]] = []
    colors: list[tuple[float, str, str]] = []
    for row, scene in enumerate(chosen):
        for sticker in scene.stickers:
            index = KINDS.index(sticker.kind)
            others = [KINDS.index(s.kind) for s in scene.stickers if s.kind != sticker.kind]
            seen = presence[row].clone()
            seen[others] = 0
            kinds.append((float(seen.max()), KINDS[int(seen.argmax())], sticker.kind))
            tones = color[row, index]
            colors.append((float(tones.max()), list(COLORS)[int(tones.argmax())], str(sticker.color)))
    names = list(BACKGROUNDS)
    grounds = [
        (float(p.max()), names[int(p.argmax())], names[int(t)])
        for p, t in zip(ground, truth["background"], strict=True)
    ]
    return {
        name: Answers(
            np.array([sure for sure, _, _ in found]),
            np.array([said == wanted for _, said, wanted in found]),
            [(wanted, said) for _, said, wanted in found],
        )
        for name, found in (("kind", kinds), ("color", colors), ("background", grounds))
    }


def main() -> None:
    """Print calibration and confusions, clean and degraded."""
    reader, _ = load_reader(FOLDER)
    chosen = scenes(1000, seed=3, testing=True)
    clean = to_tensor(rendered("reader-unseen", chosen, 128))
    worn = degrade(clean, torch.Generator().manual_seed(7))
    print("| renders | head | questions | accuracy | mean confidence | expected calibration error |")
    print("|---|---|---|---|---|---|")
    wrong: Counter[tuple[str, str]] = Counter()
    for name, pictures in (("clean", clean), ("degraded", worn)):
        for head, found in answers(reader, pictures, chosen).items():
            error = expected_calibration_error(found.sure, found.right)
            print(
                f"| {name} | {head} | {len(found.sure)} | {found.right.mean():.4f} | {found.sure.mean():.4f} | "
                f"{error:.4f} |"
            )
            wrong.update(pair for pair in found.pairs if pair[0] != pair[1])
    print("\nTaken for another, over both: " + ", ".join(f"{a} for {b} {n}" for (a, b), n in wrong.most_common(12)))


if __name__ == "__main__":
    main()
