"""Settings that each settle one confusion of the curriculum."""

from __future__ import annotations

from demos.guidance.settings import NOT_HERE
from shared.demo import Preset

ALL_PRESETS = (
    Preset(
        "none-or-some",
        "Guidance 1 against 7.5",
        {"guidance_a": 1.0, "guidance_b": 7.5},
        settles="G1",
        confusion="Guidance scale or prompt strength? It mixes predictions with and without the prompt; at 1, none.",
    ),
    Preset(
        "ignores-the-prompt",
        "Guidance 0 against 1",
        {"guidance_a": 0.0, "guidance_b": 1.0},
        settles="G1",
        confusion="No guidance or no prompt? Guidance 1 still reads the prompt; only 0 leaves it out.",
    ),
    Preset(
        "too-much",
        "Guidance 5 against 20",
        {"guidance_a": 5.0, "guidance_b": 20.0},
        settles="G2",
        confusion="Adherence or quality? Too much guidance distorts the picture without following better.",
    ),
    Preset(
        "rescaled",
        "Guidance 15, with and without rescale",
        {"guidance_a": 15.0, "guidance_b": 15.0, "guidance_rescale_b": 0.7},
        settles="G2",
        confusion="Harsh colors or a bad model? Too much guidance widens the prediction; rescaling narrows it again.",
    ),
    Preset(
        "interval",
        "Guidance in all steps or in the middle ones",
        {"guidance_a": 5.0, "guidance_b": 5.0, "guidance_from_b": 0.1, "guidance_until_b": 0.7},
        settles="G4",
        confusion="Guidance or its cost? It doubles the calls; outside the middle steps it can be left out.",
    ),
    Preset(
        "steer-away",
        "A negative prompt, without and with",
        {"prompt": "a red car on a mint background", "negative_prompt": "red", "negative_for": "b",
         "guidance_a": 5.0, "guidance_b": 5.0, "samples": 16},
        settles="G3",
        confusion="Negative prompt or the word “not”? It takes the empty prompt's place: guidance steers away from it.",
    ),
    Preset(
        "fewer-steps",
        "8 steps against 40",
        {"guidance_a": 5.0, "guidance_b": 5.0, "steps_a": 8, "steps_b": 40},
        settles="G4",
        confusion="More steps or better pictures? Past the knee, steps cost time and change little.",
    ),
    Preset(
        "better-sampler",
        "Five steps: DDIM against DPM-Solver++",
        {"guidance_a": 5.0, "guidance_b": 5.0, "steps_a": 5, "steps_b": 5, "scheduler_b": "dpm++"},
        settles="G4",
        confusion="Faster model or better sampler? The same U-Net with another sampler needs fewer steps.",
    ),
    Preset(
        "idle-negative",
        "A negative prompt at guidance 1 against 5",
        {"prompt": "a red car on a mint background", "negative_prompt": "red", "guidance_a": 1.0, "guidance_b": 5.0,
         "samples": 16},
        settles="G3",
        confusion="Negative prompt or guidance? Guidance carries it: at guidance 1 it is not read at all.",
    ),
    Preset(
        "take-noise-away",
        "The reverse process, with and without new noise",
        {"guidance_a": 5.0, "guidance_b": 5.0, "steps_a": 40, "steps_b": 40, "scheduler_b": "ddpm"},
        settles="G5",
        confusion="Adding noise or removing it? The forward process adds it; the U-Net predicts it, to be taken away.",
    ),
    Preset(
        "weaker-model",
        "A small model: guidance 1 against 3",
        {"model": "sticker_small", "guidance_a": 1.0, "guidance_b": 3.0},
        settles="G1",
        confusion="Bad model or too little guidance? A small model leans on guidance more than the larger “auto”.",
    ),
    Preset(
        "distilled",
        "A distilled model: guidance 1 against 5 in 4 steps",
        {"model": "sticker_turbo", "guidance_a": 1.0, "guidance_b": 5.0, "steps_a": 4, "steps_b": 4, "samples": 16},
        settles="G6",
        confusion="Fast model or low guidance? It was distilled to do without guidance: more of it doubles the calls.",
    ),
)  # fmt: skip

PRESETS = tuple(preset for preset in ALL_PRESETS if preset.settings.get("model") not in NOT_HERE)
"""Those whose model is here."""
