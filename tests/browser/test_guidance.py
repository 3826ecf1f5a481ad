"""The first demo with its real models: the same numbers by click, link, API and command line; the look of its tab."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from gradio_client import Client
from playwright.sync_api import Page, expect

from demos.guidance.settings import PROMPT
from tests.browser.conftest import ROOT, Server
from tests.browser.test_looks import BLANK, CLIPPED
from tests.browser.test_results import measured, save

pytestmark = pytest.mark.browser

FEW = {"steps_a": 4, "steps_b": 4, "samples": 2, "seed": 3}


def test_click_link_api_and_command_line_agree(page: Page, server: Server, tmp_path: Path) -> None:
    page.goto("?demo=guidance&" + "&".join(f"{k}={v}" for k, v in FEW.items()))
    tab = page.locator("#sbs-guidance")
    expect(tab.locator("tr[data-measure=adherence]")).to_be_visible()
    by_link = json.loads(save(page, "JSON")[1])
    compare = tab.get_by_role("button", name="Compare", exact=True)
    compare.click()
    expect(tab.get_by_role("button", name="Cancel", exact=True)).to_be_visible()
    expect(compare).to_be_visible()
    by_click = json.loads(save(page, "JSON")[1])
    by_api = Client(server.url, verbose=False).predict(prompt=PROMPT, **FEW, api_name="/guidance")
    options = [part for k, v in FEW.items() for part in (f"--{k.replace('_', '-')}", str(v))]
    subprocess.run(
        [sys.executable, "-m", "demos", "guidance", "--prompt", PROMPT, *options, "--out", str(tmp_path)],
        cwd=ROOT, env=server.environment, check=True, capture_output=True,
    )  # fmt: skip
    by_command = json.loads((tmp_path / "result.json").read_text())
    assert measured(by_link) == measured(by_click) == measured(by_api) == measured(by_command)
    assert by_link["settings"] == by_api["settings"] == by_command["settings"]
    assert by_link["settings"]["prompt"] == PROMPT
    assert (tmp_path / "card.png").stat().st_size > 20_000


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_first_view_fits_and_nothing_is_clipped_or_blank(page: Page, theme: str) -> None:
    page.goto(f"?__theme={theme}")
    page.locator("a.sbs-card[data-demo=guidance]").click()
    tab = page.locator("#sbs-guidance")
    tab.get_by_role("button", name="Show me the numbers").click()
    expect(tab.locator(".sbs-table")).to_be_visible()
    for name in ("button.sbs-go", ".sbs-side[data-side=A] figure", ".sbs-side[data-side=B] figure", ".sbs-table"):
        box = tab.locator(name).first.bounding_box()
        assert box is not None and box["y"] + box["height"] <= 650, (name, box)
    assert page.evaluate(CLIPPED) == []
    assert page.evaluate(BLANK) == 0


def test_a_phone_shows_the_result_before_more_to_run(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("./")
    page.locator("a.sbs-card[data-demo=guidance]").click()
    tab = page.locator("#sbs-guidance")
    tab.get_by_role("button", name="Show me the numbers").click()
    expect(tab.locator(".sbs-table")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate(CLIPPED) == []
    go, table, presets = (tab.locator(s).first.bounding_box() for s in (".sbs-go", ".sbs-table", ".sbs-presets"))
    assert go is not None and table is not None and presets is not None
    assert go["y"] < table["y"] < presets["y"]


def test_an_unknown_word_is_named_before_running(page: Page) -> None:
    page.goto("./")
    page.locator("a.sbs-card[data-demo=guidance]").click()
    tab = page.locator("#sbs-guidance")
    tab.get_by_label("Prompt", exact=True).fill("a red cra on a mint background")
    expect(tab.locator(".prose.sbs-prompt-note")).to_contain_text("cra")
    assert tab.get_by_role("button", name="Compare", exact=True).is_visible()
