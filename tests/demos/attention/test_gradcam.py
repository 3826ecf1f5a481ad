from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn
from transformers import ConvNextConfig, ConvNextForImageClassification, ResNetConfig, ResNetForImageClassification

from demos.attention.classifiers import HubLogits, ReaderLogits, reader_classes
from demos.attention.gradcam import find_layer, grad_cam, integrated_gradients, occlusion
from shared.demo import DemoError
from shared.reader import SceneReader


class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.body = nn.Sequential(
            nn.Conv2d(3, 6, 3, 2, 1), nn.BatchNorm2d(6), nn.ReLU(), nn.Conv2d(6, 8, 3, 2, 1), nn.ReLU()
        )
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        return self.head(self.body(x).mean((2, 3)))


@pytest.fixture
def x():
    return torch.randn(1, 3, 16, 16, generator=torch.Generator().manual_seed(3))


def test_it_is_the_formula(x):
    network = Conv().eval()
    found = grad_cam(network, x, 2, "body")
    activations = network.body(x).detach().requires_grad_(True)
    network.head(activations.mean((2, 3)))[0, 2].backward()
    weights = activations.grad.mean((2, 3), keepdim=True)
    true = (weights * activations).sum(1)[0].detach()
    assert found.values == pytest.approx(true.clamp_min(0).numpy(), abs=1e-6)
    assert found.positive == bool(true.max() > 0)


def test_no_positive_evidence_is_said_and_gives_zeros(x):
    network = Conv().eval()
    with torch.no_grad():
        network.head.weight[1] = -network.head.weight[1].abs()  # activations are at least 0: nothing speaks for class 1
    found = grad_cam(network, x, 1, "body")
    assert not found.positive and not found.values.any()


def state(network):
    return (
        [m.training for m in network.modules()],
        [p.requires_grad for p in network.parameters()],
        [len(m._forward_hooks) + len(m._forward_pre_hooks) + len(m._backward_hooks) for m in network.modules()],
        [p.grad is None for p in network.parameters()],
    )


@pytest.mark.parametrize("explain", [
    lambda n, x, t: grad_cam(n, x, t), lambda n, x, t: integrated_gradients(n, x, t, torch.zeros_like(x)),
    lambda n, x, t: occlusion(n, x, t, torch.zeros_like(x)),
])  # fmt: skip
def test_the_network_is_left_as_it_was(explain, x):
    network = Conv()
    network.train()
    network.body[0].weight.requires_grad_(False)
    before = state(network)
    explain(network, x, 1)
    assert state(network) == before
    with pytest.raises(Exception):  # noqa: B017
        explain(network, x, 99)
    assert state(network) == before


def resnet():
    torch.manual_seed(0)
    config = ResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic", num_labels=4)
    return HubLogits(ResNetForImageClassification(config)).eval(), 32


def convnext():
    torch.manual_seed(0)
    config = ConvNextConfig(hidden_sizes=[8, 16], depths=[1, 1], num_stages=2, num_labels=4)
    return HubLogits(ConvNextForImageClassification(config)).eval(), 32


def reader():
    torch.manual_seed(0)
    return ReaderLogits(SceneReader(8)).eval(), 128


@pytest.mark.parametrize(("make", "layer", "size"), [
    (resnet, "model.resnet.encoder", (4, 4)), (convnext, "model.convnext.encoder", (4, 4)),
    (reader, "reader.features", (16, 16)),
])  # fmt: skip
def test_layers_are_found(make, layer, size):
    network, side = make()
    x = torch.randn(1, 3, side, side, generator=torch.Generator().manual_seed(0))
    assert find_layer(network, x, 1).startswith(layer)
    assert grad_cam(network, x, 1).values.shape == size


def test_a_color_of_the_reader_is_read_in_its_features_too():
    network, side = reader()
    x = torch.randn(1, 3, side, side, generator=torch.Generator().manual_seed(0))
    assert find_layer(network, x, reader_classes().index("red car")).startswith("reader.features")


def test_a_network_without_places_gets_a_sentence():
    network = nn.Sequential(nn.Flatten(), nn.Linear(3 * 16 * 16, 4))
    with pytest.raises(DemoError, match="keeps places"):
        grad_cam(network, torch.zeros(1, 3, 16, 16), 0)


def test_integrated_gradients_sum_to_the_difference_of_the_logits(x):
    network = nn.Sequential(nn.Flatten(), nn.Linear(3 * 16 * 16, 4))
    with torch.no_grad():
        network[1].weight.abs_()
    found = integrated_gradients(network, x.abs(), 0, torch.zeros_like(x))
    true = (network(x.abs()) - network(torch.zeros_like(x)))[0, 0].item()
    assert float(np.sum(found.values)) == pytest.approx(true, rel=1e-3)
