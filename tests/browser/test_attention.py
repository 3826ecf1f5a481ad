"""The attention tab in a real Chromium, with the bundled models: first view, chips, a run by link, a bad upload."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_looks import BLANK, CLIPPED

pytestmark = pytest.mark.browser


def test_the_first_view_compares_and_a_chip_shows_its_map(page: Page) -> None:
    page.goto("./")
    page.locator("a.sbs-card[data-demo=attention]").click()
    tab = page.locator("#sbs-attention")
    tab.get_by_role("button", name="Show me the numbers").click()
    expect(tab.locator(".sbs-side")).to_have_count(6)
    for name in (".sbs-side[data-side=A] figure", ".sbs-side[data-side=F] figure", "button.sbs-go",
                 "tr[data-measure=iou]", "tr[data-measure=energy_inside]"):  # fmt: skip
        box = tab.locator(name).first.bounding_box()
        assert box is not None and box["y"] + box["height"] <= 650, (name, box)
    looks = tab.locator(".looks")
    chip = looks.locator(".chip[data-kind=word]", has_text="house")
    chip.click()
    expect(looks.locator(".named")).to_have_text("word house")
    assert looks.locator(".top").get_attribute("src") == chip.locator("img").get_attribute("src")
    looks.locator("input[type=range]").fill("20")
    assert looks.locator(".top").evaluate("e => e.style.opacity") == "0.2"
    assert page.evaluate(CLIPPED) == [] and page.evaluate(BLANK) == 0
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate(CLIPPED) == []


def test_a_link_runs_another_word_and_a_bad_upload_gets_a_sentence(page: Page, tmp_path: Path) -> None:
    page.goto("?demo=attention&word=house&methods=attention")
    tab = page.locator("#sbs-attention")
    expect(tab.locator(".sbs-takeaway")).to_contain_text("Cross-attention for “house”", ignore_case=True)
    expect(tab.locator(".sbs-side")).to_have_count(2)
    (tmp_path / "text.png").write_text("no picture")
    tab.locator(".sbs-more > button", has_text="More:").click()
    tab.locator(".sbs-field-photo input[type=file]").set_input_files(tmp_path / "text.png")
    expect(tab.locator(".sbs-field-source input[value=photo]")).to_be_checked()
    tab.locator("button.sbs-go").first.click()
    expect(tab.locator(".sbs-error").first).to_contain_text("photo: the file is no picture")
    expect(tab.locator(".sbs-side")).to_have_count(2)  # what was there stays
