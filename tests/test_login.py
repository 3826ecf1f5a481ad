"""A gallery over https behind a login, as a process: who has no login gets nothing, who has one gets a run."""

from __future__ import annotations

import json
import os
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.certificates import make_certificate

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ssl.SSLContext]]:
    """Where it listens, and what a client trusts that trusts this one certificate."""
    folder = tmp_path_factory.mktemp("login")
    certificate, key = make_certificate("localhost")
    for name, content in {"chain.pem": certificate, "key.pem": key, "logins": b"ada:love lace\n"}.items():
        (folder / name).write_bytes(content)
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [sys.executable, "app.py", "--host", "localhost", "--port", str(port), "--auth", str(folder / "logins"),
               "--ssl-cert", str(folder / "chain.pem"), "--ssl-key", str(folder / "key.pem")]  # fmt: skip
    environment = os.environ | {"SIDE_BY_SIDE_DEMOS": str(ROOT / "tests" / "example_demos")}
    trusted = ssl.create_default_context(cafile=folder / "chain.pem")
    log = folder / "log.txt"
    with log.open("w") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)
    place = f"https://localhost:{port}"
    for _ in range(600):
        assert process.poll() is None, log.read_text()
        try:
            httpx.get(f"{place}/gradio_api/app_id", verify=trusted)
            break
        except httpx.TransportError:
            time.sleep(0.2)
    yield place, trusted
    process.terminate()
    process.wait(30)
    assert "Traceback" not in log.read_text(), log.read_text()


def test_without_a_login_there_is_nothing(address: tuple[str, ssl.SSLContext]) -> None:
    place, trusted = address
    with httpx.Client(base_url=place, verify=trusted) as client:
        for path in ("config", "gradio_api/info", "gradio_api/queue/data?session_hash=x", "gradio_api/file=app.py"):
            assert client.get(path).status_code == 401, path
        calls = {"gradio_api/call/v2/smoothing": {}, "gradio_api/call/smoothing": {"data": []},
                 "gradio_api/queue/join": {"data": [], "fn_index": 0, "session_hash": "x"}}  # fmt: skip
        for path, body in calls.items():
            assert client.post(path, json=body).status_code == 401, path
        assert client.post("gradio_api/upload", files={"files": b"x"}).status_code == 401
        assert client.post("gradio_api/mcp/", json={}).status_code in (401, 404, 405)
        assert client.post("login", data={"username": "ada", "password": "love"}).status_code == 400


def test_with_a_login_a_run_gives_its_result(address: tuple[str, ssl.SSLContext]) -> None:
    place, trusted = address
    with httpx.Client(base_url=place, verify=trusted, timeout=60) as client:
        assert client.post("login", data={"username": "ada", "password": "love lace"}).status_code == 200
        event = client.post("gradio_api/call/v2/smoothing", json={"seed": 4, "samples": 1}).json()["event_id"]
        with client.stream("GET", f"gradio_api/call/smoothing/{event}") as stream:
            data = [json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: ")]
        assert data[-1][0]["settings"]["seed"] == 4


def test_it_speaks_https_alone(address: tuple[str, ssl.SSLContext]) -> None:
    with pytest.raises(httpx.TransportError):
        httpx.get(address[0].replace("https", "http"))
