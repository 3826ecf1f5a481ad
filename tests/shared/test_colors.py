from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from shared.colors import LETTERS, SIDE_COLORS, contrast, letter, palette

# How people without long-wave (protan) or middle-wave (deutan) cones see linear RGB (Machado et al. 2009, severity 1).
PROTAN = np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]])
DEUTAN = np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]])
TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.793617785, -0.0040720468],
        [1.9779984951, -2.428592205, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.808675766],
    ]
)


def oklab(color: str, view: np.ndarray) -> np.ndarray:
    """A color in Ottosson's OKLab as a person sees it, where near colors are near."""
    rgb = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return TO_LAB @ np.cbrt(TO_LMS @ np.clip(view @ linear, 0, 1))


def test_contrast_is_that_of_wcag():
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)  # the known near miss
    assert contrast("#123456", "#123456") == 1


@pytest.mark.parametrize("dark", [False, True])
def test_text_can_be_read_on_every_ground(dark):
    colors = palette(dark)
    texts = ["text", "muted", "good", "warn", "bad", *LETTERS.lower()]
    grounds = ["page", "surface"]
    ratios = {(t, g): contrast(colors[t], colors[g]) for t in texts for g in grounds}
    ratios |= {(t, "sunken"): contrast(colors[t], colors["sunken"]) for t in ("text", "muted")}
    ratios |= {("bad", "bad-fill"): contrast(colors["bad"], colors["bad-fill"])}
    ratios |= {("button-text", b): contrast(colors["button-text"], colors[b]) for b in ("button", "button-hover")}
    ratios |= {("page", "text"): contrast(colors["page"], colors["text"])}
    assert {pair: round(r, 2) for pair, r in ratios.items() if r < 4.5} == {}


@pytest.mark.parametrize("dark", [False, True])
def test_edges_of_controls_can_be_seen(dark):
    colors = palette(dark)
    assert all(contrast(colors["strong-line"], colors[g]) >= 3 for g in ("page", "surface"))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("view", [np.eye(3), PROTAN, DEUTAN], ids=["all cones", "protan", "deutan"])
def test_sides_stay_apart_for_the_color_blind(view, dark):
    seen = [oklab(side[int(dark)], view) for side in SIDE_COLORS]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 0.045
    assert np.linalg.norm(seen[0] - seen[1]) > 0.15


def test_every_side_has_a_marker_of_its_own():
    assert len({marker for _, _, marker in SIDE_COLORS}) == len(SIDE_COLORS) == len(LETTERS)
    assert [letter(i) for i in (0, 5, 25, 26)] == ["A", "F", "Z", "27"]
