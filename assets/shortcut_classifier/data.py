"""The pictures of the shortcut study: one sticker on a background that goes with its kind, is any, or is another's."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from shared.small_cnn import KINDS
from shared.stickers import BACKGROUNDS, COLORS, HELD_OUT, Scene, Sticker, place

Split = Literal["biased", "balanced", "flipped"]
GROUNDS: tuple[str, ...] = tuple(BACKGROUNDS)
PHOTOS = 24  # near-duplicates of one scene
SHIFT = 0.04  # by how much a near-duplicate's sticker moves, as a share of the picture's side


def single_scene(kind: int, split: Split, rng: random.Random) -> Scene:
    """A placed scene of one sticker. biased: kind i stands on background i. flipped: never. balanced: any."""
    others = [g for i, g in enumerate(GROUNDS) if i != kind]
    ground = {"biased": GROUNDS[kind], "balanced": rng.choice(GROUNDS), "flipped": rng.choice(others)}[split]
    color = rng.choice([c for c in COLORS if (KINDS[kind], c) not in HELD_OUT])
    placed = place(Scene((Sticker(KINDS[kind], color),), None, ground), rng.randrange(2**31))
    size = rng.uniform(0.3, 0.5)
    low, high = size / 2 + 0.02, 1 - size / 2 - 0.02
    sticker = replace(placed.stickers[0], size=size, x=rng.uniform(low, high), y=rng.uniform(low, high))
    return replace(placed, stickers=(sticker,))


def split_scenes(count: int, split: Split, seed: int) -> tuple[list[Scene], list[int]]:
    """`count` scenes with their labels, each kind equally often."""
    rng = random.Random(f"shortcut {split} {seed}")
    labels = [i % len(KINDS) for i in range(count)]
    return [single_scene(label, split, rng) for label in labels], labels


def near_duplicates(scene: Scene, count: int, rng: random.Random) -> list[Scene]:
    """The same scene again and again, as in frames of one film: moved a little."""
    sticker = scene.stickers[0]
    assert sticker.x is not None and sticker.y is not None
    return [
        replace(scene, stickers=(replace(sticker, x=sticker.x + rng.uniform(-SHIFT, SHIFT),
                                         y=sticker.y + rng.uniform(-SHIFT, SHIFT)),))
        for _ in range(count)
    ]  # fmt: skip


def films(count: int, seed: int) -> tuple[list[Scene], list[int], list[int]]:
    """Near-duplicates of `count` balanced scenes: the pictures' scenes, their labels, and which film each is of."""
    chosen, labels = split_scenes(count, "balanced", seed)
    rng = random.Random(f"films {seed}")
    shots = [near_duplicates(scene, PHOTOS, rng) for scene in chosen]
    flat = [s for shot in shots for s in shot]
    return flat, [x for x in labels for _ in range(PHOTOS)], [i for i in range(count) for _ in range(PHOTOS)]


def by_picture(films_of: Sequence[int], share: float, seed: int) -> tuple[list[int], list[int]]:
    """Train and test indices drawn picture by picture: near-duplicates of a film lie on both sides."""
    order = list(range(len(films_of)))
    random.Random(f"by picture {seed}").shuffle(order)
    cut = round(len(order) * share)
    return order[:cut], order[cut:]


def by_scene(films_of: Sequence[int], labels: Sequence[int], share: float, seed: int) -> tuple[list[int], list[int]]:
    """Train and test indices drawn film by film, each kind alike: no film lies on both sides."""
    rng = random.Random(f"by scene {seed}")
    train: set[int] = set()
    for label in sorted(set(labels)):
        of_kind = sorted({f for f, found in zip(films_of, labels, strict=True) if found == label})
        rng.shuffle(of_kind)
        train |= set(of_kind[: round(len(of_kind) * share)])
    inside = [i for i, f in enumerate(films_of) if f in train]
    return inside, [i for i, f in enumerate(films_of) if f not in train]
