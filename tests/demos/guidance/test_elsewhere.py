"""Sweep and curves on a Dask cluster of two workers: the pictures and measures of one process."""

from __future__ import annotations

import numpy as np
import pytest

from demos.guidance import run_curves, run_sweep
from demos.guidance.settings import CurvesSettings, SweepSettings
from shared import models
from shared.hosting import Hosting, host
from shared.sampling import Sampling

SWEEP = SweepSettings.check({"guidances": "1, 5", "steps": "2, 4", "seeds": "3-5"})
CURVES = CurvesSettings.check({"values": "1, 3, 5", "n_captions": 6, "steps": 2, "schedulers": ["ddim"]})


def use_assets(folder):
    models.ASSETS = folder


@pytest.fixture
def cluster(tiny):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
    ) as found:
        with distributed.Client(found, set_as_default=False) as client:
            client.run(use_assets, tiny)  # the other processes know nothing of what is patched here
        yield found.scheduler_address.replace("tcp://", "dask://")
    host(Hosting())


def test_sweep_and_curves_are_the_same_on_a_cluster(cluster, monkeypatch):
    here = run_sweep(SWEEP), run_curves(CURVES)
    host(Hosting(workers=cluster))
    monkeypatch.setattr(Sampling, "ask", lambda run: pytest.fail("computed in this process"))
    seen = []
    there = run_sweep(SWEEP, lambda *step: seen.append(step)), run_curves(CURVES)
    assert seen[0] == (0, 18, "U-Net calls") and seen[-1][0] == seen[-1][1] == 18
    for one, other in zip(here, there, strict=True):
        assert [s.label for s in one.sides] == [s.label for s in other.sides] and other.complete
        for a, b in zip(one.sides, other.sides, strict=True):
            assert len(a.images) == len(b.images) > 0
            for p, q in zip(a.images, b.images, strict=True):
                assert np.abs(np.asarray(p, int) - np.asarray(q, int)).max() <= 2
            calls = [[m.value for m in side.measures if m.name == "unet_calls"] for side in (a, b)]
            assert calls[0] == calls[1] and calls[0][0] > 0
            shares = [[m.value for m in side.measures if m.name == "adherence"] for side in (a, b)]
            assert shares[0] == pytest.approx(shares[1])
