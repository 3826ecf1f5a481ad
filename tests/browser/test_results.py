"""The same comparison by click, by link, by the API, by MCP and by the command line: the same numbers."""

from __future__ import annotations

import asyncio
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError
from PIL import Image
from playwright.sync_api import Page, expect

from demos import all_demos
from tests.browser.conftest import ROOT, Server

pytestmark = pytest.mark.browser


def measured(result: dict[str, Any]) -> list[dict[str, float]]:
    """Every side's measures but the clock's."""
    return [{m["name"]: m["value"] for m in s["measures"] if m["name"] != "latency"} for s in result["sides"]]


def save(page: Page, label: str) -> tuple[str, bytes]:
    with page.expect_download() as found:
        page.get_by_role("button", name=label, exact=True).click()
    return found.value.suggested_filename, Path(found.value.path()).read_bytes()


@pytest.fixture(scope="module")
def by_api(server: Server) -> dict[str, Any]:
    return Client(server.url, verbose=False).predict(noise=0.3, window_b=5, seed=4, api_name="/smoothing")


def test_link_api_and_command_line_agree(page: Page, server: Server, by_api: dict[str, Any], tmp_path: Path) -> None:
    page.goto("?demo=smoothing&noise=0.3&window_b=5&seed=4")
    expect(page.locator("tr[data-measure=psnr]")).to_be_visible()
    name, data = save(page, "JSON")
    by_link = json.loads(data)
    values = ["--noise", "0.3", "--window-b", "5", "--seed", "4", "--out", str(tmp_path)]
    subprocess.run(
        [sys.executable, "-m", "demos", "smoothing", *values],
        cwd=ROOT, env=server.environment, check=True, capture_output=True,
    )  # fmt: skip
    by_command = json.loads((tmp_path / "result.json").read_text())
    assert name == "smoothing.json"
    assert by_api["settings"] == by_link["settings"] == by_command["settings"]
    assert by_api["settings"] | {"noise": 0.3, "window_a": 3, "window_b": 5, "seed": 4} == by_api["settings"]
    assert measured(by_api) == measured(by_link) == measured(by_command)
    assert by_api["takeaway"] == by_link["takeaway"] == page.locator(".sbs-sentence").inner_text()


def test_click_agrees_and_downloads_hold_it(page: Page, by_api: dict[str, Any]) -> None:
    page.goto("./")
    page.get_by_role("tab", name="Smoothing").click()
    page.locator(".sbs-field-noise input[type=number]:visible").fill("0.3")
    page.locator(".sbs-field-window_b input[type=number]:visible").fill("5")
    page.locator(".sbs-field-seed input:visible").fill("4")
    page.locator(".sbs-field-seed input:visible").press("Tab")
    page.get_by_role("button", name="Compare", exact=True).locator("visible=true").click()
    expect(page.locator(".sbs-side[data-side=B]:visible figcaption")).to_contain_text("window 5")
    expect(page.locator("tr[data-measure=psnr]:visible .sbs-wins")).to_contain_text(
        f"{by_api['sides'][1]['measures'][0]['value']:.1f}"
    )
    visible = page.locator("#sbs-smoothing")
    assert visible.locator(".sbs-sentence").inner_text() == by_api["takeaway"]
    assert measured(json.loads(save(page, "JSON")[1])) == measured(by_api)
    name, card = save(page, "Save card")
    assert (name, Image.open(io.BytesIO(card)).format) == ("smoothing-card.png", "PNG")
    assert Image.open(io.BytesIO(card)).width == 1600
    assert save(page, "Dark card")[1] != card
    assert b"psnr" in save(page, "CSV")[1]
    with np.load(io.BytesIO(save(page, "NPZ")[1]), allow_pickle=False) as arrays:
        assert any(array.shape == (96, 96) for array in arrays.values())


def test_endpoints_are_the_demos_and_studies_alone(server: Server) -> None:
    found = Client(server.url, verbose=False).view_api(return_format="dict")
    names = set(found["named_endpoints"])
    expected = {"/smoothing", "/smoothing_sweep"}
    for demo in all_demos():
        expected |= {f"/{demo.slug}", *(f"/{demo.slug}_{study.slug}" for study in demo.studies)}
    assert names == expected
    parameters = found["named_endpoints"]["/smoothing"]["parameters"]
    assert [p["parameter_name"] for p in parameters][:3] == ["noise", "filter_a", "filter_b"]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"noise": 7}, "noise must be a number from 0 to 0.9, not 7."),
        ({"filter_a": "magic"}, "filter_a must be one of mean, median, not magic."),
        ({"window_a": 4}, "window_a must be odd, so that the window has a middle pixel, not 4."),
    ],
)
def test_wrong_values_by_api_are_one_sentence(server: Server, values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(AppError) as caught:
        Client(server.url, verbose=False).predict(**values, api_name="/smoothing")
    assert str(caught.value) == sentence


def test_api_tells_progress_and_cancel_frees_the_device(server: Server) -> None:
    client = Client(server.url, verbose=False)
    job = client.submit(samples=5000, window=9, api_name="/smoothing_sweep")
    told: list[Any] = []
    while not told and not job.done():
        told = [p for p in job.status().progress_data or [] if p.index]
    assert told[0].unit == "pictures" and told[0].length == 30_000
    job.cancel()
    assert client.submit(samples=2, api_name="/smoothing").result(timeout=60)["complete"] is True


def test_mcp_answers_in_json(server: Server, by_api: dict[str, Any]) -> None:
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    async def ask() -> tuple[set[str], Any, Any]:
        async with (
            streamablehttp_client(f"{server.url}gradio_api/mcp/") as (read, write, _),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            tools = {tool.name: tool for tool in (await session.list_tools()).tools}
            name = next(n for n in tools if n.endswith("smoothing"))
            right = await session.call_tool(name, {"noise": 0.3, "window_b": 5, "seed": 4})
            wrong = await session.call_tool(name, {"noise": 7})
            return set(tools), right, wrong

    names, right, wrong = _in_thread(ask)
    assert any(name.endswith("smoothing_sweep") for name in names)
    assert measured(json.loads(right.content[0].text)) == measured(by_api)
    assert wrong.isError and "noise must be a number from 0 to 0.9, not 7." in wrong.content[0].text


def _in_thread(ask: Any) -> Any:
    """Runs a coroutine in a thread of its own: Playwright keeps an event loop in this one."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(ask())).result(timeout=120)
