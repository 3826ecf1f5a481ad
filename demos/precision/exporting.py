"""Networks as ONNX files on the visitor's machine: exported once, quantized once per calibration, kept in the cache."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from demos.precision.networks import Inputs, Network

if TYPE_CHECKING:
    import torch

OPSET = 17
MOST_FILES = 40
"""Beyond so many exported files those used longest ago are deleted."""
CALIBRATION_BATCH = 8
PRODUCTS = ["MatMul", "Gemm"]
"""What is quantized of a text encoder: it adds a mask whose masked places are as low as a float goes, and a range that
reaches that far leaves one step for everything else."""
FIXED_RANGE = (-1.0, 1.0)
"""What every activation is taken to lie in without calibration."""
_one_at_a_time = threading.RLock()


@dataclass(frozen=True)
class Calibrating:
    """How static INT8 finds its ranges. `inputs` [n, ...] each; None: no calibration, every range is fixed."""

    key: str
    inputs: Inputs | None
    per_channel: bool


def export_folder() -> Path:
    """Where exported files lie: in the user's cache, or in a temporary folder where that can't be written."""
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "side-by-side" / "onnx"
    try:
        root.mkdir(parents=True, exist_ok=True)
        if os.access(root, os.W_OK):
            return root
    except OSError:
        pass
    root = Path(tempfile.gettempdir()) / "side-by-side-onnx"
    root.mkdir(parents=True, exist_ok=True)
    return root


def export(network: Network) -> Path:
    """The network as an ONNX file with a free batch size, made now if it is not there."""
    with _one_at_a_time:
        return _kept(f"{network.name}-{network.checksum}-{OPSET}", lambda path: _export(network, path))


def quantize(network: Network, calibrating: Calibrating) -> Path:
    """The network as a static INT8 file in QDQ form by `onnxruntime.quantization`, made now if it is not there."""
    way = "channel" if calibrating.per_channel else "tensor"
    name = f"{network.name}-{network.checksum}-{OPSET}-static-{calibrating.key}-{way}"
    with _one_at_a_time:
        source = export(network)
        return _kept(name, lambda path: _quantize(source, calibrating, path))


def _kept(name: str, make: Any) -> Path:
    folder = export_folder()
    path = folder / f"{name}.onnx"
    if path.is_file():
        path.touch()
        return path
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        made = Path(scratch) / "made.onnx"
        make(made)
        shutil.move(made, path)  # only whole files get the name, whoever else writes at the same time
    for old in sorted(folder.glob("*.onnx"), key=lambda p: p.stat().st_mtime)[:-MOST_FILES]:
        old.unlink(missing_ok=True)
    return path


def _export(network: Network, path: Path) -> None:
    import torch

    example = network.example(1, 0)
    names = [f"input{i}" for i in range(len(example))]
    axes = {name: {0: "batch"} for name in (*names, "output")}
    device = next(network.module.parameters()).device
    with warnings.catch_warnings(), torch.no_grad():
        # The tracing exporter is called legacy; the newer one needs a package more and gives the same graph here.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network.module, tuple(x.to(device) for x in example), str(path), dynamo=False, opset_version=OPSET,
            input_names=names, output_names=["output"], dynamic_axes=axes,
        )  # fmt: skip


def _quantize(source: Path, calibrating: Calibrating, path: Path) -> None:
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    prepared = path.with_name("prepared.onnx")
    with quiet():
        # Convolutions take in their batch norms, and shapes are known; symbols are only needed for other networks.
        quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
        reader, overrides = _reader(prepared, calibrating)
        products = PRODUCTS if _reads_tokens(prepared) else None
        quantize_static(
            str(prepared), str(path), reader, quant_format=QuantFormat.QDQ, per_channel=calibrating.per_channel,
            activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, extra_options=overrides,
            op_types_to_quantize=products,
        )  # fmt: skip


def _reads_tokens(prepared: Path) -> bool:
    import onnx

    graph = onnx.load(str(prepared)).graph
    return any(i.type.tensor_type.elem_type == onnx.TensorProto.INT64 for i in graph.input)


def _reader(prepared: Path, calibrating: Calibrating) -> tuple[Any, dict[str, Any]]:
    """What feeds the calibration, and what overrides it: without calibration every activation's range is fixed."""
    import onnx
    from onnxruntime.quantization import CalibrationDataReader

    model = onnx.load(str(prepared))
    constants = {tensor.name for tensor in model.graph.initializer}
    names = [i.name for i in model.graph.input if i.name not in constants]
    shapes = {i.name: i for i in model.graph.input}

    class Feed(CalibrationDataReader):
        def __init__(self, feeds: Sequence[dict[str, np.ndarray]]) -> None:
            self._feeds = iter(feeds)

        def get_next(self) -> Any:
            return next(self._feeds, None)

    if calibrating.inputs is not None:
        return Feed(list(_feeds(names, calibrating.inputs))), {}
    zero = {name: _zeros(shapes[name], onnx) for name in names}
    low, high = (np.array(v, dtype=np.float32) for v in FIXED_RANGE)
    activations = [*names, *(o for node in model.graph.node for o in node.output if node.op_type != "Constant")]
    fixed = {name: [{"rmin": low, "rmax": high}] for name in activations if name}
    return Feed([zero]), {"TensorQuantOverrides": fixed}


def _feeds(names: Sequence[str], inputs: Inputs) -> Iterator[dict[str, np.ndarray]]:
    for start in range(0, len(inputs[0]), CALIBRATION_BATCH):
        part = slice(start, start + CALIBRATION_BATCH)
        yield {name: as_numpy(x[part]) for name, x in zip(names, inputs, strict=True)}


def _zeros(info: Any, onnx: Any) -> np.ndarray:
    kind = info.type.tensor_type
    shape = [d.dim_value or 1 for d in kind.shape.dim]
    return np.zeros(shape, dtype=onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type))


def as_numpy(x: torch.Tensor) -> np.ndarray:
    """A tensor as the array that ONNX Runtime takes."""
    return np.ascontiguousarray(x.detach().cpu().numpy())


@contextmanager
def quiet() -> Iterator[None]:
    """Without the quantizer's advice on the root logger, which would fill a host's log at every calibration."""
    logger = logging.getLogger()
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)
