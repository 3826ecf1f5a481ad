"""ZeroGPU with a stand-in for its package, which forks for each call and pickles everything, as the real one does."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gradio_client import Client

import demos
from shared import zerogpu
from shared.comparison import Comparison, Measure, Side
from shared.demo import Cancelled, Demo, DemoError
from shared.settings import Settings, bounds, look, setting
from shared.zerogpu import LONGEST, SHORTEST, estimate, on_device
from tests.stand_ins import spaces
from tests.stand_ins.spaces import CALLS

ROOT = Path(__file__).parents[2]
DEMOS = [demo for demo in demos.all_demos() if demo.slug != "smoothing"]
MODELS = [(d.slug, d.Settings) for d in DEMOS] + [(f"{d.slug}.{s.slug}", s.Settings) for d in DEMOS for s in d.studies]


class Some(Settings):
    steps_a: int = setting(10, "Steps", ge=1, le=100, costs=True)
    n_samples: int = setting(2, "Samples", ge=1, le=64, costs=True)
    levels: tuple[float, ...] = setting((1.0, 2.0), "Levels")
    guidance: float = setting(3.0, "Guidance", ge=0, le=20)


def compute(settings: Some, progress: Any = None) -> Comparison:
    if settings.guidance == 13:
        raise DemoError("guidance must not be 13.")
    for done in range(settings.steps_a):
        progress(done, settings.steps_a, "steps")
    side = Side("a", (Measure.exact("process", os.getpid(), "", "neither"),), arrays={"x": np.arange(3)})
    return Comparison("fake", settings.model_dump(), (side,), "So.", {})


@pytest.fixture(autouse=True)
def zero(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "spaces", spaces)
    monkeypatch.setenv("SPACES_ZERO_GPU", "true")
    fake = Demo("fake", "Fake", "?", 1, Some, compute, lambda: None, (), "", ())
    monkeypatch.setattr(demos, "all_demos", lambda: (fake,))
    zerogpu.decorated.cache_clear()
    CALLS.clear()
    yield
    zerogpu.decorated.cache_clear()


def test_an_action_is_one_call_in_another_process_with_its_duration_declared() -> None:
    steps: list[tuple[int, int, str]] = []
    found = on_device(("fake", ""), compute, Some(), lambda *step: steps.append(step))
    measure = found.sides[0].measure("process")
    assert measure is not None and measure.value != os.getpid()
    assert CALLS == [20] and steps and steps[-1][1:] == (10, "steps")
    assert type(found.sides[0].arrays["x"]) is np.ndarray and found.settings["steps_a"] == 10


def test_errors_come_back_as_their_sentence() -> None:
    with pytest.raises(DemoError, match="guidance must not be 13"):
        on_device(("fake", ""), compute, Some(guidance=13), lambda *step: None)


def test_cancel_reaches_the_other_process_and_leaves_no_file(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def cancel(*step: Any) -> None:
        raise Cancelled

    slow = Some(steps_a=100)
    monkeypatch.setattr(
        demos, "all_demos", lambda: (Demo("fake", "F", "?", 1, Some, endless, lambda: None, (), "", ()),)
    )
    with pytest.raises(Cancelled):
        on_device(("fake", ""), endless, slow, cancel)
    assert list(tmp_path.iterdir()) == []


def endless(settings: Some, progress: Any = None) -> Comparison:
    import time

    for done in range(10_000):
        progress(done, 10_000, "steps")
        time.sleep(0.01)
    raise AssertionError("nobody stopped it")


def test_larger_settings_declare_more_within_the_platforms_bounds() -> None:
    assert estimate("fake", "", Some()) == 20 and estimate("fake", "x", Some()) == 60
    assert estimate("fake", "", Some(steps_a=20)) == 40
    assert estimate("fake", "", Some(guidance=20.0)) == 20  # costs nothing
    assert estimate("fake", "", Some(steps_a=1, n_samples=1)) == SHORTEST
    assert estimate("fake", "", Some(steps_a=100, n_samples=64)) == LONGEST


@pytest.mark.parametrize(("name", "model"), MODELS, ids=[name for name, _ in MODELS])
def test_what_a_run_declares_grows_with_its_work_and_with_nothing_else(name: str, model: type[Settings]) -> None:
    usual, study = model(), "study" if "." in name else ""
    changed: dict[str, Any] = {}
    for field, info in model.model_fields.items():
        low, high = bounds(info)
        if info.annotation not in (int, float) or high is None or low is None:
            continue
        other = usual.model_copy(update={field: high if getattr(usual, field) != high else low})
        if look(info)["costs"]:
            assert other.work() > usual.work(), field
            changed[field] = high
        else:
            assert estimate("", study, other) == estimate("", study, usual), field
    if changed:
        assert estimate("", study, usual.model_copy(update=changed)) > estimate("", study, usual)


def test_typed_axes_count_too() -> None:
    demo = next(d for d in DEMOS if d.slug == "guidance")
    sweep = next(s.Settings for s in demo.studies if s.slug == "sweep")
    found = sweep(guidances="1-8", steps="10, 30", seeds="5-7")  # type: ignore[call-arg]
    assert found.work() == 8 * 40 * 3
    curves = next(s.Settings for s in demo.studies if s.slug == "curves")
    assert curves(vary="steps", values="2, 4, 8", schedulers=["ddim"], n_captions=10).work() == 140  # type: ignore[call-arg]


def test_elsewhere_it_computes_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPACES_ZERO_GPU")
    found = on_device(("fake", ""), compute, Some(), lambda *step: None)
    measure = found.sides[0].measure("process")
    assert measure is not None and measure.value == os.getpid() and CALLS == []


@pytest.mark.timeout(300)
def test_on_zerogpu_the_gallery_itself_answers_from_forks() -> None:
    """Real demos in a real server: a fork of a process that has used OpenMP would end in the first parallel loop."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    environment = os.environ | {"SPACES_ZERO_GPU": "1", "PYTHONPATH": str(ROOT / "tests" / "stand_ins")}
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [sys.executable, "app.py", "--port", str(port), "--no-cache"], cwd=ROOT, env=environment, stdout=log,
            stderr=log,
        )  # fmt: skip
        try:
            client = connect(f"http://127.0.0.1:{port}/", process)
            drawn = client.predict(samples=2, steps_a=2, steps_b=2, api_name="/guidance")
            assert [side["label"][:1] for side in drawn["sides"]] == ["g", "g"]
            maps = client.predict(n_points=200, api_name="/embeddings")
            assert {"t-SNE", "UMAP"} <= {side["label"] for side in maps["sides"]}
        finally:
            process.terminate()
            process.wait(30)
        log.seek(0)
        assert "Traceback" not in (said := log.read()), said


def connect(url: str, process: subprocess.Popen[bytes]) -> Client:
    for _ in range(600):
        assert process.poll() is None
        try:
            urllib.request.urlopen(url, timeout=20).close()
            return Client(url, verbose=False)
        except OSError:
            time.sleep(0.2)
    raise AssertionError("The gallery did not come up.")
