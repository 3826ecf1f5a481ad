from __future__ import annotations

import importlib.metadata
import re

import pytest
import torch

from shared.devices import (
    LARGEST_SEED,
    best_device,
    device_name,
    dtype_for,
    environment,
    generators,
    sample_seeds,
    wait_for,
)


def test_seeds_count_up_and_wrap_after_the_largest():
    assert sample_seeds(7, 3) == (7, 8, 9)
    assert sample_seeds(LARGEST_SEED, 2) == (LARGEST_SEED, 0)


@pytest.mark.parametrize(
    ("seed", "count", "match"), [(-1, 1, "from 0"), (2**63, 1, "from 0"), (2**70, 1, "from 0"), (0, 0, "at least one")]
)
def test_wrong_seeds_are_refused(seed, count, match):
    with pytest.raises(ValueError, match=match):
        sample_seeds(seed, count)


def test_a_samples_noise_does_not_depend_on_its_batch():
    together = [torch.randn(8, 4, 4, generator=g) for g in generators(sample_seeds(LARGEST_SEED, 3))]
    alone = torch.randn(8, 4, 4, generator=generators((0,))[0])
    assert torch.equal(together[1], alone)
    assert not torch.equal(together[0], together[1])


def test_environment_says_where_it_ran():
    found = environment(torch.device("cpu"), torch.float32, "diffusers", model="m")
    assert found["device"].startswith("CPU")
    assert found["threads"] == torch.get_num_threads()
    assert (found["dtype"], found["model"], found["torch"]) == ("float32", "m", importlib.metadata.version("torch"))
    assert found["diffusers"] == "0.42.1"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", found["date"])


def test_half_precision_is_for_big_models_on_a_gpu():
    assert dtype_for(torch.device("cpu"), big=True) is torch.float32
    assert dtype_for(torch.device("cuda"), big=True) is torch.float16
    assert dtype_for(torch.device("cuda"), big=False) is torch.float32
    assert best_device().type == ("cuda" if torch.cuda.is_available() else best_device().type)


@pytest.mark.parametrize(
    ("cuda", "mps", "chosen"),
    [(True, True, "cuda"), (True, False, "cuda"), (False, True, "mps"), (False, False, "cpu")],
)
def test_a_gpu_is_chosen_before_apples_and_the_cpu_last(monkeypatch, cuda, mps, chosen):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert best_device() == torch.device(chosen)


def test_each_device_is_waited_for_and_named_in_its_own_way(monkeypatch):
    waited = []
    monkeypatch.setattr(torch.cuda, "synchronize", lambda device: waited.append(device.type))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "NVIDIA T4")
    monkeypatch.setattr(torch.mps, "synchronize", lambda: waited.append("mps"))
    for kind in ("cpu", "cuda", "mps"):
        wait_for(torch.device(kind))
    assert waited == ["cuda", "mps"]
    names = [device_name(torch.device(kind)) for kind in ("cuda", "mps", "cpu")]
    assert names[:2] == ["NVIDIA T4", "Apple GPU"] and names[2].startswith("CPU (")
    assert dtype_for(torch.device("mps"), big=True) is torch.float16
