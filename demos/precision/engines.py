"""A network made ready in one format and engine: the table of sides, and what builds each."""

from __future__ import annotations

import copy
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from demos.precision.exporting import Calibrating, as_numpy, export, quantize, quiet
from demos.precision.networks import Inputs, Network
from shared.measuring import MIB, Work, count_work

TOO_SLOW = 3.0
"""A format that takes so many times FP32's time on a small convolution is not run."""
PROBE = (1, 32, 32, 32)


class CannotRun(Exception):
    """Why a side can't run here, in one sentence."""


@dataclass(frozen=True, eq=False)
class Engine:
    """A network ready to compute. `run` takes inputs on the CPU and gives the output as a float32 tensor there."""

    run: Callable[[Inputs], Tensor]
    weights: float
    """MiB of weights, as they lie in memory (torch) or in the file (ONNX)."""
    note: str


def build(side: str, network: Network, calibrating: Calibrating) -> Engine:
    """The network in one of the sides' formats and engines. Raises CannotRun with the reason."""
    try:
        return _BUILDERS[side](network, calibrating)
    except CannotRun:
        raise
    except ImportError as error:
        raise CannotRun(f"The package {error.name or 'it needs'} is not installed") from None
    except Exception as error:
        reason = " ".join(str(error).split())[:160].rstrip(".") or type(error).__name__
        raise CannotRun(f"It could not be built here ({reason})") from error


def _eager(dtype: torch.dtype) -> Callable[[Network, Calibrating], Engine]:
    def make(network: Network, calibrating: Calibrating) -> Engine:
        device = network.loaded.device
        if dtype != torch.float32:
            slower = slowdown(dtype, device)
            if slower > TOO_SLOW:
                raise CannotRun(f"About {slower:.0f} times slower than FP32 here, not run: no kernels for this format")
        module = network.module if dtype == torch.float32 else copy.deepcopy(network.module).to(dtype)
        return Engine(_torch_run(module, device, dtype), _torch_weights(module), "PyTorch, layer by layer")

    return make


def _torch_run(module: Callable[..., Tensor], device: torch.device, dtype: torch.dtype) -> Callable[[Inputs], Tensor]:
    @torch.inference_mode()
    def run(inputs: Inputs) -> Tensor:
        # Vectors are timesteps: they stay in FP32, whose whole numbers are exact.
        ready = [x.to(device, dtype if x.is_floating_point() and x.ndim > 1 else x.dtype) for x in inputs]
        return module(*ready).float().cpu()

    return run


def _torch_weights(module: torch.nn.Module) -> float:
    return sum(_bytes(p) for p in (*module.parameters(), *module.buffers())) / MIB


def _bytes(tensor: Tensor) -> int:
    """The bytes of a tensor; of a quantized one those of the tensors that it is made of."""
    inner = getattr(tensor, "__tensor_flatten__", None)
    names = inner()[0] if inner is not None and type(tensor) not in (Tensor, torch.nn.Parameter) else ()
    if not names and type(tensor.data) is not Tensor and hasattr(tensor.data, "__tensor_flatten__"):
        return _bytes(tensor.data)
    return sum(_bytes(getattr(tensor, name)) for name in names) if names else tensor.numel() * tensor.element_size()


def _torchao(weight_only: bool) -> Callable[[Network, Calibrating], Engine]:
    def make(network: Network, calibrating: Calibrating) -> Engine:
        share = work_of(network).linear_share
        with quiet():
            from torchao.quantization import Int8DynamicActivationInt8WeightConfig, Int8WeightOnlyConfig, quantize_

            module = copy.deepcopy(network.module)
            quantize_(module, Int8WeightOnlyConfig() if weight_only else Int8DynamicActivationInt8WeightConfig())
        note = (
            f"torchao on linear layers alone: {_percent(share)} of the {network.title}'s operations, the rest is FP32"
        )
        return Engine(_torch_run(module, network.loaded.device, torch.float32), _torch_weights(module), note)

    return make


def _compiled(network: Network, calibrating: Calibrating) -> Engine:
    needed = ("cl",) if sys.platform == "win32" else ("c++", "g++", "clang++")
    if network.loaded.device.type == "cpu" and not any(map(shutil.which, needed)):
        raise CannotRun(f"torch.compile needs a C++ compiler ({' or '.join(needed)}), and there is none")
    module = torch.compile(copy.deepcopy(network.module))
    run = _torch_run(module, network.loaded.device, torch.float32)
    run(network.example(1, 0))  # compiles
    return Engine(run, _torch_weights(network.module), "torch.compile (inductor)")


def _onnx(network: Network, calibrating: Calibrating) -> Engine:
    path = export(network)
    return Engine(_onnx_run(str(path)), path.stat().st_size / MIB, "ONNX Runtime on the CPU")


def _onnx_int8(network: Network, calibrating: Calibrating) -> Engine:
    path = quantize(network, calibrating)
    said = "every range fixed at -1 to 1" if calibrating.inputs is None else f"ranges from {calibrating.key}"
    return Engine(_onnx_run(str(path)), path.stat().st_size / MIB, f"ONNX Runtime on the CPU, static INT8, {said}")


def _onnx_run(path: str) -> Callable[[Inputs], Tensor]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    options.log_severity_level = 3
    # Threads that spin while they wait would slow the other sides, whose turn comes next.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]

    def run(inputs: Inputs) -> Tensor:
        feed = {name: as_numpy(x) for name, x in zip(names, inputs, strict=True)}
        return torch.from_numpy(np.asarray(session.run(None, feed)[0])).float()

    return run


def slowdown(dtype: torch.dtype, device: torch.device) -> float:
    """How many times FP32's time a small convolution takes in a format; infinity where there is none."""
    times = []
    for kind in (torch.float32, dtype):
        x = torch.zeros(PROBE, device=device, dtype=kind)
        layer = torch.nn.Conv2d(PROBE[1], PROBE[1], 3, padding=1, bias=False).to(device, kind)
        try:
            times.append(_best_of(layer, x))
        except RuntimeError:
            return float("inf")
    return times[1] / times[0]


@torch.inference_mode()
def _best_of(layer: torch.nn.Module, x: Tensor, runs: int = 5) -> float:
    taken = []
    for _ in range(runs + 1):
        started = time.perf_counter()
        layer(x).float().cpu()
        taken.append(time.perf_counter() - started)
    return min(taken[1:])


def _on_device(network: Network, inputs: Inputs) -> Inputs:
    return tuple(x.to(network.loaded.device) for x in inputs)


def work_of(network: Network, batch: int = 1) -> Work:
    """What one call of a network computes at a batch size."""
    return count_work(network.module, _on_device(network, network.example(batch, 0)))


def _percent(share: float) -> str:
    return f"{share:.0%}" if share == 0 or share >= 0.01 else f"{share:.1%}"


_BUILDERS: dict[str, Callable[[Network, Calibrating], Engine]] = {
    "eager_fp32": _eager(torch.float32),
    "eager_bf16": _eager(torch.bfloat16),
    "eager_fp16": _eager(torch.float16),
    "ort_fp32": _onnx,
    "ort_int8": _onnx_int8,
    "torchao_int8": _torchao(weight_only=False),
    "torchao_weight_only": _torchao(weight_only=True),
    "compiled_fp32": _compiled,
}

TITLES: dict[str, str] = {
    "eager_fp32": "eager FP32",
    "eager_bf16": "eager BF16",
    "eager_fp16": "eager FP16",
    "ort_fp32": "ONNX Runtime FP32",
    "ort_int8": "ONNX Runtime static INT8",
    "torchao_int8": "torchao dynamic INT8",
    "torchao_weight_only": "torchao weight-only INT8",
    "compiled_fp32": "compiled FP32",
}
