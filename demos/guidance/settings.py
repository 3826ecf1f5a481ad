"""What can be set in the guidance demo: every control of the tab, and every argument of API, link and command line."""

from __future__ import annotations

from typing import Literal

from shared.settings import Settings, setting

Scheduler = Literal["ddim", "dpm++", "euler", "ddpm"]
Model = Literal["auto", "sticker_diffusion"]

_GUIDANCE = (
    "The guidance scale w: 1 uses the prediction with the prompt alone, 0 the one without it; "
    "above 1 their difference is exaggerated."
)
_STEPS = "How many times the U-Net takes a part of the noise away."
_SCHEDULER = "The sampler: which noise levels the steps visit, and how each step is made."


class GuidanceSettings(Settings):
    """One prompt and the same noises, drawn twice: side A and side B differ in guidance, steps or scheduler."""

    prompt: str = setting(
        "a red car left of a blue house on a mint background",
        "Prompt",
        "",
        main=True,
        lines=2,
        max_length=1000,
    )
    guidance_a: float = setting(
        1.0, "guidance", _GUIDANCE, main=True, group="guidance", side="a", step=0.5, ge=0, le=30
    )
    guidance_b: float = setting(
        7.5, "guidance", _GUIDANCE, main=True, group="guidance", side="b", step=0.5, ge=0, le=30
    )
    steps_a: int = setting(20, "steps", _STEPS, main=True, group="steps", side="a", step=1, ge=1, le=100)
    steps_b: int = setting(20, "steps", _STEPS, main=True, group="steps", side="b", step=1, ge=1, le=100)
    seed: int = setting(
        13,
        "Seed",
        "The first sample's noise, the same on both sides.",
        main=True,
        group="seed",
        step=1,
        ge=0,
        le=2**63 - 1,
    )
    model: Model = setting(
        "auto",
        "Model",
        "auto is the bundled one.",
        main=True,
        group="seed",
    )
    negative_prompt: str = setting(
        "",
        "Negative prompt",
        "What to steer away from. It takes the place of “no prompt”, so it does nothing at guidance 1.",
        lines=2,
        max_length=1000,
    )
    scheduler_a: Scheduler = setting("ddim", "scheduler", _SCHEDULER, group="scheduler", side="a")
    scheduler_b: Scheduler = setting("ddim", "scheduler", _SCHEDULER, group="scheduler", side="b")
    samples: int = setting(
        4,
        "Samples",
        "Pictures a side, with this seed and the next ones. The measures are over all of them.",
        step=1,
        ge=1,
        le=16,
    )
