"""Grad-CAM, Integrated Gradients and Occlusion of any classifier, by Captum; the network is left as it was."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor, nn

from shared.demo import DemoError, Progress, no_progress

IG_STEPS = 24
_layers: WeakKeyDictionary[nn.Module, str] = WeakKeyDictionary()


@dataclass(frozen=True)
class ClassMap:
    """A map for a class [height, width], negative evidence cut off at 0. `positive` says whether any was left, and
    `layer` where it was read."""

    values: np.ndarray
    positive: bool
    layer: str = ""


@contextmanager
def untouched(network: nn.Module) -> Iterator[None]:
    """Inside, the network may be put into evaluation mode and hooked; afterwards train flags, `requires_grad` and
    hooks are those from before, whatever happened."""
    training = {m: m.training for m in network.modules()}
    wanted = {p: p.requires_grad for p in network.parameters()}
    hooks = {m: (set(m._forward_hooks), set(m._forward_pre_hooks), set(m._backward_hooks)) for m in network.modules()}
    try:
        network.eval()
        yield
    finally:
        for module, flag in training.items():
            module.training = flag
        for parameter, flag in wanted.items():
            parameter.requires_grad_(flag)
        for module, kept in hooks.items():
            for found, before in zip(
                (module._forward_hooks, module._forward_pre_hooks, module._backward_hooks), kept, strict=True
            ):
                for key in set(found) - before:
                    del found[key]


def find_layer(network: nn.Module, inputs: Tensor, target: int) -> str:
    """The name of the last layer with places whose channels together bear on the class.

    A layer in which one channel alone does is the class's own map already. The layer is looked for once a network.
    Raises DemoError for a network that keeps no places.
    """
    if network in _layers:
        return _layers[network]
    seen: list[tuple[str, Tensor]] = []

    def watch(name: str) -> Callable[..., None]:
        def hook(_module: nn.Module, _inputs: Any, output: Any) -> None:
            if isinstance(output, Tensor) and output.ndim == 4 and output.shape[-1] * output.shape[-2] > 1:
                seen.append((name, output))

        return hook

    with untouched(network), torch.enable_grad():
        for name, module in network.named_modules():
            if name:
                module.register_forward_hook(watch(name))
        score = network(inputs.detach().clone().requires_grad_(True))[:, target].sum()
        outputs = [output for _, output in seen if output.requires_grad]
        names = [name for name, output in seen if output.requires_grad]
        slopes = torch.autograd.grad(score, outputs, allow_unused=True) if outputs else ()
    for name, slope in reversed(list(zip(names, slopes, strict=True))):
        if slope is not None and int((slope.abs().sum((0, 2, 3)) > 0).sum()) > 1:
            _layers[network] = name
            return name
    raise DemoError(
        "Grad-CAM needs a layer that keeps places, height by width, and this network has none: "
        "choose a convolutional classifier."
    )


def grad_cam(network: nn.Module, inputs: Tensor, target: int, layer: str = "") -> ClassMap:
    """Grad-CAM (Selvaraju et al. 2017, arXiv 1610.02391, eq. 1-2) of the class's logit, [height, width] of the layer.

    relu(sum_k a_k A_k) with a_k the mean over places of the logit's gradient by channel k. By Captum, asked for the
    sum before the relu, so that a map without positive evidence can be told from one that is merely low.
    """
    from captum.attr import LayerGradCam

    name = layer or find_layer(network, inputs, target)
    with untouched(network), torch.enable_grad(), _quiet():
        found = LayerGradCam(network, network.get_submodule(name)).attribute(
            inputs.detach().clone().requires_grad_(True), target, relu_attributions=False
        )
    values = found.detach()[0, 0].float().cpu().numpy()  # pyright: ignore[reportAttributeAccessIssue]
    return _class_map(values, name)


def integrated_gradients(network: nn.Module, inputs: Tensor, target: int, baseline: Tensor) -> ClassMap:
    """Integrated Gradients (Sundararajan et al. 2017, arXiv 1703.01365, eq. 1) from `baseline`, summed over the
    channels, [height, width] of the input; by Captum."""
    from captum.attr import IntegratedGradients

    with untouched(network), torch.enable_grad(), _quiet():
        found = IntegratedGradients(network).attribute(
            inputs.detach().clone(), baseline, target, n_steps=IG_STEPS, internal_batch_size=8
        )
    return _class_map(found.detach()[0].sum(0).float().cpu().numpy())


def occlusion(
    network: nn.Module, inputs: Tensor, target: int, baseline: Tensor, progress: Progress = no_progress
) -> ClassMap:
    """How much the class's logit falls where a window, a quarter of the picture wide, shows the baseline instead
    (Zeiler and Fergus 2014, arXiv 1311.2901, section 4.2), [height, width] of the input; by Captum."""
    from captum.attr import Occlusion

    window, stride = max(1, inputs.shape[-1] // 4), max(1, inputs.shape[-1] // 12)
    calls = 0

    def ask(x: Tensor) -> Tensor:
        nonlocal calls
        calls += 1
        progress(0, 0, "windows")
        return network(x)

    with untouched(network), torch.no_grad(), _quiet():
        found = Occlusion(ask).attribute(
            inputs.detach().clone(), (inputs.shape[1], window, window), (inputs.shape[1], stride, stride),
            baselines=baseline, target=target, perturbations_per_eval=8,
        )  # fmt: skip
    return _class_map(found.detach()[0].sum(0).float().cpu().numpy())


def _class_map(values: np.ndarray, layer: str = "") -> ClassMap:
    if not np.isfinite(values).all():
        raise DemoError("The classifier's gradients overflowed on this picture.")
    return ClassMap(np.maximum(values, 0), bool(values.max() > 0), layer)


@contextmanager
def _quiet() -> Iterator[None]:
    """Captum warns of what it sets on its inputs itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
