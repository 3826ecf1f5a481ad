"""The fusion tab in a real Chromium: what was given is seen and heard, a drawing is read, no microphone is no end."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser


def test_a_link_opens_runs_and_shows_what_was_given(page: Page) -> None:
    page.goto("?demo=fusion&n=60&drop=image&trained_with=0.3")
    tab = page.locator("#sbs-fusion")
    expect(tab.locator("tr[data-measure=accuracy_audio_only]")).to_be_visible()
    expect(tab.locator(".sbs-side img.sbs-picture")).to_have_count(5)
    given = tab.locator(".given")
    expect(given.locator("img.gone")).to_have_count(1)
    expect(given.locator("audio")).to_have_count(1)
    expect(given).to_contain_text("Synthetic speech")


def test_an_empty_sketch_gets_a_sentence(page: Page) -> None:
    page.goto("?demo=fusion&n=60&image=drawn")
    tab = page.locator("#sbs-fusion")
    expect(tab.locator(".sbs-error").first).to_contain_text("drawing")
    expect(tab.locator(".sbs-side")).to_have_count(5)


def test_a_study_hides_the_sample_of_the_comparison(page: Page) -> None:
    page.goto("?demo=fusion&study=dominance")
    tab = page.locator("#sbs-fusion")
    expect(tab.locator("tr[data-measure=gradient_ratio]")).to_be_visible()
    expect(tab.locator(".given")).to_have_count(0)


def open_more(page: Page) -> Locator:
    page.goto("?demo=fusion")
    tab = page.locator("#sbs-fusion")
    tab.locator(".sbs-more > button", has_text="More:").click()
    return tab


def test_who_draws_has_the_pen_in_hand_and_the_drawing_is_chosen(page: Page) -> None:
    tab = open_more(page)
    expect(tab.locator(".no-microphone")).to_be_visible()  # this browser has none
    pad = tab.locator(".sbs-field-drawing")
    expect(pad.get_by_text("select the draw tool")).to_have_count(0)  # the pen is in hand
    pad.scroll_into_view_if_needed()
    box = pad.locator("canvas").first.bounding_box()
    assert box is not None
    x, y, width, height = box["x"], box["y"], box["width"], box["height"]
    page.mouse.move(x + 0.32 * width, y + 0.3 * height)
    page.mouse.down()
    page.mouse.move(x + 0.68 * width, y + 0.3 * height, steps=12)
    page.mouse.move(x + 0.45 * width, y + 0.75 * height, steps=12)
    page.mouse.up()
    expect(tab.locator(".sbs-field-image input[value=drawn]")).to_be_checked()
