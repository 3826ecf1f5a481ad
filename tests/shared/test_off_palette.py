from __future__ import annotations

import math
import random

import numpy as np
import pytest
from PIL import Image

from shared.off_palette import FAR, off_palette, world_colors
from shared.stickers import BACKGROUNDS, COLORS, random_scene, render


def test_the_worlds_colors_are_all_there_once():
    found = world_colors()
    assert {*COLORS.values(), *BACKGROUNDS.values()} <= set(found) and len(found) == len(set(found)) == 38


def half(one: tuple[int, int, int], other: tuple[int, int, int]) -> Image.Image:
    pixels = np.empty((4, 4, 3), dtype=np.uint8)
    pixels[:2], pixels[2:] = one, other
    return Image.fromarray(pixels)


def lab(rgb: tuple[int, int, int]) -> tuple[float, float, float]:
    """CIE Lab under D65 by its definition."""
    linear = [c / 12.92 if (c := v / 255) <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for v in rgb]
    rows = ((0.412453, 0.357580, 0.180423), (0.212671, 0.715160, 0.072169), (0.019334, 0.119193, 0.950227))
    white = (0.95047, 1.0, 1.08883)
    xyz = [sum(m * v for m, v in zip(row, linear, strict=True)) / w for row, w in zip(rows, white, strict=True)]
    f = [t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def by_hand(rgb: tuple[int, int, int]) -> float:
    """The distance to the nearest of the world's colors."""
    others = [tuple(int(c[i : i + 2], 16) for i in (1, 3, 5)) for c in world_colors()]
    return min(math.dist(lab(rgb), lab(other)) for other in others)  # type: ignore[arg-type]


def test_a_mint_ground_with_half_of_it_pure_green_is_half_off():
    mint, green = (0xBF, 0xE9, 0xD5), (0, 255, 0)
    assert by_hand(green) > FAR > by_hand(mint)
    assert off_palette(half(mint, mint)) == 0
    assert off_palette(half(mint, green)) == 0.5
    assert off_palette(half(green, green)) == 1


@pytest.mark.parametrize("shift", [1, 4, 8, 12, 20, 40])
def test_a_shifted_ground_is_off_where_the_distance_by_hand_says_so(shift):
    shifted = (0xBF + shift, 0xE9 - shift, 0xD5)
    assert off_palette(half(shifted, shifted)) == float(by_hand(shifted) > FAR)


def test_true_renders_have_little_and_blotches_much():
    true, _ = render(random_scene(random.Random(3)), 128)
    pixels = np.asarray(true).astype(int)
    blotched = pixels.copy()
    blotched[::4] += np.random.default_rng(0).integers(-60, 60, blotched[::4].shape)
    assert off_palette(true) < 0.15
    assert off_palette(Image.fromarray(blotched.clip(0, 255).astype(np.uint8))) > off_palette(true) + 0.15
