"""What only a laid-out page shows: the fold, clipped text, blank pictures, overflow on a phone, both themes."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

CLIPPED = """() => [...document.querySelectorAll('.sbs-tab *, .sbs-header *, .sbs-question *')].filter((e) => {
  const style = getComputedStyle(e), own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  const hides = /hidden|clip/.test(style.overflowX + style.overflowY) || style.textOverflow === 'ellipsis';
  const skipped = e.closest('.sr-only, .hide, .sbs-hidden, .visually-hidden') || !e.offsetParent;
  return own && hides && !skipped && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1);
}).map((e) => e.className + ': ' + e.textContent.slice(0, 60))"""

BLANK = """() => [...document.querySelectorAll('img.sbs-picture, img.sbs-shot')].filter((e) => {
  if (!e.offsetParent) return false;
  const canvas = document.createElement('canvas'); canvas.width = canvas.height = 32;
  const pen = canvas.getContext('2d'); pen.drawImage(e, 0, 0, 32, 32);
  return new Set(new Uint32Array(pen.getImageData(0, 0, 32, 32).data.buffer)).size < 3;
}).length"""

COLORS = """() => [getComputedStyle(document.body).backgroundColor,
                    getComputedStyle(document.querySelector('.sbs-table')).color]"""


@pytest.fixture(params=["light", "dark"])
def shown(request: pytest.FixtureRequest, page: Page) -> Page:
    page.goto(f"?demo=smoothing&__theme={request.param}")
    expect(page.locator(".sbs-table:visible")).to_be_visible()
    return page


def test_everything_that_matters_is_above_the_fold(shown: Page) -> None:
    for name in (".sbs-question:visible", "button.sbs-go:visible", ".sbs-side[data-side=A]:visible figure",
                 ".sbs-side[data-side=B]:visible figure", ".sbs-table:visible"):  # fmt: skip
        box = shown.locator(name).first.bounding_box()
        assert box is not None and box["y"] + box["height"] <= 650, (name, box)
    a, b = (shown.locator(f".sbs-side[data-side={x}]:visible .sbs-frame").bounding_box() for x in "AB")
    assert a is not None and b is not None
    assert (a["width"], a["height"], a["y"]) == pytest.approx((b["width"], b["height"], b["y"]))


def test_no_text_is_clipped_and_no_picture_is_blank(shown: Page) -> None:
    assert shown.evaluate(CLIPPED) == []
    assert shown.evaluate(BLANK) == 0


@pytest.mark.parametrize("query", ["", "?demo=smoothing"])
def test_a_phone_scrolls_down_alone(page: Page, query: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(query or "./")
    if query:
        expect(page.locator(".sbs-table:visible")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    # Gradio measures its tabs on a copy of them that nobody sees.
    wide = page.evaluate(
        "[...document.querySelectorAll('.contain *')].filter(e => e.offsetParent && !e.closest('.visually-hidden') && "
        "e.getBoundingClientRect().right > 391).map(e => e.className)"
    )
    assert wide == []
    assert page.evaluate(CLIPPED) == []


def test_the_switch_turns_the_theme_and_the_link_remembers(page: Page) -> None:
    page.goto("?demo=smoothing&__theme=light")
    expect(page.locator(".sbs-table:visible")).to_be_visible()
    light = page.evaluate(COLORS)
    page.get_by_role("button", name="Switch between light and dark").click()
    assert page.evaluate("document.body.classList.contains('dark')")
    dark = page.evaluate(COLORS)
    assert light[0] != dark[0] and light[1] != dark[1]
    assert "__theme=dark" in page.url
