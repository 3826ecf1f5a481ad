"""The layouts: seeded, cancellable, from neighbors found once; t-SNE's loss against its formula and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.manifold import TSNE

from demos.embeddings import layouts, neighbours
from demos.embeddings.data import clusters
from demos.embeddings.points import Points, prepare
from shared.demo import Cancelled, DemoError


@pytest.fixture(scope="module")
def points() -> Points:
    layouts.import_libraries()
    return prepare(clusters(240), False)


def test_neighbors_by_brute_force(points):
    found = neighbours.nearest(points, "euclidean", 12)
    distances = np.linalg.norm(points.features[:, None] - points.features[None], axis=-1) + np.diag([np.inf] * 240)
    assert np.allclose(found.distances, np.sort(distances, axis=1)[:, :12])
    assert np.array_equal(found.indices, np.argsort(distances, axis=1)[:, :12])


def test_neighbors_are_found_once_and_sliced(points, monkeypatch):
    neighbours.forget()
    calls = []
    search = neighbours._search
    monkeypatch.setattr(neighbours, "_search", lambda *a: calls.append(a[2]) or search(*a))
    first = neighbours.nearest(points, "euclidean", 90)
    assert np.array_equal(neighbours.nearest(points, "euclidean", 15).indices, first.indices[:, :15])
    neighbours.nearest(points, "euclidean", 150)
    assert calls == [150]
    neighbours.nearest(points, "euclidean", 200)
    neighbours.nearest(points, "cosine", 5)
    assert calls == [150, 200, 150]
    assert neighbours.nearest(points, "euclidean", 10_000).k == 239


@pytest.mark.parametrize("init", ["pca", "random"])
def test_seeded_runs_repeat(points, init):
    one, again = (layouts.tsne(points, 20, "euclidean", 5, init) for _ in range(2))
    assert np.array_equal(one.points, again.points) and one.kl_divergence == again.kl_divergence
    assert not np.array_equal(one.points, layouts.tsne(points, 20, "euclidean", 6, init).points)
    first, second = (layouts.umap(points, 10, 0.1, "euclidean", 5, init) for _ in range(2))
    assert np.array_equal(first.points, second.points)
    assert not np.array_equal(first.points, layouts.umap(points, 10, 0.1, "euclidean", 6, init).points)


def test_the_loss_is_the_formula_and_comes_to_scikit_learns(points):
    found = layouts.tsne(points, 20, "euclidean", 0)
    matrix = layouts._affinities_of(points, 20, "euclidean").tocoo()
    total = 2 * (1 / (1 + pdist(found.points, "sqeuclidean"))).sum()
    near = 1 / (1 + ((found.points[matrix.row] - found.points[matrix.col]) ** 2).sum(axis=1)) / total
    exact = float((matrix.data * np.log(matrix.data / near))[matrix.data > 0].sum())
    assert found.kl_divergence == pytest.approx(exact, rel=1e-9)
    # scikit-learn's own value stems from approximated forces, too: both maps are measured by the same formula.
    reference = TSNE(perplexity=20, random_state=0).fit(points.features)
    theirs = layouts.kl_divergence(matrix, reference.embedding_)
    assert found.kl_divergence == pytest.approx(theirs, rel=0.1)


def test_another_min_dist_uses_the_same_graph(points, monkeypatch):
    layouts.umap(points, 12, 0.1, "euclidean", 0)
    monkeypatch.setattr(layouts, "_graph_of", lambda *_: pytest.fail("the graph was made again"))
    monkeypatch.setattr(layouts, "_umap_start", lambda *_: pytest.fail("the start was made again"))
    tight, loose = (layouts.umap(points, 12, d, "euclidean", 0).points for d in (0.0, 0.9))
    near = [np.median(neighbours_distance(m)) for m in (tight, loose)]
    assert near[1] > 3 * near[0]


def neighbours_distance(layout):
    gaps = np.linalg.norm(layout[:, None] - layout[None], axis=-1) + np.diag([np.inf] * len(layout))
    return gaps.min(axis=1)


def test_a_run_that_was_stopped_spoils_nothing(points):
    before = layouts.tsne(points, 20, "euclidean", 1).points
    told = []

    def stop(done):
        told.append(done)
        if done >= 100:
            raise Cancelled

    for run in (layouts.tsne, layouts.umap):
        told.clear()
        with pytest.raises(Cancelled):
            run(points, 20, *((0.1,) if run is layouts.umap else ()), "euclidean", 1, tell=stop)
        assert 100 <= told[-1] <= 150
    assert np.array_equal(layouts.tsne(points, 20, "euclidean", 1).points, before)


def test_few_points_get_what_they_allow():
    assert layouts.usable_perplexity(30, 4) == 1.0 and layouts.usable_perplexity(30, 61) == 20.0
    assert layouts.usable_neighbors(15, 4) == 3 and layouts.usable_neighbors(15, 100) == 15
    four = Points("four", np.array([[0.0, 0], [1, 0], [0, 1], [5, 5]]))
    for layout in (layouts.tsne(four, 30, "euclidean", 0), layouts.umap(four, 15, 0.1, "euclidean", 0)):
        assert layout.points.shape == (4, 2) and np.isfinite(layout.points).all()


def test_without_opentsne_scikit_learn_stands_in(points, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "openTSNE", None)
    found = layouts.tsne(points, 20, "euclidean", 0)
    assert found.engine == "scikit-learn" and found.points.shape == (240, 2) and found.kl_divergence > 0


def test_a_point_that_is_nowhere_ends_the_run_and_not_the_process(points, monkeypatch):
    start = np.zeros((len(points), 2))
    start[3] = np.nan  # openTSNE's tree would end in a segmentation fault
    monkeypatch.setattr(layouts, "_tsne_start", lambda *_: start)
    with pytest.raises(DemoError, match=r"t-SNE came to no finite map of these points; standardize the columns"):
        layouts.tsne(points, 20, "euclidean", 0)
