"""The linked maps: hover, click, lasso and search act in every map; what a visitor uploads stays text."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

STORED_POINTS = 1797


def open_maps(page: Page) -> Locator:
    page.goto("./")
    page.locator("a.sbs-card[data-demo=embeddings]").click()
    tab = page.locator("#sbs-embeddings")
    expect(tab.locator("canvas.map")).to_have_count(4)
    expect(tab.locator(".link")).to_be_visible()
    return tab


def ink(canvas: Locator) -> int:
    """How many pixels of a canvas are not empty."""
    return canvas.evaluate(
        "c => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0;"
        " for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; }"
    )


def find_point(page: Page, tab: Locator, canvas: int) -> None:
    """Moves the mouse over a map until it is on a point."""
    box = tab.locator("canvas.map").nth(canvas).bounding_box()
    assert box is not None
    for across in range(20, 80, 2):
        page.mouse.move(box["x"] + box["width"] * across / 100, box["y"] + box["height"] * 0.45)
        if (tab.locator(".link").get_attribute("data-hover") or "-1") != "-1":
            return
    pytest.fail("no point under the mouse")


def test_hover_rings_the_point_in_both_maps_and_shows_its_picture(page: Page) -> None:
    tab = open_maps(page)
    expect(tab.locator(".legend button")).to_have_count(10)
    expect(tab.locator(".link")).to_have_attribute("data-selected", "0")
    assert [ink(tab.locator("canvas.map").nth(i)) > 0 for i in range(4)] == [True, False, True, False]
    find_point(page, tab, 1)
    expect(tab.locator(".tip canvas.thumb")).to_be_visible()
    assert all(ink(tab.locator("canvas.map").nth(i)) > 20 for i in (1, 3))


def test_a_click_shows_the_true_neighbors_and_which_each_map_kept(page: Page) -> None:
    tab = open_maps(page)
    find_point(page, tab, 1)
    page.mouse.down()
    page.mouse.up()
    expect(tab.locator(".near .point")).to_have_count(15)
    letters = "".join(tab.locator(".near .point i").all_inner_texts())
    told = tab.locator(".told b").all_inner_texts()
    assert [int(text.strip(" ,").split()[1]) for text in told] == [letters.count("A"), letters.count("B")]
    first = tab.locator(".link").get_attribute("data-picked")
    tab.locator(".near .point").first.click()
    expect(tab.locator(".link")).not_to_have_attribute("data-picked", str(first))


def test_a_loop_in_one_map_selects_in_both_and_search_finds_labels(page: Page) -> None:
    tab = open_maps(page)
    box = tab.locator("canvas.map").nth(3).bounding_box()
    assert box is not None
    before = [ink(tab.locator("canvas.map").nth(i)) for i in (0, 2)]
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + box["height"] * 0.2)
    page.mouse.down()
    for x, y in ((0.5, 0.1), (0.6, 0.5), (0.3, 0.6)):
        page.mouse.move(box["x"] + box["width"] * x, box["y"] + box["height"] * y, steps=4)
    page.mouse.up()
    chosen = int(tab.locator(".link").get_attribute("data-selected") or 0)
    assert 0 < chosen < STORED_POINTS and before[0] > 0
    expect(tab.locator(".detail")).to_contain_text(f"{chosen:,} of {STORED_POINTS:,} points selected")
    tab.locator("input[type=search]").fill("7")
    expect(tab.locator(".count")).to_have_text("179 found")
    tab.locator("input[type=search]").fill("<b>")
    expect(tab.locator(".count")).to_have_text("nothing found")


def test_what_is_uploaded_is_shown_as_text(page: Page, tmp_path: Path) -> None:
    evil = "<img src=x onerror=window.hit=1>${window.hit=2}{{3}}"
    rows = "".join(f'{i},{i * i % 7},"{evil}{i % 2}"\n' for i in range(12))
    (tmp_path / "evil.csv").write_text("a,b,label\n" + rows)
    tab = open_maps(page)
    page.get_by_role("button", name="More: third side").click()
    tab.locator(".sbs-field-upload input[type=file]").first.set_input_files(str(tmp_path / "evil.csv"))
    expect(tab.locator(".sbs-field-dataset input").first).to_have_value("upload")
    page.get_by_role("button", name="Compare").click()
    expect(tab.locator(".sbs-side")).to_have_count(3, timeout=240_000)
    expect(tab.locator(".legend button")).to_have_count(2)
    expect(tab.locator(".legend button").first).to_have_text(f"{evil}0")
    assert page.evaluate("window.hit") is None


def test_a_study_hides_the_linked_maps(page: Page) -> None:
    tab = open_maps(page)
    page.get_by_role("button", name="Stability: the same from several seeds").click()
    tab.locator(".sbs-field-n_points input").last.fill("40")
    tab.locator(".sbs-field-seeds input[type=number]").fill("2")
    tab.get_by_role("button", name="Run").last.click()
    expect(tab.locator(".sbs-side")).to_have_count(3, timeout=240_000)
    expect(tab.locator(".link")).to_be_hidden()
    expect(tab.locator("canvas.map")).to_have_count(0)
