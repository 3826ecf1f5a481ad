"""UMAP on a GPU, with a stand-in for cuML: when it is used, and what it is given."""

from __future__ import annotations

import importlib
import importlib.machinery
import sys
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from demos.embeddings import data, gpu, layouts
from demos.embeddings.neighbours import nearest
from demos.embeddings.points import prepare


class StandIn:
    """What cuML's UMAP takes and gives: here the first two columns, as float32."""

    made: ClassVar[dict[str, Any]] = {}

    def __init__(self, **settings):
        StandIn.made = settings

    def fit_transform(self, values):
        assert values.dtype == np.float32
        return values[:, :2]


def install(monkeypatch, devices):
    cuml, manifold, cupy = ModuleType("cuml"), ModuleType("cuml.manifold"), ModuleType("cupy")
    cuml.__spec__ = importlib.machinery.ModuleSpec("cuml", None)
    vars(manifold)["UMAP"] = StandIn
    vars(cupy)["cuda"] = SimpleNamespace(runtime=SimpleNamespace(getDeviceCount=devices))
    for name, module in (("cuml", cuml), ("cuml.manifold", manifold), ("cupy", cupy)):
        monkeypatch.setitem(sys.modules, name, module)


def no_driver():
    raise RuntimeError("no driver")


def test_without_cuml_or_a_gpu_nothing_of_it_is_used(monkeypatch):
    if importlib.util.find_spec("cuml") is None:
        assert gpu.umap_class() is None
    install(monkeypatch, lambda: 0)
    assert gpu.umap_class() is None
    install(monkeypatch, no_driver)
    assert gpu.umap_class() is None


@pytest.mark.parametrize(("init", "start"), [("pca", "spectral"), ("random", "random")])
def test_cuml_gets_the_neighbors_that_were_found_and_the_seed(monkeypatch, init, start):
    install(monkeypatch, lambda: 1)
    points, told = prepare(data.clusters(60), False), []
    made = layouts.umap(points, 7, 0.25, "cosine", 3, init, told.append)
    assert made.engine == "cuML" and np.allclose(made.points, points.features[:, :2], atol=1e-5)
    assert told == [0, layouts.umap_epochs(60)]
    indices, distances = StandIn.made["precomputed_knn"]
    near = nearest(points, "cosine", 6)
    assert np.array_equal(indices, np.hstack([np.arange(60)[:, None], near.indices]))
    assert np.allclose(distances[:, 1:], near.distances) and not distances[:, 0].any()
    wanted = {"n_neighbors": 7, "n_components": 2, "metric": "cosine", "min_dist": 0.25, "n_epochs": 500,
              "init": start, "random_state": 3}  # fmt: skip
    assert wanted.items() <= StandIn.made.items()
