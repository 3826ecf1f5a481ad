"""One prompt, the same noises, two ways to sample: draws both sides and measures them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from PIL import Image

from demos.guidance.measures import Judged, clip_scores, judge, side_measures
from demos.guidance.remedy_takeaway import Told
from demos.guidance.settings import GuidanceSettings
from demos.guidance.takeaway import say
from shared.comparison import Comparison, Measure, Side
from shared.demo import DemoError, Progress, no_progress
from shared.devices import environment, sample_seeds, wait_for
from shared.intervals import mean_interval, paired_difference
from shared.models import Loaded, load_pipeline
from shared.sampling import (
    UNIT,
    Encoded,
    Plan,
    Sampling,
    decode,
    encode,
    film_steps,
    is_held_back,
    keeps_scheduler,
    shown_latents,
    takes_scale,
)


@dataclass
class Drawn:
    """What one side has made: its run, pictures, film, and the seconds that each part took."""

    plan: Plan
    run: Sampling
    step_seconds: list[float] = field(default_factory=list)
    decode_seconds: float = 0.0
    pictures: list[Image.Image] = field(default_factory=list)
    film: list[tuple[int, Image.Image]] = field(default_factory=list)


def compare(settings: GuidanceSettings, progress: Progress | None = None) -> Comparison:
    """Both sides with their pictures and measures.

    Each side's images are the first sample's picture, a film of its predicted clean picture (captions are step
    numbers), and the other samples (captions are their seeds). Arrays: the final latents [samples, c, h, w], and the
    noise level of each step [steps].

    Raises DemoError where the model can't be had, and whatever `progress` raises to stop the work.
    """
    progress = progress or no_progress
    loaded = load_pipeline(settings.model)
    plans = tuple(_plan(settings, side, loaded.model) for side in "ab")
    negatives = settings.negatives
    seeds = sample_seeds(settings.seed, settings.samples)
    with loaded.alone(still_wanted=lambda: progress(0, 1, UNIT)):
        started = perf_counter()
        encoded = [encode(loaded.model, settings.prompt, words) for words in dict.fromkeys(negatives)]
        wait_for(loaded.device)
        encode_seconds = (perf_counter() - started) / len(encoded)
        drawn = draw(loaded, (encoded[0], encoded[-1]), plans, seeds, progress)
    pictures = [side.pictures for side in drawn]
    judged = judge(loaded.row, settings.prompt, settings.negative_prompt, pictures)
    scores = clip_scores(loaded.row, settings.prompt, pictures)
    sides = tuple(
        _side(label, side, (judged[i], scores[i]), seeds, encode_seconds)
        for i, (label, side) in enumerate(zip(labels(plans, negatives), drawn, strict=True))
    )
    between = _between(judged)
    chosen = (settings.scheduler_a, settings.scheduler_b)
    ignored = chosen if keeps_scheduler(loaded.model) else ()
    told = Told(negatives, not loaded.row.guided, between[0] if between else None, ignored)
    return Comparison(
        demo="guidance",
        settings=settings.model_dump() | {"model": loaded.row.name},
        sides=sides,
        takeaway=say(sides, plans, encoded[0].cut, told),
        environment=environment(
            loaded.device, loaded.dtype, "diffusers", "transformers", model=loaded.row.name, weights=loaded.origin
        ),
        measures=between,
    )


def _plan(settings: GuidanceSettings, side: str, pipeline: Any) -> Plan:
    own = {name: getattr(settings, f"{name}_{side}") for name in _OF_A_SIDE}
    scheduler = "lcm" if keeps_scheduler(pipeline) else own["scheduler"]
    # A model that reads the scale as an input has nothing to rescale or to leave out.
    if takes_scale(pipeline):
        return Plan(own["guidance"], own["steps"], scheduler)
    return Plan(
        own["guidance"], own["steps"], scheduler,
        own["guidance_rescale"], own["guidance_from"], own["guidance_until"],
    )  # fmt: skip


_OF_A_SIDE = ("guidance", "steps", "scheduler", "guidance_rescale", "guidance_from", "guidance_until")


def draw(
    loaded: Loaded, encoded: Sequence[Encoded], plans: Sequence[Plan], seeds: Sequence[int], progress: Progress
) -> list[Drawn]:
    """Every plan's pictures, each with its own texts, from the same noises. The sides take their steps in turn, each
    going first every other time, so that whatever slows the machine slows both. A call a side that is thrown away
    comes before."""
    drawn = [
        Drawn(p, Sampling(loaded.model, texts, p, seeds, keep=film_steps(p.steps)))
        for texts, p in zip(encoded, plans, strict=True)
    ]
    total = sum(side.run.total_calls for side in drawn)
    progress(0, total, UNIT)
    for side in drawn:
        side.run.predict()
    wait_for(loaded.device)
    turn = 0
    while unfinished := [side for side in drawn if not side.run.finished]:
        for side in unfinished if turn % 2 == 0 else reversed(unfinished):
            started = perf_counter()
            side.run.step()
            wait_for(loaded.device)
            side.step_seconds.append(perf_counter() - started)
            progress(sum(s.run.calls for s in drawn), total, UNIT)
        turn += 1
    for side in drawn:
        started = perf_counter()
        side.pictures = decode(loaded.model, side.run.latents)
        side.decode_seconds = perf_counter() - started
    _make_films(loaded, drawn)
    return drawn


def _make_films(loaded: Loaded, drawn: Sequence[Drawn]) -> None:
    """Decode all frames of all sides in one batch; after the pictures, so that no latency holds them. A picture that
    was held back has no film."""
    import torch

    shown = [side for side in drawn if not is_held_back(side.pictures[0])]
    frames = [latents for side in shown for latents in side.run.clean.values()]
    pictures = iter(decode(loaded.model, torch.stack(frames)) if frames else [])
    for side in shown:
        side.film = [(step, next(pictures)) for step in side.run.clean]


def labels(plans: Sequence[Plan], negatives: Sequence[str] = ("", "")) -> tuple[str, ...]:
    """For each side, the settings in which the sides differ; the guidance where they do not."""
    parts = [
        (f"guidance {p.guidance:g}", steps_said(p), p.scheduler, _rescale_said(p) or "no rescale",
         _interval_said(p) or "all steps guided", f"without “{_short(words)}”" if words else "no negative prompt")
        for p, words in zip(plans, negatives, strict=True)
    ]  # fmt: skip
    differing = [i for i in range(len(parts[0])) if len({part[i] for part in parts}) > 1] or [0]
    return tuple(" · ".join(part[i] for i in differing) for part in parts)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 24 else f"{text[:21]}..."


def _rescale_said(plan: Plan) -> str:
    return f"rescale {plan.rescale:g}" if plan.rescale else ""


def _interval_said(plan: Plan) -> str:
    return f"guided {plan.start:.0%} to {plan.until:.0%}" if (plan.start, plan.until) != (0, 1) else ""


def steps_said(plan: Plan) -> str:
    """A plan's steps: "20 steps"."""
    return f"{plan.steps} step{'s' * (plan.steps != 1)}"


def _side(
    label: str, drawn: Drawn, scored: tuple[Judged, Measure], seeds: Sequence[int], encode_seconds: float
) -> Side:
    judged, clip_score = scored
    plan, run = drawn.plan, drawn.run
    first, *others = drawn.pictures
    parts = (f"guidance {plan.guidance:g}", steps_said(plan), plan.scheduler, _rescale_said(plan), _interval_said(plan),
             f"seed {seeds[0]}", HELD_BACK if is_held_back(first) else "")  # fmt: skip
    made = " · ".join(filter(None, parts))
    measures = (
        *side_measures(judged, drawn.pictures),
        clip_score,
        _latency(drawn, encode_seconds, len(seeds)),
        Measure.exact("unet_calls", run.calls, "per picture", "lower", CALLS_NOTE),
    )
    return Side(
        label=label,
        measures=measures,
        images=(first, *(picture for _, picture in drawn.film), *others),
        captions=(made, *(str(step) for step, _ in drawn.film), *map(seed_said, seeds[1:], others)),
        arrays={"latents": shown_latents(run.latents, drawn.pictures), "noise_levels": run.noise_levels()},
    )


HELD_BACK = "held back by the model's safety checker"


def seed_said(seed: int, picture: Image.Image) -> str:
    """A sample's caption: its seed, and whether its picture was held back."""
    return f"seed {seed} · {HELD_BACK}" if is_held_back(picture) else f"seed {seed}"


CALLS_NOTE = (
    "Counted as they are made: each step evaluates the U-Net once with the prompt and once without; "
    "at guidance 1 or 0, and in steps without guidance, only one of the two counts, so only that one is computed"
)


def _latency(drawn: Drawn, encode_seconds: float, samples: int) -> Measure:
    """Seconds from prompt to picture; the interval comes from the spread of the steps."""
    steps = mean_interval(drawn.step_seconds, low=0.0)
    fixed = encode_seconds + drawn.decode_seconds

    def per_picture(step: float | None) -> float | None:
        return None if step is None else (fixed + step * steps.n) / samples

    value = float(fixed + np.sum(drawn.step_seconds)) / samples
    batch = f" of {samples} drawn in one batch" if samples > 1 else ""
    note = (
        f"Text encoding, all steps and decoding, per picture{batch}; after a warm-up call, sides in turns; "
        "the interval is from the spread of the steps"
    )
    return Measure(
        "latency", value, "s per picture", "lower", note, per_picture(steps.low), per_picture(steps.high), n=samples
    )  # fmt: skip


def _between(judged: Sequence[Judged]) -> tuple[Measure, ...]:
    a, b = judged
    if not a.facts or len(a.facts) != len(b.facts):
        return ()  # nothing to judge, or pictures held back on one side: no pairs
    grain = 1 / a.facts[0].total
    gain = paired_difference([f.share for f in a.facts], [f.share for f in b.facts], low=-1.0, high=1.0, grain=grain)
    note = "Adherence of B minus that of A, paired by seed: both sides draw from the same noises"
    return (Measure("adherence_gain", gain.value, "share", "neither", note, gain.low, gain.high, gain.n),)


def warm_up() -> None:
    """Load the default model and its judge and draw one step, so that the first visitor does not wait for it."""
    try:
        compare(GuidanceSettings(steps_a=1, steps_b=1, samples=1))
    except DemoError:
        return  # the tab says so when it is used
