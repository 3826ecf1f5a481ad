"""What a scene is: stickers, how they stand to each other, and the background; drawn at random or placed."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, replace

from shared.stickers.art import DRAWINGS
from shared.stickers.palette import BACKGROUNDS, COLORS

KINDS: tuple[str, ...] = tuple(DRAWINGS)
RELATIONS: tuple[str, ...] = ("left of", "right of", "above", "below")
OPPOSITE = {"left of": "right of", "right of": "left of", "above": "below", "below": "above"}

# Pairs that no training scene shows. A model that draws them anyway has learned kind and color as two things.
HELD_OUT: frozenset[tuple[str, str]] = frozenset(
    {
        ("cat", "green"),
        ("rabbit", "blue"),
        ("fish", "purple"),
        ("turtle", "pink"),
        ("whale", "red"),
        ("car", "brown"),
        ("boat", "green"),
        ("balloon", "yellow"),
        ("apple", "blue"),
        ("lollipop", "brown"),
        ("tree", "purple"),
        ("flower", "orange"),
        ("house", "pink"),
        ("umbrella", "red"),
        ("star", "blue"),
        ("guitar", "yellow"),
    }
)


@dataclass(frozen=True)
class Sticker:
    """One sticker. `color` is None where a caption leaves it open; `x`, `y` (center) and `size` are shares of the
    picture's side, 0..1, and None until the scene is placed."""

    kind: str
    color: str | None = None
    x: float | None = None
    y: float | None = None
    size: float | None = None


@dataclass(frozen=True)
class Scene:
    """Up to three stickers; `relation` says how each stands to the next one, and is None for one sticker."""

    stickers: tuple[Sticker, ...]
    relation: str | None = None
    background: str | None = None

    @property
    def placed(self) -> bool:
        """Whether every sticker has its color, position and size, and the background is known."""
        return self.background is not None and all(None not in (s.color, s.x, s.y, s.size) for s in self.stickers)


def random_scene(rng: random.Random, *, held_out: bool = False) -> Scene:
    """A scene of one sticker (a third of the time) or two of different kinds, not placed yet.

    Pairs in HELD_OUT never appear, unless `held_out` asks for scenes whose first sticker is one of them.
    """
    count = 1 if rng.random() < 1 / 3 else 2
    kinds = rng.sample(KINDS, count)
    stickers = [Sticker(kind, _random_color(rng, kind)) for kind in kinds]
    if held_out:
        kind, color = rng.choice(sorted(HELD_OUT))
        others = [s for s in stickers[1:] if s.kind != kind]
        stickers = [Sticker(kind, color), *others]
    relation = rng.choice(RELATIONS) if len(stickers) > 1 else None
    return Scene(tuple(stickers), relation, rng.choice(list(BACKGROUNDS)))


def _random_color(rng: random.Random, kind: str) -> str:
    return rng.choice([color for color in COLORS if (kind, color) not in HELD_OUT])


def is_for_testing(scene: Scene) -> bool:
    """Whether the scene belongs to the tenth of all scenes that no training ever shows.

    The choice depends on what the scene shows, not on the words or the order: "a left of b" and "b right of a" fall
    on the same side.
    """
    stickers, relation = scene.stickers, scene.relation
    if relation in ("right of", "below"):
        stickers, relation = stickers[::-1], OPPOSITE[relation]
    key = repr(([(s.kind, s.color) for s in stickers], relation, scene.background))
    return hashlib.sha256(key.encode()).digest()[0] < 26


def place(scene: Scene, seed: int) -> Scene:
    """The scene with what it leaves open (colors, background, sizes, positions) chosen by `seed`.

    Stickers keep their relation and do not overlap: along the relation's axis each has a slot of its own.
    """
    rng = random.Random(f"place {seed}")
    background = scene.background or rng.choice(list(BACKGROUNDS))
    count = len(scene.stickers)
    relation = scene.relation or rng.choice(RELATIONS)
    horizontal = relation in ("left of", "right of")
    order = range(count) if relation in ("left of", "above") else range(count - 1, -1, -1)
    # Slots share the axis in proportion to the stickers' sizes; what is left over is spread at random.
    low, high = {1: (0.5, 0.74), 2: (0.34, 0.47), 3: (0.26, 0.31)}[count]
    sizes = [rng.uniform(low, high) for _ in range(count)]
    gaps = [rng.uniform(0.2, 1) for _ in range(count + 1)]
    unit = (1 - sum(sizes)) / sum(gaps)
    placed: list[Sticker] = list(scene.stickers)
    edge = 0.0
    for slot, index in enumerate(order):
        sticker, size = scene.stickers[index], sizes[index]
        edge += gaps[slot] * unit
        along = edge + size / 2
        edge += size
        across = 0.5 + rng.uniform(-1, 1) * min(0.5 - size / 2 - 0.01, 0.16)
        x, y = (along, across) if horizontal else (across, along)
        color = sticker.color or _random_color(rng, sticker.kind)
        placed[index] = replace(sticker, color=color, x=x, y=y, size=size)
    return Scene(tuple(placed), scene.relation, background)
