from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from demos.attention import DEMO, choose, maps
from demos.attention.measures import FLAT, Found, side_measures
from demos.attention.settings import AttentionSettings, BenchmarkSettings, follow_choice


def test_heads_are_added_while_they_help():
    masks = torch.zeros(2, 8, 8, dtype=torch.bool)
    masks[:, 2:6, 2:4] = True
    wrong = 1 - masks.float()
    left, right = torch.zeros(2, 8, 8), torch.zeros(2, 8, 8)
    left[:, 2:6, 2], right[:, 2:6, 3] = 1.0, 1.0
    picked, reached = choose.pick_heads(torch.stack([wrong, left, right]), masks)
    assert sorted(picked) == [1, 2] and reached == pytest.approx(1.0)


def test_renewing_the_choice_moves_the_defaults_with_it(monkeypatch, tmp_path):
    before = maps.chosen()
    found = {"checksum": "x", "heads": {}, "timestep": 50, "threshold": 0.55}
    monkeypatch.setattr(choose, "choose", lambda count: found)
    monkeypatch.setattr(maps, "CHOSEN", tmp_path / "chosen.json")
    try:
        DEMO.extra["prepare"]()
        assert json.loads((tmp_path / "chosen.json").read_text()) == found
        assert maps.chosen().timestep == 50
        assert [(m().timestep, m().threshold) for m in (AttentionSettings, BenchmarkSettings)] == [(50, 0.55)] * 2
    finally:
        maps.chosen.cache_clear()
        follow_choice(before.timestep, before.threshold)
    assert AttentionSettings().threshold == before.threshold


def test_a_flat_map_is_null_with_a_reason_and_marks_no_area():
    mask = np.eye(4, dtype=bool)
    found = {m.name: m for m in side_measures(Found([np.zeros((4, 4))]), mask, "", 0.5)}
    assert found["area"].value == 0
    names = ("iou", "pointing_game", "energy_inside", "deletion_auc")
    assert [(found[n].value, found[n].note) for n in names] == [(None, FLAT)] * 4
