"""The one picture and the one sound of a comparison: the example's, or what a visitor drew and said."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError

from demos.fusion.canvas import read_drawing, read_pair
from demos.fusion.data import Pairs, draw_pairs, put_noise_on_pictures, put_noise_on_sounds, read_at
from demos.fusion.settings import FusionSettings
from shared.demo import DemoError
from shared.sound import Sound, prepare, read_sound

MOST_BYTES = 32 * 2**20
MOST_PIXELS = 40_000_000
TOO_LARGE = f"drawing: the picture is too large; at most {MOST_PIXELS // 10**6} million pixels are read."
EXAMPLES = 200
EXAMPLE_SEED = 42


@dataclass(frozen=True)
class Sample:
    """A picture [h, w] from 0 to 1 and a sound window [SAMPLES], with their noise; which are there; the right answer.

    `answer` is None where a drawing or a recording came from a visitor: only they know.
    """

    picture: np.ndarray
    window: np.ndarray
    present: tuple[bool, bool]
    answer: int | None


def make_sample(settings: FusionSettings) -> Sample:
    """The sample that the settings name. Raises DemoError with one sentence for a drawing or a sound that is none."""
    pairs = _examples(settings)
    at = settings.example
    picture, window = pairs.pictures[at], pairs.windows[at]
    if settings.image == "drawn":
        picture = _read_drawing(settings)
    elif settings.image == "none":
        picture = np.zeros_like(picture)
    if settings.audio in ("microphone", "file"):
        window = prepare(_read_recording(settings), force_rate=settings.force_sample_rate)
    elif settings.audio == "none":
        window = np.zeros_like(window)
    elif settings.force_sample_rate:
        window = read_at(window[None], settings.force_sample_rate)[0]
    noisy = put_noise_on_pictures(picture[None], settings.image_noise, settings.seed + 1 + at)[0]
    hissing = put_noise_on_sounds(window[None], settings.audio_noise, settings.seed + 1 + at)[0]
    present = (settings.image != "none", settings.audio != "none")
    own = settings.image == "drawn" or settings.audio in ("microphone", "file")
    return Sample(
        noisy if present[0] else picture,
        hissing if present[1] else window,
        present,
        None if own else int(pairs.answers[at]),
    )


def _examples(settings: FusionSettings) -> Pairs:
    return draw_pairs(settings.task, EXAMPLES, EXAMPLE_SEED)


def _read_drawing(settings: FusionSettings) -> np.ndarray:
    path = _file(settings.drawing, "drawing", "draw a digit, or set image to chosen")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path) as opened:
                picture = opened.copy() if opened.width * opened.height <= MOST_PIXELS else None
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        raise DemoError(TOO_LARGE) from None
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        raise DemoError("drawing: the file is no picture that can be read.") from None
    if picture is None:
        raise DemoError(TOO_LARGE)
    return read_drawing(picture) if settings.task == "digit" else read_pair(picture)


def _read_recording(settings: FusionSettings) -> Sound:
    return read_sound(_file(settings.recording, "recording", "record or choose a sound, or set audio to chosen"))


def _file(path: str | None, name: str, what: str) -> Path:
    if not path:
        raise DemoError(f"{name}: there is none yet; {what}.")
    file = Path(path)
    try:
        size = file.stat().st_size if file.is_file() else None
    except (OSError, ValueError):
        size = None
    if size is None:
        raise DemoError(f"{name}: the file is not there any more; {what}.")
    if size > MOST_BYTES:
        raise DemoError(f"{name}: the file has {size / 2**20:,.0f} MB; at most {MOST_BYTES // 2**20} MB are read.")
    return file
