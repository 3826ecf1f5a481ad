"""The takeaway: what this run measured, in words; other values, other words."""

from __future__ import annotations

from collections.abc import Sequence

from demos.embeddings.points import Points
from demos.embeddings.shapes import by_chance
from shared.comparison import Measure, Side, winner

LETTERS = "ABC"
A_GUIDE, A_RULER = 0.7, 0.95
"""Below these rank correlations distances on a map are said to mislead, and to be no ruler."""
APART = 0.25
"""From this distance of their means on, two modalities of length 1 are said to lie apart."""
BARELY, MOSTLY = 0.2, 0.8
"""From these shares of the way from chance to all on, neighbors are said to share a label in part, and mostly."""
KEPT_FROM, KEPT_TO = 0.75, 1.33
"""A cluster's size or distance counts as kept where it follows the original with a slope between these."""


def say(sides: Sequence[Side], points: Points, limits: Sequence[str] = ()) -> str:
    """How faithful each map is near and far, the finding that this data set is there for, and what was cut."""
    return " ".join([*_near(sides), *_far(sides), *_special(sides, points), *limits])


def _near(sides: Sequence[Side]) -> list[str]:
    a, b = _pair(sides, "trustworthiness")
    if a.value is None or b.value is None:
        return ["There are too few points to say how faithful a map is."]
    overlap = [m.value or 0.0 for m in _pair(sides, "neighbour_overlap")]
    best = winner(sides[:2], "trustworthiness")
    numbers = f"trustworthiness {_two((a.value, b.value), 3)}, neighbor overlap {_two(overlap, 2)}"
    if a.value == b.value:
        return [f"Both maps keep near points near equally well ({numbers})."]
    if best is None:
        return [f"Near points: no clear difference between the maps ({numbers})."]
    return [f"{_name(sides, best)} keeps near points near better ({numbers})."]


def _far(sides: Sequence[Side]) -> list[str]:
    values = [m.value for m in _pair(sides, "distance_correlation")]
    if any(v is None for v in values):
        return []
    a, b = (float(v or 0.0) for v in values)
    said = f"Distances follow the original at a rank correlation of {_two((a, b), 2)}"
    if max(a, b) < A_GUIDE:
        said += ": do not read far distances off either."
    elif max(a, b) < A_RULER:
        said += ": in part, so neither map is a ruler."
    elif min(a, b) >= A_RULER:
        said += ": which of two distances is longer can be read off both."
    else:
        best, other = (0, 1) if a > b else (1, 0)
        said += f": which is longer can be read off {_name(sides, best)}, not off {_name(sides, other)}."
    third = sides[2].measure("distance_correlation") if len(sides) > 2 else None
    if third is None or third.value is None:
        return [said]
    return [said, f"{_name(sides, 2)} has {third.value:.2f}."]


def _special(sides: Sequence[Side], points: Points) -> list[str]:
    found = []
    sizes = [m.value for side in sides[:2] if (m := side.measure("cluster_sizes_kept")) and m.value is not None]
    if len(sizes) == 2 and points.truth is not None:
        a, b = sizes
        what = (
            "shown as they are" if kept(a) and kept(b) else "kept by one map only" if kept(a) or kept(b) else "not kept"
        )
        found.append(
            f"Cluster sizes are {what}: they follow the true ones with a slope of {_two((a, b), 2)} (1: in proportion)."
        )
    if not points.labels and points.title.startswith("pure noise"):
        a, b = (int(m.value or 0) for m in _pair(sides, "clusters_seen"))
        if a or b:
            found.append(f"The data is pure noise, and yet a clustering sees {a} clusters on A and {b} on B.")
        else:
            found.append("The data is pure noise, and a clustering sees no cluster on either map.")
    if points.model and points.labels and points.gap is None:
        found += _labels(sides, points)
    if points.gap is not None:
        pair = (
            ""
            if points.pair_distance is None
            else f", and a picture lies {points.pair_distance:.2f} from its own caption on average"
        )
        measured = f"the modality gap is {points.gap:.2f}{pair}"
        if points.gap >= APART:
            found.append(f"Pictures and captions lie apart: {measured}.")
        else:
            found.append(f"Pictures and captions lie together: {measured}. The textbook's gap is not here.")
    return found


def _labels(sides: Sequence[Side], points: Points) -> list[str]:
    shares = [m.value for side in sides[:2] if (m := side.measure("neighbors_of_own_label")) and m.value is not None]
    chance = by_chance(points.labels)
    if len(shares) < 2 or chance == 1:
        return []
    beyond = (min(shares) - chance) / (1 - chance)
    how = "hardly" if beyond < BARELY else "in part" if beyond < MOSTLY else "mostly"
    a, b = shares
    return [f"Each point's neighbors share its label {how}: {_two((a, b), 2)}, and {chance:.2f} would by chance."]


def kept(slope: float | None) -> bool:
    """Whether a slope of sizes or distances counts as in proportion."""
    return slope is not None and KEPT_FROM <= slope <= KEPT_TO


def _two(values: Sequence[float], digits: int) -> str:
    a, b = values
    return f"{a:.{digits}f} for A, {b:.{digits}f} for B"


def _name(sides: Sequence[Side], index: int) -> str:
    return f"{LETTERS[index]} ({sides[index].label})"


def _pair(sides: Sequence[Side], name: str) -> tuple[Measure, Measure]:
    first, second = (side.measure(name) for side in sides[:2])
    assert first is not None and second is not None, name
    return first, second
