"""The bundled test set, pairs drawn from it, and the noise put on them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from demos.fusion.settings import Task
from shared import checksums
from shared.sound import RATE, SAMPLES, Sound, log_mel, normalize, place, prepare, trim

ASSETS = Path(__file__).parents[2] / "assets" / "fusion"


@dataclass(frozen=True)
class Pictures:
    """Handwritten digits never trained on: uint8 [n, 28, 28] and which digit each is."""

    pictures: np.ndarray
    digits: np.ndarray


@dataclass(frozen=True)
class Speech:
    """Synthetic speech of voices never trained on: windows [n, SAMPLES], the word and the voice of each."""

    windows: np.ndarray
    words: tuple[str, ...]
    voices: tuple[str, ...]


@dataclass(frozen=True)
class Pairs:
    """What the models are asked: pictures [n, h, w] from 0 to 1, sound windows [n, SAMPLES], answers [n]; no noise."""

    pictures: np.ndarray
    windows: np.ndarray
    answers: np.ndarray

    def __len__(self) -> int:
        return len(self.answers)


WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "left", "right")


@cache
def bundle() -> Path:
    """The folder of the bundled models and test set, its files checked. Raises DemoError where one is damaged."""
    checksums.check(ASSETS)
    return ASSETS


@cache
def load_pictures() -> Pictures:
    """The bundled test pictures."""
    with np.load(bundle() / "pictures.npz", allow_pickle=False) as file:
        return Pictures(file["pictures"], file["digits"].astype(np.int64))


@cache
def load_speech() -> Speech:
    """The bundled test speech, each clip prepared as in training."""
    import soundfile

    index = json.loads((bundle() / "speech.json").read_text())
    samples, rate = soundfile.read(bundle() / "speech.flac", dtype="float32")
    assert rate == RATE
    windows = [place(normalize(samples[c["start"] : c["start"] + c["length"]])) for c in index]
    return Speech(np.stack(windows), tuple(c["word"] for c in index), tuple(c["voice"] for c in index))


def draw_pairs(task: Task, n: int, seed: int) -> Pairs:
    """`n` pairs whose picture and sound belong together, drawn from the test set with `seed`.

    Task digit: the sound says the digit that the picture shows. Task both_needed: the picture shows two digits, the
    sound says "left" or "right", and the answer is the digit there.
    """
    rng = np.random.default_rng([seed, 8])
    pictures, speech = load_pictures(), load_speech()
    by_digit = [np.flatnonzero(pictures.digits == d) for d in range(10)]
    by_word = [np.flatnonzero(np.array(speech.words) == w) for w in WORDS]
    digits = rng.integers(0, 10, (n, 2))
    side = rng.integers(0, 2, n)

    def show(some: np.ndarray) -> np.ndarray:
        return pictures.pictures[[rng.choice(by_digit[d]) for d in some]].astype(np.float32) / 255

    if task == "digit":
        words, answers, shown = digits[:, 0], digits[:, 0], show(digits[:, 0])
    else:
        words, answers = 10 + side, digits[np.arange(n), side]
        shown = np.concatenate([show(digits[:, 0]), show(digits[:, 1])], axis=2)
    windows = speech.windows[[rng.choice(by_word[w]) for w in words]]
    return Pairs(shown, windows, answers)


def put_noise_on_pictures(pictures: np.ndarray, amount: float, seed: int) -> np.ndarray:
    """Pictures [n, h, w] with normal noise of standard deviation `amount` on every pixel, cut to 0..1."""
    if amount == 0:
        return pictures
    noise = np.random.default_rng([seed, 1]).standard_normal(pictures.shape, dtype=np.float32)
    return np.clip(pictures + amount * noise, 0, 1)


def put_noise_on_sounds(windows: np.ndarray, amount: float, seed: int) -> np.ndarray:
    """Windows [n, SAMPLES] of speech at RMS 1 with white noise of RMS `amount` over the whole window."""
    if amount == 0:
        return windows
    noise = np.random.default_rng([seed, 2]).standard_normal(windows.shape, dtype=np.float32)
    return windows + amount * noise


def read_at(windows: np.ndarray, rate: int) -> np.ndarray:
    """Windows [n, SAMPLES] of speech as they become when their samples are taken to be at `rate` instead of RATE."""
    return np.stack([prepare(Sound(trim(w), RATE), force_rate=rate) for w in windows])


def to_features(windows: np.ndarray) -> np.ndarray:
    """Log-mels [n, 32, 48] of windows [n, SAMPLES], in portions so that memory stays small."""
    assert windows.shape[1] == SAMPLES
    return np.concatenate([log_mel(windows[i : i + 128]) for i in range(0, len(windows), 128)])
