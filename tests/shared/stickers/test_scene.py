"""What scenes are drawn, which are kept for testing, and where stickers stand."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest

from shared.stickers import (
    BACKGROUNDS,
    COLORS,
    HELD_OUT,
    KINDS,
    OPPOSITE,
    RELATIONS,
    Scene,
    Sticker,
    is_for_testing,
    place,
    random_scene,
)


def test_the_world_is_as_large_as_promised() -> None:
    assert len(KINDS) >= 24 and len(set(KINDS)) == len(KINDS)
    assert len(COLORS) >= 8 and len(set(COLORS.values())) == len(COLORS)
    assert len(BACKGROUNDS) >= 6
    assert not {*KINDS} & {*COLORS} and not {*COLORS} & {*BACKGROUNDS}, "a word has one meaning"
    assert all(kind in KINDS and color in COLORS for kind, color in HELD_OUT)


def test_random_scenes_cover_the_world_and_never_show_a_held_out_pair() -> None:
    rng = random.Random(7)
    scenes = [random_scene(rng) for _ in range(6000)]
    pairs = Counter((s.kind, s.color) for scene in scenes for s in scene.stickers)
    assert not HELD_OUT & set(pairs)
    assert len(pairs) == len(KINDS) * len(COLORS) - len(HELD_OUT), "every other pair is seen"
    assert {scene.background for scene in scenes} == set(BACKGROUNDS)
    assert {scene.relation for scene in scenes} == {*RELATIONS, None}
    singles = sum(len(scene.stickers) == 1 for scene in scenes) / len(scenes)
    assert singles == pytest.approx(1 / 3, abs=0.03)
    assert all((scene.relation is None) == (len(scene.stickers) == 1) for scene in scenes)
    assert all(len({s.kind for s in scene.stickers}) == len(scene.stickers) for scene in scenes)


def test_held_out_scenes_lead_with_a_held_out_pair() -> None:
    rng = random.Random(3)
    scenes = [random_scene(rng, held_out=True) for _ in range(800)]
    firsts = {(scene.stickers[0].kind, scene.stickers[0].color) for scene in scenes}
    assert firsts == HELD_OUT
    assert all((s.kind, s.color) not in HELD_OUT for scene in scenes for s in scene.stickers[1:])


def test_the_same_generator_draws_the_same_scenes() -> None:
    first, second = random.Random(11), random.Random(11)
    assert [random_scene(first) for _ in range(50)] == [random_scene(second) for _ in range(50)]


def test_the_testing_split_is_a_tenth_and_does_not_depend_on_the_order() -> None:
    rng = random.Random(5)
    scenes = [random_scene(rng) for _ in range(4000)]
    for scene in scenes:
        if scene.relation:
            swapped = Scene(scene.stickers[::-1], OPPOSITE[scene.relation], scene.background)
            assert is_for_testing(swapped) == is_for_testing(scene), scene
        assert is_for_testing(place(scene, 1)) == is_for_testing(scene), "placing changes no fact"
    share = sum(map(is_for_testing, scenes)) / len(scenes)
    assert share == pytest.approx(26 / 256, abs=0.015)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_placed_stickers_keep_their_relation_lie_inside_and_do_not_overlap(count: int) -> None:
    rng = random.Random(count)
    for seed in range(1500):
        relation = rng.choice(RELATIONS) if count > 1 else None
        scene = Scene(tuple(Sticker(kind) for kind in rng.sample(KINDS, count)), relation)
        placed = place(scene, seed)
        assert placed.placed and placed.relation == relation
        assert [s.kind for s in placed.stickers] == [s.kind for s in scene.stickers]
        boxes = [(s.x, s.y, s.size / 2) for s in placed.stickers]
        for x, y, half in boxes:
            assert half <= x <= 1 - half and half <= y <= 1 - half, placed
        for (x, y, half), (next_x, next_y, next_half) in pairwise(boxes):
            gap = {
                "left of": next_x - x,
                "right of": x - next_x,
                "above": next_y - y,
                "below": y - next_y,
                None: max(abs(next_x - x), abs(next_y - y)),
            }[relation]
            assert gap >= half + next_half - 1e-9, placed


def test_place_fills_only_what_is_open() -> None:
    scene = Scene((Sticker("car", "red"), Sticker("house")), "above", "night")
    placed = place(scene, 4)
    assert placed.background == "night" and placed.stickers[0].color == "red"
    assert placed.stickers[1].color in COLORS
    assert place(scene, 4) == placed and place(scene, 5) != placed


def test_colors_that_place_chooses_are_never_held_out() -> None:
    for kind, color in sorted(HELD_OUT):
        chosen = {place(Scene((Sticker(kind),)), seed).stickers[0].color for seed in range(60)}
        assert color not in chosen and len(chosen) > 4
