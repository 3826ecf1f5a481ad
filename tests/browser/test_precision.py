"""The precision tab: the first view, the picture under two sides, the blind game, and the decision to save."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_looks import CLIPPED

pytestmark = pytest.mark.browser


def open_tab(page: Page) -> None:
    page.goto("./")
    page.locator("a.sbs-card[data-demo=precision]").click()
    page.locator("#sbs-precision").get_by_role("button", name="Show me the numbers").click()
    expect(page.locator("#sbs-precision .sbs-table")).to_be_visible()


@pytest.mark.parametrize(("width", "height"), [(1366, 650), (390, 844)])
def test_nothing_is_clipped(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    open_tab(page)
    assert page.evaluate(CLIPPED) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_difference_toggle_and_blind_game(page: Page) -> None:
    open_tab(page)
    tab = page.locator("#sbs-precision")
    tab.get_by_role("button", name="Slide, toggle, difference").click()
    look = tab.locator(".look")
    canvas = look.locator("canvas")
    expect(canvas).to_be_visible()
    look.get_by_role("button", name="C ONNX Runtime FP32").click()
    look.get_by_role("button", name="Difference × 10").click()
    expect(look.locator(".caps span").nth(1)).to_contain_text("largest difference is")
    near = int(canvas.get_attribute("data-largest") or "999")
    look.get_by_role("button", name="D ONNX Runtime static INT8").click()
    expect(look.locator(".caps span").nth(1)).to_contain_text("D:")
    page.wait_for_function(
        "(before) => document.querySelector('.look canvas').dataset.largest != before", arg=str(near)
    )
    assert int(canvas.get_attribute("data-largest") or "0") > near
    look.get_by_role("button", name="Toggle", exact=True).click()
    expect(look.locator(".caps span").nth(1)).to_contain_text("D:")
    canvas.click()
    expect(look.locator(".caps span").nth(1)).to_contain_text("A:")
    look.get_by_role("button", name="Blind game").click()
    for n in range(10):
        expect(look.locator(".game p")).to_contain_text(
            f"Round {n + 1} of 10: which of these two is ONNX Runtime static INT8?"
        )
        look.get_by_role("button", name="The left one").click()
    expect(look.locator(".game p")).to_contain_text("of 10 right. Whoever guesses")


def test_the_decision_is_saved_as_a_file(page: Page) -> None:
    open_tab(page)
    tab = page.locator("#sbs-precision")
    tab.get_by_role("button", name="Decision: accept or reject").click()
    with page.expect_download() as caught:
        tab.get_by_role("link", name="Save as Markdown").click()
    assert caught.value.suggested_filename == "precision-decision.md"
    text = caught.value.path().read_text(encoding="utf-8")
    assert "Gates: P95 up to 50 ms" in text and "ONNX Runtime static INT8" in text
