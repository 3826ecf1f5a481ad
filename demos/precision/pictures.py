"""Pictures of answers: a scene with where the reader sees its answer and how sure it is; and similarities."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw
from scipy.special import softmax

from shared.lettering import Lettering
from shared.stickers import KINDS

TILE = 112
ROW = 20
ANSWERS = 3
STEP = 16
"""Of the shown scene's colors: all digits of its noise would make a picture three times as large."""
INK, PALE, BAR = "#1b2027", "#ffffff", "#5b8db8"


def answer_picture(scene: np.ndarray, evidence: np.ndarray, logits: np.ndarray) -> Image.Image:
    """The scene [h, w, 3], beside it where the network sees its answer (evidence [kinds, h, w]), below both its three
    likeliest kinds with their probabilities."""
    whole = Image.new("RGB", (2 * TILE + 4, TILE + 4 + ANSWERS * ROW), PALE)
    small = np.asarray(Image.fromarray(scene).resize((TILE, TILE), Image.Resampling.BOX))
    whole.paste(Image.fromarray(small // STEP * STEP + STEP // 2), (0, 0))
    best = np.argsort(-logits, kind="stable")[:ANSWERS]
    shares = softmax(logits.astype(float))  # among the kinds, of which one is right
    whole.paste(heat(evidence[int(best[0])]).resize((TILE, TILE), Image.Resampling.BICUBIC), (TILE + 4, 0))
    pen, letters = ImageDraw.Draw(whole), Lettering(13, INK)
    for row, kind in enumerate(best):
        probability = float(shares[kind])
        y = TILE + 4 + row * ROW
        letters.write(whole, (2, y + 1), KINDS[int(kind)])
        left, room = 84, 2 * TILE + 4 - 84 - 40
        pen.rectangle((left, y + 5, left + max(1, round(room * probability)), y + 14), fill=BAR)
        said = f"{probability:.2f}"
        letters.write(whole, (2 * TILE + 2 - letters.width(said), y + 1), said)
    return whole


def heat(values: np.ndarray, low: float = -6.0, high: float = 4.0) -> Image.Image:
    """A map [h, w] from white (`low`) to dark blue (`high`)."""
    share = np.clip((np.nan_to_num(values) - low) / (high - low), 0, 1)[..., None]
    colors = np.array((255, 255, 255)) * (1 - share) + np.array((8, 64, 129)) * share
    return Image.fromarray(colors.round().astype(np.uint8))


def similarity_picture(similarities: np.ndarray, side: int = 224) -> Image.Image:
    """Cosines [n, n] from -1 to 1 as a map, enlarged with sharp edges."""
    return heat(similarities, -0.2, 1.0).resize((side, side), Image.Resampling.NEAREST)
