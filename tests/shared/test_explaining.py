from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from shared import explaining as e

MASK = np.zeros((4, 4), dtype=bool)
MASK[:2, :2] = True


def test_a_perfect_map_and_its_opposite():
    perfect, opposite = MASK.astype(float), 1.0 - MASK
    assert e.iou(perfect, MASK, 0.5) == 1 and e.iou(opposite, MASK, 0.5) == 0
    assert e.pointing_game(perfect, MASK) == 1 and e.pointing_game(opposite, MASK) == 0
    assert e.energy_inside(perfect, MASK) == 1 and e.energy_inside(opposite, MASK) == 0
    assert e.area(perfect, 0.5) == 0.25 and e.area(opposite, 0.5) == 0.75


def test_values_by_hand():
    found = np.zeros((4, 4))
    found[0, :] = [4, 2, 2, 0]  # normalized 1, .5, .5, 0
    assert e.iou(found, MASK, 0.4) == pytest.approx(2 / 5)  # two inside, one outside, four in the mask
    assert e.energy_inside(found, MASK) == pytest.approx(1.5 / 2)
    assert e.area(found, 0.6) == pytest.approx(1 / 16)
    assert e.iou_of_area(found, MASK, 3 / 16) == pytest.approx(2 / 5)


def test_scale_and_offset_do_not_matter():
    found = np.random.default_rng(0).random((8, 8))
    mask = np.random.default_rng(1).random((8, 8)) > 0.5
    for name in ("pointing_game", "energy_inside"):
        assert getattr(e, name)(found, mask) == pytest.approx(getattr(e, name)(3 * found + 7, mask))
    assert e.iou(found, mask, 0.3) == e.iou(3 * found + 7, mask, 0.3)


def test_several_peaks_count_by_their_share_and_flat_maps_have_none():
    found = np.zeros((4, 4))
    found[0, 0] = found[3, 3] = 1
    assert e.pointing_game(found, MASK) == 0.5
    flat = np.full((4, 4), 0.3)
    assert e.is_flat(flat) and e.pointing_game(flat, MASK) == 0 and e.energy_inside(flat, MASK) == 0
    assert e.iou(flat, MASK, 0.5) == 0 and e.area(flat, 0.5) == 0 and e.agreement(flat, found) is None


def test_agreement_is_spearmans_and_knows_only_the_order():
    a, b = np.random.default_rng(0).random((2, 6, 6))
    ranks = [stats.rankdata(m) for m in (a, b)]
    assert e.agreement(a, b) == pytest.approx(np.corrcoef(*ranks)[0, 1])
    assert e.agreement(a, np.exp(5 * a)) == pytest.approx(1) and e.agreement(a, -a) == pytest.approx(-1)


def test_deletion_begins_whole_and_ends_blurred_and_insertion_the_other_way():
    pixels = np.random.default_rng(0).random((16, 16, 3)).astype(np.float32) * 255
    found = np.random.default_rng(1).random((16, 16))
    deleted = e.causal_frames(pixels, found, insert=False)
    inserted = e.causal_frames(pixels, found, insert=True)
    assert deleted.shape == (e.STEPS + 1, 16, 16, 3)
    assert np.array_equal(deleted[0], pixels) and np.array_equal(deleted[-1], e.blur(pixels))
    assert np.array_equal(inserted[0], e.blur(pixels)) and np.array_equal(inserted[-1], pixels)
    first = np.argwhere((deleted[1] != pixels).any(-1))
    top = np.argsort(-found, axis=None)[:8]
    assert {tuple(i) for i in first} == {np.unravel_index(i, found.shape) for i in top}


def test_the_curve_of_a_model_that_sees_one_corner():
    pixels = np.zeros((32, 32, 3), dtype=np.float32)
    pixels[:8, :8] = 255
    found = np.zeros((32, 32))
    found[:8, :8] = 1

    def probability(frames):
        return frames[:, :8, :8].mean((1, 2, 3)) / 255

    right = [e.area_under(c) for c in e.causal_curves(pixels, found, probability)]
    wrong = [e.area_under(c) for c in e.causal_curves(pixels, -found, probability)]
    assert right[0] < wrong[0] and right[1] > wrong[1]
    assert e.area_under(np.linspace(0, 1, 33)) == pytest.approx(0.5)
