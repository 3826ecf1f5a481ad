"""axe on the gallery and on a tab, in both themes: no serious violation in our own markup.

Our own markup is what stands in `.sbs-tight`, the gallery's HTML; around it is Gradio's. `AXE=whole pytest -s` prints
what axe says of both.
"""

from __future__ import annotations

import os
import re
import urllib.request

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser
GRAVE = ("serious", "critical")
WHOLE = os.environ.get("AXE") == "whole"


def violations(page: Page, context: dict[str, list[list[str]]] | None = None) -> list[str]:
    """Each grave violation in a line: its rule, how grave it is, and where it first is."""
    found = Axe().run(page, context=context).response["violations"]
    return [
        f"{v['id']} ({v['impact']}, {len(v['nodes'])} places): {v['help']}; {v['nodes'][0]['html'][:160]}"
        for v in found
        if v["impact"] in GRAVE
    ]


@pytest.mark.parametrize("query", ["", "demo=smoothing&seed=3"])
def test_axe_finds_nothing_serious_in_our_own_markup(page: Page, query: str) -> None:
    page.goto(f"?{query}&__theme=light")
    expect(page.locator(".sbs-table:visible" if query else ".sbs-card").first).to_be_visible()
    for theme in ("light", "dark"):
        page.evaluate("dark => document.body.classList.toggle('dark', dark)", theme == "dark")
        page.evaluate("Promise.allSettled(document.getAnimations().map((one) => one.finished)).then(() => {})")
        ours = violations(page, {"include": [[".sbs-tight"]]})
        if WHOLE:
            print(f"\n{query or 'gallery'}, {theme}: the whole page, Gradio's included: {violations(page)}")
        assert ours == [], f"{query or 'gallery'}, {theme}: {ours}"


def test_the_page_names_no_other_host(page: Page) -> None:
    """The page fixture fails on a request to any other host; here also the page's source asks for nothing else."""
    page.goto("./")
    expect(page.locator(".sbs-card").first).to_be_visible()
    source = urllib.request.urlopen(page.url).read().decode()
    asked = re.findall(r"""<(?:script|link|img|iframe)[^>]+(?:src|href)=["'](https?://[^"']+)""", source)
    assert [address for address in asked if not address.startswith(page.url)] == []
