from __future__ import annotations

import random

import numpy as np
import pytest
from PIL import Image

from shared import adherence
from shared.adherence import Facts, check, count_facts, saturation
from shared.models import load_scene_reader
from shared.reader import Reading, Seen, read
from shared.stickers import caption, parse_caption, place, random_scene, render

SCENE = parse_caption("a red car left of a blue house on a mint background")


def seen(kind: str, color: str | None, x: float = 0.5, y: float = 0.5) -> Seen:
    return Seen(kind, 0.99, color, 0.99, x, y)


def reading(*stickers: Seen, background: str | None = "mint") -> Reading:
    return Reading(stickers, background, 0.99)


def test_facts_of_prompts():
    assert count_facts(SCENE) == 6
    assert count_facts(parse_caption("a car")) == 1
    assert count_facts(parse_caption("a car and a blue house")) == 3
    assert count_facts(parse_caption("a red car above a house on a night background")) == 5


@pytest.mark.parametrize(
    ("found", "right", "kinds", "relation"),
    [
        (reading(seen("house", "blue", 0.8), seen("car", "red", 0.2)), 6, True, True),
        (reading(seen("car", "red", 0.8), seen("house", "blue", 0.2)), 5, True, False),  # wrong way round
        (reading(seen("car", "blue", 0.2), seen("house", "red", 0.8)), 4, True, True),  # colors swapped
        (reading(seen("car", "red", 0.2), seen("house", "blue", 0.8), background="sky"), 5, True, True),
        (
            reading(seen("car", None, 0.2), seen("house", "blue", 0.8), background=None),
            4,
            True,
            True,
        ),  # unsure is wrong
        (reading(seen("car", "red", 0.2), seen("bus", "blue", 0.8)), 3, False, False),  # no relation without the house
        (reading(), 1, False, False),
        (reading(background=None), 0, False, False),
    ],
)
def test_what_the_reader_sees_is_scored(found, right, kinds, relation):
    assert check(SCENE, found) == Facts(6, right, kinds, relation)


@pytest.mark.parametrize(("relation", "right"), [("left of", 2), ("right of", 3), ("above", 3), ("below", 2)])
def test_relations_by_centers(relation, right):
    scene = parse_caption(f"a car {relation} a house")
    assert check(scene, reading(seen("car", "red", 0.7, 0.3), seen("house", "red", 0.3, 0.6))).right == right


def test_same_kind_twice_is_matched_to_most_facts():
    scene = parse_caption("a blue car left of a red car")
    found = reading(seen("car", "red", 0.8), seen("car", "blue", 0.2))
    assert check(scene, found) == Facts(5, 5, True, True)


def test_over_pictures():
    facts = [Facts(6, 6, True), Facts(6, 3, False), Facts(6, 5, True), Facts(6, 6, True)]
    mean = adherence.adherence(facts)
    assert mean.value == pytest.approx(20 / 24)
    assert mean.high == 1.0 and mean.low is not None and 0 < mean.low < mean.value
    assert adherence.kinds_right(facts).value == 0.75
    assert adherence.all_facts(facts).value == 0.5


def test_saturation_counts_values_near_the_ends():
    values = np.full((10, 10, 3), 128, dtype=np.uint8)
    assert saturation(Image.fromarray(values)) == 0
    values[0, 0] = (0, 2, 3)
    values[0, 1] = (252, 253, 255)
    assert saturation(Image.fromarray(values)) == pytest.approx(4 / 300)


def test_flat_background_of_the_world_is_not_saturated():
    picture, masks = render(place(SCENE, 3), 128)
    outside = np.asarray(picture)[~masks.any(0)]
    assert saturation(Image.fromarray(outside[None])) == 0


def test_the_bundled_reader_finds_the_facts_of_true_pictures_and_not_of_others():
    scenes = [place(random_scene(random.Random(seed)), seed) for seed in range(30)]
    reader = load_scene_reader()
    readings = read(reader.model, [render(scene, 128)[0] for scene in scenes], reader.confidence)
    wanted = [parse_caption(caption(scene)) for scene in scenes]
    true = [check(scene, found) for scene, found in zip(wanted, readings, strict=True)]
    others = [check(scene, found) for scene, found in zip(wanted, readings[1:] + readings[:1], strict=True)]
    assert adherence.adherence(true).value >= 0.97
    assert adherence.adherence(others).value <= 0.2
