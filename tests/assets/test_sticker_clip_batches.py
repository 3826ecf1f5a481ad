"""sticker_clip's batches: every other one holds scenes whose color and background tell nothing apart."""

from __future__ import annotations

import random

import torch

from assets.sticker_clip.recipe import BATCH, alike, batch_rows, told_wrongly
from shared.training import scenes


def test_every_other_batch_is_of_one_color_and_background() -> None:
    chosen = scenes(600, seed=11)
    groups = alike(chosen)
    assert sorted(torch.cat(groups).tolist()) == list(range(600))

    def looks(step: int) -> set[tuple[str | None, str | None]]:
        rows = batch_rows(600, groups, step, torch.Generator().manual_seed(step))
        assert len(rows) == BATCH
        return {(chosen[i].stickers[0].color, chosen[i].background) for i in rows}

    assert len(looks(0)) > 20 and len(looks(1)) == len(looks(3)) == 1


def test_a_wrong_caption_differs_in_one_thing() -> None:
    scene = next(s for s in scenes(50, seed=12) if len(s.stickers) == 1)
    for wrong in told_wrongly(scene, random.Random(0)):
        assert wrong.background == scene.background and wrong.stickers[0].color == scene.stickers[0].color
        assert wrong.stickers[0].kind != scene.stickers[0].kind
