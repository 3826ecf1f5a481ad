"""With the real weights: the choice fits them, and the maps find what they should."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from demos.attention import maps
from demos.attention.compute import compare
from demos.attention.settings import AttentionSettings
from shared.models import ASSETS


def test_the_choice_was_made_for_these_weights():
    assert maps.chosen().checksum == maps.checksum(ASSETS / "sticker_diffusion"), (
        "sticker_diffusion was trained again: run python -m demos.attention.choose, then shared.stored attention"
    )


def test_maps_find_their_stickers_and_random_ones_do_not():
    c = compare(AttentionSettings(methods=["attention", "gradcam", "attention_random"]))
    iou = {s.label: s.measure("iou").value for s in c.sides}
    assert iou["cross-attention"] > 0.5
    assert iou["control: attention, random weights"] < iou["cross-attention"] / 2
    assert [s.measure("pointing_game").value for s in c.sides[:2]] == [1, 1]


def test_the_cat_is_called_a_cat_and_the_map_is_on_it():
    c = compare(AttentionSettings(source="photo", example="chelsea", methods=["gradcam"]))
    assert "cat" in c.environment["target"].lower() or "mau" in c.environment["target"].lower()
    assert (
        c.sides[0].measure("iou").value is None
        and "sticker diffusion knows no photos" in c.sides[0].measure("iou").note
    )
    found = c.sides[1].arrays["map"]
    peak = np.unravel_index(found.argmax(), found.shape)
    assert found.shape[0] * 0.1 < peak[0] < found.shape[0] * 0.9  # the cat's face fills the middle of the photo
    assert c.sides[1].measure("insertion_auc").value > 0.1


def test_a_uniform_grey_photo_is_explained_without_a_fault(tmp_path):
    Image.new("RGB", (1, 1), "grey").save(tmp_path / "grey.png")
    c = compare(AttentionSettings(source="photo", photo=str(tmp_path / "grey.png"), methods=["gradcam", "edges"]))
    edges = c.sides[2]
    assert edges.measure("area").value == 0 and len(edges.images) == 1


@pytest.mark.parametrize("target", ["umbrella", "17"])
def test_a_class_that_is_not_there_is_explained_or_said_to_have_no_map(target):
    c = compare(AttentionSettings(target=target, methods=["gradcam"]))
    cam = c.sides[1]
    assert "prefers" in c.takeaway or c.environment["target"] == "car"
    if len(cam.images) == 1:
        assert "No positive evidence" in cam.captions[0] and "has no map" in c.takeaway
    else:
        assert cam.arrays["map"].max() > 0
