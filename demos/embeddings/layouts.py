"""The layouts: t-SNE by openTSNE and UMAP by umap-learn, both from the same neighbors, seeded, cancellable."""

from __future__ import annotations

import contextlib
import importlib
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from demos.embeddings import gpu
from demos.embeddings.align import principal
from demos.embeddings.memo import Memo
from demos.embeddings.neighbours import nearest
from demos.embeddings.points import Points
from shared.demo import DemoError

EXAGGERATION = 12.0
EARLY, EARLY_MOMENTUM = 125, 0.8
"""t-SNE's iterations under exaggeration. openTSNE's learning rate (n / exaggeration, Belkina et al. 2019) is higher
than scikit-learn's, so that it comes to the same KL divergence in fewer: tests/bench_embeddings.py."""
LATE, LATE_MOMENTUM = 400, 0.8
"""And those after it, by the tree."""
LATE_FFT, LATE_MOMENTUM_FFT = 125, 0.97
"""And by FFT. Its grid grows with the map, so iterations become ever dearer; with more momentum, 125 come to a lower
loss than 400 with 0.8 (10,000 points). Maps of few points swing with so much, and end at a higher one."""
FFT_GRID = {"ints_in_interval": 2, "n_interpolation_points": 4}
"""Boxes twice as wide as openTSNE's with one more node in each: a third fewer nodes an axis, at no higher a loss."""
EXACT_LOSS = 5000  # points; above, all pairs take too much memory
FFT_FROM = 3000
"""From so many points on, t-SNE's repulsion is interpolated by FFT (Linderman et al. 2019), below it by a tree."""
TELL_EVERY = 10
MOST_EXACT_SPECTRUM = 10

Tell = Callable[[int], None]
"""Called with how many of a layout's steps are done; raises to stop it."""

_affinities, _graphs, _starts = Memo(6), Memo(6), Memo(6)


@dataclass(frozen=True, eq=False)
class Layout:
    """Points on a map [n, 2], in the method's own units. `kl_divergence` is t-SNE's own loss; None for others."""

    points: np.ndarray
    kl_divergence: float | None = None
    engine: str = ""


def tsne_steps(count: int) -> int:
    """t-SNE's iterations for so many points."""
    return EARLY + (LATE_FFT if count >= FFT_FROM else LATE)


def umap_epochs(count: int) -> int:
    """UMAP's own choice of epochs: 500 up to 10,000 points, 200 beyond."""
    return 500 if count <= 10_000 else 200


def usable_perplexity(perplexity: float, count: int) -> float:
    """The perplexity that so many points allow: three times it must not exceed their neighbors."""
    return min(perplexity, max(1.0, (count - 1) / 3))


def usable_neighbors(n_neighbors: int, count: int) -> int:
    """The n_neighbors that so many points allow; UMAP counts the point itself."""
    return max(2, min(n_neighbors, count - 1))


def tsne(
    points: Points, perplexity: float, metric: str, seed: int, init: str = "pca", tell: Tell = lambda _: None
) -> Layout:
    """t-SNE (van der Maaten and Hinton 2008) of the points. `tell` counts to `tsne_steps`.

    Affinities are remembered per data set, metric and perplexity. Same arguments, same machine: same map.
    """
    perplexity = usable_perplexity(perplexity, len(points))
    try:
        import openTSNE
        from openTSNE.affinity import PrecomputedAffinities
        from openTSNE.tsne import kl_divergence_bh, kl_divergence_fft
    except ImportError:
        return _tsne_of_scikit_learn(points, perplexity, metric, seed, init, tell)
    # openTSNE scales the matrix in place, so each run gets a copy.
    given = PrecomputedAffinities(affinities(points, perplexity, metric).copy(), normalize=False)
    by_fft, steps = len(points) >= FFT_FROM, tsne_steps(len(points))
    # Typed as a name there, and called where it is not one.
    gradient: Any = _Gradient(kl_divergence_fft if by_fft else kl_divergence_bh, lambda done: tell(min(done, steps)))
    embedding: Any = openTSNE.TSNEEmbedding(
        _tsne_start(points, init, seed),
        given,
        negative_gradient_method=gradient,
        n_jobs=JOBS,
        random_state=seed,
        **(FFT_GRID if by_fft else {}),
    )
    embedding = embedding.optimize(EARLY, exaggeration=EXAGGERATION, momentum=EARLY_MOMENTUM)
    momentum = LATE_MOMENTUM_FFT if by_fft else LATE_MOMENTUM
    embedding = embedding.optimize(steps - EARLY, exaggeration=1.0, momentum=momentum)
    tell(steps)
    layout = np.asarray(embedding, dtype=np.float64)
    if len(points) > EXACT_LOSS:
        return Layout(layout, float(embedding.kl_divergence), "openTSNE")
    return Layout(layout, kl_divergence(affinities(points, perplexity, metric), layout), "openTSNE")


class _Gradient:
    """One of openTSNE's gradients, that tells how many steps are done, and raises where a point is nowhere.

    openTSNE's tree of points ends the whole process at the first coordinate that is no finite number.
    """

    def __init__(self, gradient: Callable[..., Any], tell: Tell) -> None:
        self._gradient, self._tell, self._steps = gradient, tell, 0

    def __call__(self, layout: Any, affinities: Any, **options: Any) -> Any:
        _check_finite("t-SNE", layout)
        if self._steps % TELL_EVERY == 0:
            self._tell(self._steps)
        self._steps += 1
        return self._gradient(layout, affinities, **options)


def _check_finite(method: str, values: Any) -> None:
    if not np.isfinite(np.asarray(values)).all():
        raise DemoError(
            f"{method} came to no finite map of these points; standardize the columns or choose another metric."
        )


def kl_divergence(affinities: Any, layout: np.ndarray) -> float:
    """t-SNE's loss in nats: the sum of p log(p / q) over the pairs of a sparse matrix of p [n, n], with q by the map
    [n, 2] (van der Maaten and Hinton 2008, eqs. 2 and 4). Exact; openTSNE's own value stems from approximated forces
    and can be some percent off."""
    from scipy.spatial.distance import pdist

    pairs = affinities.tocoo()
    total = 2 * (1 / (1 + pdist(layout, "sqeuclidean"))).sum()
    near = 1 / (1 + ((layout[pairs.row] - layout[pairs.col]) ** 2).sum(axis=1)) / total
    there = pairs.data > 0
    return float((pairs.data[there] * np.log(pairs.data[there] / near[there])).sum())


def umap(
    points: Points,
    n_neighbors: int,
    min_dist: float,
    metric: str,
    seed: int,
    init: str = "pca",
    tell: Tell = lambda _: None,
) -> Layout:
    """UMAP (McInnes, Healy and Melville 2018) of the points. `tell` counts to `umap_epochs`.

    The fuzzy graph is remembered per data set, metric and n_neighbors, its spectral start per seed too, so another
    `min_dist` only lays out anew. One thread: same arguments, same machine, same map. Where cuML finds a GPU, it makes
    the map; see demos.embeddings.gpu.
    """
    n_neighbors = usable_neighbors(n_neighbors, len(points))
    on_gpu = gpu.umap_class()
    if on_gpu is not None:
        tell(0)
        near, epochs = nearest(points, metric, n_neighbors - 1), umap_epochs(len(points))
        layout = gpu.umap(on_gpu, points.features, near, min_dist, metric, epochs, seed, init)
        tell(epochs)
        _check_finite("UMAP", layout)
        return Layout(layout, engine="cuML")
    ready(lambda: tell(0))
    from umap.umap_ import find_ab_params, simplicial_set_embedding

    graph = _graphs.remember((points.key, metric, n_neighbors), lambda: _graph_of(points, n_neighbors, metric))
    start = _starts.remember(
        (points.key, metric, n_neighbors, seed, init), lambda: _umap_start(points, graph, metric, init, seed)
    )
    a, b = find_ab_params(1.0, min_dist)
    layout, _ = simplicial_set_embedding(
        points.features,
        graph.copy(),
        n_components=2,
        initial_alpha=1.0,
        a=a,
        b=b,
        gamma=1.0,
        negative_sample_rate=5,
        n_epochs=umap_epochs(len(points)),
        init=start,
        random_state=np.random.RandomState(seed),
        metric="euclidean",
        metric_kwds={},
        densmap=False,
        densmap_kwds={},
        output_dens=False,
        tqdm_kwds={
            "disable": False,
            "file": _Meter(tell),
            "bar_format": "{n}",
            "miniters": TELL_EVERY,
            "mininterval": 0,
        },
    )
    tell(umap_epochs(len(points)))
    _check_finite("UMAP", layout)
    return Layout(np.asarray(layout, dtype=np.float64), engine="umap-learn")


def pca(points: Points) -> Layout:
    """The first two principal components, by singular value decomposition."""
    return Layout(principal(points.features), engine="numpy")


class _Meter:
    """A file to which UMAP's own progress bar writes its count; the count goes to `tell`, which may raise."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell

    def write(self, text: str) -> None:
        digits = text.strip()
        if digits.isdigit():
            self._tell(int(digits))

    def flush(self) -> None:
        pass


def affinities(points: Points, perplexity: float, metric: str) -> Any:
    """t-SNE's joint probabilities [n, n], sparse, remembered; not to be written to."""
    return _affinities.remember((points.key, metric, perplexity), lambda: _affinities_of(points, perplexity, metric))


def forget() -> None:
    """Forgets affinities, graphs and starts, so that the next layout is cold."""
    for memo in (_affinities, _graphs, _starts):
        memo.clear()


def _affinities_of(points: Points, perplexity: float, metric: str) -> Any:
    from openTSNE.affinity import joint_probabilities_nn

    found = nearest(points, metric, max(1, int(3 * perplexity)))
    with np.errstate(all="ignore"):
        matrix: Any = joint_probabilities_nn(
            found.indices, np.ascontiguousarray(found.distances), [min(perplexity, found.k)], n_jobs=JOBS
        )
    return matrix.tocsr()


def _tsne_start(points: Points, init: str, seed: int) -> np.ndarray:
    """[n, 2] with a spread of 1e-4, as openTSNE wants it; the seeded hundredth keeps equal points apart."""
    rng = np.random.default_rng(seed)
    jitter = rng.normal(size=(len(points), 2))
    if init == "random":
        return 1e-4 * jitter
    start = principal(points.features)
    return 1e-4 * (start / max(float(start[:, 0].std()), 1e-12) + 0.01 * jitter)


def _tsne_of_scikit_learn(points: Points, perplexity: float, metric: str, seed: int, init: str, tell: Tell) -> Layout:
    """Where openTSNE has no package (Linux on ARM): slower, the same loss; it can't be stopped midway."""
    from sklearn.manifold import TSNE

    tell(0)
    start: Any = _tsne_start(points, init, seed)
    model = TSNE(
        perplexity=min(perplexity, len(points) - 1.001), metric=metric, init=start, random_state=seed, n_jobs=JOBS
    )
    layout = model.fit_transform(points.features.astype(np.float32))
    tell(tsne_steps(len(points)))
    _check_finite("t-SNE", layout)
    return Layout(layout.astype(np.float64), float(model.kl_divergence_), "scikit-learn")


def _graph_of(points: Points, n_neighbors: int, metric: str) -> Any:
    from umap.umap_ import fuzzy_simplicial_set

    found = nearest(points, metric, n_neighbors - 1)
    own = np.arange(len(points), dtype=np.int32)[:, None]
    made: Any = fuzzy_simplicial_set(
        points.features,
        n_neighbors,
        np.random.RandomState(0),
        "euclidean",
        knn_indices=np.hstack([own, found.indices]),
        knn_dists=np.hstack([np.zeros((len(points), 1)), found.distances]).astype(np.float32),
    )
    graph = made[0].tocoo()
    _check_finite("UMAP", graph.data)
    return graph


def _umap_start(points: Points, graph: Any, metric: str, init: str, seed: int) -> np.ndarray:
    """UMAP's spectral start within ten units; principal components where the graph has no usable spectrum."""
    from umap.spectral import spectral_layout

    random = np.random.RandomState(seed)
    count = len(points)
    if init == "random":
        return random.uniform(-10, 10, size=(count, 2)).astype(np.float32)
    start = principal(points.features)
    if count > MOST_EXACT_SPECTRUM:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = np.asarray(spectral_layout(points.features, graph, 2, random, metric=metric))
            start = found if np.isfinite(found).all() and np.ptp(found, axis=0).min() > 0 else start
        except Exception:  # whatever a solver raises on a degenerate graph, PCA is a sound start
            pass
    start = 10.0 * start / max(float(np.abs(start).max()), 1e-12)
    return (start + random.normal(scale=1e-4, size=start.shape)).astype(np.float32)


_importing = threading.Lock()
_LIBRARIES = (
    *("scipy.stats", "scipy.sparse.linalg", "sklearn.cluster", "sklearn.datasets", "sklearn.decomposition"),
    *("sklearn.manifold", "sklearn.metrics", "sklearn.neighbors", "sklearn.preprocessing", "pandas", "openTSNE"),
)


def import_libraries() -> None:
    """Imports what the demo needs, one thread at a time: two threads that import scikit-learn at once each find the
    other's half. Call it before anything else here; UMAP alone is imported where it is compiled."""
    with _importing:
        for name in _LIBRARIES:
            with contextlib.suppress(ModuleNotFoundError):  # openTSNE has a stand-in
                importlib.import_module(name)


_compile = threading.Lock()
_compiled = threading.Event()
_compiling: list[threading.Thread] = []


def ready(wait: Callable[[], None]) -> None:
    """Returns once UMAP is compiled; numba does that once a process. `wait` is called meanwhile, and may raise.

    The first who needs it starts the compilation, in a thread of its own that nobody's Cancel stops.
    """
    start_compiling()
    while not _compiled.wait(0.1):
        wait()


def start_compiling() -> None:
    """Imports what is needed, and starts compiling UMAP in the background, if that has not been done."""
    import_libraries()
    with _compile:
        if not _compiling:
            thread = threading.Thread(target=_compile_umap, name="umap-compile", daemon=True)
            _compiling.append(thread)
            thread.start()


def is_compiled() -> bool:
    """Whether UMAP is compiled in this process."""
    return _compiled.is_set()


def _compile_umap() -> None:
    try:
        import_libraries()
        from umap.umap_ import fuzzy_simplicial_set, simplicial_set_embedding

        rng = np.random.RandomState(0)
        values = rng.normal(size=(32, 3))
        order = np.argsort(((values[:, None] - values[None]) ** 2).sum(-1), axis=1)[:, :5].astype(np.int32)
        distances = np.linalg.norm(values[:, None] - values[order], axis=-1).astype(np.float32)
        graph, _, _ = fuzzy_simplicial_set(  # pyright: ignore[reportAssignmentType]
            values, 5, rng, "euclidean", knn_indices=order, knn_dists=distances
        )
        simplicial_set_embedding(
            values,
            graph,
            2,
            1.0,
            1.5,
            0.9,
            1.0,
            5,
            11,
            values[:, :2].astype(np.float32),
            rng,
            "euclidean",
            {},
            False,
            {},
            False,
        )
    finally:
        # Compiled or not, nobody waits for ever: an error shows in the run that needs it.
        _compiled.set()


JOBS = 1
