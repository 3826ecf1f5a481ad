"""The measures against scikit-learn, scipy and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist
from scipy.stats import spearmanr
from sklearn.datasets import load_digits
from sklearn.manifold import trustworthiness
from sklearn.metrics import silhouette_score

from demos.embeddings import faithfulness
from demos.embeddings.faithfulness import faith, original, point_trust, usable_k
from demos.embeddings.points import Points


@pytest.fixture(scope="module")
def some() -> tuple[Points, np.ndarray]:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(180, 9))
    labels = tuple("abc"[i % 3] for i in range(180))
    return Points("some", values, labels), values[:, :2] + 0.4 * rng.normal(size=(180, 2))


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_trustworthiness_is_scikit_learns(some, metric):
    points, layout = some
    found = faith(original(points, metric), layout, ())
    expected = trustworthiness(points.features, layout, n_neighbors=15, metric=metric)
    assert found.trustworthiness.value == pytest.approx(expected, abs=1e-12)


def test_trustworthiness_of_digits_with_their_ties_is_scikit_learns_too():
    values = load_digits().data[:400]
    layout = values[:, [20, 42]] + np.random.default_rng(0).normal(size=(400, 2))
    found = faith(original(Points("digits", values), "euclidean"), layout, ())
    assert found.trustworthiness.value == pytest.approx(trustworthiness(values, layout, n_neighbors=15), abs=1e-12)


def test_continuity_is_trustworthiness_with_the_spaces_exchanged(some):
    points, layout = some
    found = faith(original(points, "euclidean"), layout, ())
    assert found.continuity.value == pytest.approx(trustworthiness(layout, points.features, n_neighbors=15), abs=1e-12)


def test_overlap_by_brute_force(some):
    points, layout = some
    near = [np.argsort(cdist(v, v) + np.diag([np.inf] * len(v)), axis=1)[:, :15] for v in (points.features, layout)]
    expected = np.mean([len(set(a) & set(b)) / 15 for a, b in zip(*near, strict=True)])
    assert faith(original(points, "euclidean"), layout, ()).neighbour_overlap.value == pytest.approx(
        expected, abs=1e-12
    )


def test_distance_correlation_over_all_pairs_is_scipys_and_exact(some):
    points, layout = some
    found = faith(original(points, "euclidean"), layout, ()).distance_correlation
    assert found.value == pytest.approx(spearmanr(pdist(points.features), pdist(layout)).statistic, abs=1e-12)
    assert (found.low, found.high, found.n) == (found.value, found.value, 180 * 179 // 2)


def test_cosine_distances_of_pairs():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(30, 4))
    pairs = np.stack(np.triu_indices(30, 1), axis=1)
    assert np.allclose(faithfulness.pair_distances(values, pairs, "cosine"), pdist(values, "cosine"))
    assert faithfulness.pair_distances(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[0, 1]]), "cosine")[0] == 1.0


def test_silhouette_is_scikit_learns(some):
    points, layout = some
    found = faith(original(points, "euclidean"), layout, points.labels).silhouette
    assert found is not None and found.value == pytest.approx(silhouette_score(layout, points.labels), abs=1e-12)
    assert faith(original(points, "euclidean"), layout, ("a",) * 180).silhouette is None


def test_a_perfect_map_has_ones_and_a_point_its_own_trust():
    plane = np.random.default_rng(5).normal(size=(90, 2))
    source = original(Points("plane", plane), "euclidean")
    found = faith(source, plane * 3 + 1, ())
    assert found.trustworthiness.value == found.continuity.value == found.neighbour_overlap.value == 1.0
    assert found.distance_correlation.value == pytest.approx(1.0)
    assert point_trust(found, source).tolist() == [1.0] * 90


def test_own_trust_averages_to_the_whole(some):
    points, layout = some
    source = original(points, "euclidean")
    found = faith(source, layout, ())
    assert found.trust.mean() == pytest.approx(found.trustworthiness.value)
    assert found.trustworthiness.low < found.trustworthiness.value < found.trustworthiness.high


def test_beyond_the_limit_a_sample_is_measured_with_its_error(monkeypatch):
    rng = np.random.default_rng(8)
    values = rng.normal(size=(900, 6))
    layout = values[:, :2] + 0.2 * rng.normal(size=(900, 2))
    exact = faith(original(Points("all", values), "euclidean"), layout, ())
    monkeypatch.setattr(faithfulness, "MOST_EXACT", 500)
    monkeypatch.setattr(faithfulness, "ANCHORS", 300)
    monkeypatch.setattr(faithfulness, "PAIRS", 20_000)
    source = original(Points("sampled", np.column_stack([values, np.zeros(900)])), "euclidean")
    sampled = faith(source, layout, ())
    assert not source.exact and not source.all_pairs and len(sampled.trust) == 300
    for name in ("trustworthiness", "continuity", "neighbour_overlap", "distance_correlation"):
        found, true = getattr(sampled, name), getattr(exact, name).value
        width = found.high - found.low
        assert width > 0 and abs(found.value - true) < width, name
    own = point_trust(sampled, source)
    assert np.isnan(own).sum() == 600


@pytest.mark.parametrize(("count", "k"), [(2, 0), (3, 1), (4, 1), (30, 14), (31, 15), (4000, 15)])
def test_k_is_below_half_of_the_points(count, k):
    assert usable_k(count) == k


def test_all_points_in_one_place_have_no_correlation():
    source = original(Points("line", np.arange(20.0)[:, None]), "euclidean")
    assert np.isnan(faith(source, np.zeros((20, 2)), ()).distance_correlation.value)
