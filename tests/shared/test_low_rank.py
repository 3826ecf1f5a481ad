"""Low-rank changes: what they add, what they cost, and that merging gives the same network."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from shared.low_rank import add_changes, factors, merge, put_back


def network(seed: int = 0) -> nn.Sequential:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Conv2d(3, 16, 3), nn.SiLU(), nn.Flatten(), nn.Linear(64, 32), nn.Linear(32, 2))


def test_fresh_changes_change_nothing_and_only_they_are_trained() -> None:
    plain, changed = network(), network()
    changes = add_changes(changed, rank=2)
    x = torch.randn(5, 3, 4, 4)
    assert torch.equal(plain(x), changed(x))
    trained = {n for n, p in changed.named_parameters() if p.requires_grad}
    assert {n.rsplit(".", 1)[1] for n in trained} == {"up", "down"}
    assert set(changes) == {"0", "3"}  # a change of rank 2 to the last layer [2, 32] would be larger than it


def test_merged_changes_equal_the_formula() -> None:
    changes = add_changes(network(), rank=2)
    torch.manual_seed(1)
    for change in changes.values():
        change.up.data.normal_()
    stored = factors(changes)
    plain, merged, changed = network(), network(), network()
    merge(merged, stored)
    wanted = plain[3].weight + stored["3.up"] @ stored["3.down"]
    assert torch.allclose(merged[3].weight, wanted)
    put_back(add_changes(changed, rank=2), stored)
    x = torch.randn(5, 3, 4, 4)
    assert torch.allclose(changed(x), merged(x), atol=1e-5)
    assert not torch.allclose(plain(x), merged(x), atol=1e-2)


def test_changes_of_another_network_are_refused() -> None:
    stored = factors(add_changes(network(), rank=2))
    with pytest.raises(KeyError):
        merge(nn.Sequential(nn.SiLU()), stored)
    with pytest.raises(RuntimeError):
        merge(nn.Sequential(nn.Conv2d(3, 8, 3), nn.SiLU(), nn.Flatten(), nn.Linear(64, 32)), stored)
