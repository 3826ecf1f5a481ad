"""Thirty clients at once against the gallery: throughput, latency, errors, memory and files left behind.

`python -m tests.load` starts the gallery with the example demo and prints a table; `--url` takes one that runs already
(then memory and files are not looked at). First all clients send the same settings, then each its own, again and again.
Every answer is checked to be of the settings that were sent. It is no test: the numbers depend on the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 900.0  # seconds
WARM = 900


@dataclass
class Outcome:
    """What came of the requests."""

    seconds: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    mixed_up: int = 0
    kept: int = 0


@dataclass
class Server:
    """The gallery under load, with its process where it was started here."""

    url: str
    pid: int = 0
    folder: Path | None = None

    def memory(self) -> float:
        """MiB of the process's memory, 0 for a server elsewhere."""
        if not self.pid:
            return 0.0
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024

    def files(self) -> list[str]:
        """The files that the server has left in its temporary folder."""
        return [str(p.relative_to(self.folder)) for p in self.folder.rglob("*") if p.is_file()] if self.folder else []

    def settle(self) -> None:
        """Returns once the models that load in the background are there: memory has not grown for 20 s."""
        grown, last = time.monotonic(), self.memory()
        began = grown
        while self.pid and time.monotonic() - grown < 20 and time.monotonic() - began < PATIENCE:
            time.sleep(2)
            if self.memory() > 1.01 * last:
                grown, last = time.monotonic(), self.memory()


@contextmanager
def started(port: int, arguments: list[str]) -> Iterator[Server]:
    """The gallery with the example demo, in a process with a temporary folder of its own."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as log:
        environment = os.environ | {
            "SIDE_BY_SIDE_DEMOS": str(ROOT / "tests" / "example_demos"),
            "TMPDIR": folder,
            "GRADIO_TEMP_DIR": folder,
        }
        command = [sys.executable, "app.py", "--port", str(port), *arguments]
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        try:
            try:
                wait_for(f"http://127.0.0.1:{port}/", process)
            except RuntimeError as error:
                log.seek(0)
                raise SystemExit(f"{error}\n{log.read().decode()[-2000:]}") from None
            server = Server(f"http://127.0.0.1:{port}/", process.pid, Path(folder))
            server.settle()
            yield server
        finally:
            process.terminate()
            process.wait(30)


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    """Returns once the page is up. Raises RuntimeError where the server ends instead."""
    for _ in range(1200):
        if process.poll() is not None:
            raise RuntimeError("The gallery ended at its start.")
        try:
            httpx.get(url, timeout=30)
            return
        except httpx.HTTPError:
            time.sleep(0.25)


async def ask(client: httpx.AsyncClient, number: int, session: str, data: list[Any], outcome: Outcome) -> None:
    """One run by the queue, as the page and the Python client do it; its time, and whose result it was."""
    began = time.monotonic()
    try:
        body = {"data": data, "fn_index": number, "session_hash": session}
        joined = await client.post("gradio_api/queue/join", json=body)
        if joined.status_code != 200:
            outcome.errors[joined.text[:80]] += 1
            return
        event = joined.json()["event_id"]
        answer = await listen(client, session, event)
    except httpx.HTTPError as error:
        outcome.errors[type(error).__name__] += 1
        return
    outcome.seconds.append(time.monotonic() - began)
    if "error" in answer:
        outcome.errors[str(answer["error"])[:80]] += 1
        return
    found = answer["data"][0]
    outcome.kept += bool(found["environment"].get("cached"))
    sent = [found["settings"][name] for name in ("noise", "seed", "samples")]
    outcome.mixed_up += sent != [data[0], data[5], data[6]]


async def listen(client: httpx.AsyncClient, session: str, event: str) -> dict[str, Any]:
    """The output of the event, from the session's stream."""
    async with client.stream("GET", "gradio_api/queue/data", params={"session_hash": session}) as stream:
        async for line in stream.aiter_lines():
            message = json.loads(line[5:]) if line.startswith("data:") else {}
            if message.get("msg") == "process_completed" and message.get("event_id") == event:
                return message["output"]
    return {"error": "the stream ended without a result"}


def settings(noise: float, seed: int, samples: int) -> list[Any]:
    """The example demo's settings in their order."""
    return [noise, "mean", "median", 3, 3, seed, samples, ""]


async def load(server: Server, clients: int, requests: int, samples: int) -> list[tuple[str, Outcome, float]]:
    """The same settings from all, then different ones from each. Memory is printed on the way."""
    limits = httpx.Limits(max_connections=2 * clients)
    async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE, limits=limits) as client:
        config = (await client.get("config")).json()
        number = next(d["id"] for d in config["dependencies"] if d.get("api_name") == "smoothing")
        sessions = [uuid.uuid4().hex[:10] for _ in range(clients)]
        phases: list[tuple[str, Outcome, float]] = []

        async def phase(name: str, rounds: int, make: Any) -> None:
            outcome, began = Outcome(), time.monotonic()

            async def one(index: int) -> None:
                for turn in range(rounds):
                    await ask(client, number, sessions[index], make(index, turn), outcome)

            await asyncio.gather(*(one(index) for index in range(clients)))
            phases.append((name, outcome, time.monotonic() - began))

        await phase("the same preset", 1, lambda index, turn: settings(0.2, 0, samples))
        await phase("each its own", 1, lambda index, turn: settings(0.2, 100 + index, samples))
        await phase("warm-up", -(-WARM // clients), lambda index, turn: settings(0.3, 1000 * index + turn, 1))
        start = server.memory()
        rounds = -(-requests // clients)
        await phase("again and again", rounds, lambda index, turn: settings(0.1, 10_000 * (index + 1) + turn, 1))
        print(f"Memory after the warm-up {start:.0f} MiB, at the end {server.memory():.0f} MiB; "
              f"files left behind: {server.files() or 'none'}")  # fmt: skip
        return phases


def percentile(values: list[float], share: float) -> float:
    """The value below which that share of the values lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


def main() -> int:
    """Prints the table; 1 where a result was mixed up or a request failed."""
    parser = argparse.ArgumentParser("python -m tests.load", description=main.__doc__)
    parser.add_argument("--clients", type=int, default=30)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--samples", type=int, default=8, help="work of the first two rounds")
    parser.add_argument("--port", type=int, default=7871)
    parser.add_argument("--url", help="a gallery that runs already")
    options = parser.parse_args()
    if options.url:
        phases = asyncio.run(load(Server(options.url), options.clients, options.requests, options.samples))
    else:
        with started(options.port, ["--seats", str(options.clients)]) as server:
            phases = asyncio.run(load(server, options.clients, options.requests, options.samples))
    print(f"{options.clients} clients, {os.cpu_count()} cores, Python {platform.python_version()}, "
          f"load average {os.getloadavg()[0]:.1f}\n")  # fmt: skip
    print("| round | requests | a second | P50 s | P95 s | errors | kept results | mixed up |")
    print("| :-- | --: | --: | --: | --: | --: | --: | --: |")
    for name, outcome, seconds in phases:
        done, bad = len(outcome.seconds), outcome.errors.total()
        print(f"| {name} | {done} | {done / seconds:.1f} | {percentile(outcome.seconds, 0.5):.2f} | "
              f"{percentile(outcome.seconds, 0.95):.2f} | {bad} | {outcome.kept} | {outcome.mixed_up} |")  # fmt: skip
        for said, count in outcome.errors.items():
            print(f"\n{count} times: {said}")
    return int(any(outcome.mixed_up or outcome.errors for _, outcome, _ in phases))


if __name__ == "__main__":
    raise SystemExit(main())
