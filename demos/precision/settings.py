"""What can be set in the precision demo: every control of the tab, and every argument of API, link and command line."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import field_validator, model_validator

from shared.devices import LARGEST_SEED
from shared.settings import Settings, setting

Task = Literal["classify", "draw", "embed"]
SideName = Literal[
    "eager_fp32", "eager_bf16", "eager_fp16", "ort_fp32", "ort_int8", "torchao_int8", "torchao_weight_only",
    "compiled_fp32",
]  # fmt: skip
Calibration = Literal["scenes", "noise", "none"]

DEFAULT_SIDES: list[SideName] = ["eager_fp32", "eager_bf16", "ort_fp32", "ort_int8", "torchao_int8"]
MOST_SIDES = 6
BATCHES = "1, 2, 4, 8, 16, 32"
SIZES = "4, 16, 64"

SIDE_TITLES: dict[SideName, str] = {
    "eager_fp32": "eager FP32", "eager_bf16": "eager BF16", "eager_fp16": "eager FP16", "ort_fp32": "ONNX FP32",
    "ort_int8": "ONNX INT8", "torchao_int8": "torchao INT8", "torchao_weight_only": "torchao weight-only",
    "compiled_fp32": "compiled FP32",
}  # fmt: skip
"""Short: they stand in a control."""

_TASK = (
    "classify: the scene reader on hard scenes and EfficientNet-Lite0 on photos; draw: the diffusion pipeline's U-Net; "
    "embed: a text encoder."
)
_SIDES = "Format and engine: eager PyTorch, ONNX Runtime (ort), torchao on linear layers, or compiled."
_CALIBRATION = "What static INT8 takes its ranges from: data as in use, noise, or none (every range -1 to 1)."
_STEPS = "Of the sampler, for draw."
_SEED = "Of scenes, noises and calibration."


def read_counts(text: str, most: int) -> tuple[int, ...]:
    """Whole numbers from 1 to `most`, with commas, each once and rising. Raises ValueError with one sentence."""
    parts = [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]
    if not parts:
        raise ValueError("at least one number is needed.")
    found: set[int] = set()
    for part in parts:
        if not part.isascii() or not part.isdigit() or not 1 <= int(part[:9]) <= most:
            raise ValueError(f"“{part[:20]}” is no whole number from 1 to {most}.")
        found.add(int(part))
    return tuple(sorted(found))


class PrecisionSettings(Settings):
    """One network in several formats and engines, timed in turns and judged against FP32 on the same inputs."""

    task: Task = setting("classify", "Task", _TASK, main=True)
    sides: list[SideName] = setting(
        list(DEFAULT_SIDES),
        "Sides",
        _SIDES,
        main=True,
        min_length=1,
        max_length=MOST_SIDES,
        titles=SIDE_TITLES,
        costs=True,
    )
    latency_objective: float = setting(
        50.0, "Latency objective", "In ms: a side whose P95 is above it is rejected.", main=True, group="gates",
        step=1, gt=0, le=60_000,
    )  # fmt: skip
    quality_floor: float = setting(
        0.95, "Quality floor", "A side with an agreement (draw: SSIM, embed: cosine) below it is rejected.",
        main=True, group="gates", step=0.01, ge=0, le=1,
    )  # fmt: skip
    calibration: Calibration = setting("scenes", "Calibration", _CALIBRATION)
    calibration_size: int = setting(
        32, "Calibration pictures", "How many it looks at.", group="calibration", step=1, ge=1, le=512, costs=True
    )
    per_channel: bool = setting(
        True, "Per channel", "A weight scale for each output channel, not for the whole tensor."
    )
    batch: int = setting(1, "Batch", "Items computed in one call.", group="batch", step=1, ge=1, le=64, costs=True)
    steps: int = setting(10, "Steps", _STEPS, group="batch", step=1, ge=1, le=50, costs=True)
    n_quality: int = setting(
        100,
        "Quality inputs",
        "Scenes, pictures or texts that quality is taken over.",
        group="seed",
        step=1,
        ge=2,
        le=2000,
        costs=True,
    )
    seed: int = setting(0, "Seed", _SEED, group="seed", step=1, ge=0, le=LARGEST_SEED)
    memory: bool = setting(
        False, "Peak memory", "Runs each side once more in a process of its own; some seconds a side."
    )

    @field_validator("sides")
    @classmethod
    def _each_once(cls, sides: list[SideName]) -> list[SideName]:
        return list(dict.fromkeys(sides))


class CalibrationSettings(Settings):
    """Static INT8 of the scene reader under every kind and amount of calibration, per channel and per tensor."""

    sizes: str = setting(SIZES, "Pictures", "How many calibration looks at, with commas.", max_length=100, costs=True)
    n_quality: int = setting(
        500, "Scenes", "Hard scenes that accuracy is taken over.", group="n", step=1, ge=10, le=2000, costs=True
    )
    bootstrap: int = setting(10_000, "Bootstrap samples", "Of the intervals.", group="n", step=100, ge=100, le=100_000)
    seed: int = setting(0, "Seed", _SEED, step=1, ge=0, le=LARGEST_SEED)

    @field_validator("sizes")
    @classmethod
    def _check_sizes(cls, text: str) -> str:
        read_counts(text, 512)
        return text


class StagesSettings(Settings):
    """The pipeline's three stages in each format, and what halving the steps saves beside what INT8 saves."""

    sides: list[SideName] = setting(
        ["eager_fp32", "eager_bf16", "ort_fp32", "ort_int8"],
        "Sides",
        _SIDES,
        min_length=1,
        max_length=MOST_SIDES,
        titles=SIDE_TITLES,
        costs=True,
    )
    steps: int = setting(20, "Steps", "Before they are halved.", group="n", step=2, ge=2, le=50, costs=True)
    n_quality: int = setting(8, "Pictures", "Drawn for quality.", group="n", step=1, ge=2, le=200, costs=True)
    calibration: Calibration = setting("scenes", "Calibration", _CALIBRATION)
    seed: int = setting(0, "Seed", _SEED, step=1, ge=0, le=LARGEST_SEED)


class BatchesSettings(Settings):
    """Throughput and P99 against the batch size, with the latency objective as a line."""

    task: Task = setting("classify", "Task", _TASK)
    sides: list[SideName] = setting(
        ["eager_fp32", "ort_fp32", "ort_int8"],
        "Sides",
        _SIDES,
        min_length=1,
        max_length=MOST_SIDES,
        titles=SIDE_TITLES,
        costs=True,
    )
    sizes: str = setting(BATCHES, "Batch sizes", "From 1 to 64, with commas.", max_length=100, costs=True)
    latency_objective: float = setting(100.0, "Latency objective", "In ms, for P99.", step=1, gt=0, le=60_000)
    seed: int = setting(0, "Seed", _SEED, step=1, ge=0, le=LARGEST_SEED)

    @field_validator("sizes")
    @classmethod
    def _check_sizes(cls, text: str) -> str:
        read_counts(text, 64)
        return text


class RooflineSettings(Settings):
    """Achieved operations and bytes a second against this machine's own matrix product and copy."""

    task: Task = setting("classify", "Task", _TASK)
    sides: list[SideName] = setting(
        ["eager_fp32", "eager_bf16", "ort_fp32", "ort_int8"],
        "Sides",
        _SIDES,
        min_length=1,
        max_length=MOST_SIDES,
        titles=SIDE_TITLES,
        costs=True,
    )
    batch: int = setting(8, "Batch", "Items computed in one call.", step=1, ge=1, le=64, costs=True)
    seed: int = setting(0, "Seed", _SEED, step=1, ge=0, le=LARGEST_SEED)


class NumbersSettings(Settings):
    """One number in four formats, and a real gradient in the narrow ones, with and without loss scaling."""

    value: float = setting(0.1, "Value", "A number to store: 0.1, 70000, 1e-8, ...")
    int8_range: float = setting(
        1.0, "INT8 range", "INT8 holds 255 steps from minus this to this; calibration chooses it.", gt=0, le=1e12
    )
    loss_scale: int = setting(
        1024, "Loss scale", "The loss is multiplied by it, and the gradients divided again.", ge=1, le=2**30
    )
    seed: int = setting(0, "Seed", "Of the scenes behind the gradient.", step=1, ge=0, le=LARGEST_SEED)

    @model_validator(mode="after")
    def _check_value(self) -> Self:
        if abs(self.value) > 1e300:
            raise ValueError(f"value must be from -1e300 to 1e300, not {self.value:g}.")
        return self
