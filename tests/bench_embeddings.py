"""The benchmark: 10,000 x 64, numba compiled for all, one run. `python -m tests.bench_embeddings [--points N]
[--parts cold perplexity min_dist]`; `perplexity` alone finds its neighbors first, so run it after `cold`.

t-SNE cold (neighbors included) and with another perplexity against scikit-learn's TSNE, UMAP with another min_dist
against a plain fit_transform. KL divergences are computed here, exactly, from the same affinities for both.
"""

from __future__ import annotations

import argparse
import platform
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from demos.embeddings import layouts, neighbours
from demos.embeddings.faithfulness import faith, original
from demos.embeddings.points import Points

GOALS = {"cold": 2.5, "perplexity": 4.0, "min_dist": 3.0}


def make_points(count: int, columns: int = 64, seed: int = 0) -> Points:
    """Twenty clusters on curved sheets, with noise: near neighbors and a rough shape, as embeddings have."""
    rng = np.random.default_rng(seed)
    which = rng.integers(0, 20, count)
    sheet = rng.normal(size=(count, 6))
    bent = np.concatenate([sheet, np.sin(2 * sheet)], axis=1) @ rng.normal(size=(12, columns))
    values = 3 * rng.normal(size=(20, columns))[which] + bent + 0.3 * rng.normal(size=(count, columns))
    return Points("benchmark", values)


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What the work gives, and the seconds it takes."""
    started = time.perf_counter()
    return work(), time.perf_counter() - started


def exact_kl(layout: np.ndarray, affinities: Any) -> float:
    """t-SNE's loss with the exact normalization: sum of P log(P / Q) over the affinities."""
    total = 0.0
    for start in range(0, len(layout), 500):
        block = layout[start : start + 500]
        far = ((block[:, None] - layout[None]) ** 2).sum(axis=-1)
        total += float((1 / (1 + far)).sum()) - len(block)
    entries = affinities.tocoo()
    near = 1 / (1 + ((layout[entries.row] - layout[entries.col]) ** 2).sum(axis=1)) / total
    some = entries.data > 0
    return float((entries.data[some] * np.log(entries.data[some] / near[some])).sum())


def compare_tsne(points: Points, perplexity: float, cold: bool) -> tuple[float, float, float]:
    """How many times faster than scikit-learn, the ratio of the KL divergences, the difference of trustworthiness."""
    from sklearn.manifold import TSNE

    if cold:
        neighbours.forget()
        layouts.forget()
    ours, seconds = timed(lambda: layouts.tsne(points, perplexity, "euclidean", 0).points)
    theirs, reference = timed(
        lambda: TSNE(perplexity=perplexity, random_state=0, n_jobs=-1).fit_transform(points.features)
    )
    affinities = layouts.affinities(points, perplexity, "euclidean")
    losses = [exact_kl(np.asarray(layout, dtype=float), affinities) for layout in (ours, theirs)]
    source = original(points, "euclidean")
    trust = [faith(source, np.asarray(layout, dtype=float), ()).trustworthiness.value for layout in (ours, theirs)]
    print(f"  perplexity {perplexity:g}: {seconds:.1f} s against {reference:.1f} s, KL {losses[0]:.4f} against "
          f"{losses[1]:.4f}, "
          f"trustworthiness {trust[0]:.4f} against {trust[1]:.4f}", flush=True)  # fmt: skip
    return reference / seconds, losses[0] / losses[1], trust[0] - trust[1]


def compare_umap(points: Points) -> float:
    """How many times faster another min_dist is than a plain fit_transform; both compiled."""
    from umap import UMAP

    small = Points("small", points.features[:300])
    UMAP(random_state=0).fit_transform(small.features)
    layouts.umap(points, 15, 0.1, "euclidean", 0)
    _, seconds = timed(lambda: layouts.umap(points, 15, 0.5, "euclidean", 0))
    _, reference = timed(lambda: UMAP(min_dist=0.5, random_state=0).fit_transform(points.features))
    print(f"  UMAP, another min_dist: {seconds:.1f} s against {reference:.1f} s", flush=True)
    return reference / seconds


def main() -> None:
    """Run it and print each goal with what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--parts", nargs="+", choices=list(GOALS), default=list(GOALS))
    options = parser.parse_args()
    points = make_points(options.points)
    warnings.simplefilter("ignore")
    print(f"{len(points):,} x {points.features.shape[1]}, {platform.processor() or platform.machine()}", flush=True)
    layouts.import_libraries()
    layouts.tsne(make_points(300), 30, "euclidean", 0)
    for part in options.parts:
        if part == "min_dist":
            layouts.ready(lambda: None)
            _say(part, compare_umap(points))
            continue
        faster, loss, trust = compare_tsne(points, 30 if part == "cold" else 50, cold=part == "cold")
        _say(part, faster)
        print(f"  KL at {100 * (loss - 1):+.1f}%, within 2% wanted: {'yes' if loss <= 1.02 else 'NO'}", flush=True)
        print(f"  trustworthiness {trust:+.4f}, within 0.005 wanted: {'yes' if trust >= -0.005 else 'NO'}", flush=True)


def _say(part: str, faster: float) -> None:
    met = "yes" if faster >= GOALS[part] else "NO"
    print(f"  {part}: {faster:.1f} times faster, at least {GOALS[part]} wanted: {met}", flush=True)


if __name__ == "__main__":
    main()
