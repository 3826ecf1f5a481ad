"""The noise of fusion's training pairs: picture and sound are equally noisy, a fifth of the pairs are clean."""

from __future__ import annotations

import numpy as np
import torch

from assets.fusion.recipe import BATCH, CLEAN, MOST_IMAGE_NOISE, Batches


def test_picture_and_sound_of_a_pair_are_equally_noisy() -> None:
    batches = Batches.__new__(Batches)
    batches.task = "digit"
    batches.pictures = torch.full((10, 28, 28), 128, dtype=torch.uint8)
    batches.by_digit = [np.array([d]) for d in range(10)]
    batches.levels = torch.full((12, 32, 48), -9.0)  # of no power, so that what is heard is the hiss
    batches.real = [np.array([], dtype=int)] * 12
    batches.made = [np.array([w]) for w in range(12)]
    batches.hiss = torch.ones(1, 32, 48)
    image, audio, answers = batches.draw(3, 0)
    assert image.shape == (BATCH, 1, 28, 28) and audio.shape == (BATCH, 1, 32, 48) and answers.shape == (BATCH,)
    # Back from the mean log-mel to the hiss's share of the most that is drawn.
    heard = (10 ** (audio.mean((1, 2, 3)) * 1.5 - 2.0)).sqrt() / 1.4
    clean = heard < 0.0005
    assert abs(clean.float().mean().item() - CLEAN) < 0.12
    spread = image.flatten(1).std(1)
    assert (spread[clean] == 0).all() and (spread[~clean] > 0).all()
    few = (heard > 0.05) & (heard < 0.3)  # where hardly a pixel is cut off at 0 or 1
    assert few.sum() > 10
    assert torch.allclose(spread[few], MOST_IMAGE_NOISE * heard[few], rtol=0.15)
