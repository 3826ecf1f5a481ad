from __future__ import annotations

import numpy as np
import pytest

from shared.quality import expected_calibration_error, frechet_distance, frechet_interval


def exact(mean, covariance, n=40, seed=0) -> np.ndarray:
    """Samples whose mean and covariance are exactly these."""
    mean, covariance = np.asarray(mean, float), np.asarray(covariance, float)
    x = np.random.default_rng(seed).normal(size=(n, len(mean)))
    x -= x.mean(0)
    x = x @ np.linalg.inv(np.linalg.cholesky(np.cov(x, rowvar=False))).T
    return x @ np.linalg.cholesky(covariance).T + mean


def test_gaussians_by_hand():
    # Diagonal covariances commute: |m|^2 + sum (s1 - s2)^2 = (9 + 16) + (1 - 3)^2 + (2 - 5)^2.
    first, second = exact((0, 0), np.diag([1, 4])), exact((3, 4), np.diag([9, 25]), seed=1)
    assert frechet_distance(first, second) == pytest.approx(25 + 4 + 9)
    # C1 = I: tr(C1 + C2 - 2 C2^(1/2)); C2 = [[2, 1], [1, 2]] has the eigenvalues 1 and 3.
    second = exact((0, 0), [[2, 1], [1, 2]], seed=2)
    assert frechet_distance(exact((0, 0), np.eye(2)), second) == pytest.approx(2 + 4 - 2 * (1 + np.sqrt(3)))


def test_equal_sets_are_at_0_and_order_does_not_matter():
    a, b = exact((1, 2, 3), np.diag([1, 2, 3])), exact((0, 0, 0), np.diag([3, 1, 2]), seed=1)
    assert frechet_distance(a, a) == pytest.approx(0, abs=1e-6)
    assert frechet_distance(a, b) == pytest.approx(frechet_distance(b, a))


def test_fewer_samples_than_features_give_a_number():
    x = np.random.default_rng(0).normal(size=(8, 50))
    assert frechet_distance(x, x) == pytest.approx(0, abs=1e-4)
    assert frechet_distance(x, x + 1) == pytest.approx(50, abs=1e-3)
    with pytest.raises(ValueError, match="two samples"):
        frechet_distance(x[:1], x)


def test_interval_holds_the_value_and_narrows_with_more_samples():
    rng = np.random.default_rng(3)
    wide, narrow = (
        frechet_interval(rng.normal(size=(n, 3)), rng.normal(1, 1, size=(n, 3))) for n in (30, 3000)
    )  # fmt: skip
    for found in (wide, narrow):
        assert found.low <= found.value <= found.high
    assert narrow.high - narrow.low < (wide.high - wide.low) / 3
    assert narrow.low < 3 < narrow.high  # the distance of the true Gaussians
    assert frechet_interval(rng.normal(size=(4, 3)), rng.normal(size=(4, 3))).low is None


def test_calibration_error_of_a_case_solved_by_hand() -> None:
    sure = np.array([0.9, 0.9, 0.9, 0.9, 0.6, 0.6])
    right = np.array([True, True, True, False, True, False])
    # In one bin 3 of 4 are right at 0.9, in another 1 of 2 at 0.6: 4/6 of 0.15 and 2/6 of 0.1.
    assert expected_calibration_error(sure, right) == pytest.approx(4 / 6 * 0.15 + 2 / 6 * 0.1)
    assert expected_calibration_error(np.array([1.0, 1.0]), np.array([True, True])) == 0
