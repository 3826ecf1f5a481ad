"""Pictures and masks: what the world says is visible is what is visible."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from PIL import ImageColor
from scipy.ndimage import binary_dilation

from shared.stickers import BACKGROUNDS, COLORS, KINDS, Scene, Sticker, place, random_scene, render
from shared.stickers.art.paint import Paint
from shared.stickers.drawing import sprite

SEEDS = range(40)


def scene_of(seed: int) -> Scene:
    return place(random_scene(random.Random(seed)), seed)


def without(scene: Scene, index: int) -> Scene:
    rest = tuple(s for i, s in enumerate(scene.stickers) if i != index)
    return Scene(rest, None, scene.background)


@pytest.mark.parametrize("seed", SEEDS)
def test_masks_are_the_visible_pixels(seed: int) -> None:
    scene = scene_of(seed)
    picture, masks = render(scene, 96)
    pixels = np.asarray(picture).astype(int)
    for index, mask in enumerate(masks):
        bare = np.asarray(render(without(scene, index), 96)[0]).astype(int)
        changed = np.abs(pixels - bare).max(-1) > 0
        # A pixel of the mask is at least half covered. Only a white border on a pale ground may change it little.
        assert (changed & mask).sum() >= 0.97 * mask.sum()
        # Beyond the mask nothing changes but the half-covered pixels of its edge.
        assert not (changed & ~binary_dilation(mask, np.ones((3, 3), bool))).any()


@pytest.mark.parametrize("seed", SEEDS)
def test_outside_the_masks_is_the_background(seed: int) -> None:
    scene = scene_of(seed)
    picture, masks = render(scene, 96)
    ground = ~binary_dilation(masks.any(0), np.ones((3, 3), bool))
    expected = ImageColor.getrgb(BACKGROUNDS[scene.background or ""])
    assert ground.any()
    assert (np.asarray(picture)[ground] == expected).all()


def test_a_later_sticker_lies_on_top() -> None:
    under = Sticker("bus", "red", 0.5, 0.5, 0.8)
    over = Sticker("heart", "blue", 0.5, 0.5, 0.4)
    _, alone = render(Scene((under,), None, "mint"), 128)
    _, on_top = render(Scene((over,), None, "mint"), 128)
    picture, masks = render(Scene((under, over), None, "mint"), 128)
    assert (masks[1] == on_top[0]).all(), "what lies on top is whole"
    assert (masks[0] == alone[0] & ~on_top[0]).all(), "what lies under loses exactly that"
    assert not (masks[0] & masks[1]).any()
    blue = (np.asarray(picture) == ImageColor.getrgb(COLORS["blue"])).all(-1)
    assert blue.sum() > 0.4 * masks[1].sum() and not (blue & masks[0]).any()


def test_the_same_seed_gives_the_same_bytes_and_another_seed_other_ones() -> None:
    scene = random_scene(random.Random(2))
    first, first_masks = render(scene, 64, seed=9)
    again, again_masks = render(scene, 64, seed=9)
    other, _ = render(scene, 64, seed=10)
    assert first.tobytes() == again.tobytes() and (first_masks == again_masks).all()
    assert first.tobytes() != other.tobytes()
    assert render(place(scene, 9), 64)[0].tobytes() == first.tobytes()


@pytest.mark.parametrize("size", [8, 17, 64, 333, 2048])
def test_sizes_from_8_to_2048(size: int) -> None:
    scene = place(Scene((Sticker("cat", "red"), Sticker("tree", "green")), "left of", "sky"), 1)
    picture, masks = render(scene, size)
    assert picture.size == (size, size) and picture.mode == "RGB"
    assert masks.shape == (2, size, size) and masks.dtype == bool
    usual = render(scene, 256)[1]
    assert masks.mean((1, 2)) == pytest.approx(usual.mean((1, 2)), abs=0.1 if size < 20 else 0.01)


@pytest.mark.parametrize("size", [7, 0, -1, 2049])
def test_other_sizes_are_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"size must be from 8 to 2048 pixels, not {size}"):
        render(Scene((Sticker("cat", "red"),)), size)


def test_three_stickers_work() -> None:
    scene = Scene((Sticker("cat"), Sticker("car"), Sticker("star")), "below", "cream")
    _, masks = render(scene, 128, seed=3)
    heights = [np.nonzero(mask)[0].mean() for mask in masks]
    assert heights[0] > heights[1] > heights[2]
    assert (masks.sum(0) <= 1).all() and (masks.sum((1, 2)) > 500).all()


def test_the_relation_is_seen_in_the_masks() -> None:
    for relation, axis, sign in [("left of", 1, 1), ("right of", 1, -1), ("above", 0, 1), ("below", 0, -1)]:
        for seed in range(20):
            scene = Scene((Sticker("key", "red"), Sticker("bird", "blue")), relation, "mint")
            _, masks = render(scene, 64, seed)
            first, second = (np.nonzero(mask)[axis].mean() for mask in masks)
            assert sign * (second - first) > 10


@pytest.mark.parametrize("kind", KINDS)
def test_a_drawing_fills_its_box_stays_inside_and_shows_its_color(kind: str) -> None:
    for color, body in COLORS.items():
        art = np.asarray(sprite(kind, color, 256)).astype(int)
        solid = art[..., 3] > 127
        rows, columns = np.nonzero(solid)
        span = max(np.ptp(rows), np.ptp(columns)) + 1
        assert 0.9 * 256 <= span <= 256, "the drawing reaches across its box"
        # A drawing that is cut off by its box has a long straight edge there, whole and opaque.
        for edge in (art[0], art[-1], art[:, 0], art[:, -1]):
            assert (edge[:, 3] == 255).sum() < 0.25 * 256
        paint = Paint(body)
        counts = {
            name: int((np.abs(art[..., :3] - ImageColor.getrgb(value)).max(-1)[solid] <= 2).sum())
            for name, value in (("body", paint.body), ("dark", paint.dark), ("light", paint.light))
        }
        assert counts["body"] == max(counts.values()), counts
        assert counts["body"] > 0.15 * solid.sum(), counts


def test_most_kinds_cover_at_least_two_fifths_of_their_box() -> None:
    covered = {kind: float((np.asarray(sprite(kind, "red", 256))[..., 3] > 127).mean()) for kind in KINDS}
    assert sum(share >= 0.4 for share in covered.values()) >= 0.8 * len(KINDS), covered
    assert min(covered.values()) >= 0.25, covered


def test_the_world_has_no_saturated_pixel() -> None:
    # Channels of the paints go from 9 to 246; mixing and rounding may add or take one level.
    for seed in SEEDS:
        pixels = np.asarray(render(scene_of(seed), 64)[0])
        assert pixels.min() >= 8 and pixels.max() <= 247


def test_an_unknown_kind_or_color_is_an_error() -> None:
    scene = Scene((Sticker("cat", "red", 0.5, 0.5, 0.5),), None, "mint")
    with pytest.raises(KeyError, match="dragon"):
        render(replace(scene, stickers=(replace(scene.stickers[0], kind="dragon"),)), 64)
    with pytest.raises(KeyError, match="gold"):
        render(replace(scene, stickers=(replace(scene.stickers[0], color="gold"),)), 64)
