"""Kept results: equal settings once, the date of the measurement, bounds in memory and on disk, faults of the disk."""

from __future__ import annotations

import errno
import logging
import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest
from PIL import Image

from shared.archive import NotStorable, pack, unpack
from shared.comparison import Comparison, Measure, Side
from shared.results import ENDING, Results, key_of, weigh
from shared.settings import Settings, setting


class Some(Settings):
    size: int = setting(3, "Size", ge=1, le=9)
    file: str = setting("", "File", upload=True)


def made(value: float = 1.5, size: int = 8) -> Comparison:
    pictures = (Image.new("RGB", (size, size), (9, 99, 200)), Image.new("L", (size, size), 7))
    pictures[1].info["held back"] = True
    arrays = {"map": np.arange(6, dtype=np.float32).reshape(2, 3)}
    side = Side("a", (Measure("psnr", value, "dB", "higher", "so", 1.0, 2.0, 4),), pictures, None, arrays, ("", "x"))
    figure = go.Figure(go.Scatter(x=[1, 2], y=[3, 4]), layout={"height": 200})
    return Comparison("none", {"size": 3}, (side,), "So.", {"device": "CPU", "date": "2026-01-02"},
                      (Measure("gap", None, "", "neither", "none"),), (figure,))  # fmt: skip


def test_a_comparison_comes_back_whole_from_its_file() -> None:
    before = made()
    after = unpack(pack(before))
    assert after.to_dict() == before.to_dict()
    assert [np.array_equal(a, b) for a, b in zip(after.sides[0].images, before.sides[0].images, strict=True)] == [
        True
    ] * 2
    assert after.sides[0].images[1].info == {"held back": True} and after.sides[0].images[1].mode == "L"
    assert np.array_equal(after.sides[0].arrays["map"], before.sides[0].arrays["map"])
    assert after.sides[0].captions == ("", "x")
    assert after.figures[0].to_plotly_json()["data"][0]["y"] == [3, 4]


def test_objects_are_not_stored() -> None:
    odd = replace(made(), sides=(Side("a", (), arrays={"x": np.array([{}], dtype=object)}),))
    with pytest.raises(NotStorable, match="an array of objects"):
        pack(odd)
    with pytest.raises(NotStorable, match="of the kind object"):
        pack(replace(made(), figures=(object(),)))


def test_a_kept_result_says_when_it_was_measured() -> None:
    kept = Results()
    kept.put("k", made())
    found = kept.get("k")
    assert found is not None and found.environment == {"device": "CPU", "date": "2026-01-02", "cached": True}
    assert kept.get("other") is None
    kept.put("part", replace(made(), complete=False))
    assert kept.get("part") is None  # cancelled work is never kept
    kept.put("", made())
    assert kept.get("") is None


def test_a_result_without_a_date_gets_one_when_it_is_kept() -> None:
    kept = Results()
    kept.put("k", replace(made(), environment={"device": "CPU"}))
    found = kept.get("k")
    assert found is not None and str(found.environment["date"]).startswith(time.strftime("20"))


def test_memory_is_bounded_and_the_result_used_longest_ago_leaves() -> None:
    large = made(size=300)
    room = 3 * weigh(large) / 2**20
    kept = Results(memory=room)  # pyright: ignore[reportArgumentType]
    for name in "abc":
        kept.put(name, large)
    kept.get("a")
    kept.put("d", large)
    assert [name for name in "abcd" if kept.get(name)] == ["a", "c", "d"]
    Results(memory=0).put("x", large)


def test_the_disk_is_bounded_and_outlives_the_server(tmp_path: Path) -> None:
    size = len(pack(made()))
    kept = Results(disk=2.5 * size / 2**20, folder=tmp_path)  # pyright: ignore[reportArgumentType]
    for number, name in enumerate("abc"):
        kept.put(name, made())
        os.utime(tmp_path / f"{name}{ENDING}", (number, number))
    kept.put("d", made())
    assert sorted(f.name[0] for f in tmp_path.iterdir()) == ["c", "d"]
    again = Results(folder=tmp_path).get("c")
    assert again is not None and again.environment["cached"] is True and again.sides[0].label == "a"


def test_a_damaged_file_is_dropped_and_measured_again(tmp_path: Path) -> None:
    Results(folder=tmp_path).put("k", made())
    path = tmp_path / f"k{ENDING}"
    path.write_bytes(path.read_bytes()[:-40])
    assert Results(folder=tmp_path).get("k") is None and not path.exists()


def test_a_full_disk_costs_the_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(self: Path, content: bytes) -> int:
        self.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    kept = Results(folder=tmp_path)
    with caplog.at_level(logging.WARNING, "side_by_side"):
        kept.put("k", made())
    assert kept.get("k") is not None and list(tmp_path.iterdir()) == []
    assert "kept in memory only" in caplog.text and "No space left" in caplog.text


def test_what_a_killed_server_left_half_written_is_removed(tmp_path: Path) -> None:
    (tmp_path / "old.result.1.part").write_bytes(b"half")
    (tmp_path / "film.part").write_bytes(b"another program's")
    Results(folder=tmp_path).put("k", made())
    assert sorted(f.name for f in tmp_path.iterdir()) == ["film.part", f"k{ENDING}"]


def test_keys_are_of_demo_study_and_settings_and_uploads_have_none() -> None:
    keys = {key_of("d", "", Some()), key_of("d", "s", Some()), key_of("e", "", Some()), key_of("d", "", Some(size=4))}
    assert len(keys) == 4 and key_of("d", "", Some()) == key_of("d", "", Some(size=3))
    assert key_of("d", "", Some(file="a.csv")) == ""
