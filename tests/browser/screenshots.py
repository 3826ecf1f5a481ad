"""Takes the committed screenshots of every tab: `python -m tests.browser.screenshots` while the gallery runs."""

from __future__ import annotations

import argparse
import io
import shutil

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from demos import all_demos
from tests.browser.conftest import FLAGS, NAMES, ROOT

FOLDER = ROOT / "assets" / "screenshots"
SIZES = {"": (1366, 650), "_phone": (390, 844)}


def open_tab(page: Page, slug: str) -> None:
    """The tab with its stored result unfolded; the gallery itself for an empty slug."""
    page.wait_for_selector("a.sbs-card")
    if slug:
        page.locator(f"a.sbs-card[data-demo={slug}]").click()
        tab = page.locator(f"#sbs-{slug}")
        tab.get_by_role("button", name="Show me the numbers").click()
        tab.locator(".sbs-table").wait_for()
    page.wait_for_timeout(1500)


def main() -> None:
    """Write FOLDER/<tab>_<theme>[_phone].webp for every tab, theme and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:7860/")
    url = parser.parse_args().url
    FOLDER.mkdir(exist_ok=True)
    chromium = next(path for name in NAMES if (path := shutil.which(name)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for slug in ("", *(demo.slug for demo in all_demos())):
            for theme in ("light", "dark"):
                for ending, (width, height) in SIZES.items():
                    page = browser.new_page(viewport={"width": width, "height": height})
                    page.goto(f"{url}?__theme={theme}")
                    open_tab(page, slug)
                    shot = Image.open(io.BytesIO(page.screenshot(full_page=bool(ending)))).convert("RGB")
                    # A third of a PNG's size, and no eye tells them apart.
                    shot.save(FOLDER / f"{slug or 'gallery'}_{theme}{ending}.webp", quality=85, method=6)
                    page.close()
        browser.close()


if __name__ == "__main__":
    main()
