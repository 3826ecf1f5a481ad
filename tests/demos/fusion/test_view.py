from __future__ import annotations

import base64
import io
from dataclasses import replace

import numpy as np
import pytest
import soundfile

from demos.fusion import DEMO, models
from demos.fusion.settings import FusionSettings
from demos.fusion.view import draw_log_mel, given_html, wave_of
from shared.demo import DemoError
from shared.stored import load_default


def test_what_was_given_is_shown_and_what_is_gone_is_pale():
    stored = load_default(DEMO)
    assert stored is not None
    html = given_html(stored)
    assert html.count("<img") == 2 and html.count('class="gone"') == 1
    assert "the sound, taken away for the filled bars" in html and "<audio" in html
    assert "the underlined digit is right" in html


def test_words_below_the_bars_fit_the_settings():
    stored = load_default(DEMO)
    assert stored is not None
    zeros = given_html(replace(stored, settings=stored.settings | {"drop_as": "zeros"}))
    assert "the sound, replaced by zeros for the filled bars" in zeros
    own = given_html(replace(stored, settings=stored.settings | {"image": "drawn"}))
    assert "only you know which digit is right" in own and "underlined" not in own


def test_a_study_has_no_one_sample():
    study = next(s for s in DEMO.studies if s.slug == "dominance")
    assert given_html(study.run(study.Settings())) == ""


def test_a_wave_can_be_played():
    samples, rate = soundfile.read(io.BytesIO(base64.b64decode(wave_of(np.sin(np.arange(800) / 5)))))
    assert rate == 8_000 and len(samples) == 800 and np.abs(samples).max() == pytest.approx(0.7, abs=0.01)


def test_low_bands_are_at_the_bottom():
    levels = np.full((32, 48), -1.4)
    levels[0] = 2.2
    shown = np.asarray(draw_log_mel(levels))
    assert shown.shape == (32, 48) and (shown[-1] == 255).all() and (shown[:-1] == 0).all()


def test_speech_in_loud_noise_is_not_white_on_white():
    noise = np.random.default_rng(0).normal(1.5, 0.2, (32, 48))
    noise[:8, 10:30] = 2.2
    shown = np.asarray(draw_log_mel(noise))
    assert shown[24:, 10:30].mean() > 240 and shown[:24].mean() < 150
    assert np.asarray(draw_log_mel(np.full((32, 48), 0.3))).max() == 0


def test_what_is_not_bundled_gets_a_sentence(monkeypatch: pytest.MonkeyPatch):
    some = {v: n for v, n in models.catalog().items() if v.task == "digit" or v.dropout == 0}
    monkeypatch.setattr(models, "catalog", lambda: some)
    with pytest.raises(DemoError, match="trained_with must be 0 for task both_needed"):
        DEMO.compare(FusionSettings(task="both_needed", trained_with="0.6", n=50))
