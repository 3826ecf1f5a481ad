from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from shared.demo import DemoError
from shared.sound import (
    BANDS,
    FFT,
    FRAMES,
    HOP,
    RATE,
    SAMPLES,
    WINDOW,
    Sound,
    log_mel,
    mel_bank,
    mel_power,
    place,
    prepare,
    read_sound,
    trim,
)


def tone(rate: int, seconds: float = 0.5, pitch: float = 440.0, level: float = 0.3) -> np.ndarray:
    at = np.arange(round(rate * seconds)) / rate
    return (level * np.sin(2 * np.pi * pitch * at)).astype(np.float32)


def strongest(window: np.ndarray) -> float:
    spectrum = np.abs(np.fft.rfft(window * np.hanning(len(window))))
    return float(np.argmax(spectrum) * RATE / len(window))


@pytest.mark.parametrize("rate", [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000])
@pytest.mark.parametrize("channels", [1, 2])
def test_any_rate_and_channels_become_the_same_window(tmp_path: Path, rate: int, channels: int):
    path = tmp_path / "tone.wav"
    soundfile.write(path, np.repeat(tone(rate)[:, None], channels, axis=1), rate)
    window = prepare(read_sound(path))
    assert window.shape == (SAMPLES,) and window.dtype == np.float32
    assert strongest(window) == pytest.approx(440, abs=3)
    heard = window[np.abs(window) > 0]
    assert np.sqrt(np.mean(heard**2)) == pytest.approx(1, abs=0.05)


def test_a_forced_rate_moves_the_pitch():
    sound = Sound(tone(8_000), 8_000)
    assert strongest(prepare(sound, force_rate=16_000)) == pytest.approx(880, abs=5)
    assert np.array_equal(prepare(sound, force_rate=8_000), prepare(sound))


def test_silence_around_a_word_is_cut():
    quiet = np.zeros(8_000, dtype=np.float32)
    word = np.concatenate([quiet, tone(8_000, 0.4), quiet])
    assert len(trim(word)) == pytest.approx(0.4 * 8_000, abs=2 * HOP)
    assert np.abs(prepare(Sound(word, 8_000)) - prepare(Sound(tone(8_000, 0.4), 8_000))).mean() < 0.2


def test_a_window_holds_the_middle():
    long = np.arange(SAMPLES + 100, dtype=np.float32)
    assert place(long)[0] == 50 and len(place(long)) == SAMPLES
    assert place(np.ones(10, dtype=np.float32)).sum() == 10


def test_mel_powers_are_those_of_another_library():
    from transformers.audio_utils import spectrogram

    window = np.random.default_rng(0).standard_normal(SAMPLES).astype(np.float32)
    taper = np.hanning(WINDOW + 1)[:-1]
    padded = np.pad(window, (WINDOW // 2, WINDOW // 2))[HOP // 2 :]
    other = spectrogram(
        padded, taper, WINDOW, HOP, fft_length=FFT, power=2.0, center=False, mel_filters=mel_bank().T, mel_floor=0.0
    )[:, :FRAMES]
    ours = mel_power(window[None])[0]
    assert ours.shape == (BANDS, FRAMES)
    np.testing.assert_allclose(ours, other / np.sum(taper**2), rtol=1e-3, atol=1e-5)


def test_white_noise_has_power_one_in_every_band():
    noise = np.random.default_rng(1).standard_normal((20, SAMPLES)).astype(np.float32)
    assert mel_power(noise).mean(axis=(0, 2)) == pytest.approx(np.ones(BANDS), abs=0.2)
    assert log_mel(np.zeros((1, SAMPLES), dtype=np.float32)) == pytest.approx((np.log10(1e-4) + 2) / 1.5, abs=1e-6)


def write(path: Path, samples: np.ndarray, rate: int = 8_000) -> Path:
    soundfile.write(path, samples, rate)
    return path


def test_bad_sounds_get_a_sentence(tmp_path: Path):
    def said(path: Path) -> str:
        with pytest.raises(DemoError) as error:
            prepare(read_sound(path))
        return str(error.value)

    (tmp_path / "empty.wav").write_bytes(b"")
    (tmp_path / "text.wav").write_text("this is no sound at all, only words")
    assert "0 bytes" in said(tmp_path / "empty.wav")
    assert "no sound that can be read" in said(tmp_path / "text.wav")
    assert "gone" in said(tmp_path / "missing.wav")
    assert "30 ms" in said(write(tmp_path / "short.wav", tone(8_000, 0.03)))
    assert "silent" in said(write(tmp_path / "silent.wav", np.zeros(8_000)))
    assert "silent" in said(write(tmp_path / "constant.wav", np.full(8_000, 0.5)))
    assert "600 s long" in said(write(tmp_path / "long.flac", np.zeros(8_000 * 600)))
    assert "4,000 samples per second" in said(write(tmp_path / "low.wav", tone(4_000), 4_000))


@pytest.mark.parametrize("factor", [1e30, 3e38])
def test_samples_far_beyond_one_are_heard_like_others(tmp_path: Path, factor: float):
    path = tmp_path / "loud.wav"
    soundfile.write(path, tone(8_000, level=1.0) * np.float32(factor), 8_000, subtype="FLOAT")
    np.testing.assert_allclose(prepare(read_sound(path)), prepare(Sound(tone(8_000), 8_000)), atol=1e-3)


def test_samples_that_are_no_numbers_are_passed_over(tmp_path: Path):
    broken = tone(8_000)
    broken[1_000] = np.nan
    path = tmp_path / "nan.wav"
    soundfile.write(path, broken, 8_000, subtype="FLOAT")
    window = prepare(read_sound(path))
    assert np.isfinite(window).all() and strongest(window) == pytest.approx(440, abs=3)


def test_channels_that_cancel_out_are_heard(tmp_path: Path):
    path = tmp_path / "swapped.wav"
    soundfile.write(path, np.stack([tone(8_000), -tone(8_000)], axis=1), 8_000)
    np.testing.assert_allclose(prepare(read_sound(path)), prepare(Sound(tone(8_000), 8_000)), atol=1e-2)
