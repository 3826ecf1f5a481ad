"""A side's measures as the contract has them, each with how it was measured."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from demos.embeddings import shapes
from demos.embeddings.align import disparity
from demos.embeddings.faithfulness import MOST_EXACT, PAIRS, Faith, Original
from demos.embeddings.neighbours import map_neighbours
from demos.embeddings.points import Points
from shared.comparison import Better, Measure
from shared.intervals import Interval

if TYPE_CHECKING:
    from demos.embeddings.compute import Made

CLUSTERS_UP_TO = 2000
TOO_FEW = "There are too few points for a neighbor's rank"

_NOTES = {
    "trustworthiness": "1 where each point's {k} nearest on the map are among its nearest in the original; "
    "false neighbors count by how far they really are",
    "continuity": "1 where each point's {k} nearest in the original are among its nearest on the map; "
    "torn neighbors count by how far they ended",
    "neighbour_overlap": "Share of each point's {k} nearest in the original that are among its {k} nearest on the map",
}


def side_measures(points: Points, made: Made, faith: Faith | None, source: Original) -> tuple[Measure, ...]:
    """Faithfulness, then what is read into a map, then loss and time."""
    return (
        *_faithful(points, made, faith, source),
        *_read_into(points, made),
        _loss(made),
        _latency(made),
    )


def _faithful(points: Points, made: Made, faith: Faith | None, source: Original) -> list[Measure]:
    if faith is None:
        return [Measure(name, None, "", "higher", TOO_FEW) for name in (*_NOTES, "distance_correlation", "silhouette")]
    over = (
        f"all {source.count:,} points"
        if source.exact
        else f"a sample of {len(source.anchors):,} of {source.count:,} points"
    )
    found = [
        _measure(name, getattr(faith, name), "higher", f"{note.format(k=source.k)}; over {over}")
        for name, note in _NOTES.items()
    ]
    pairs = "all pairs of points" if source.all_pairs else f"{PAIRS:,} pairs drawn at random"
    found.append(
        _measure("distance_correlation", faith.distance_correlation, "higher",
                 f"Spearman's rank correlation of distances in the original and on the map, over {pairs}",
                 "All distances are equal, so there is no correlation")
    )  # fmt: skip
    if faith.silhouette is None:
        why = "There are no labels" if not points.labels else "Labels must be at least two, and fewer than the points"
        found.append(Measure("silhouette", None, "", "higher", why))
    else:
        found.append(
            _measure(
                "silhouette", faith.silhouette, "higher", f"How well the labels stand apart on the map; over {over}"
            )
        )
    if points.labels:
        alike = _alike(points, source, map_neighbours(made.aligned, source.k)[source.anchors])
        note = f"Of each point's {source.k} nearest on the map, those with its own label; over {over}"
        chance = f"{shapes.by_chance(points.labels):.2f} by chance"
        found.append(Measure("neighbors_of_own_label", alike, "share", "neither", f"{note}; {chance}"))
    return found


def _measure(name: str, found: Interval, better: Better, note: str, why_null: str = "") -> Measure:
    if math.isnan(found.value):
        return Measure(name, None, "", better, why_null or note)
    return Measure(name, found.value, "", better, note, found.low, found.high, found.n)


def _read_into(points: Points, made: Made) -> list[Measure]:
    features, layout = points.features, made.aligned
    slope = "1: in proportion to the original; 0: made equal. Slope of the logarithms over the labelled clusters"
    slopes = {
        "cluster_sizes_kept": shapes.size_kept(features, layout, points.labels),
        "cluster_distances_kept": shapes.distance_kept(features, layout, points.labels),
    }
    found = [Measure(name, value, "", "neither", slope) for name, value in slopes.items() if value is not None]
    if len(points) <= MOST_EXACT:
        note = "How many clusters HDBSCAN sees on the map, each of at least 1 in 60 points"
        found.append(Measure.exact("clusters_seen", shapes.clusters_seen(layout), "", "neither", note))
    else:
        found.append(Measure("clusters_seen", None, "", "neither", f"Counted up to {MOST_EXACT:,} points"))
    if made.other is not None:
        note = "Procrustes disparity to the same method's map at a third of the neighborhood; 0: the same picture"
        found.append(Measure("other_setting_differs", disparity(layout, made.other), "", "neither", note))
    elif made.plan.steps:
        found.append(
            Measure("other_setting_differs", None, "", "neither", "Tried up to 1,000 points; the grid shows more")
        )
    found.append(_turning(made))
    return found


def _alike(points: Points, source: Original, nearest: np.ndarray) -> float:
    """The share of each measured point's nearest [m, k] that have its own label."""
    labels = np.asarray(points.labels)
    return float((labels[nearest] == labels[source.anchors][:, None]).mean())


def _turning(made: Made) -> Measure:
    """How much distances on the map change when it is turned: nothing, so its axes carry nothing."""
    before, after = made.aligned, shapes.turned(made.aligned)
    far = np.roll(np.arange(len(before)), max(1, len(before) // 3))
    one, other = (np.linalg.norm(x - x[far], axis=1) for x in (before, after))
    change = float(np.abs(one - other).max() / max(float(one.max()), 1e-12))
    note = "Largest relative change of a distance on the map when it is turned by 40 degrees"
    return Measure("turning_changes", 0.0 if change < 1e-9 else change, "", "neither", note)


def _loss(made: Made) -> Measure:
    if made.layout.kl_divergence is None:
        return Measure("kl_divergence", None, "nats", "lower", "Only t-SNE minimizes this loss")
    return Measure(
        "kl_divergence",
        made.layout.kl_divergence,
        "nats",
        "lower",
        "t-SNE's own loss at the end, by its own affinities",
    )


def _latency(made: Made) -> Measure:
    note = (
        "The layout with its affinities or graph, remembered ones free; neighbors are found before, once for all sides"
    )
    return Measure("latency", made.seconds, "s", "lower", note)


def between(points: Points, first_two: list[np.ndarray], source: Original, search: float) -> tuple[Measure, ...]:
    """The measures between the sides: how different the maps are, the original's clusters, the modality gap."""
    found = [
        Measure("map_disparity", disparity(*first_two), "", "neither",
                "Procrustes disparity of A and B: what no turn, mirroring or scaling removes; 0: the same"),
    ]  # fmt: skip
    if source.k >= 1:
        a, b = (map_neighbours(layout, source.k) for layout in first_two)
        shared = float((a[:, :, None] == b[:, None, :]).any(axis=2).mean())
        found.append(
            Measure(
                "neighbors_in_common",
                shared,
                "share",
                "neither",
                f"Of each point's {source.k} nearest on A, those on B",
            )
        )
    if len(points) <= CLUSTERS_UP_TO:
        note = "How many clusters HDBSCAN sees in the original space"
        found.append(Measure.exact("clusters_in_original", shapes.clusters_seen(points.features), "", "neither", note))
    if points.gap is not None:
        note = "Distance between the mean picture and the mean caption, all of length 1, in the original space"
        found.append(Measure("modality_gap", points.gap, "", "neither", note, n=len(points)))
        if points.pair_distance is not None:
            note = "Mean distance of a picture and its own caption in the original space; 1.41 for unrelated ones"
            found.append(Measure("pair_distance", points.pair_distance, "", "neither", note, n=len(points) // 2))
        if source.k >= 1:
            note = f"Of each point's {source.k} nearest in the original, those of its own modality; 0.5 without a gap"
            found.append(
                Measure(
                    "neighbors_of_own_modality",
                    _alike(points, source, source.neighbours[:, : source.k]),
                    "share",
                    "neither",
                    note,
                )
            )
    elif points.labels and source.k >= 1:
        note = f"Of each point's {source.k} nearest in the original, those with its own label"
        alike = _alike(points, source, source.neighbours[:, : source.k])
        found.append(Measure("original_neighbors_of_own_label", alike, "share", "neither", note))
    found.append(
        Measure("neighbor_search", search, "s", "lower", "Exact neighbors for all sides; 0 where they were known")
    )
    return tuple(found)
