from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn

from demos.attention.controls import blob, edges, random_copy, randomized, randomized_attention
from demos.attention.recorder import cross_attention_layers
from tests.demos.attention.test_recorder import tiny_unet


def test_edges_lie_where_brightness_changes():
    pixels = np.zeros((9, 9), dtype=np.uint8)
    pixels[:, 5:] = 255
    found = edges(Image.fromarray(pixels))
    assert found[4].argmax() in (4, 5) and found[:, 0].max() == 0
    assert not edges(Image.new("RGB", (5, 5), "grey")).any()


def test_the_blob_is_symmetric_and_peaks_in_the_middle():
    found = blob((9, 5))
    assert found.shape == (5, 9) and np.unravel_index(found.argmax(), found.shape) == (2, 4)
    assert np.allclose(found, found[::-1, ::-1])


def test_random_weights_have_the_same_spread_and_the_old_ones_come_back():
    network = nn.Sequential(nn.Conv2d(16, 32, 3), nn.BatchNorm2d(32))
    before = {k: v.clone() for k, v in network.state_dict().items()}
    with randomized([network], seed=1):
        weight = network[0].weight.detach()
        assert not torch.equal(weight, before["0.weight"])
        assert float(weight.std()) == pytest.approx(float(before["0.weight"].std()), rel=0.1)
        assert abs(float(weight.mean())) < 0.1 * float(weight.std())
        assert torch.equal(network[0].bias, before["0.bias"])
        first = weight.clone()
    with randomized([network], seed=1):
        assert torch.equal(network[0].weight, first)
    with randomized([network], seed=2):
        assert not torch.equal(network[0].weight, first)
    with pytest.raises(RuntimeError), randomized([network], seed=1):
        raise RuntimeError
    assert all(torch.equal(v, before[k]) for k, v in network.state_dict().items())


def test_only_queries_and_keys_of_cross_attention_are_random():
    unet = tiny_unet()
    before = {k: v.clone() for k, v in unet.state_dict().items()}
    with randomized_attention(unet, seed=1):
        changed = {k for k, v in unet.state_dict().items() if not torch.equal(v, before[k])}
    wanted = {f"{name}.{part}.weight" for name in cross_attention_layers(unet) for part in ("to_q", "to_k")}
    assert changed == wanted
    assert all(torch.equal(v, before[k]) for k, v in unet.state_dict().items())


def test_a_random_copy_leaves_the_network_alone_and_lets_signals_through():
    torch.manual_seed(0)
    network = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU()).eval()
    network[1].running_mean.fill_(1e3)  # with these statistics every output would be 0
    before = {k: v.clone() for k, v in network.state_dict().items()}
    x = torch.randn(2, 3, 8, 8)
    copied = random_copy(network, 1, x)
    assert not network(x).any() and copied(x).any() and not copied.training
    assert not torch.equal(copied[0].weight, before["0.weight"])
    assert all(torch.equal(v, before[k]) for k, v in network.state_dict().items())
