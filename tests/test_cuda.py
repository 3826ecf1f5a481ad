"""What only a machine with an NVIDIA GPU can show: `pytest -m cuda` runs these; elsewhere they are skipped."""

from __future__ import annotations

import time

import numpy as np
import pytest
import torch

from shared import models
from shared.devices import best_device, device_name
from shared.sampling import Plan, Sampling, decode, encode
from tests.tiny import tiny_pipeline

pytestmark = [
    pytest.mark.cuda,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device on this machine"),
]


@pytest.fixture(autouse=True)
def fresh():
    models.forget()
    yield
    models.forget()


def draw(seed: int = 3) -> np.ndarray:
    """One picture of the bundled pipeline on whatever device it chooses, as float [height, width, 3] in 0..255."""
    loaded = models.load_pipeline("sticker_diffusion")
    encoded = encode(loaded.model, "a red car left of a blue house")
    run = Sampling(loaded.model, encoded, Plan(3.0, 8, "ddim"), [seed])
    while not run.finished:
        run.step()
    return np.asarray(decode(loaded.model, run.latents)[0], dtype=np.float64)


def test_the_gpu_is_chosen_and_named() -> None:
    assert best_device().type == "cuda" and device_name(best_device()) == torch.cuda.get_device_name()


def test_the_gpu_draws_what_the_cpu_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    here = draw()
    models.forget()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    there = draw()
    error = ((here - there) ** 2).mean()
    assert 10 * np.log10(255**2 / max(error, 1e-9)) >= 35  # dB; the README says so of other devices


def test_the_same_call_twice_is_the_same_picture() -> None:
    assert np.array_equal(draw(), draw())


def test_a_run_leaves_no_memory_behind() -> None:
    draw()
    before = torch.cuda.memory_allocated()
    for seed in range(3):
        draw(seed)
    assert torch.cuda.memory_allocated() <= before + 2**20


def test_steps_are_timed_after_the_device_has_done_them() -> None:
    pipeline = tiny_pipeline(sample_size=8)
    pipeline.unet.to("cuda")
    from shared.devices import wait_for

    began = time.perf_counter()
    torch.randn(4096, 4096, device="cuda") @ torch.randn(4096, 4096, device="cuda")
    wait_for(torch.device("cuda"))
    assert time.perf_counter() > began and torch.cuda.current_stream().query()
