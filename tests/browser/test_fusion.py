"""The fusion tab in a real Chromium: what was given is seen and heard, a drawing is read, no microphone is no end."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

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
