from __future__ import annotations

import re

import pytest
import torch

from shared.devices import LARGEST_SEED, best_device, dtype_for, environment, generators, sample_seeds


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
    assert (found["dtype"], found["model"], found["torch"]) == ("float32", "m", torch.__version__)
    assert found["diffusers"] == "0.42.1"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", found["date"])


def test_half_precision_is_for_big_models_on_a_gpu():
    assert dtype_for(torch.device("cpu"), big=True) is torch.float32
    assert dtype_for(torch.device("cuda"), big=True) is torch.float16
    assert dtype_for(torch.device("cuda"), big=False) is torch.float32
    assert best_device().type == ("cuda" if torch.cuda.is_available() else best_device().type)
