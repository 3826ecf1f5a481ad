"""A hosted gallery, as a process: its limits, kept results, a client that vanishes, a server killed in mid-study."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.timeout(900)
LONG = {"levels": [0.1, 0.2, 0.3], "samples": 5000}
"""A study of the example demo that takes minutes."""


class Gallery:
    """The app with the example demo, for two seats, reachable by others, with a folder for results."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log = folder, folder / "log.txt"
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = int(found.getsockname()[1])
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{self.port}/gradio_api/", timeout=120)
        self.start()

    def start(self) -> None:
        environment = os.environ | {"SIDE_BY_SIDE_DEMOS": str(ROOT / "tests" / "example_demos")}
        command = [sys.executable, "app.py", "--host", "0.0.0.0", "--port", str(self.port), "--seats", "2",
                   "--cache", str(self.folder / "kept"), "--study-seconds", "600"]  # fmt: skip
        with self.log.open("a") as out:
            self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)
        for _ in range(900):
            assert self.process.poll() is None, self.log.read_text()
            try:
                self.client.get("app_id")
                self.numbers = {
                    d["api_name"]: d["id"]
                    for d in self.client.get(f"http://127.0.0.1:{self.port}/config").json()["dependencies"]
                    if d.get("api_name")
                }
                return
            except httpx.TransportError:
                time.sleep(0.2)
        pytest.fail("The gallery did not come up.")

    def call(self, name: str, **settings: Any) -> str:
        """Starts a run without a session; its event."""
        answer = self.client.post(f"call/v2/{name}", json=settings)
        assert answer.status_code == 200, answer.text
        return answer.json()["event_id"]

    def answer(self, name: str, event: str) -> dict[str, Any]:
        """The result of a run, or {"error": sentence}."""
        with self.client.stream("GET", f"call/{name}/{event}") as stream:
            data = [json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: ")]
        return data[-1][0] if isinstance(data[-1], list) else data[-1]

    def begin(self, session: str, **settings: Any) -> None:
        """Starts a study in a session and returns when it computes; whoever leaves here has vanished."""
        values = [settings.get("levels", [0.1]), 3, settings.get("samples", 8), settings.get("seed", 0)]
        body = {"data": values, "fn_index": self.numbers["smoothing_sweep"], "session_hash": session}
        self.client.post("queue/join", json=body).raise_for_status()
        with self.client.stream("GET", "queue/data", params={"session_hash": session}) as stream:
            assert any("of 30000 pictures" in line for line in stream.iter_lines())

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)
        self.client.close()


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gallery]:
    made = Gallery(tmp_path_factory.mktemp("gallery"))
    yield made
    made.stop()
    assert "Traceback" not in made.log.read_text(), made.log.read_text()


def test_equal_settings_are_computed_once_and_say_when(gallery: Gallery) -> None:
    first, second = [gallery.answer("smoothing", gallery.call("smoothing", seed=1, samples=2)) for _ in range(2)]
    assert "cached" not in first["environment"] and second["environment"]["cached"] is True
    assert second["environment"]["date"].endswith("UTC") and second["sides"] == first["sides"]
    other = gallery.answer("smoothing", gallery.call("smoothing", seed=2, samples=2))
    assert "cached" not in other["environment"] and other["settings"]["seed"] == 2


def test_wrong_calls_get_a_sentence_and_an_unknown_name_is_no_500(gallery: Gallery) -> None:
    wrong = gallery.client.post("call/v2/smoothing", json={"nois": 0.1})
    assert wrong.status_code == 422 and wrong.json()["error"].startswith("There is no setting “nois”; the settings are")
    nowhere = gallery.client.post("call/nowhere", json={"data": []})
    assert nowhere.status_code == 404 and "There is no endpoint “nowhere”" in nowhere.json()["error"]
    for number in (9999, -1):
        body = {"data": [], "fn_index": number, "session_hash": "odd"}
        odd = gallery.client.post("queue/join", json=body)
        assert odd.status_code == 400 and odd.json()["error"].startswith("The gallery cannot make sense of this call")
    found = gallery.answer("smoothing", gallery.call("smoothing", noise=7))
    assert found["error"] == "noise must be a number from 0 to 0.9, not 7."


def test_an_api_client_that_vanishes_frees_the_device(gallery: Gallery) -> None:
    gallery.begin("vanishes", **LONG)
    began = time.monotonic()
    found = gallery.answer("smoothing", gallery.call("smoothing", seed=3, samples=1))
    assert found["settings"]["seed"] == 3
    assert time.monotonic() - began < 60  # the study would have gone on for minutes


def test_a_visitor_has_three_runs_and_the_line_ends_politely(gallery: Gallery) -> None:
    mine = [gallery.call("smoothing_sweep", **LONG, seed=n) for n in range(3)]
    time.sleep(1)  # a call joins the line a moment after it was taken
    fourth = gallery.answer("smoothing", gallery.call("smoothing", seed=90))
    assert "You have 3 runs in line already, as many as one visitor may" in fourth["error"]
    for n in range(3):  # others, by their sessions: the line holds three for each of two seats
        values = [[0.1], 3, 5000, 50 + n]
        body = {"data": values, "fn_index": gallery.numbers["smoothing_sweep"], "session_hash": f"other{n}"}
        gallery.client.post("queue/join", json=body).raise_for_status()
    time.sleep(1)
    body = {"data": [[0.1], 3, 8, 99], "fn_index": gallery.numbers["smoothing_sweep"], "session_hash": "late"}
    gallery.client.post("queue/join", json=body).raise_for_status()
    with gallery.client.stream("GET", "queue/data", params={"session_hash": "late"}) as stream:
        said = next(line for line in stream.iter_lines() if "process_completed" in line)
    assert "The gallery is busy: 6 runs are in line already. Try again in a minute." in said
    for n, event in enumerate(mine):
        with gallery.client.stream("GET", f"call/smoothing_sweep/{event}"):
            time.sleep(0.5)  # who listens and leaves has vanished; who left before the stream began was never there
        with gallery.client.stream("GET", "queue/data", params={"session_hash": f"other{n}"}) as stream:
            next(stream.iter_lines())
    assert gallery.answer("smoothing", gallery.call("smoothing", seed=4, samples=1))["settings"]["seed"] == 4


def test_a_server_killed_in_mid_study_starts_again_with_what_it_had(gallery: Gallery) -> None:
    gallery.answer("smoothing", gallery.call("smoothing", seed=5, samples=1))
    gallery.begin("killed", **LONG)
    gallery.process.send_signal(signal.SIGKILL)
    gallery.process.wait(30)
    gallery.start()
    again = gallery.answer("smoothing", gallery.call("smoothing", seed=5, samples=1))
    assert again["environment"]["cached"] is True
    assert gallery.answer("smoothing", gallery.call("smoothing", seed=6, samples=1))["settings"]["seed"] == 6
    assert not list((gallery.folder / "kept").glob("*.part"))
