"""A comparison as files and back: the same numbers, pictures and arrays, with hardware and date."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from shared import checksums
from shared.comparison import Comparison, Measure, Side
from shared.stored import LONGEST_SIDE, RESULT, load, outdated, save


def made(environment: dict[str, object]) -> Comparison:
    picture = Image.fromarray(np.arange(64 * 64 * 3, dtype=np.uint32).reshape(64, 64, 3).astype(np.uint8))
    large = Image.new("RGB", (LONGEST_SIDE * 2, LONGEST_SIDE), (10, 20, 30))
    measures = (
        Measure("psnr", 20.125, "dB", "higher", "Against the clean one.", 19.0, 21.0, 8),
        Measure("adherence", None, "share", "higher", "The world can't read this prompt."),
    )
    sides = (
        Side("one", measures, (picture, large), arrays={"map": np.eye(3)}, captions=("", "large")),
        Side("two", measures),
    )
    return Comparison("tiny", {"seed": 3}, sides, "One sentence.", environment, measures[:1])


def test_what_was_saved_comes_back(tmp_path: Path) -> None:
    saved = made({"device": "CPU (test)", "date": "2026-01-02 03:04 UTC"})
    save(saved, tmp_path)
    found = load(tmp_path)
    assert found is not None and found.to_dict() == saved.to_dict()
    first = found.sides[0]
    assert np.array_equal(np.asarray(first.images[0]), np.asarray(saved.sides[0].images[0]))
    assert first.images[1].size == (LONGEST_SIDE, LONGEST_SIDE // 2)
    assert first.captions == ("", "large") and np.array_equal(first.arrays["map"], np.eye(3))
    assert (found.sides[1].images, dict(found.sides[1].arrays)) == ((), {})


def test_a_date_is_added_where_there_is_none(tmp_path: Path) -> None:
    save(made({"device": "CPU (test)"}), tmp_path)
    found = load(tmp_path)
    assert found is not None and str(found.environment["date"]).endswith("UTC")
    assert found.environment["device"] == "CPU (test)"


def test_saving_again_leaves_no_old_pictures(tmp_path: Path) -> None:
    save(made({}), tmp_path)
    save(Comparison("tiny", {}, (Side("one", ()),), "Less.", {}), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["result.json"]


def test_an_empty_folder_has_no_result(tmp_path: Path) -> None:
    assert load(tmp_path) is None


def test_a_write_that_fails_leaves_the_old_result_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "stored"
    save(made({"date": "2026-01-02 03:04 UTC"}), folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def full(*_: object, **__: object) -> None:
        raise OSError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(np, "savez_compressed", full)
        with pytest.raises(OSError, match="No space left"):
            save(made({"date": "2026-02-02 03:04 UTC"}), folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["stored"]


@pytest.mark.parametrize("name", ["side0_0.png", "arrays.npz", "result.json"])
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_file_cut_short_is_as_good_as_none_and_said_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, share: float
) -> None:
    save(made({}), tmp_path)
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[: int(share * len(whole))])
    assert load(tmp_path) is None
    assert "can't be read" in caplog.text


def test_a_missing_picture_is_as_good_as_none(tmp_path: Path) -> None:
    save(made({}), tmp_path)
    (tmp_path / "side0_0.png").unlink()
    assert load(tmp_path) is None


def test_weights_trained_anew_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = tmp_path / "assets" / "scene_reader"
    reader.mkdir(parents=True)
    (reader / "model.safetensors").write_bytes(b"first")
    monkeypatch.setattr("shared.models.ASSETS", tmp_path / "assets")
    save(made({}), tmp_path / "stored", {"scene_reader": checksums.fingerprint(reader)})
    assert outdated(tmp_path / "stored") == ()
    assert load(tmp_path / "stored") is not None
    (reader / "model.safetensors").write_bytes(b"second")
    assert outdated(tmp_path / "stored") == ("scene_reader",)
    assert (tmp_path / "stored" / RESULT).is_file()


def test_a_picture_that_sides_share_is_written_once(tmp_path: Path) -> None:
    same, other = Image.new("RGB", (8, 8), (1, 2, 3)), Image.new("RGB", (8, 8), (3, 2, 1))
    sides = (Side("one", (), (same, other)), Side("two", (), (other, same)), Side("three", (), (same,)))
    save(Comparison("tiny", {}, sides, "One sentence.", {}), tmp_path)
    assert sorted(path.name for path in tmp_path.glob("*.png")) == ["side0_0.png", "side0_1.png"]
    found = load(tmp_path)
    assert found is not None
    assert [[p.getpixel((0, 0)) for p in side.images] for side in found.sides] == [
        [(1, 2, 3), (3, 2, 1)], [(3, 2, 1), (1, 2, 3)], [(1, 2, 3)],
    ]  # fmt: skip
