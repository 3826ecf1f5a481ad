"""What can be set in the fusion demo and its studies: controls, links, API and command line read it here."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, field_validator

from shared.settings import Settings, setting

Task = Literal["digit", "both_needed"]
Gone = Literal["none", "image", "audio"]
DropAs = Literal["mask token", "zeros", "noise"]
LateRule = Literal["average", "product", "gate"]


def _as_rate(value: Any) -> Any:
    """A dropout rate as it is named: 0.30 and "0.3" are "0.3"."""
    try:
        return f"{float(value):g}" if not isinstance(value, bool) else value
    except (TypeError, ValueError, OverflowError):
        return value


TrainedWith = Annotated[Literal["0", "0.3", "0.6"], BeforeValidator(_as_rate)]

DRAWINGS = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif")
SOUNDS = (".wav", ".flac", ".ogg", ".mp3", ".aiff", ".aif")
IMAGE_NOISE, AUDIO_NOISE = 0.7, 1.2
"""The default noise: each modality alone is unsure there, so that the other can help."""
LOWEST_FORCED = 4_000

_TASK = (
    "digit: the picture and the sound are the same digit. both needed: the picture shows two digits, the sound says "
    "“left” or “right”, and the answer is the digit there."
)
_TRAINED = "Modality dropout: in training, each sample lost its picture, and its sound, this often."
_IMAGE_NOISE = "Standard deviation of the noise on every pixel, 0 (black) to 1 (white)."
_AUDIO_NOISE = "Level of the hiss, as a multiple of the speech's own level."
_DROP_AS = (
    "What stands in for what is missing. mask token: a learned mark, and late fusion leaves that classifier out. "
    "zeros, noise: passed as if they were a real input."
)
_RULE = "How late fusion joins its two answers: mean, product, or a learned weight for each."
_N = "Test pairs, drawn with the seed from pictures and voices never trained on."
_SEED = "Of the test pairs and the noise."
_TASKS = {"both_needed": "both needed"}
_MODALITIES = {"image": "picture", "audio": "sound"}
_LARGEST_SEED = 2**32 - 1


class FusionSettings(Settings):
    """One picture and one sound, read by three fusion designs and two references, before and after a drop."""

    task: Task = setting("digit", "Task", _TASK, main=True, titles=_TASKS)
    drop: Gone = setting(
        "audio", "Take away", "Which modality is missing in the second answer.", main=True, titles=_MODALITIES
    )
    trained_with: TrainedWith = setting("0", "Trained with modality dropout", _TRAINED, main=True)
    example: int = setting(
        0, "Example", "Which pair of the test set.", main=True, group="example", step=1, ge=0, le=199
    )
    drop_as: DropAs = setting("mask token", "Missing as", _DROP_AS, main=True, group="example")
    image_noise: float = setting(
        IMAGE_NOISE, "Picture noise", _IMAGE_NOISE, main=True, group="noise", step=0.05, ge=0, le=1.2
    )
    audio_noise: float = setting(
        AUDIO_NOISE, "Sound noise", _AUDIO_NOISE, main=True, group="noise", step=0.05, ge=0, le=2.5
    )
    image: Literal["chosen", "drawn", "none"] = setting(
        "chosen", "Picture", "chosen: the example's. drawn: yours, from the box below. none: no picture at all."
    )
    drawing: str | None = setting(None, "Draw a digit", upload=True, files=DRAWINGS, control="sketch", max_length=4096)
    audio: Literal["chosen", "microphone", "file", "none"] = setting(
        "chosen", "Sound", "chosen: the example's, synthetic speech. microphone, file: yours, below. none: no sound."
    )
    recording: str | None = setting(
        None, "Say it: zero to nine, or left, right", upload=True, files=SOUNDS, control="sound", max_length=4096
    )
    late_rule: LateRule = setting("average", "Late rule", _RULE, group="late")
    force_sample_rate: int = setting(
        0, "Force sample rate", "Read the sound as if it had this many samples per second. 0: its true rate.",
        group="late", step=1, ge=0, le=192_000,
    )  # fmt: skip
    n: int = setting(300, "Test pairs", _N, group="size", step=1, ge=50, le=2000, costs=True)
    seed: int = setting(0, "Seed", _SEED, group="size", step=1, ge=0, le=_LARGEST_SEED)

    @field_validator("force_sample_rate")
    @classmethod
    def _check_rate(cls, value: int) -> int:
        if 0 < value < LOWEST_FORCED:
            raise ValueError(f"must be 0, or a whole number from {LOWEST_FORCED:,} to 192,000, not {value:,}")
        return value


class AvailabilitySettings(Settings):
    """Every model on the same test pairs with both modalities, with one, and with none."""

    task: Task = setting("digit", "Task", _TASK, titles=_TASKS)
    trained_with: TrainedWith = setting("0", "Trained with modality dropout", _TRAINED)
    n: int = setting(500, "Test pairs", _N, group="size", step=1, ge=50, le=2000, costs=True)
    seed: int = setting(0, "Seed", _SEED, group="size", step=1, ge=0, le=_LARGEST_SEED)
    image_noise: float = setting(IMAGE_NOISE, "Picture noise", _IMAGE_NOISE, group="noise", step=0.05, ge=0, le=1.2)
    audio_noise: float = setting(AUDIO_NOISE, "Sound noise", _AUDIO_NOISE, group="noise", step=0.05, ge=0, le=2.5)


class MissingRateSettings(Settings):
    """Accuracy against how often a modality is missing, for every design and every training dropout."""

    task: Task = setting("digit", "Task", _TASK, titles=_TASKS)
    drop_as: DropAs = setting("mask token", "Missing as", _DROP_AS)
    n: int = setting(500, "Test pairs", _N, group="size", step=1, ge=50, le=2000, costs=True)
    seed: int = setting(0, "Seed", _SEED, group="size", step=1, ge=0, le=_LARGEST_SEED)
    image_noise: float = setting(IMAGE_NOISE, "Picture noise", _IMAGE_NOISE, group="noise", step=0.05, ge=0, le=1.2)
    audio_noise: float = setting(AUDIO_NOISE, "Sound noise", _AUDIO_NOISE, group="noise", step=0.05, ge=0, le=2.5)


class MarkingSettings(AvailabilitySettings):
    """What stands in for a missing modality: the mask token, zeros, or noise."""

    trained_with: TrainedWith = setting("0.3", "Trained with modality dropout", _TRAINED)
    drop: Literal["image", "audio"] = setting("audio", "Take away", "Which modality is missing.", titles=_MODALITIES)


class NoiseSettings(Settings):
    """Accuracy against the noise on the picture, and against the noise on the sound."""

    task: Task = setting("digit", "Task", _TASK, titles=_TASKS)
    trained_with: TrainedWith = setting("0.3", "Trained with modality dropout", _TRAINED)
    n: int = setting(300, "Test pairs", _N, group="size", step=1, ge=50, le=1000, costs=True)
    levels: int = setting(
        6, "Levels", "How many noise levels, from none to the most.", group="size", step=1, ge=3, le=12, costs=True
    )
    seed: int = setting(0, "Seed", _SEED, step=1, ge=0, le=_LARGEST_SEED)
    image_noise: float = setting(IMAGE_NOISE, "Picture noise", _IMAGE_NOISE, group="noise", step=0.05, ge=0, le=1.2)
    audio_noise: float = setting(AUDIO_NOISE, "Sound noise", _AUDIO_NOISE, group="noise", step=0.05, ge=0, le=2.5)


class DominanceSettings(Settings):
    """Which modality led the training: read from the recipe's log, nothing is trained here."""

    smooth: int = setting(3, "Smoothing", "Median over so many points of the log.", step=1, ge=1, le=9)
