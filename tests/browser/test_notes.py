"""What a visitor takes away: the card copied and dropped again, figures as PNG and SVG, a page with results alone."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.test_results import save

pytestmark = pytest.mark.browser

SWEEP = "?demo=guidance&study=sweep&guidances=1,5&steps=2,3&seeds=13"
DROP = """([name, data]) => {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0)), carried = new DataTransfer();
  carried.items.add(new File([bytes], name, {type: 'image/png'}));
  document.querySelector('.sbs-header').dispatchEvent(
    new DragEvent('drop', {dataTransfer: carried, bubbles: true, cancelable: true}));
}"""


def drop(page: Page, name: str, content: bytes) -> None:
    page.evaluate(DROP, [name, base64.b64encode(content).decode()])


def test_a_card_dropped_on_the_page_restores_its_settings(page: Page) -> None:
    page.goto("?demo=smoothing&noise=0.4&seed=7")
    tab = page.locator("#sbs-smoothing")
    expect(tab.locator(".sbs-table")).to_be_visible()
    name, content = save(page, "Save card")
    assert Image.open(io.BytesIO(content)).info["Link"].startswith("?demo=smoothing&noise=0.4")
    page.goto("./")
    expect(page.locator("a.sbs-card").first).to_be_visible()
    drop(page, "other.png", b"no picture at all, but long enough")
    expect(page.locator(".sbs-card-said")).to_contain_text("no card saved here")
    drop(page, name, content)
    expect(tab.locator(".sbs-field-noise input[type=number]")).to_have_value("0.4")
    expect(tab.locator(".sbs-side[data-side=A] figcaption")).to_contain_text("seed 7")


def test_the_card_is_copied_as_a_picture(page: Page) -> None:
    page.goto("?demo=smoothing&seed=7")
    expect(page.locator("#sbs-smoothing .sbs-table")).to_be_visible()
    page.get_by_role("button", name="Copy card").click()
    expect(page.get_by_role("button", name="Card copied")).to_be_visible()
    kinds = page.evaluate("navigator.clipboard.read().then((items) => items.flatMap((item) => item.types))")
    assert kinds == ["image/png"]


def test_nothing_that_holds_numbers_can_be_saved_before_they_are_shown(page: Page) -> None:
    page.goto("./")
    page.locator("a.sbs-card[data-demo=smoothing]").click()
    tab = page.locator("#sbs-smoothing")
    expect(tab.get_by_role("button", name="Copy link")).to_be_visible()
    expect(tab.get_by_role("button", name="Save card")).to_have_count(0)
    tab.get_by_role("button", name="Show me").click()
    expect(tab.get_by_role("button", name="Save card")).to_be_visible()


def test_a_figure_has_words_and_is_saved_as_png_at_twice_its_size_and_as_svg(page: Page) -> None:
    page.goto(SWEEP)
    tab = page.locator("#sbs-guidance")
    plot = tab.locator(".js-plotly-plot").first
    expect(plot).to_have_attribute("aria-label", re.compile("Row 2: .* at 1, .* at 5"))
    box = plot.bounding_box()
    assert box is not None
    with page.expect_download() as found:
        tab.get_by_role("button", name="Save PNG").first.click()
    picture = Image.open(Path(found.value.path()))
    assert picture.size == pytest.approx((2 * box["width"], 2 * box["height"]), abs=2)
    assert len(picture.convert("RGB").getcolors(1 << 20) or []) > 50
    with page.expect_download() as found:
        tab.get_by_role("button", name="Save SVG").first.click()
    text = Path(found.value.path()).read_text()
    assert text.startswith("<svg") and "guidance scale" in text and "adherence" in text


def test_the_clean_view_shows_results_alone(page: Page) -> None:
    page.goto("?demo=smoothing&seed=3&view=clean")
    tab = page.locator("#sbs-smoothing")
    expect(tab.locator(".sbs-table")).to_be_visible()
    expect(tab.locator("img.sbs-picture")).to_have_count(2)
    for name in (".sbs-go", ".sbs-header", ".sbs-share", ".sbs-predict"):
        assert page.locator(f"{name}:visible").count() == 0, name


def test_the_clean_view_says_what_is_wrong_with_its_link(page: Page) -> None:
    page.goto("?demo=smoothing&noise=7&view=clean")
    expect(page.locator(".sbs-error:visible")).to_contain_text("noise must be a number from 0 to 0.9, not 7.")
    assert page.locator(".sbs-go:visible").count() == 0
