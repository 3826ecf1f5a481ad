"""Sound from outside, made into what the speech models were trained on: read, resampled, trimmed, normalized, log-mel.

Every clip goes the same way, in training and in the demo, so that a model never meets sound prepared in another way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from shared.demo import DemoError

RATE = 8_000
"""Samples per second that the models were trained at."""
HOP, WINDOW, FFT = 160, 256, 512
BANDS, FRAMES = 32, 48
SAMPLES = HOP * FRAMES
"""Length of what the models hear, 0.96 s."""
LOWEST, HIGHEST = 60.0, 3_900.0
FLOOR = 1e-4
"""Power added before the logarithm: what is 40 dB below the speech's own level is silence."""
SHORTEST, LONGEST = 0.1, 20.0
RATES = (8_000, 192_000)
QUIET_DB = -35.0
SILENT = 1e-4


@dataclass(frozen=True)
class Sound:
    """Mono samples, float32 from -1 to 1, and how many there are per second."""

    samples: np.ndarray
    rate: int

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return len(self.samples) / self.rate


def read_sound(path: str | Path) -> Sound:
    """Decode a sound file (WAV, FLAC, OGG, MP3, AIFF: what libsndfile reads) and mix its channels to one.

    Raises DemoError with one sentence for a file that is empty, no sound, too long or at an odd sample rate.
    """
    import soundfile

    path = Path(path)
    if not path.is_file():
        raise DemoError("The sound file is gone: record or choose it again.")
    if path.stat().st_size == 0:
        raise DemoError("The sound file has 0 bytes: record or choose another.")
    try:
        with soundfile.SoundFile(path) as file:
            rate, frames = file.samplerate, file.frames
            if not RATES[0] <= rate <= RATES[1]:
                raise DemoError(f"The sound has {rate:,} samples per second; {RATES[0]:,} to {RATES[1]:,} can be read.")
            if frames > LONGEST * rate:
                raise DemoError(
                    f"The sound is {frames / rate:,.0f} s long; up to {LONGEST:.0f} s can be read. Say one word."
                )
            data = file.read(int(LONGEST * rate) + 1, dtype="float32", always_2d=True)
    except (soundfile.LibsndfileError, RuntimeError, OSError):
        raise DemoError("This file is no sound that can be read: WAV, FLAC, OGG and MP3 can.") from None
    return Sound(_mix(np.nan_to_num(data, nan=0.0, posinf=1.0, neginf=-1.0)), rate)


def _mix(channels: np.ndarray) -> np.ndarray:
    """Channels [frames, channels] as one, nowhere beyond -1 to 1: their mean, or the loudest where they cancel out."""
    mixed = channels.mean(axis=1, dtype=np.float64)
    if channels.size:
        reach = np.maximum(channels.max(axis=0), -channels.min(axis=0))
        # A cable with swapped poles makes one channel the other's negative, and their mean silent.
        if np.abs(mixed).max() < 1e-3 * reach.max():
            mixed = channels[:, reach.argmax()].astype(np.float64)
        # Files of floats may hold anything: what is far beyond 1 would overflow once it is squared.
        mixed = mixed / max(1.0, float(np.abs(mixed).max()))
    return mixed.astype(np.float32)


def prepare(sound: Sound, *, force_rate: int = 0) -> np.ndarray:
    """The word in a sound as the models hear it: float32 [SAMPLES] at 8 kHz, trimmed, at RMS 1, centered.

    `force_rate` skips the resampling rightly done: the samples are taken to be at that rate, whatever theirs is.
    Raises DemoError for silence and for less than a tenth of a second.
    """
    import soxr

    samples = sound.samples
    if len(samples) < SHORTEST * sound.rate:
        raise DemoError(f"The sound is {1000 * sound.seconds:.0f} ms long; a word needs at least 100 ms.")
    samples = samples - samples.mean()
    if float(np.abs(samples).max()) < SILENT:
        raise DemoError("The sound is silent: speak a little louder, or check the microphone.")
    rate = force_rate or sound.rate
    if rate != RATE:
        samples = soxr.resample(samples, rate, RATE, quality="HQ")
    return place(normalize(trim(samples - samples.mean())))


def trim(samples: np.ndarray) -> np.ndarray:
    """Cut off what lies before the first and after the last 20 ms that are above -35 dB of the loudest 20 ms."""
    whole = len(samples) // HOP * HOP
    if whole < 2 * HOP:
        return samples
    power = (samples[:whole].reshape(-1, HOP) ** 2).mean(axis=1)
    loud = np.flatnonzero(power > power.max() * 10 ** (QUIET_DB / 10))
    return samples[loud[0] * HOP : (loud[-1] + 1) * HOP] if len(loud) else samples


def normalize(samples: np.ndarray) -> np.ndarray:
    """The samples at a root mean square of 1."""
    level = float(np.sqrt(np.mean(samples.astype(np.float64) ** 2)))
    return (samples / max(level, 1e-9)).astype(np.float32)


def place(samples: np.ndarray) -> np.ndarray:
    """The samples in the middle of a window of SAMPLES; what is longer loses both ends."""
    extra = SAMPLES - len(samples)
    if extra < 0:
        start = -extra // 2
        return samples[start : start + SAMPLES]
    return np.pad(samples, (extra // 2, extra - extra // 2)).astype(np.float32)


@cache
def mel_bank() -> np.ndarray:
    """Triangular mel filters [BANDS, FFT // 2 + 1] that each sum to 1, so that a band's value is a mean power."""
    from transformers.audio_utils import mel_filter_bank

    bank = mel_filter_bank(FFT // 2 + 1, BANDS, LOWEST, HIGHEST, RATE, norm=None, mel_scale="htk")
    return (bank / bank.sum(axis=0, keepdims=True)).T.astype(np.float32)


def mel_power(windows: np.ndarray) -> np.ndarray:
    """Mean power per mel band and frame, float32 [n, BANDS, FRAMES], of windows [n, SAMPLES].

    Hann windows of 32 ms every 20 ms; white noise at RMS 1 has a power of 1 in every band.
    """
    taper = np.hanning(WINDOW + 1)[:-1].astype(np.float32)
    padded = np.pad(windows, ((0, 0), (WINDOW // 2, WINDOW // 2)))
    starts = np.arange(FRAMES) * HOP + HOP // 2
    frames = padded[:, starts[:, None] + np.arange(WINDOW)] * taper
    spectrum = np.abs(np.fft.rfft(frames, FFT, axis=-1)) ** 2 / np.sum(taper**2)
    return np.einsum("nfk,bk->nbf", spectrum, mel_bank(), optimize=True).astype(np.float32)


def to_features(power: np.ndarray) -> np.ndarray:
    """Log-mel features of about zero mean and unit spread, from mel powers of any shape."""
    return ((np.log10(power + FLOOR) + 2.0) / 1.5).astype(np.float32)


def log_mel(windows: np.ndarray) -> np.ndarray:
    """What the models take: float32 [n, BANDS, FRAMES] from windows [n, SAMPLES]."""
    return to_features(mel_power(windows))
