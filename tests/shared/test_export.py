from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
from urllib.parse import parse_qs

import numpy as np
import pytest
from PIL import Image

from shared.comparison import Comparison, Measure, Side
from shared.environment import environment_parts
from shared.export import COLUMNS, card_png, link_query, to_csv, to_json, to_npz
from tests.looks import HOSTILE, SETTINGS, compared, hostile, share


def test_json_is_strict():
    c = compared(Measure("adherence", math.nan, "share", "higher", "x", -math.inf, np.float32(0.5)), share(0.5))
    found = json.loads(to_json(c), parse_constant=pytest.fail)
    assert found == c.to_dict()
    assert found["sides"][0]["measures"][0]["value"] is None
    assert found["sides"][0]["measures"][0]["high"] == 0.5


def test_csv_comes_back_by_the_csv_module():
    c = hostile()
    found = list(csv.DictReader(io.StringIO(to_csv(c), newline="")))
    assert tuple(found[0]) == COLUMNS
    assert [(r["side"], r["label"]) for r in found] == [("A", HOSTILE)] * 2 + [("B", "'=1+1")] * 2 + [("", "")]
    assert (found[0]["value"], found[0]["low"], found[0]["n"], found[0]["note"]) == ("0.5", "0.4", "4", HOSTILE)
    assert [r["value"] for r in found] == ["0.5", "", "0.5", "", ""]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", " =1", "\r=1"])
def test_a_cell_never_starts_a_formula(text):
    side = Side(text, (Measure(text, -1.0, text, "lower", text),))
    row = next(csv.DictReader(io.StringIO(to_csv(Comparison("d", {}, (side,), "", {})), newline="")))
    assert [row[k] for k in ("label", "measure", "unit", "note")] == [f"'{text}"] * 4
    assert row["value"] == "-1.0"  # a number is no text from outside


def test_arrays_come_back_without_pickle():
    arrays = {
        "map": np.arange(6.0).reshape(2, 3),
        "../../x y": np.ones(2, np.uint8),
        "x y": np.zeros(1),
        "s": np.array(["a", None]),
    }
    c = Comparison("d", {}, (Side("one", (), arrays=arrays), Side("two", (), arrays={"map": np.eye(2)})), "", {})
    with np.load(io.BytesIO(to_npz(c)), allow_pickle=False) as found:
        assert sorted(found.files) == ["A_map", "A_s", "A_x_y", "A_x_y_2", "B_map"]
        np.testing.assert_array_equal(found["A_map"], arrays["map"])
        np.testing.assert_array_equal(found["B_map"], np.eye(2))
        assert found["A_map"].dtype == np.float64
        assert found["A_x_y"].tolist() == [1, 1]
        assert found["A_s"].tolist() == ["a", "None"]
    with np.load(io.BytesIO(to_npz(compared(share(0.5)))), allow_pickle=False) as none:
        assert none.files == []


def test_the_card_carries_its_settings_and_link():
    c = compared(share(0.5), share(0.6))
    picture = Image.open(io.BytesIO(card_png(c, width=800, query="demo=guidance&seed=13")))
    assert picture.format == "PNG"
    assert picture.width == 800
    assert json.loads(picture.text["Settings"]) == SETTINGS
    assert picture.text["Link"] == "?demo=guidance&seed=13"
    assert picture.text["Software"] == "made by Side by Side"
    assert picture.text["Description"] == c.takeaway


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"model": "sticker_diffusion"}, True),
        ({"model": "sticker_diffusion", "drawn_by": ""}, False),  # its maps, on a picture that it did not draw
        ({"model": "text encoder and U-Net", "drawn_by": "sticker_diffusion"}, True),
        ({"model": "scene_reader", "drawn_by": "scene_reader"}, False),
    ],
)
def test_the_card_says_ai_generated_where_a_model_drew_the_pictures(environment: dict[str, str], said: bool) -> None:
    c = dataclasses.replace(compared(share(0.5)), environment=environment)
    source = Image.open(io.BytesIO(card_png(c, width=800))).info.get("Source", "")
    assert source.startswith("AI-generated pictures, by sticker_diffusion (") == said
    assert ("AI-generated pictures" in environment_parts(environment)) == said


def test_the_link_names_every_setting_and_the_resolved_model():
    c = dataclasses.replace(compared(share(0.5)), settings=SETTINGS | {"on": True, "list": [1, 2.5], "none": None})
    found = {k: v[0] for k, v in parse_qs(link_query(c)).items()}
    assert found == {
        "demo": "guidance",
        "prompt": "a red car on a mint background",
        "seed": "13",
        "guidance_a": "1.0",
        "guidance_b": "7.5",
        "steps_a": "20",
        "steps_b": "10",
        "model": "sticker_diffusion",
        "on": "true",
        "list": "1,2.5",
    }
    study = parse_qs(link_query(dataclasses.replace(c, demo="guidance.sweep")))
    assert (study["demo"], study["study"]) == (["guidance"], ["sweep"])
