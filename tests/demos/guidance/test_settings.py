from __future__ import annotations

import subprocess
import sys
from typing import get_args

import pytest

from demos.guidance import DEMO
from demos.guidance.presets import ALL_PRESETS
from demos.guidance.settings import (
    NOT_HERE,
    CurvesSettings,
    GuidanceSettings,
    Model,
    ProcessSettings,
    Scheduler,
    SweepSettings,
)
from shared import models
from shared.models import names
from shared.settings import SettingsError, look


def test_defaults_are_valid_and_few():
    s = GuidanceSettings()
    assert (s.guidance_a, s.steps_a, s.scheduler_a, s.samples) == (1.0, 10, "ddim", 10)
    assert s.to_query() == {}


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"guidance_a": float("nan")}, "guidance_a must be a number from 0 to 30, not nan."),
        ({"guidance_b": 1e9}, "guidance_b must be a number from 0 to 30, not 1,000,000,000."),
        ({"guidance_a": -1}, "guidance_a must be a number from 0 to 30, not -1."),
        ({"steps_a": 0}, "steps_a must be a whole number from 1 to 100, not 0."),
        ({"steps_b": 10_000}, "steps_b must be a whole number from 1 to 100, not 10,000."),
        ({"seed": -1}, "seed must be a whole number from 0 to 9,223,372,036,854,775,807, not -1."),
        ({"samples": 17}, "samples must be a whole number from 1 to 16, not 17."),
        ({"scheduler_a": "heun"}, "scheduler_a must be one of ddim, dpm++, euler, ddpm, not heun."),
        ({"model": "../x"}, f"model must be one of auto, {', '.join(names('pipeline'))}, not ../x."),
        ({"prompt": "x" * 3000}, "prompt may be up to 1,000 characters long, not 3,000."),
        ({"prompt": None}, "prompt must be text"),
    ],
)  # fmt: skip
def test_wrong_values_get_one_sentence(values, sentence):
    with pytest.raises(SettingsError) as caught:
        GuidanceSettings.check(values)
    assert str(caught.value).startswith(sentence.removesuffix("."))
    assert "\n" not in str(caught.value)


def test_a_seed_beyond_the_largest_is_refused():
    with pytest.raises(SettingsError, match="seed must be a whole number from 0"):
        GuidanceSettings.check({"seed": 2**70})
    assert GuidanceSettings.check({"seed": str(2**63 - 1)}).seed == 2**63 - 1


def test_choices_are_what_the_code_behind_them_has():
    from shared.sampling import SchedulerName

    assert (*get_args(Scheduler), "lcm") == get_args(SchedulerName)  # an LCM's own, never chosen
    assert get_args(Model) == ("auto", *models.names("pipeline"))


def test_presets_are_valid_and_settle_g1_to_g6():
    assert {p.settles for p in ALL_PRESETS} == {"G1", "G2", "G3", "G4", "G5", "G6"}
    for preset in ALL_PRESETS:
        GuidanceSettings.check(preset.settings)
        assert preset.confusion and "\n" not in preset.confusion
    assert len({p.slug for p in ALL_PRESETS}) == len(ALL_PRESETS)


def test_what_a_copy_lacks_is_neither_offered_nor_a_preset():
    assert tuple(n for n in ("sticker_turbo", "sticker_small") if not models.is_here(n)) == NOT_HERE
    asked = [p.settings.get("model", "auto") for p in DEMO.presets]
    assert not set(asked) & set(NOT_HERE)
    assert len(DEMO.presets) == len([p for p in ALL_PRESETS if p.settings.get("model") not in NOT_HERE])
    for model in (GuidanceSettings, SweepSettings, CurvesSettings, ProcessSettings):
        assert look(model.model_fields["model"])["not_offered"] == list(NOT_HERE)
    assert GuidanceSettings.check({"model": "sticker_turbo"}).model == "sticker_turbo"  # valid: it may come later


def test_importing_the_demo_brings_in_nothing_heavy():
    code = (
        "import demos.guidance, sys; "
        "found = {'torch', 'diffusers', 'transformers', 'gradio', 'scipy', 'umap'} & set(sys.modules); "
        "assert not found, found"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_remedies_are_set_for_a_side_or_for_both():
    s = GuidanceSettings.check({"guidance_rescale": 0.7, "guidance_until": 0.8, "guidance_until_b": 1})
    assert (s.guidance_rescale_a, s.guidance_rescale_b) == (0.7, 0.7)
    assert (s.guidance_until_a, s.guidance_until_b) == (0.8, 1)
    with pytest.raises(SettingsError, match=r"guidance_from_b must be at most guidance_until_b \(0.2\), not 0.5."):
        GuidanceSettings.check({"guidance_from_b": 0.5, "guidance_until_b": 0.2})


def test_the_negative_prompt_is_for_both_sides_or_one():
    words = {"negative_prompt": "red"}
    assert GuidanceSettings.check(words).negatives == ("red", "red")
    assert GuidanceSettings.check(words | {"negative_for": "b"}).negatives == ("", "red")
    assert GuidanceSettings.check(words | {"negative_for": " a "}).negatives == ("red", "")


def test_the_help_of_an_axis_says_what_its_signs_mean():
    said = SweepSettings.model_fields["guidances"].description
    assert "1-15 (+2) goes from 1 to 15 by steps of 2" in said and "1-10 [5] is five values" in said
