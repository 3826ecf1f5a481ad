from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from shared.batching import take_steps
from shared.models import Loaded, ModelRow
from shared.sampling import Plan, Sampling, decode, encode
from tests.tiny import tiny_pipeline

PROMPT = "a red car left of a blue house"
SCHEDULERS = ("ddim", "dpm++", "euler", "ddpm")


@pytest.fixture(scope="module")
def loaded():
    row = ModelRow("tiny", "pipeline", "none", 1)
    return Loaded(row, tiny_pipeline(), "here", torch.device("cpu"), torch.float32, folder=Path())


def plans() -> list[Plan]:
    grid = [Plan(g, s, scheduler) for scheduler in SCHEDULERS for s in (1, 4, 7) for g in (0.0, 1.0, 7.5)]
    return [*grid, Plan(7.5, 6, "ddim", rescale=0.7), Plan(7.5, 6, "dpm++", start=0.3, until=0.7)]


def runs_of(loaded, wanted, seeds=(5, 6)) -> list[Sampling]:
    encoded = encode(loaded.model, PROMPT, "green")
    return [Sampling(loaded.model, encoded, plan, seeds) for plan in wanted]


def pixels(loaded, run) -> np.ndarray:
    return np.stack([np.asarray(p) for p in decode(loaded.model, run.latents)]).astype(int)


@pytest.mark.parametrize("rows", [3, 32])
def test_together_as_each_alone(loaded, rows):
    together, alone = runs_of(loaded, plans()), runs_of(loaded, plans())
    for _ in take_steps(loaded, together, rows):
        assert not loaded.lock.locked()
    for one, other in zip(together, alone, strict=True):
        while not other.finished:
            other.step()
        assert one.finished and one.calls == other.calls == one.total_calls
        assert np.abs(pixels(loaded, one) - pixels(loaded, other)).max() <= 2, one.plan


def test_no_call_is_larger_than_allowed_and_timesteps_are_mixed(loaded):
    asked = []

    def note(module, inputs):
        asked.append((len(inputs[0]), len(set(inputs[1].tolist()))))

    hook = loaded.model.unet.register_forward_pre_hook(note)
    try:
        list(take_steps(loaded, runs_of(loaded, plans()), 8))
    finally:
        hook.remove()
    assert max(rows for rows, _ in asked) <= 8
    assert any(different > 1 for _, different in asked)


def test_equal_first_steps_are_computed_once(loaded):
    rows = []
    hook = loaded.model.unet.register_forward_pre_hook(lambda module, inputs: rows.append(len(inputs[0])))
    try:
        # Same noise, same first timestep: without the prompt once, with it once, for each of two seeds.
        list(take_steps(loaded, runs_of(loaded, [Plan(g, 1, "ddim") for g in (1.0, 2.0, 3.0, 5.0)]), 32))
        assert sum(rows) == 2 * 2
        rows.clear()
        list(take_steps(loaded, runs_of(loaded, [Plan(g, 3, "ddim") for g in (1.0, 2.0, 3.0, 5.0)]), 32))
        assert sum(rows) == 2 * 2 + 2 * (2 + 2 * 2 * 3)
    finally:
        hook.remove()


def test_a_run_that_fails_leaves_the_others_alone(loaded, monkeypatch):
    runs = runs_of(loaded, [Plan(1.0, 4, "ddim"), Plan(3.0, 4, "ddim")])

    def fail(*args, **more):
        raise RuntimeError("secret detail")

    monkeypatch.setattr(runs[1].scheduler, "step", fail)
    list(take_steps(loaded, runs))
    assert runs[0].finished and not runs[0].failed
    assert runs[1].failed == "The scheduler failed (RuntimeError)."


def test_stopping_stops_the_calls(loaded):
    runs, calls = runs_of(loaded, [Plan(3.0, 9, "ddim")]), []
    hook = loaded.model.unet.register_forward_pre_hook(lambda *a: calls.append(1))
    try:
        for _ in take_steps(loaded, runs):
            if len(calls) == 2:
                break
    finally:
        hook.remove()
    assert len(calls) == 2 and runs[0].done == 2
