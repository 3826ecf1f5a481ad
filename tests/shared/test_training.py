"""Training's own tools: a stopped run ends as an uninterrupted one would have, and formulas are as written."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from shared.stickers import HELD_OUT, is_for_testing
from shared.training import (
    Average,
    Checkpoint,
    Optimizer,
    Training,
    batches,
    cosine_rate,
    rendered,
    scenes,
    to_tensor,
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


class Run:
    """A tiny seeded training of a network with batch norm, which has buffers of two types, by both optimizers."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.network = nn.Sequential(
            nn.Conv2d(3, 8, 3),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.Conv2d(8, 8, 3),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(8, 1),
        )
        self.optimizer = Optimizer(self.network)
        self.average = Average(self.network, 0.9)

    def train(self, first: int, last: int) -> None:
        for step in range(first, last):
            x = torch.randn(16, 3, 5, 5, generator=torch.Generator().manual_seed(step))
            loss = (self.network(x) - x.mean((1, 2, 3)).unsqueeze(1)).square().mean()
            self.optimizer.step(loss, cosine_rate(step, 40, warm_up=5))
            self.average.update(self.network)

    def state(self) -> dict[str, dict[str, torch.Tensor]]:
        return {
            "network": self.network.state_dict(),
            "average": self.average.values,
            "optimizer": self.optimizer.tensors(),
        }

    def restore(self, groups: dict[str, dict[str, torch.Tensor]], step: int) -> None:
        self.network.load_state_dict(groups["network"])
        self.average.load(groups["average"], step)
        self.optimizer.load(groups["optimizer"])


def test_an_interrupted_training_ends_bit_for_bit_like_an_uninterrupted_one() -> None:
    whole = Run()
    whole.train(0, 40)
    stopped = Run()
    stopped.train(0, 17)
    Checkpoint("tiny").save(17, stopped.state())
    resumed = Run()
    saved = Checkpoint("tiny").load()
    assert saved is not None
    step, groups = saved
    resumed.restore(groups, step)
    resumed.train(step, 40)
    expected, found = whole.state(), resumed.state()
    for group in expected:
        assert expected[group].keys() == found[group].keys()
        for key, value in expected[group].items():
            assert torch.equal(value, found[group][key]), (group, key)
    assert not torch.equal(expected["network"]["0.weight"], expected["average"]["0.weight"])


def test_wide_matrices_go_to_muon_and_the_rest_to_adam() -> None:
    run = Run()
    shapes = [tuple(p.shape) for p in run.optimizer.matrices]
    assert shapes == [(8, 8, 3, 3)], "not the first layer, which has three inputs, nor the last, which has one output"
    before = run.network[3].weight.detach().clone()
    moved = Optimizer(run.network, muon_rate=0.0, adam_rate=0.0)
    x = torch.randn(4, 3, 5, 5, generator=torch.Generator().manual_seed(0))
    moved.step(run.network(x).sum(), 1.0)
    assert torch.equal(run.network[3].weight, before), "a rate of 0 moves nothing"
    run.optimizer.step(run.network(x).sum(), 1.0)
    assert not torch.equal(run.network[3].weight, before), "the views share the weights' memory"
    pair = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8))
    assert Optimizer(pair, plain=("1.",)).matrices == [pair[0].weight]


def test_a_checkpoint_reads_back_and_replaces_the_older_one(own_cache: Path) -> None:
    checkpoint = Checkpoint("some")
    assert checkpoint.load() is None
    checkpoint.save(1, {"a/b": {}, "net": {"w.x": torch.arange(3)}})
    checkpoint.save(2, {"net": {"w.x": torch.tensor([1.5]), "n": torch.tensor(7)}, "other": {"w.x": torch.zeros(2, 2)}})
    saved = checkpoint.load()
    assert saved is not None
    step, groups = saved
    assert step == 2 and set(groups) == {"net", "other"}
    assert groups["net"]["w.x"].tolist() == [1.5] and groups["net"]["n"].item() == 7
    assert groups["other"]["w.x"].shape == (2, 2)
    files = sorted(path.name for path in (own_cache / "side-by-side" / "some").iterdir())
    assert files == ["state-2.safetensors", "step.json"]


def test_a_stop_between_the_two_files_leaves_the_older_state_or_none() -> None:
    checkpoint = Checkpoint("some")
    checkpoint.save(1, {"net": {"w": torch.ones(1)}})
    (checkpoint.folder / "state.partial").write_bytes(b"cut off")
    saved = checkpoint.load()
    assert saved is not None and saved[0] == 1
    (checkpoint.folder / "step.json").write_text('{"step": 9}')
    assert checkpoint.load() is None
    (checkpoint.folder / "step.json").write_text("{")
    assert checkpoint.load() is None


def test_the_learning_rate_warms_up_and_follows_half_a_cosine() -> None:
    rates = [cosine_rate(step, 1100, 2.0) for step in (0, 49, 99, 100, 350, 600, 850, 1100, 5000)]
    # From 2.0 down to 2% of it, 0.04: the middle of the cosine is 0.04 + 1.96 / 2 = 1.02.
    quarter = 0.98 * (0.5 + math.sqrt(0.5) / 2) * 2 + 0.04
    three_quarters = 0.98 * (0.5 - math.sqrt(0.5) / 2) * 2 + 0.04
    assert rates == pytest.approx([0.02, 1.0, 2.0, 2.0, quarter, 1.02, three_quarters, 0.04, 0.04])


def test_the_average_weighs_early_steps_less_and_copies_counters() -> None:
    network = nn.BatchNorm1d(1)
    with torch.no_grad():
        network.weight.fill_(0.0)
    average = Average(network, 0.5)
    expected = 0.0
    for step, value in enumerate([1.0, 3.0, -2.0, 8.0, 8.0, 8.0, 8.0, 8.0, 5.0, 6.0], start=1):
        with torch.no_grad():
            network.weight.fill_(value)
        network.num_batches_tracked.fill_(step)
        average.update(network)
        # The decay is 2/11, 3/12, 4/13, ... until it reaches its full value of 0.5 at the eighth step.
        decay = (1 + step) / (10 + step) if step < 8 else 0.5
        expected = decay * expected + (1 - decay) * value
        assert average.values["weight"].item() == pytest.approx(expected, rel=1e-6)
        assert average.values["num_batches_tracked"].item() == step


def test_training_and_testing_scenes_never_meet() -> None:
    training, testing = scenes(150, seed=1), scenes(60, seed=1, testing=True)
    assert all(scene.placed and not is_for_testing(scene) for scene in training)
    assert all(scene.placed and is_for_testing(scene) for scene in testing)
    pairs = {(s.kind, s.color) for scene in training + testing for s in scene.stickers}
    assert not pairs & HELD_OUT
    held = scenes(30, seed=1, held_out=True)
    assert all((scene.stickers[0].kind, scene.stickers[0].color) in HELD_OUT for scene in held)
    assert scenes(20, seed=4) == scenes(20, seed=4) != scenes(20, seed=5)


def test_renders_are_kept_as_they_were_drawn(own_cache: Path) -> None:
    chosen = scenes(3, seed=2)
    first = np.array(rendered("few", chosen, 32))
    assert first.shape == (3, 32, 32, 3) and first.dtype == np.uint8 and first.std() > 10
    assert (np.array(rendered("few", chosen, 32)) == first).all()
    assert [p.name for p in (own_cache / "side-by-side" / "renders").iterdir()] == ["few-3-32.npy"]


def test_pictures_become_tensors_from_minus_one_to_one() -> None:
    picture = np.array([[[[0, 255, 51]]]], dtype=np.uint8)
    tensor = to_tensor(picture)
    assert tensor.shape == (1, 3, 1, 1)
    assert tensor.flatten().tolist() == pytest.approx([-1, 1, -0.6])


def test_batches_show_everything_once_an_epoch() -> None:
    source = batches(10, 3, np.random.default_rng(0))
    for _ in range(4):
        epoch = np.concatenate([next(source) for _ in range(3)])
        assert len(set(epoch.tolist())) == 9 and set(epoch.tolist()) <= set(range(10))


def test_a_run_goes_on_where_it_was_saved(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def start(seed: int) -> Training:
        torch.manual_seed(seed)
        network = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Linear(16, 8))
        return Training("small", network, Optimizer(network), 0.9)

    def go_on(run: Training, steps: range) -> None:
        for step in steps:
            x = torch.randn(4, 8, generator=torch.Generator().manual_seed(step))
            run.optimizer.step((run.network(x) - x).square().mean(), 1.0)
            run.average.update(run.network)

    first = start(0)
    assert first.first == 0
    go_on(first, range(3))
    first.save(3)
    go_on(first, range(3, 5))
    second = start(1)
    assert second.first == 3
    go_on(second, range(3, 5))
    assert all(torch.equal(v, second.average.values[k]) for k, v in first.average.values.items())
