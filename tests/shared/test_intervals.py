from __future__ import annotations

import math

import pytest
from scipy import stats

from shared.intervals import mean_interval, paired_difference, share_interval


def test_share_is_wilsons_interval_by_its_formula():
    # Wilson 1927: center (p + z²/2n) / (1 + z²/n), half width z sqrt(p(1-p)/n + z²/4n²) / (1 + z²/n)
    k, n, z = 7, 10, stats.norm.ppf(0.975)
    p = k / n
    center = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    found = share_interval(k, n)
    assert (found.value, found.n) == (0.7, 10)
    assert found.low == pytest.approx(center - half, abs=1e-12)
    assert found.high == pytest.approx(center + half, abs=1e-12)


def test_share_of_nothing_and_of_all_stays_within_0_and_1():
    none, every = share_interval(0, 4), share_interval(4, 4)
    assert none.low == 0 and none.high == pytest.approx(0.4899, abs=1e-4)
    assert every.high == 1 and every.low == pytest.approx(0.5101, abs=1e-4)


def test_mean_by_hand():
    # 1, 2, 3: mean 2, standard error 1/sqrt(3), t(2) at 97.5% is 4.302653
    found = mean_interval([1, 2, 3])
    assert found.value == 2
    assert found.high is not None and found.high - 2 == pytest.approx(4.302653 / math.sqrt(3), abs=1e-6)


def test_mean_is_cut_at_its_range():
    found = mean_interval([0.9, 1.0, 0.2], low=0, high=1)
    assert (found.low, found.high) == (0, 1)


def test_equal_values_keep_the_width_of_one_grain():
    # as if one of four were off by 1/6: standard error 1/24, t(3) at 97.5% is 3.182446
    found = mean_interval([1, 1, 1, 1], low=0, high=1, grain=1 / 6)
    assert found.high == 1
    assert found.low == pytest.approx(1 - 3.182446 / 24, abs=1e-6)
    one_off = mean_interval([1, 1, 1, 1 - 1 / 6])
    assert one_off.low is not None
    assert one_off.value - one_off.low == pytest.approx(3.182446 / 24, abs=1e-6)
    assert mean_interval([1, 1, 1]).low == 1


def test_one_sample_has_no_interval():
    assert (mean_interval([0.5]).low, share_interval(1, 1).high) == (None, None)


def test_paired_difference_is_scipys_paired_test():
    a, b = [0.5, 0.7, 0.6, 0.9], [0.6, 0.9, 0.6, 1.0]
    found = paired_difference(a, b)
    reference = stats.ttest_rel(b, a).confidence_interval(0.95)
    assert found.value == pytest.approx(0.1)
    assert (found.low, found.high) == pytest.approx((reference.low, reference.high))


def test_wrong_input_is_refused():
    with pytest.raises(ValueError, match="at least one trial"):
        share_interval(0, 0)
    with pytest.raises(ValueError, match="at least one value"):
        mean_interval([])
    with pytest.raises(ValueError):
        paired_difference([1, 2], [1])
