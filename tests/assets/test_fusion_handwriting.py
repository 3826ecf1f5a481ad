from __future__ import annotations

import numpy as np
import pytest

from assets.fusion import handwriting
from assets.fusion.recipe import Variant, weights_of


def draw_stem() -> np.ndarray:
    picture = np.zeros((28, 28), dtype=np.uint8)
    picture[5:23, 14:16] = 255
    return picture


def test_a_one_gets_a_flag_to_the_left_of_its_top_and_keeps_its_stem():
    styled = handwriting.restyle(draw_stem(), 1, np.random.default_rng(0))
    assert (styled[5:23, 14:16] == 255).all()
    added = (styled > 100) & (draw_stem() == 0)
    assert added[3:16, 6:13].sum() > 5 and not added[16:20].any()


def test_a_nine_gets_a_curl_to_the_left_of_its_foot():
    styled = handwriting.restyle(draw_stem(), 9, np.random.default_rng(0))
    added = (styled > 100) & (draw_stem() == 0)
    assert added[22:, :13].sum() > 5 and not added[:18].any()


def test_others_and_the_blank_stay_as_they_are():
    rng = np.random.default_rng(0)
    assert np.array_equal(handwriting.restyle(draw_stem(), 7, rng), draw_stem())
    assert handwriting.restyle(np.zeros((28, 28), dtype=np.uint8), 1, rng).sum() == 0


def test_models_that_see_pictures_are_kept_by_the_pictures_version(tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    before = weights_of(Variant("early", "digit")), weights_of(Variant("audio", "digit"))
    monkeypatch.setattr(handwriting, "POOL", handwriting.POOL + 1)
    assert weights_of(Variant("early", "digit")) != before[0]
    assert weights_of(Variant("audio", "digit")) == before[1]
