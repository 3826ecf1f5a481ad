"""A study's batches: the same results here, in other processes and on a Dask cluster; a Cancel stops them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import numpy as np
import pytest

from shared import hosting
from shared.batches import run_batches
from shared.demo import Cancelled
from shared.hosting import Hosting, host


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    yield
    host(Hosting())


def draw(seed: int) -> tuple[int, np.ndarray]:
    return os.getpid(), np.random.default_rng(seed).normal(size=5)


def test_here_it_is_a_plain_loop() -> None:
    assert hosting.hosting().workers == ""
    assert list(run_batches(lambda n: n * n, [1, 2, 3])) == [1, 4, 9]


def test_processes_give_the_same_in_the_same_order() -> None:
    here = list(run_batches(draw, range(6)))
    host(Hosting(workers="2"))
    there = list(run_batches(draw, range(6)))
    assert all(np.array_equal(a, b) for (_, a), (_, b) in zip(here, there, strict=True))
    assert os.getpid() not in {pid for pid, _ in there}


def test_a_dask_cluster_of_two_workers_gives_the_same() -> None:
    distributed = pytest.importorskip("distributed")
    here = list(run_batches(draw, range(6)))
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        host(Hosting(workers=cluster.scheduler_address.replace("tcp://", "dask://")))
        there = list(run_batches(draw, range(6)))
    assert all(np.array_equal(a, b) for (_, a), (_, b) in zip(here, there, strict=True))
    assert len({pid for pid, _ in there}) == 2 and os.getpid() not in {pid for pid, _ in there}


def test_what_a_batch_raises_arrives_and_cancel_stops_the_rest() -> None:
    host(Hosting(workers="2"))

    def fail(n: int) -> int:
        # Two workers begin at once, and on a busy machine the second may be the first to end: only one fails.
        if n == 0:
            raise ValueError(f"batch {n}")
        return n

    with pytest.raises(ValueError, match="batch 0"):
        list(run_batches(fail, [0, 1]))

    def give_up() -> None:
        raise Cancelled

    begun = time.monotonic()
    with pytest.raises(Cancelled):
        list(run_batches(time.sleep, [3] * 40, give_up))
    assert time.monotonic() - begun < 60  # of 60 s of work for two processes
