"""What can be set in the guidance demo: every control of the tab, and every argument of API, link and command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import field_validator, model_validator

from demos.guidance.axes import as_axis, read_numbers, read_whole_numbers
from shared.devices import LARGEST_SEED
from shared.models import is_here
from shared.settings import Settings, setting

Scheduler = Literal["ddim", "dpm++", "euler", "ddpm"]
Model = Literal[
    "auto",
    "sticker_diffusion",
    "sticker_turbo",
    "sticker_small",
    "stable-diffusion-v1-5/stable-diffusion-v1-5",
    "stabilityai/sd-turbo",
    "stabilityai/sdxl-turbo",
    "SimianLuo/LCM_Dreamshaper_v7",
]

NOT_HERE = tuple(name for name in ("sticker_turbo", "sticker_small") if not is_here(name))
"""Bundled models whose weights this copy lacks: no control offers them, and who asks for one is told what to do."""

GUIDANCE_RANGE = (0.0, 30.0)
STEPS_RANGE = (1, 100)
MOST_CELLS = 36
MOST_SEEDS = 8

_GUIDANCE = (
    "The guidance scale w: 1 uses the prediction with the prompt alone, 0 the one without it; "
    "above 1 their difference is exaggerated."
)
_STEPS = "How many times the U-Net takes a part of the noise away."
_RESCALE = "Brings the guided prediction's spread back to that without guidance: 0 not at all, 1 fully."
_FROM = "From which share of the steps on guidance acts; before it, the prompt's prediction is taken as it is."
_UNTIL = "Up to which share of the steps guidance acts; unguided steps call the U-Net once."
_AXIS = (
    "Values with commas: 1, 3, 7.5. A range: 1-15 (+2) goes from 1 to 15 by steps of 2, and 1-10 [5] is five values "
    "spread from 1 to 10. With semicolons a comma is a decimal mark: 1; 7,5."
)
LEAST_OF_A_CURVE = 3
PROMPT = "a pink fish below a green bird on a sky background"
"""One of the captions that the bundled model finds hard: without guidance a sixth of the facts is wrong (30 seeds)."""
_AUTO = (
    "auto: a real Stable Diffusion where a GPU and its weights are at hand, else sticker_diffusion. sticker_turbo was "
    "distilled to draw in 1 to 8 steps without guidance; sticker_small is a smaller U-Net."
)
_SCHEDULER = (
    "The sampler: which noise levels the steps visit, and how each step is made. A distilled model such as "
    "sticker_turbo keeps its own."
)


class GuidanceSettings(Settings):
    """One prompt and the same noises, drawn twice: side A and side B differ in guidance, steps or scheduler."""

    prompt: str = setting(
        PROMPT,
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
    steps_a: int = setting(10, "steps", _STEPS, main=True, group="steps", side="a", step=1, ge=1, le=100, costs=True)
    steps_b: int = setting(10, "steps", _STEPS, main=True, group="steps", side="b", step=1, ge=1, le=100, costs=True)
    seed: int = setting(
        1,
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
        _AUTO,
        main=True,
        group="seed",
        not_offered=NOT_HERE,
    )
    negative_prompt: str = setting(
        "",
        "Negative prompt",
        "What to steer away from. It takes the place of “no prompt”, so it does nothing at guidance 1.",
        lines=2,
        max_length=1000,
    )
    negative_for: Literal["both", "a", "b"] = setting(
        "both", "Negative prompt for", "The sides that get it; the other one gets the empty prompt in its place."
    )
    scheduler_a: Scheduler = setting("ddim", "scheduler", _SCHEDULER, group="scheduler", side="a")
    scheduler_b: Scheduler = setting("ddim", "scheduler", _SCHEDULER, group="scheduler", side="b")
    guidance_rescale_a: float = setting(0.0, "rescale", _RESCALE, group="rescale", side="a", step=0.05, ge=0, le=1)
    guidance_rescale_b: float = setting(0.0, "rescale", _RESCALE, group="rescale", side="b", step=0.05, ge=0, le=1)
    guidance_from_a: float = setting(0.0, "guided from", _FROM, group="from", side="a", step=0.05, ge=0, le=1)
    guidance_from_b: float = setting(0.0, "guided from", _FROM, group="from", side="b", step=0.05, ge=0, le=1)
    guidance_until_a: float = setting(1.0, "guided until", _UNTIL, group="until", side="a", step=0.05, ge=0, le=1)
    guidance_until_b: float = setting(1.0, "guided until", _UNTIL, group="until", side="b", step=0.05, ge=0, le=1)
    samples: int = setting(
        10,
        "Samples",
        "Pictures a side, with this seed and the next ones. The measures are over all of them.",
        step=1,
        ge=1,
        le=16,
        costs=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _spread_to_both_sides(cls, values: Any) -> Any:
        """`guidance_rescale`, `guidance_from` and `guidance_until` without a side set both sides."""
        if not isinstance(values, Mapping):
            return values
        both = {n: values[n] for n in ("guidance_rescale", "guidance_from", "guidance_until") if n in values}
        spread = {f"{name}_{side}": value for name, value in both.items() for side in "ab"}
        return spread | {name: value for name, value in values.items() if name not in both}

    def work(self) -> float:
        """Steps in all."""
        return float((self.steps_a + self.steps_b) * self.samples)

    @property
    def negatives(self) -> tuple[str, str]:
        """Each side's negative prompt, empty where it has none."""
        a, b = (self.negative_prompt if self.negative_for in ("both", side) else "" for side in "ab")
        return a, b

    @model_validator(mode="after")
    def _check_intervals(self) -> Self:
        for side, start, until in (
            ("a", self.guidance_from_a, self.guidance_until_a),
            ("b", self.guidance_from_b, self.guidance_until_b),
        ):
            if start > until:
                raise ValueError(
                    f"guidance_from_{side} must be at most guidance_until_{side} ({until:g}), not {start:g}."
                )
        return self


class SweepSettings(Settings):
    """A grid of guidance scales and step counts on the same prompt and the same noises."""

    prompt: str = setting(PROMPT, "Prompt", "", lines=2, max_length=1000)
    guidances: str = setting("1, 3, 5, 7.5, 12", "Guidance scales", _AXIS, max_length=200, costs=True)
    steps: str = setting("5, 10, 20", "Step counts", _AXIS, max_length=200, costs=True)
    seeds: str = setting(
        "13-16",
        "Seeds",
        f"A picture a cell for each, up to {MOST_SEEDS}. The measures are over all.",
        max_length=200,
        costs=True,
    )
    scheduler: Scheduler = setting("ddim", "Scheduler", _SCHEDULER, group="model")
    model: Model = setting("auto", "Model", _AUTO, group="model", not_offered=NOT_HERE)

    as_text = field_validator("guidances", "steps", "seeds", mode="before")(as_axis)

    @field_validator("guidances")
    @classmethod
    def _check_guidances(cls, text: str) -> str:
        read_numbers(text, *GUIDANCE_RANGE)
        return text

    @field_validator("steps")
    @classmethod
    def _check_steps(cls, text: str) -> str:
        read_whole_numbers(text, *STEPS_RANGE)
        return text

    @field_validator("seeds")
    @classmethod
    def _check_seeds(cls, text: str) -> str:
        read_whole_numbers(text, 0, LARGEST_SEED, MOST_SEEDS)
        return text

    @model_validator(mode="after")
    def _check_cells(self) -> Self:
        across, down = len(self.guidance_values), len(self.step_values)
        if across * down > MOST_CELLS:
            raise ValueError(
                f"{across} guidance scales and {down} step counts are {across * down} cells: up to {MOST_CELLS} are "
                "possible."
            )
        return self

    def work(self) -> float:
        """Steps in all."""
        return float(len(self.guidance_values) * sum(self.step_values) * len(self.seed_values))

    @property
    def guidance_values(self) -> tuple[float, ...]:
        """The guidance scales, each once."""
        return read_numbers(self.guidances, *GUIDANCE_RANGE)

    @property
    def step_values(self) -> tuple[int, ...]:
        """The step counts, each once."""
        return read_whole_numbers(self.steps, *STEPS_RANGE)

    @property
    def seed_values(self) -> tuple[int, ...]:
        """The seeds, each once."""
        return read_whole_numbers(self.seeds, 0, LARGEST_SEED)


DEFAULT_VALUES = {"guidance": "1, 2, 3, 5, 7.5, 12", "steps": "1, 2, 4, 8, 16, 32"}


class CurvesSettings(Settings):
    """Adherence and quality over many unseen captions, against guidance or against steps."""

    vary: Literal["guidance", "steps"] = setting("guidance", "Vary", "What goes along the curves.", group="what")
    values: str = setting("", "Values", f"{_AXIS} Empty: a usual choice.", max_length=200, group="what", costs=True)
    n_captions: int = setting(
        16, "Captions", "Of scenes that no training showed. More make narrower bands.", step=1, ge=4, le=500, costs=True
    )
    schedulers: list[Scheduler] = setting(
        ["ddim", "dpm++"], "Schedulers", "A curve for each.", min_length=1, max_length=4, costs=True
    )
    guidance: float = setting(
        5.0, "guidance", "Where steps vary.", group="fixed", step=0.5, ge=GUIDANCE_RANGE[0], le=GUIDANCE_RANGE[1]
    )
    steps: int = setting(
        20, "steps", "Where guidance varies.", group="fixed", step=1, ge=STEPS_RANGE[0], le=STEPS_RANGE[1], costs=True
    )
    seed: int = setting(0, "Seed", "Of scenes and noises.", group="model", step=1, ge=0, le=2**63 - 1)
    model: Model = setting("auto", "Model", _AUTO, group="model", not_offered=NOT_HERE)

    as_text = field_validator("values", mode="before")(as_axis)

    @model_validator(mode="after")
    def _check_points(self) -> Self:
        try:
            count = len(self.points)
        except ValueError as error:
            raise ValueError(f"values: {error}") from None
        if count < LEAST_OF_A_CURVE * len(dict.fromkeys(self.schedulers)):
            each = count // len(dict.fromkeys(self.schedulers))
            raise ValueError(
                f"values must be at least {LEAST_OF_A_CURVE} for a curve, not {each}; the sweep takes single ones."
            )
        if count > MOST_CELLS:
            raise ValueError(f"These values and schedulers are {count} points: up to {MOST_CELLS} are possible.")
        return self

    def work(self) -> float:
        """Steps in all."""
        each = (value if self.vary == "steps" else self.steps for value, _ in self.points)
        return float(sum(each) * self.n_captions)

    @property
    def points(self) -> tuple[tuple[float, Scheduler], ...]:
        """Every point of every curve: its value and its scheduler."""
        text = self.values or DEFAULT_VALUES[self.vary]
        found: tuple[float, ...] = (
            read_numbers(text, *GUIDANCE_RANGE) if self.vary == "guidance" else read_whole_numbers(text, *STEPS_RANGE)
        )
        return tuple((value, scheduler) for scheduler in dict.fromkeys(self.schedulers) for value in sorted(found))


class ProcessSettings(Settings):
    """The forward process on a render of the prompt's scene, and the reverse process of the U-Net."""

    prompt: str = setting(
        PROMPT, "Prompt",
        "A scene of the sticker world: its render is what the forward process adds noise to.",
        lines=2, max_length=1000,
    )  # fmt: skip
    steps: int = setting(20, "steps", _STEPS, group="how", step=1, ge=2, le=STEPS_RANGE[1], costs=True)
    guidance: float = setting(
        5.0, "guidance", _GUIDANCE, group="how", step=0.5, ge=GUIDANCE_RANGE[0], le=GUIDANCE_RANGE[1]
    )
    seed: int = setting(13, "Seed", "Of the noise, the same in both.", group="model", step=1, ge=0, le=2**63 - 1)
    model: Model = setting("auto", "Model", _AUTO, group="model", not_offered=NOT_HERE)
