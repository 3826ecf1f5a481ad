from __future__ import annotations

import shutil

import numpy as np
import pytest

from assets.shortcut_classifier.data import GROUNDS, PHOTOS, by_picture, by_scene, films, split_scenes
from demos.attention import shortcut
from demos.attention.settings import ShortcutSettings
from demos.attention.shortcut import run_shortcut
from demos.attention.slices import slices
from shared.demo import Cancelled, DemoError
from shared.small_cnn import KINDS


def test_backgrounds_go_with_kinds_only_on_the_biased_split():
    for split, wanted in (("biased", {True}), ("flipped", {False})):
        scenes, labels = split_scenes(60, split, seed=5)
        together = {GROUNDS.index(s.background) == label for s, label in zip(scenes, labels, strict=True)}
        assert together == wanted
        assert all(s.stickers[0].kind == KINDS[label] for s, label in zip(scenes, labels, strict=True))
    scenes, _ = split_scenes(120, "balanced", seed=5)
    assert {s.background for s in scenes} == set(GROUNDS)


def test_a_split_by_scene_keeps_films_apart_and_one_by_picture_does_not():
    scenes, labels, of = films(12, seed=3)
    assert len(scenes) == 12 * PHOTOS
    inside, outside = by_scene(of, labels, 0.5, seed=0)
    assert not {of[i] for i in inside} & {of[i] for i in outside} and len(inside) + len(outside) == len(of)
    inside, outside = by_picture(of, 0.5, seed=0)
    assert {of[i] for i in inside} & {of[i] for i in outside} and not set(inside) & set(outside)


def test_the_biased_classifier_collapses_where_backgrounds_are_flipped():
    c = run_shortcut(ShortcutSettings(n_pictures=120, n_maps=12))
    biased, balanced = c.sides
    assert biased.measure("accuracy_biased").value > 0.95 and balanced.measure("accuracy_biased").value > 0.85
    assert biased.measure("accuracy_flipped").high < balanced.measure("accuracy_flipped").low
    assert biased.measure("energy_inside").value < balanced.measure("energy_inside").value
    assert "A falls behind" in c.takeaway and len(c.figures) == 1


def test_near_duplicates_make_a_test_promise_more_than_it_keeps():
    c = run_shortcut(ShortcutSettings(part="near-duplicates", n_pictures=120))
    by_picture_side, by_scene_side = c.sides
    assert by_picture_side.measure("overstatement").low > by_scene_side.measure("overstatement").high
    assert "split by scene" in c.takeaway


def test_stopped_early_it_gives_what_it_has():
    def stop(done, total, unit):
        if done >= 24:
            raise Cancelled

    c = run_shortcut(ShortcutSettings(n_pictures=12, n_maps=6), stop)
    assert not c.complete and c.sides[0].measure("accuracy_flipped").value is not None


def test_slices_are_means_and_empty_pairs_are_empty():
    labels, grounds, right = np.array([0, 0, 1]), np.array([1, 1, 0]), np.array([True, False, True])
    found = slices(labels, grounds, right, 2, 2)
    assert found[0, 1] == 0.5 and found[1, 0] == 1 and np.isnan(found[0, 0])


def test_a_damaged_file_of_weights_gets_a_sentence(tmp_path, monkeypatch):
    folder = tmp_path / "shortcut_classifier"
    shutil.copytree(shortcut.FOLDER, folder)
    with (folder / "biased.safetensors").open("r+b") as file:
        file.truncate(30_000)
    monkeypatch.setattr(shortcut, "FOLDER", folder)
    with pytest.raises(DemoError, match=r"biased\.safetensors of shortcut_classifier is damaged or changed"):
        run_shortcut(ShortcutSettings(n_pictures=12, n_maps=6))


@pytest.mark.parametrize("name", ["biased", "balanced", "by_picture", "by_scene"])
def test_weights_are_small(name):
    assert (shortcut.FOLDER / f"{name}.safetensors").stat().st_size < 400_000
