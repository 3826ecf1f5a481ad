"""One server with the example demo, one Chromium, pages that fail their test on a console error or a far request."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "tests" / "example_demos"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 60_000
START_PATIENCE = 300  # seconds
LEAVING = ("AbortError: signal is aborted", "Unexpected error Connection errored out.")
"""What Gradio's page logs when it is left for another one."""
expect.set_options(timeout=PATIENCE)


@dataclass(frozen=True)
class Server:
    url: str
    environment: dict[str, str]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app itself, as `python app.py` starts it, with the example demos' folder named in the environment; or, on a
    busy machine, one that was started so and whose address is in SIDE_BY_SIDE_URL."""
    port, log = free_port(), tmp_path_factory.mktemp("server") / "log.txt"
    environment = os.environ | {"SIDE_BY_SIDE_DEMOS": str(EXAMPLES)}
    if "SIDE_BY_SIDE_URL" in os.environ:
        yield Server(os.environ["SIDE_BY_SIDE_URL"], environment)
        return
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "app.py", "--port", str(port), "--no-cache"],
            cwd=ROOT,
            env=environment,
            stdout=out,
            stderr=out,
        )
    url = f"http://127.0.0.1:{port}/"
    try:
        until = time.monotonic() + START_PATIENCE
        while True:
            if process.poll() is not None:
                pytest.fail(f"The app ended at its start:\n{log.read_text()}")
            try:
                urllib.request.urlopen(url, timeout=5).close()
                break
            except OSError:
                if time.monotonic() > until:
                    pytest.fail(f"The app was not up after {START_PATIENCE} s:\n{log.read_text()}")
                time.sleep(0.2)
        yield Server(url, environment)
        assert "Traceback" not in log.read_text(), log.read_text()
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = next((path for name in NAMES if (path := shutil.which(name))), None)
    if chromium is None:
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def context(browser: Browser, server: Server) -> Iterator[BrowserContext]:
    made = browser.new_context(
        base_url=server.url, viewport={"width": 1366, "height": 650}, permissions=["clipboard-read", "clipboard-write"]
    )
    made.set_default_timeout(PATIENCE)
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext, server: Server) -> Iterator[Page]:
    """A page. The test fails if it logs an error, throws, or asks any host but this one for anything."""
    faults: list[str] = []
    visited: list[str] = []
    made = context.new_page()
    made.on("framenavigated", lambda frame: visited.append(frame.url))
    made.on("console", lambda m: faults.append(f"console: {m.text}") if m.type == "error" else None)
    made.on("pageerror", lambda error: faults.append(f"thrown: {error}"))
    allowed = (server.url, server.url.replace("http", "ws", 1), "data:", "blob:")
    made.on("request", lambda r: None if r.url.startswith(allowed) else faults.append(f"request: {r.url}"))
    yield made
    if len(visited) > 1:
        faults = [fault for fault in faults if not any(words in fault for words in LEAVING)]
    assert not faults, faults
