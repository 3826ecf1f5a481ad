from __future__ import annotations

import base64
import dataclasses
import io
import re
from html.parser import HTMLParser

import pytest
from PIL import Image

from shared.comparison import Comparison, Measure, Side
from shared.demo import Answer, Prediction
from shared.ui.html import (
    GalleryCard,
    data_uri,
    environment_line,
    error_html,
    gallery_html,
    progress_html,
    sides_html,
    table_html,
    takeaway_html,
    time_left,
)
from tests.looks import ENVIRONMENT, HOSTILE, compared, grid, hostile, picture, share

VOID = {"img", "br", "rect", "path", "circle"}


class Reader(HTMLParser):
    """Reads tags, attributes and text, and fails where tags are not closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def all(self, tag: str, **wanted: str) -> list[dict[str, str | None]]:
        return [a for t, a in self.tags if t == tag and all(a.get(k) == v for k, v in wanted.items())]


def row(html: str, name: str) -> str:
    found = re.search(rf'<tr data-measure="{name}">.*?</tr>', html)
    assert found
    return found[0]


def every_html() -> dict[str, str]:
    c = hostile()
    answers = (Answer(HOSTILE, lambda c: False), Answer(f"not {HOSTILE}", lambda c: True))
    many = dataclasses.replace(c, sides=c.sides * 4)
    return {
        "sides": sides_html(c),
        "sheet": sides_html(many),
        "table": table_html(c),
        "long table": table_html(many),
        "folded table": table_html(c, ("nothing",)),
        "takeaway": takeaway_html(c, Prediction(HOSTILE, answers), answers[0], HOSTILE),
        "error": error_html(HOSTILE),
        "progress": progress_html(1, 2, HOSTILE, 3.0),
        "environment": environment_line(c),
        "gallery": gallery_html([GalleryCard(HOSTILE, HOSTILE, HOSTILE, (picture((1, 2, 3)),))]),
    }


@pytest.mark.parametrize("name", list(every_html()))
def test_text_is_never_markup(name):
    html = every_html()[name]
    page = Reader(html)
    assert "script" not in {tag for tag, _ in page.tags}
    assert "<script" not in html
    assert "alert(" in page.text or name == "gallery"
    assert not [k for _, attrs in page.tags for k in attrs if k.startswith("on") or k == "alert"]


@pytest.mark.parametrize("name", list(every_html()))
def test_every_class_is_our_own(name):
    for _, attrs in Reader(every_html()[name]).tags:
        assert all(c.startswith("sbs-") for c in (attrs.get("class") or "").split())


def test_sides_stand_with_letter_label_picture_settings_and_film():
    page = Reader(sides_html(compared(share(0.5), share(0.6), film=True)))
    assert [a["data-side"] for a in page.all("section")] == ["A", "B"]
    assert [a["alt"] for a in page.all("img", **{"class": "sbs-picture"})] == ["A: guidance 1", "B: guidance 2"]
    assert len(page.all("img", **{"class": "sbs-shot"})) == 12
    for words in ("A guidance 1", "guidance 1 · steps 20 · seed 13", "guidance 7.5 · steps 10 · seed 13"):
        assert words in page.text
    without = Reader(sides_html(compared(share(0.5), share(0.6), film=True), film=False))
    assert not without.all("img", **{"class": "sbs-shot"})


def test_steps_and_samples_are_two_films():
    images = tuple(picture((i, 0, 0)) for i in range(5))
    side = Side("one", (), images, captions=("plain", "1", "20", "seed 14", "seed 15"))
    page = Reader(sides_html(Comparison("d", {}, (side, side), "", {})))
    assert len(page.all("ol")) == 4
    assert "plain" in page.text


def test_pictures_are_pngs_at_their_own_size_and_small_ones_are_sharp():
    for size, name in (
        ((28, 28), "sbs-picture sbs-sharp"),
        ((32, 8), "sbs-picture sbs-sharp"),
        ((64, 64), "sbs-picture"),
    ):
        made = picture((10, 20, 30), size)
        found = Reader(sides_html(Comparison("d", {}, (Side("one", (), (made,)),), "", {}))).all("img")
        assert [(i["class"], i["width"], i["height"]) for i in found] == [(name, str(size[0]), str(size[1]))]
        src = found[0]["src"] or ""
        data = base64.b64decode(src.removeprefix("data:image/png;base64,"))
        assert list(Image.open(io.BytesIO(data)).getdata()) == [(10, 20, 30)] * (size[0] * size[1])
    assert data_uri(Image.new("RGBA", (2, 2), (1, 2, 3, 0))).startswith("data:image/png;base64,")


def test_a_winner_has_the_only_check_mark():
    html = table_html(compared(share(0.5, 0.4, 0.6), share(0.9, 0.8, 1.0)))
    assert re.findall(r'<td class="sbs-value sbs-wins">.*?<b>(.*?)</b>', html) == ["0.90"]
    assert html.count("✓") == 1
    assert "no clear difference" not in html


@pytest.mark.parametrize("other", [(0.6, 0.55, 0.7), (0.5, 0.4, 0.6)])
def test_overlap_and_ties_have_no_check_mark(other):
    html = table_html(compared(share(0.5, 0.4, 0.6), share(*other)))
    assert "✓" not in html
    assert "no clear difference" in row(html, "adherence")


def test_one_sample_crowns_nobody():
    html = table_html(compared(share(0.1), share(0.9)))
    assert "✓" not in html
    assert "no clear difference" not in html


def test_a_null_says_why_once_where_all_sides_share_it():
    missing = Measure("adherence", None, "share", "higher", "unknown word: dragon")
    both = Reader(table_html(compared(missing, missing)))
    assert both.text.count("not measured") == 1
    assert both.text.count("unknown word: dragon") == 1
    one = Reader(table_html(compared(missing, share(0.5))))
    assert one.text.count("not measured") == 1
    assert "0.50" in one.text


def test_notes_are_reached_by_hover_and_by_keyboard():
    notes = Reader(table_html(compared(share(0.5), share(0.6)))).all("abbr")
    assert notes == [{"class": "sbs-note", "tabindex": "0", "title": "Facts right. 4 samples a side."}]


def test_measures_between_the_sides_have_rows_of_their_own():
    between = Measure("difference", 0.4, "share", "neither", "Paired.", 0.1, 0.7)
    html = table_html(compared(share(0.5), share(0.9), between=[between]))
    assert "between the sides" in row(html, "difference")
    assert "between the sides" not in row(html, "adherence")
    assert html.index('data-measure="difference"') > html.index('data-measure="adherence"')
    assert 'colspan="2"' in row(html, "difference")
    assert "0.10–0.70" in row(html, "difference")


def test_a_demo_may_fold_all_rows_but_a_few():
    between = [Measure("difference", 0.4, "share", "neither", "Paired.", 0.1, 0.7)]
    c = compared(share(0.5), share(0.9), between=between)
    folded = table_html(c, ("difference",))
    assert folded.index('data-measure="difference"') < folded.index('<tr class="sbs-later" data-measure="adherence"')
    assert "1 more measure: adherence" in Reader(folded).text
    assert "sbs-later" not in table_html(c) and "sbs-fold" not in table_html(c, ("adherence", "difference"))
    assert "--sbs-rows:2" in sides_html(c, first=("difference",))


def test_where_no_side_has_a_picture_there_are_no_empty_frames():
    bare = [dataclasses.replace(s, images=(), captions=()) for s in grid().sides]
    few = Reader(sides_html(dataclasses.replace(grid(), sides=tuple(bare[:3]))))
    assert few.all("figure") == [] and len(few.all("h3")) == 3
    assert sides_html(dataclasses.replace(grid(), sides=tuple(bare))) == ""


def test_beyond_six_sides_there_is_a_row_a_side_and_a_sheet_with_axes():
    page = Reader(table_html(grid()))
    assert len(page.all("tr")) == 1 + 8
    assert "This cell failed." in page.text
    sheet = Reader(sides_html(grid()))
    assert len(sheet.all("figure")) == 8
    assert len(sheet.all("th", scope="col")) == 4
    assert len(sheet.all("th", scope="row")) == 2
    assert "no picture" in sheet.text
    named = dataclasses.replace(
        grid(), sides=tuple(dataclasses.replace(s, label=f"x{i}") for i, s in enumerate(grid().sides))
    )
    assert not Reader(sides_html(named)).all("th")
    assert "x7" in Reader(sides_html(named)).text


def test_a_run_that_stopped_early_says_so():
    whole = compared(share(0.5), share(0.6))
    assert "Stopped early" not in table_html(whole)
    assert "Stopped early" in table_html(dataclasses.replace(whole, complete=False))
    assert table_html(Comparison("d", {}, (Side("one", ()),), "", {})) == ""


@pytest.mark.parametrize(
    ("held", "kind", "words"),
    [
        (True, "sbs-agree", "You predicted “A”. The measured values agree."),
        (False, "sbs-disagree", "You predicted “A”. The measured values disagree: they say “B”."),
        (None, "sbs-unsure", "You predicted “A”. This run can't tell."),
    ],
)
def test_a_prediction_has_three_outcomes(held, kind, words):
    answers = (Answer("A", lambda c: held), Answer("B", lambda c: True))
    html = takeaway_html(compared(share(0.5)), Prediction("Which?", answers), answers[0], "Look twice.")
    page = Reader(html)
    assert words in page.text
    assert "B followed the prompt better." in page.text
    assert "The trap: Look twice." in page.text
    assert len(page.all("span", **{"class": f"sbs-outcome {kind}"})) == 1


def test_where_a_run_cannot_tell_the_preset_that_can_is_named():
    answers = (Answer("A", lambda c: None), Answer("B", lambda c: None))
    html = takeaway_html(compared(share(0.5)), Prediction("Which?", answers, "Six <b>"), answers[0], "")
    assert "This run can't tell. The preset “Six <b>” can." in Reader(html).text


def test_without_a_prediction_the_takeaway_stands_alone():
    html = takeaway_html(compared(share(0.5)), None, None, "")
    assert "You predicted" not in html
    assert "trap" not in html


def test_progress_counts_in_its_own_units():
    page = Reader(progress_html(12, 60, "U-Net calls", 5.2))
    assert page.text == "12 of 60 U-Net calls, 5 s left"
    bar = page.all("div", role="progressbar")[0]
    assert (bar["aria-valuenow"], bar["aria-valuemax"]) == ("12", "60")
    assert "width:20.0%" in progress_html(12, 60, "U-Net calls", 5.2)
    assert Reader(progress_html(60, 60, "U-Net calls", 0.0)).text == "60 of 60 U-Net calls"
    assert Reader(progress_html(3, 0, "cells", None)).text == "3 cells"
    assert [time_left(s) for s in (0.2, 59, 60, 125, 3600, 3780)] == [
        "1 s",
        "59 s",
        "1 min",
        "2 min 5 s",
        "1 h",
        "1 h 3 min",
    ]


def test_an_error_is_an_alert_and_nothing_without_a_sentence():
    assert Reader(error_html("steps must be 1 to 100.")).all("div")[0]["role"] == "alert"
    assert error_html("") == ""


def test_the_environment_is_one_line():
    assert Reader(environment_line(compared(share(0.5)))).text == (
        "sticker_diffusion · AI-generated pictures · CPU (test), 2 threads · float32 · torch 2.13.0 · "
        "measured 2026-01-02 03:04"
    )
    gpu = Comparison("d", {}, (), "", ENVIRONMENT | {"device": "NVIDIA T4", "dtype": "float16"})
    assert "NVIDIA T4 · float16" in Reader(environment_line(gpu)).text
    assert Reader(environment_line(Comparison("d", {}, (), "", {}))).text == ""


def test_a_gallery_card_leads_to_its_demo():
    page = Reader(gallery_html([GalleryCard("guidance", "Guidance & steps", "Better?", (picture((1, 2, 3)),) * 2)]))
    assert [(a["href"], a["data-demo"]) for a in page.all("a")] == [("?demo=guidance", "guidance")]
    assert "Guidance & steps" in page.text
    assert len(page.all("img")) == 2
