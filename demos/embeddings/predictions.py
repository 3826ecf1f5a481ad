"""Five misreadings of such maps as questions, each answered from the values that a run measured."""

from __future__ import annotations

from collections.abc import Callable

from demos.embeddings.takeaway import A_RULER, kept
from shared.comparison import Comparison
from shared.demo import Answer, Prediction

SAME_PICTURE = 0.05
"""Up to this Procrustes disparity two maps pass for the same picture."""


def _values(c: Comparison, name: str) -> tuple[float, float] | None:
    measures = [side.measure(name) for side in c.sides[:2]]
    values = [m.value for m in measures if m is not None and m.value is not None]
    return (values[0], values[1]) if len(values) == 2 else None


def _kept_by(name: str, wanted: int) -> Callable[[Comparison], bool | None]:
    def holds(c: Comparison) -> bool | None:
        values = _values(c, name)
        return None if values is None else sum(map(kept, values)) == wanted

    return holds


def _far(wanted: int) -> Callable[[Comparison], bool | None]:
    """How many maps keep far distances: by the slope over the clusters where those lie at different distances, else by
    the rank correlation over all pairs."""

    def holds(c: Comparison) -> bool | None:
        slopes = _values(c, "cluster_distances_kept")
        if slopes is not None:
            return sum(map(kept, slopes)) == wanted
        ranks = _values(c, "distance_correlation")
        return None if ranks is None else sum(r >= A_RULER for r in ranks) == wanted

    return holds


def _is_noise(c: Comparison) -> bool:
    return c.settings.get("dataset") == "noise"


def _noise(wanted: str) -> Callable[[Comparison], bool | None]:
    def holds(c: Comparison) -> bool | None:
        values = _values(c, "clusters_seen")
        if values is None or not _is_noise(c):
            return None
        seen = sum(v >= 2 for v in values)
        return seen == {"none": 0, "one": 1, "both": 2}[wanted]

    return holds


def _settings(wanted: int) -> Callable[[Comparison], bool | None]:
    def holds(c: Comparison) -> bool | None:
        values = _values(c, "other_setting_differs")
        return None if values is None else sum(v > SAME_PICTURE for v in values) == wanted

    return holds


def _turning(wanted: bool) -> Callable[[Comparison], bool | None]:
    def holds(c: Comparison) -> bool | None:
        values = _values(c, "turning_changes")
        return None if values is None else (max(values) > 0) is wanted

    return holds


PREDICTIONS = (
    Prediction(
        "Can you read far distances off the maps?",
        (
            Answer("yes, on both", _far(2)),
            Answer("on one of them", _far(1)),
            Answer("no, on neither", _far(0)),
        ),
    ),
    Prediction(
        "Does a wide cluster look wide on the map?",
        (
            Answer("yes, on both", _kept_by("cluster_sizes_kept", 2)),
            Answer("on one of them", _kept_by("cluster_sizes_kept", 1)),
            Answer("no, on neither", _kept_by("cluster_sizes_kept", 0)),
        ),
        told_by="Sizes made equal",
    ),
    Prediction(
        "Pure noise: does a map of it show clusters?",
        (
            Answer("on neither", _noise("none")),
            Answer("on one of them", _noise("one")),
            Answer("on both", _noise("both")),
        ),
        told_by="Clusters in pure noise",
    ),
    Prediction(
        "A third of the neighborhood: the same picture?",
        (
            Answer("yes, for both", _settings(0)),
            Answer("for one of them", _settings(1)),
            Answer("no, for neither", _settings(2)),
        ),
        told_by="Digits at perplexity 3",
    ),
    Prediction(
        "Do the axes of a map mean something?",
        (
            Answer("yes: turned, it says something else", _turning(True)),
            Answer("no: turned, nothing changes", _turning(False)),
        ),
    ),
)

TRAP = (
    "Clusters, their sizes and the gaps between them can come from the method and not from the data: "
    "look at more than one map, and at the numbers."
)
