from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import procrustes
from sklearn.decomposition import PCA

from demos.embeddings.align import align, disparity, principal
from demos.embeddings.shapes import turned


@pytest.fixture
def maps():
    rng = np.random.default_rng(2)
    one = rng.normal(size=(50, 2)) * [3, 1]
    return one, one + 0.3 * rng.normal(size=(50, 2))


def test_disparity_is_scipys(maps):
    assert disparity(*maps) == pytest.approx(procrustes(*maps)[2], abs=1e-12)
    far = np.random.default_rng(9).normal(size=(50, 2))
    assert disparity(maps[0], far) == pytest.approx(procrustes(maps[0], far)[2], abs=1e-12)


def test_a_turn_a_mirror_a_shift_and_a_scale_change_nothing(maps):
    one = maps[0]
    moved = 7 * turned(one, 130) * [1, -1] + [100, -3]
    assert disparity(one, moved) == pytest.approx(0, abs=1e-12)
    assert np.allclose(align(moved, one), one - one.mean(axis=0))


def test_aligning_keeps_relative_distances(maps):
    one, other = maps
    found = align(other, one)
    before = np.linalg.norm(other[:-1] - other[1:], axis=1)
    after = np.linalg.norm(found[:-1] - found[1:], axis=1)
    assert np.ptp(after / before) < 1e-9
    assert found.mean(axis=0) == pytest.approx([0, 0], abs=1e-9)


def test_points_in_one_place():
    assert align(np.ones((5, 2)), np.eye(5)[:, :2]).tolist() == np.zeros((5, 2)).tolist()
    assert disparity(np.ones((5, 2)), np.ones((5, 2))) == 0.0
    assert disparity(np.ones((5, 2)), np.eye(5)[:, :2]) == 1.0


@pytest.mark.parametrize("columns", [3, 500])
def test_principal_components_are_scikit_learns_up_to_sign_and_scale(columns):
    values = np.random.default_rng(4).normal(size=(600, columns)) * np.linspace(4, 1, columns)
    found, expected = principal(values), PCA(2, svd_solver="full").fit_transform(values)
    for axis in (0, 1):
        assert abs(np.corrcoef(found[:, axis], expected[:, axis])[0, 1]) == pytest.approx(1, abs=1e-6)
    assert (found**2).sum(axis=1).mean() == pytest.approx(1)


def test_one_column_lies_on_a_line():
    found = principal(np.arange(6.0)[:, None])
    assert found.shape == (6, 2) and found[:, 1].tolist() == [0.0] * 6
