"""How much of a prompt a picture shows: the prompt's facts against what the scene reader sees.

The facts of a scene are each sticker's kind, each color that is named, the relation (between each sticker and the
next), and the background if it is named. A picture's adherence is its share of facts that are right.

The facts of one picture are not independent: a sticker that is missing takes its color and its relation with it. So
the unit of every interval here is the picture, never the fact.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image
from scipy.optimize import linear_sum_assignment

from shared.intervals import Interval, mean_interval, share_interval
from shared.reader import Reading, Seen
from shared.stickers import Scene, Sticker

NEAR_END = 2  # the world's own colors stay at least 9 away from both ends of 0..255


@dataclass(frozen=True)
class Facts:
    """The facts of one picture: how many the prompt names, how many are right, whether every kind is there, and
    whether every relation is right (None where the prompt names none)."""

    total: int
    right: int
    kinds: bool
    relation: bool | None = None

    @property
    def share(self) -> float:
        """Facts right, 0..1."""
        return self.right / self.total

    @property
    def all_right(self) -> bool:
        """Whether nothing the prompt names is missing."""
        return self.right == self.total


def count_facts(scene: Scene) -> int:
    """How many facts a prompt names: "a red car left of a house on a mint background" names five."""
    stickers = scene.stickers
    colors = sum(s.color is not None for s in stickers)
    relations = len(stickers) - 1 if scene.relation else 0
    return len(stickers) + colors + relations + (scene.background is not None)


def check(scene: Scene, reading: Reading) -> Facts:
    """A picture's facts, from what the reader sees; unsure counts as wrong.

    Each sticker of the prompt is matched with one that is seen, so that as many facts as possible are right
    (scipy's `linear_sum_assignment`). A color counts only on its own kind. A relation counts only where both kinds
    are found, and is judged by the centers of the stickers matched.
    """
    pairs = _match(scene.stickers, reading.stickers)
    right = sum(_facts_matched(sticker, seen) for sticker, seen in zip(scene.stickers, pairs, strict=True))
    kinds = all(seen is not None for seen in pairs)
    relation = None
    if scene.relation:
        standing = [
            a is not None and b is not None and _stands(a, scene.relation, b) for a, b in itertools.pairwise(pairs)
        ]
        right += sum(standing)
        relation = all(standing)
    if scene.background is not None:
        right += reading.background == scene.background
    return Facts(count_facts(scene), right, kinds, relation)


def _match(wanted: Sequence[Sticker], seen: Sequence[Seen]) -> list[Seen | None]:
    """For each wanted sticker the seen one matched to it, None where no seen one is of its kind."""
    pairs: list[Seen | None] = [None] * len(wanted)
    if not seen:
        return pairs
    score = np.array([[_facts_matched(w, s) for s in seen] for w in wanted])
    for row, column in zip(*linear_sum_assignment(score, maximize=True), strict=True):
        if score[row, column]:
            pairs[row] = seen[column]
    return pairs


def _facts_matched(wanted: Sticker, seen: Seen | None) -> int:
    if seen is None or seen.kind != wanted.kind:
        return 0
    return 1 + (wanted.color is not None and seen.color == wanted.color)


def _stands(first: Seen, relation: str, second: Seen) -> bool:
    return {
        "left of": first.x < second.x,
        "right of": first.x > second.x,
        "above": first.y < second.y,
        "below": first.y > second.y,
    }[relation]


def adherence(facts: Sequence[Facts]) -> Interval:
    """Mean share of facts right over pictures, with its t interval; 0..1."""
    grain = 1 / max(f.total for f in facts)
    return mean_interval([f.share for f in facts], low=0.0, high=1.0, grain=grain)


def kinds_right(facts: Sequence[Facts]) -> Interval:
    """Share of pictures that show every kind the prompt names, with Wilson's interval."""
    return share_interval(sum(f.kinds for f in facts), len(facts))


def all_facts(facts: Sequence[Facts]) -> Interval:
    """Share of pictures with every fact right, with Wilson's interval."""
    return share_interval(sum(f.all_right for f in facts), len(facts))


def saturation(picture: Image.Image) -> float:
    """Share of the RGB values within 2 of 0 or of 255, 0..1: what too much guidance drives to the ends of the range."""
    values = np.asarray(picture.convert("RGB"))
    return float(((values <= NEAR_END) | (values >= 255 - NEAR_END)).mean())
