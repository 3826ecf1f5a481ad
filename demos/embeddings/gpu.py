"""UMAP on a GPU by RAPIDS cuML, where that is installed and finds a GPU; else nothing here is used.

t-SNE stays on the CPU, because this gallery's maps repeat: cuML's repeats for a seed since pull request 8123 of 2026
alone, and only by its FFT method (issues 2980 and 8418 of NVIDIA/cuml), and tsnecuda does not heed its seed (issues 44
and 129 of CannyLab/tsne-cuda).
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import numpy as np

from demos.embeddings.neighbours import Neighbours


def umap_class() -> Any | None:
    """cuML's UMAP, or None where cuML is not installed or there is no GPU that it can use."""
    if importlib.util.find_spec("cuml") is None:
        return None
    try:
        if importlib.import_module("cupy").cuda.runtime.getDeviceCount() < 1:
            return None
        return importlib.import_module("cuml.manifold").UMAP
    except Exception:  # a driver that is missing or too old ends in whatever error its library chose
        return None


def umap(
    kind: Any, values: np.ndarray, near: Neighbours, min_dist: float, metric: str, epochs: int, seed: int, init: str
) -> np.ndarray:
    """The map [n, 2] by cuML's UMAP `kind`, from the neighbors already found (without the points themselves).

    Seeded, it repeats, as cuML's documentation of `random_state` says. It starts from the graph's spectrum, or from
    random points, and can't be stopped midway.
    """
    count = len(values)
    indices = np.hstack([np.arange(count)[:, None], near.indices]).astype(np.int64)
    distances = np.hstack([np.zeros((count, 1)), near.distances]).astype(np.float32)
    model = kind(
        n_neighbors=indices.shape[1], n_components=2, metric=metric, min_dist=min_dist, n_epochs=epochs,
        init="random" if init == "random" else "spectral", random_state=seed, precomputed_knn=(indices, distances),
        output_type="numpy",
    )  # fmt: skip
    return np.asarray(model.fit_transform(values.astype(np.float32)), dtype=np.float64)
