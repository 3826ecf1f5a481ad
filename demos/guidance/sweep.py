"""The sweep: a grid of guidance scales and step counts, drawn together from the same noises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from PIL import Image

from demos.guidance.compute import CALLS_NOTE, HELD_BACK, seed_said, steps_said
from demos.guidance.heat_maps import heat_maps
from demos.guidance.measures import clip_scores, judge, side_measures
from demos.guidance.remedy_takeaway import own_scheduler_said
from demos.guidance.settings import SweepSettings
from demos.guidance.sweep_takeaway import say
from shared.comparison import Comparison, Measure, Side
from shared.demo import Cancelled, DemoError, Progress, no_progress
from shared.devices import environment
from shared.models import Loaded, load_pipeline
from shared.sampling import UNIT, Plan, Sampling, decode, encode, is_held_back, keeps_scheduler, shown_latents
from shared.sampling_jobs import take_runs


@dataclass
class Cell:
    """One cell of the grid: its plan, its run, and its pictures once they are there. `failed` says why they are not."""

    plan: Plan
    run: Sampling | None = None
    failed: str = ""
    pictures: list[Image.Image] = field(default_factory=list)

    @property
    def label(self) -> str:
        """The cell's values: "guidance 3 · 20 steps"."""
        return f"guidance {self.plan.guidance:g} · {steps_said(self.plan)}"


def run_sweep(settings: SweepSettings, progress: Progress | None = None) -> Comparison:
    """A side for each cell, row by row of step counts, labelled with its values; figures: a heat map per measure.

    Each side's images are a picture for each seed, the first one large; arrays: the final latents [seeds, c, h, w].
    A cell that fails has no picture, and its measures say why. Cancelled, it returns the finished cells with
    `complete=False`. The device may be given to others at every call of `progress`. Raises DemoError where the model
    can't be had.
    """
    progress = progress or no_progress
    loaded = load_pipeline(settings.model)
    seeds = settings.seed_values
    with loaded.alone():
        encoded = encode(loaded.model, settings.prompt)
    own = keeps_scheduler(loaded.model)
    scheduler = "lcm" if own else settings.scheduler
    note = own_scheduler_said((settings.scheduler,)) if own else ""
    cells = [Cell(Plan(g, s, scheduler)) for s in settings.step_values for g in settings.guidance_values]
    for cell in cells:
        try:
            cell.run = Sampling(loaded.model, encoded, cell.plan, seeds)
        except Exception as error:  # a scheduler that can't do with so few or so many steps
            cell.failed = " ".join(str(error).split())[:200] or type(error).__name__
    complete = draw_cells(loaded, cells, progress)
    done = [cell for cell in cells if cell.pictures or cell.failed]
    sides = _sides(loaded, settings, done)
    return Comparison(
        demo="guidance",
        settings=settings.model_dump() | {"model": loaded.row.name},
        sides=sides,
        takeaway=" ".join(filter(None, (say(sides, len(cells), encoded.cut), note))),
        environment=environment(
            loaded.device, loaded.dtype, "diffusers", "transformers", model=loaded.row.name, weights=loaded.origin
        ),
        figures=heat_maps(sides),
        complete=complete,
    )


def draw_cells(loaded: Loaded, cells: Sequence[Cell], progress: Progress) -> bool:
    """Takes all cells to their pictures; False where it was cancelled, and then the finished cells have theirs."""
    runs = [cell.run for cell in cells if cell.run]
    total = sum(run.total_calls for run in runs)
    complete = True

    def tell() -> None:
        progress(sum(run.calls for run in runs), total, UNIT)

    try:
        tell()
        for _ in take_runs(loaded, runs, tell):
            tell()
    except Cancelled:
        complete = False
    for cell in cells:
        if cell.run and cell.run.failed:
            cell.failed = cell.run.failed
    finished = [(cell, cell.run) for cell in cells if cell.run and cell.run.finished and not cell.failed]
    with loaded.alone():
        _decode(loaded, finished)
    return complete


def _decode(loaded: Loaded, finished: Sequence[tuple[Cell, Sampling]]) -> None:
    """All pictures in one go; one by one where some of them have overflowed, so that only those cells fail."""
    if not finished:
        return
    try:
        pictures = iter(decode(loaded.model, torch.cat([run.latents for _, run in finished])))
    except DemoError as error:
        if len(finished) == 1:
            finished[0][0].failed = str(error)
        else:
            for pair in finished:
                _decode(loaded, [pair])
        return
    for cell, run in finished:
        cell.pictures = [next(pictures) for _ in range(run.samples)]


def _sides(loaded: Loaded, settings: SweepSettings, cells: Sequence[Cell]) -> tuple[Side, ...]:
    drawn = [cell for cell in cells if cell.pictures]
    pictures = [cell.pictures for cell in drawn]
    judged = judge(loaded.row, settings.prompt, "", pictures)
    scores = clip_scores(loaded.row, settings.prompt, pictures)
    found = {id(cell): (judged[i], scores[i]) for i, cell in enumerate(drawn)}
    sides: list[Side] = []
    for cell in cells:
        if not cell.pictures:
            sides.append(Side(cell.label, (Measure("adherence", None, "share", "higher", cell.failed),)))
            continue
        run = cell.run
        assert run is not None  # it made the pictures
        facts, score = found[id(cell)]
        calls = Measure.exact("unet_calls", run.calls, "per picture", "lower", CALLS_NOTE)
        captions = [f"{cell.label} · {cell.plan.scheduler} · seed {settings.seed_values[0]}"]
        captions[0] += f" · {HELD_BACK}" if is_held_back(cell.pictures[0]) else ""
        captions += map(seed_said, settings.seed_values[1:], cell.pictures[1:])
        sides.append(
            Side(
                cell.label,
                (*side_measures(facts, cell.pictures), score, calls),
                tuple(cell.pictures),
                arrays={"latents": shown_latents(run.latents, cell.pictures)},
                captions=tuple(captions),
            )
        )
    return tuple(sides)
