from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from shared import measuring
from shared.demo import Cancelled, DemoError
from shared.measuring import Timing, count_work, latency_measures, matmul_rate, peak_memory, time_in_turns


def timing(ms, items=1):
    return Timing(np.array(ms, dtype=float) / 1000, items)


@pytest.mark.parametrize("q", [5, 50, 90, 95, 99])
def test_percentiles_are_numpys(q):
    ms = np.random.default_rng(0).gamma(2, 5, 137)
    assert timing(ms).percentile(q).value == pytest.approx(np.percentile(ms, q), rel=1e-12)


def test_the_medians_interval_runs_between_the_ranks_of_the_textbook():
    found = timing(np.arange(1, 101)).percentile(50)  # for n = 100 the 40th and the 61st value
    assert (found.low, found.high) == pytest.approx((40, 61))
    assert timing(np.arange(1, 101)[::-1]).percentile(50) == found


def test_the_interval_holds_the_true_median_in_95_of_100_samples():
    rng, held = np.random.default_rng(1), 0
    for _ in range(400):
        found = timing(rng.exponential(1, 60)).percentile(50)
        held += found.low <= np.log(2) <= found.high
    assert 0.93 <= held / 400 <= 0.99


def test_few_samples_hold_no_tail():
    found = timing(np.arange(30)).percentile(99)
    assert found.low is None and found.high is None and found.n == 30
    p99 = next(m for m in latency_measures(timing(np.arange(1, 31)), "x") if m.name == "p99")
    assert "too few runs for an interval" in p99.note


def test_throughput_is_the_batch_over_the_median():
    found = timing([10, 20, 30, 40, 50] * 10, items=6).throughput
    assert found.value == pytest.approx(6 / 0.030)
    assert found.low <= found.value <= found.high


def test_a_wide_spread_warns():
    steady, wild = timing([10.0] * 40), timing([10, 30] * 20)
    assert steady.spread == 0 and wild.spread == pytest.approx(1.0)
    assert not any("something else ran" in m.note for m in latency_measures(steady, "x"))
    assert any("something else ran" in m.note for m in latency_measures(wild, "x"))
    assert "measure again" in measuring.spread_measure(wild).note


def test_sides_are_taken_in_turns_after_a_warm_up():
    order: list[str] = []
    runs = {name: (lambda name=name: order.append(name)) for name in "ABC"}
    found = time_in_turns(runs, warm_up=2, least_runs=4, least_seconds=0)
    assert "".join(order) == "AABBCC" + "ABC" + "CBA" + "ABC" + "CBA"
    assert [len(found[name].seconds) for name in "ABC"] == [4, 4, 4]


def test_it_goes_on_until_the_seconds_are_there_too():
    found = time_in_turns({"a": lambda: sum(range(2000))}, warm_up=0, least_runs=2, least_seconds=0.02)
    assert len(found["a"].seconds) > 2 and found["a"].seconds.sum() >= 0.02


def test_cancel_ends_it_between_runs():
    calls: list[int] = []

    def progress(done, total, unit):
        if done >= 5:
            raise Cancelled

    with pytest.raises(Cancelled):
        time_in_turns({"a": lambda: calls.append(1)}, warm_up=0, least_runs=50, least_seconds=0, progress=progress)
    assert len(calls) == 5


def test_operations_are_those_counted_by_hand():
    network = nn.Sequential(nn.Conv2d(3, 5, 3, padding=1, bias=False), nn.Flatten(), nn.Linear(5 * 8 * 8, 7))
    found = count_work(network, [torch.zeros(2, 3, 8, 8)])
    conv, linear = 2 * 2 * 8 * 8 * 5 * 3 * 9, 2 * 2 * 5 * 8 * 8 * 7
    assert (found.flops, found.linear_flops) == (conv + linear, linear)
    assert found.linear_share == pytest.approx(linear / (conv + linear))


def test_the_machines_own_rates_are_numbers():
    cpu = torch.device("cpu")
    assert matmul_rate(torch.float32, cpu, size=64, runs=2) > 0
    assert measuring.copy_rate(cpu, mib=1, runs=2) > 0


def test_peak_memory_is_that_of_the_child():
    small, large = (peak_memory("tests.peak", [str(mib)]) for mib in (1, 120))
    assert 100 <= large - small <= 140
    with pytest.raises(DemoError, match="without a number"):
        peak_memory("tests.peak", ["1", "silent"])


def test_a_child_is_ended_when_nobody_wants_it_any_more():
    def stop():
        raise Cancelled

    with pytest.raises(Cancelled):
        peak_memory("tests.peak", ["1"], stop)
