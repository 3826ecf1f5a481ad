"""Speech for the recipe: espeak-ng voices spoken here, real recordings read from a zip, and their variants."""

from __future__ import annotations

import io
import json
import random
import subprocess
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import torch
from torch.nn import functional as F

from shared.demo import DemoError
from shared.sound import BANDS, FLOOR, FRAMES, RATE, SAMPLES, Sound, mel_power, normalize, place, prepare, trim
from shared.training import Progress, cache_folder

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "left", "right")
ACCENTS = ("en-us", "en-gb", "en-gb-x-rp", "en-gb-scotland", "en-029", "en-gb-x-gbcwmd", "en-us-nyc")
TEST_VOICES = (
    "f2", "f4", "m2", "m5", "m8", "Andrea", "Gene", "Mario", "Michael", "Alicia", "belinda", "benjamin",
    "Lee", "anika", "edward", "linda", "steph", "zac", "adam", "pablo", "Henrique", "victor", "rob", "aunty",
)  # fmt: skip
"""Never trained on. The other variants of espeak-ng are the training voices."""
OTHER_VOICES = (
    "f1", "f3", "f5", "m1", "m3", "m4", "m6", "m7", "Alex", "Andy", "Annie", "AnxiousAndy", "Denis", "Diogo", "Gene2",
    "Hugo", "Jacky", "Marco", "Mike", "Nguyen", "RicishayMax", "Storm", "Tweaky", "announcer", "antonio", "boris",
    "caleb", "croak", "david", "ed", "edward2", "fast", "grandma", "grandpa", "gustave", "iven", "iven2", "iven3",
    "john", "kaukovalta", "klatt", "klatt2", "klatt3", "klatt4", "klatt5", "klatt6", "marcelo", "max", "michel",
    "miguel", "norbert", "paul", "pedro", "quincy", "robert", "robosoft", "robosoft3", "robosoft5", "sandro",
    "shelby", "steph2", "steph3", "travis", "whisper", "whisperf",
)  # fmt: skip
SPEEDS = (0.84, 0.9, 0.96, 1.0, 1.04, 1.1, 1.17, 1.25)


@dataclass(frozen=True)
class Clip:
    """A word as prepared for the models (float32 [SAMPLES]), which word it is, and who says it."""

    window: np.ndarray
    word: int
    speaker: str


def speak(word: str, voice: str, accent: str, pitch: int, speed: int) -> Sound:
    """What espeak-ng says, at its own sample rate. Raises RuntimeError where espeak-ng is not installed or fails."""
    command = ["espeak-ng", "-v", f"{accent}+{voice}", "-p", str(pitch), "-s", str(speed), "--stdout", word]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode or len(done.stdout) < 1_000:
        raise RuntimeError(f"espeak-ng did not say {word!r} with {accent}+{voice}: {done.stderr.decode()[:200]}")
    # The length in the header of a stream is made up; the samples follow its 44 bytes.
    samples = np.frombuffer(done.stdout[44:], dtype="<i2").astype(np.float32) / 32_768
    return Sound(samples, int.from_bytes(done.stdout[24:28], "little"))


def speak_all(voices: tuple[str, ...], takes: int, seed: int) -> list[Clip]:
    """Every word by every voice, `takes` times with a drawn accent, pitch and speed each."""
    rng = random.Random(f"speech {seed}")
    jobs = [
        (word, voice, rng.choice(ACCENTS), rng.randint(20, 80), rng.randint(110, 210))
        for voice in voices
        for word in WORDS
        for _ in range(takes)
    ]

    def make(job: tuple[str, str, str, int, int]) -> Clip | None:
        try:
            return Clip(prepare(speak(*job)), WORDS.index(job[0]), job[1])
        except DemoError:  # a voice that came out silent
            return None

    with ThreadPoolExecutor(2) as pool:
        return [clip for clip in pool.map(make, jobs) if clip is not None]


def read_real(path: Path) -> list[Clip]:
    """The recordings `{digit}_{speaker}_{index}.wav` of a zip file, prepared as everything is."""
    clips = []
    with zipfile.ZipFile(path) as archive:
        for name in sorted(n for n in archive.namelist() if n.endswith(".wav")):
            samples, rate = soundfile.read(io.BytesIO(archive.read(name)), dtype="float32", always_2d=True)
            digit, speaker, _ = Path(name).stem.split("_")
            clips.append(Clip(prepare(Sound(samples.mean(axis=1), rate)), int(digit), speaker))
    return clips


def say_faster(window: np.ndarray, factor: float) -> np.ndarray:
    """The word played `factor` times as fast, so pitch and formants rise with it; prepared again."""
    word = trim(window)
    at = np.arange(0, len(word) - 1, factor)
    return place(normalize(np.interp(at, np.arange(len(word)), word)))


def vary(levels: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Log10 mel powers [n, bands, frames], each stretched and shifted in time, warped in frequency and filtered.

    Warping the mel axis stands for a longer or shorter vocal tract (Jaitly and Hinton 2013), the slow filter for
    another microphone.
    """
    n = len(levels)

    def draw(low: float, high: float) -> torch.Tensor:
        return torch.rand(n, generator=generator) * (high - low) + low

    matrix = torch.zeros(n, 2, 3)
    matrix[:, 0, 0], matrix[:, 0, 2] = draw(0.8, 1.2), draw(-0.1, 0.1)
    matrix[:, 1, 1], matrix[:, 1, 2] = draw(0.9, 1.1), draw(-0.06, 0.06)
    floor = float(np.log10(FLOOR))
    grid = F.affine_grid(matrix, [n, 1, BANDS, FRAMES], align_corners=False)
    warped = F.grid_sample((levels - floor)[:, None], grid, align_corners=False)[:, 0]
    band = torch.linspace(-1, 1, BANDS)
    slope = draw(-0.4, 0.4)[:, None] * band
    wave = draw(-0.25, 0.25)[:, None] * torch.cos(np.pi * (band * draw(0.5, 2.0)[:, None] + draw(-1, 1)[:, None]))
    loud = warped.clamp(0, 1)  # silence stays silence under any filter
    return (warped + (slope + wave)[:, :, None] * loud).clamp_min(0) + floor


def build_pool(real: Path | None, seed: int = 0) -> dict[str, np.ndarray]:
    """Training speech: log10 mel powers float16 [n, bands, frames], words [n] and speakers [n]; kept in the cache."""
    folder = cache_folder("fusion")
    name = folder / f"speech-{'real' if real else 'made'}.npz"
    if name.exists():
        return dict(np.load(name))
    made = speak_all(OTHER_VOICES, takes=5, seed=seed)
    sources = [(clip, 2) for clip in made] + [(clip, len(SPEEDS)) for clip in (read_real(real) if real else [])]
    rng, generator = random.Random(seed), torch.Generator().manual_seed(seed)
    progress = Progress("speech", len(sources))
    levels, words, speakers = [], [], []
    for index, (clip, copies) in enumerate(sources):
        windows = np.stack([say_faster(clip.window, f) for f in rng.sample(SPEEDS, copies)])
        clean = torch.from_numpy(np.log10(mel_power(windows) + FLOOR))
        levels.append(vary(clean, generator).half().numpy())
        words += [clip.word] * copies
        speakers += [clip.speaker] * copies
        progress.step(index + 1)
    pool = {"levels": np.concatenate(levels), "words": np.array(words), "speakers": np.array(speakers)}
    np.savez(name.with_suffix(".partial.npz"), **pool)
    name.with_suffix(".partial.npz").rename(name)
    return pool


def store_test_speech(folder: Path, seed: int = 1) -> None:
    """Write every word by every held-out voice as one FLAC file, with a JSON index of where each clip starts."""
    clips = speak_all(TEST_VOICES, takes=1, seed=seed)
    index, parts, start = [], [], 0
    for clip in clips:
        word = trim(clip.window)
        scaled = np.round(word / np.abs(word).max() * 0.9 * 2**11) / 2**11  # 12 bits, which FLAC packs smaller
        index.append({"word": WORDS[clip.word], "voice": clip.speaker, "start": start, "length": len(scaled)})
        parts.append(scaled)
        start += len(scaled)
    soundfile.write(folder / "speech.flac", np.concatenate(parts), RATE, subtype="PCM_16")
    (folder / "speech.json").write_text(json.dumps(index, separators=(",", ":")) + "\n")


def noise_pool(count: int = 512, seed: int = 2) -> np.ndarray:
    """Mel powers float32 [count, bands, frames] of white noise at RMS 1."""
    return mel_power(np.random.default_rng(seed).normal(size=(count, SAMPLES)).astype(np.float32))
