"""Whatever comes from outside, a demo answers with a result or with one sentence. Every demo and study of the gallery.

Here a small draw. `HOSTILE=full python -m pytest tests/test_hostile.py` is the full set: 500 cases and 20 real runs.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import queue
import random
import threading
import time
from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from demos import all_demos
from shared.comparison import Comparison, Measure, Side
from shared.demo import Demo, DemoError, Progress
from shared.settings import Settings, SettingsError, bounds, choices, look
from shared.ui.api import make_endpoint
from shared.ui.running import UNEXPECTED

FULL = os.environ.get("HOSTILE") == "full"
CASES, RUNS = 500 if FULL else 25, 20
LONGEST_RUN = 30.0
"""Seconds a run may take, with nothing else on the machine, and be silent: without a step or an end for so long it
hangs."""
DEMOS = [demo for demo in all_demos() if demo.slug != "smoothing"]
MODELS = [(d.slug, "", d.Settings) for d in DEMOS] + [(d.slug, s.slug, s.Settings) for d in DEMOS for s in d.studies]
each_model = pytest.mark.parametrize(("demo", "study", "model"), MODELS, ids=lambda x: x if isinstance(x, str) else "")
NASTY = ["", "' OR 1=1 --", "<script>alert(1)</script>", "${7*7}", "{{7*7}}", "../../etc/passwd", "\x00", "🦆" * 50,
         "-1", "1e999", "nan", "a" * 30_000, "%s%s%n", "Zwölf Boxkämpfer", "\u202egnp.exe"]  # fmt: skip
anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.sampled_from([10**400, -(10**4000), 2**63]), st.floats(),
    st.text(max_size=80), st.sampled_from(NASTY),
    st.lists(st.one_of(st.integers(), st.floats(), st.text(max_size=9)), max_size=70),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=3), st.binary(max_size=9),
)  # fmt: skip
drawn = settings(
    max_examples=CASES, deadline=None, derandomize=not FULL,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)  # fmt: skip


def values_for(name: str, info: Any) -> st.SearchStrategy[Any]:
    """Often a value that may be right, often one that is not."""
    low, high = bounds(info)
    likely: list[st.SearchStrategy[Any]] = [st.just(info.get_default(call_default_factory=True))]
    if choices(info):
        likely.append(st.sampled_from(choices(info)))
    if low is not None and high is not None:
        likely += [st.floats(float(low), float(high))] if high < 2**53 else []
        likely += [st.integers(math.ceil(low), math.floor(high))] if math.ceil(low) <= math.floor(high) else []
        likely += [st.sampled_from([low, high, low - 1, high + 1])]
    return st.one_of(*likely, anything)


def calls_of(model: type[Settings]) -> st.SearchStrategy[dict[str, Any]]:
    """Some of a model's fields, and now and then a name that is none."""
    fields = {name: values_for(name, info) for name, info in model.model_fields.items()}
    known = st.fixed_dictionaries({}, optional=fields)
    return st.one_of(known, known, known, st.dictionaries(st.text(max_size=12), anything, max_size=2))


def is_sentence(text: str) -> bool:
    """One plain sentence that a person can read: one line, not endless, no trace and no class names."""
    plain = text.strip() and "\n" not in text and len(text) < 1500 and text.endswith((".", "”."))
    return bool(plain) and not any(word in text for word in ("Traceback", "pydantic", "Error:", "object at 0x"))


@each_model
@drawn
@given(data=st.data())
def test_settings_take_it_or_say_why_not(demo: str, study: str, model: type[Settings], data: st.DataObject) -> None:
    call = data.draw(calls_of(model))
    try:
        found = model.check(call)
    except SettingsError as error:
        assert is_sentence(str(error)), repr(str(error))
        return
    json.dumps(found.model_dump(mode="json"), allow_nan=False)
    if not any(look(info).get("upload") and getattr(found, name) for name, info in model.model_fields.items()):
        query = found.to_query()
        assert all(isinstance(v, str) for v in query.values())


def echo(settings: Settings, progress: Any = None) -> Comparison:
    """What stands in for the computing: the settings come back, with a number that JSON does not have."""
    side = Side("a", (Measure("x", float("nan"), "", "neither", "none"),))
    return Comparison("echo", settings.model_dump(), (side,), "So.", {})


@each_model
@drawn
@given(data=st.data())
def test_the_api_answers_json_or_one_sentence(
    demo: str, study: str, model: type[Settings], data: st.DataObject
) -> None:
    call = data.draw(calls_of(model))
    endpoint = make_endpoint(("", ""), "about", model, echo)
    try:
        answer = asyncio.run(endpoint(**call))
    except gr.Error as error:
        assert is_sentence(str(error.message)), repr(error.message)
        assert error.message != UNEXPECTED
    else:
        assert json.loads(json.dumps(answer, allow_nan=False))["sides"][0]["measures"][0]["value"] is None


def cheapest(model: type[Settings], seed: int) -> dict[str, Any]:
    """Settings whose work is least, everything else drawn by the seed."""
    rng = random.Random(seed)
    found: dict[str, Any] = {}
    for name, info in model.model_fields.items():
        low, high = bounds(info)
        options = choices(info)
        if look(info).get("upload") or name == "model" or look(info).get("hidden"):
            continue
        if look(info).get("costs") and low is not None and info.annotation in (int, float):
            found[name] = low
        elif options and not str(info.annotation).startswith(("tuple", "list")):
            found[name] = rng.choice(options)
        elif low is not None and high is not None and info.annotation in (int, float):
            found[name] = rng.choice([low, high, low + (high - low) // 2])
    return found


def run_watched(work: Callable[[Progress], Comparison], silence: float) -> Comparison | BaseException | None:
    """What the work made or raised; None where it said nothing for that many seconds, neither a step nor an end."""
    said: queue.SimpleQueue[Comparison | BaseException | None] = queue.SimpleQueue()

    def keep() -> None:
        try:
            said.put(work(lambda *step: said.put(None)))
        except BaseException as error:
            said.put(error)

    threading.Thread(target=keep, daemon=True).start()
    while True:
        try:
            found = said.get(timeout=silence)
        except queue.Empty:
            return None
        if found is not None:
            return found


def end_well(demo: Demo) -> None:
    """Twenty drawn calls on the cheapest settings: each ends in a result or one sentence, and is never long silent."""
    demo.compare(demo.Settings())  # loads and compiles what the first run needs
    for seed in range(RUNS):
        call = cheapest(demo.Settings, seed)
        try:
            chosen = demo.Settings.check(call)
        except SettingsError as error:
            assert is_sentence(str(error)), error
            continue
        began = time.monotonic()
        found = run_watched(lambda progress, chosen=chosen: demo.compare(chosen, progress), LONGEST_RUN)
        assert found is not None, f"hung with {call}"
        assert time.monotonic() - began < LONGEST_RUN, f"{time.monotonic() - began:.0f} s with {call}"
        if isinstance(found, BaseException):
            assert isinstance(found, DemoError) and is_sentence(str(found)), (call, found)
        else:
            json.dumps(found.to_dict(), allow_nan=False)
            assert found.sides and found.takeaway


if FULL:  # not merely skipped otherwise, because a skip counts as a failure in CI; one run each is in test_memory.py

    @pytest.mark.parametrize("demo", DEMOS, ids=lambda demo: demo.slug)
    @pytest.mark.timeout(RUNS * 3 * LONGEST_RUN)
    def test_real_runs_on_the_cheapest_settings_end_well(demo: Demo) -> None:
        end_well(demo)
