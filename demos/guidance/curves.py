"""Curves: adherence and picture quality over many unseen captions, against guidance or against steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from PIL import Image

from demos.guidance.axes import steps_said
from demos.guidance.compute import CALLS_NOTE
from demos.guidance.curve_figures import curve_figures
from demos.guidance.curves_takeaway import say
from demos.guidance.measures import clip_cosines, fact_measures, harm_measures, load_clip_of
from demos.guidance.remedy_takeaway import own_scheduler_said
from demos.guidance.settings import CurvesSettings
from shared import adherence
from shared.adherence import Facts
from shared.batching import rows_at_once
from shared.comparison import Comparison, Measure, Side
from shared.demo import Cancelled, DemoError, Progress, no_progress
from shared.devices import environment, sample_seeds
from shared.intervals import Interval, mean_interval
from shared.models import Loaded, load_pipeline, load_scene_reader
from shared.off_palette import off_palette
from shared.quality import frechet_interval
from shared.reader import read
from shared.sampling import UNIT, Encoded, Plan, Sampling, decode, encode_many, is_held_back, keeps_scheduler
from shared.sampling_jobs import take_runs
from shared.stickers import STYLES, Scene, caption, render
from shared.training import scenes

FRECHET = "reader_frechet_distance"
_FRECHET_NOTE = (
    "Fréchet distance (Heusel et al. 2017) between the scene reader's features of these pictures and of true renders "
    "of the same scenes; not comparable with published FID, and only between points of equally many captions"
)


@dataclass
class Judges:
    """What looks at the pictures: the scene reader and a CLIP, None with the reason where there is none; the scenes
    and the features [captions, d] of their true renders."""

    chosen: Sequence[Scene]
    texts: Sequence[str]
    reader: Loaded | None
    why: str
    clip: Loaded | None
    why_no_clip: str
    truth: np.ndarray | None = None
    has_palette: bool = False


@dataclass
class Point:
    """One point of a curve: its runs, each with its captions' positions, and what was seen of every picture."""

    value: float
    plan: Plan
    runs: list[tuple[Sampling, range]] = field(default_factory=list)
    facts: dict[int, Facts] = field(default_factory=dict)
    features: dict[int, np.ndarray] = field(default_factory=dict)
    saturated: dict[int, float] = field(default_factory=dict)
    off: dict[int, float] = field(default_factory=dict)
    cosines: dict[int, float] = field(default_factory=dict)
    pictures: dict[int, Image.Image] = field(default_factory=dict)
    calls: int = 0
    failed: str = ""

    @property
    def done(self) -> bool:
        """Whether every run has ended."""
        return not self.runs


def run_curves(settings: CurvesSettings, progress: Progress | None = None) -> Comparison:
    """A side for each point, and a figure for each measure with a curve and a band per scheduler.

    The captions, scenes and noises are the same at every point. Cancelled, it returns the finished points with
    `complete=False`. The device may be given to others at every call of `progress`. Raises DemoError where the model
    can't be had.
    """
    progress = progress or no_progress
    loaded = load_pipeline(settings.model)
    progress(0, 1, UNIT)
    chosen = scenes(settings.n_captions, settings.seed, testing=True)
    texts = [caption(scene, STYLES[i % len(STYLES)]) for i, scene in enumerate(chosen)]
    judges = _judges(loaded, chosen, texts)
    with loaded.alone():
        encoded = encode_many(loaded.model, texts)
    # A model with a scheduler of its own has one curve, whatever schedulers are asked for.
    own = keeps_scheduler(loaded.model)
    wanted = dict.fromkeys((value, "lcm" if own else scheduler) for value, scheduler in settings.points)
    points = [_point(loaded, settings, encoded, value, scheduler) for value, scheduler in wanted]
    refused = [point for point in points if point.failed]
    if len(refused) == len(points):
        raise DemoError(refused[0].failed)
    note = own_scheduler_said(settings.schedulers) if own else ""
    if refused:
        note = f"{len(refused)} of {len(points)} points failed: {refused[0].failed} {note}".rstrip()
    complete = _draw(loaded, points, judges, progress)
    sides = tuple(_side(settings, point, judges) for point in points if point.done)
    return Comparison(
        demo="guidance",
        settings=settings.model_dump() | {"model": loaded.row.name},
        sides=sides,
        takeaway=" ".join(filter(None, (say(sides, settings.vary, len(points)), note))),
        environment=environment(
            loaded.device, loaded.dtype, "diffusers", "transformers", model=loaded.row.name, weights=loaded.origin
        ),
        figures=curve_figures(sides, settings.vary),
        complete=complete,
    )


def _judges(loaded: Loaded, chosen: Sequence[Scene], texts: Sequence[str]) -> Judges:
    reader, why = None, f"No judge was made for the pictures of {loaded.row.name}"
    if loaded.row.judge:
        try:
            reader, why = load_scene_reader(loaded.row.judge), ""
        except DemoError as error:
            why = str(error)
    clip, why_no_clip = load_clip_of(loaded.row)
    judges = Judges(chosen, texts, reader, why, clip, why_no_clip, has_palette=bool(loaded.row.judge))
    if reader:
        judges.truth = _features(reader, [render(scene, 128)[0] for scene in chosen])
    return judges


def _features(reader: Loaded, pictures: Sequence[Image.Image]) -> np.ndarray:
    from shared.embedding import read_features

    return read_features(reader, pictures, no_progress)


def _point(loaded: Loaded, s: CurvesSettings, encoded: Encoded, value: float, scheduler: str) -> Point:
    plan = Plan(value, s.steps, scheduler) if s.vary == "guidance" else Plan(s.guidance, int(value), scheduler)  # pyright: ignore[reportArgumentType]
    point = Point(value, plan)
    size = rows_at_once(loaded) // 2
    seeds = sample_seeds(s.seed, s.n_captions)
    for start in range(0, s.n_captions, size):
        part = range(start, min(s.n_captions, start + size))
        try:
            run = Sampling(loaded.model, encoded.of(part), plan, [seeds[i] for i in part])
        except DemoError as error:  # a distilled model has a largest step count; the other points can be drawn
            point.failed = str(error)
            return point
        point.runs.append((run, part))
    return point


def _draw(loaded: Loaded, points: Sequence[Point], judges: Judges, progress: Progress) -> bool:
    """Takes every point to its measures; False where it was cancelled, and then the finished points have theirs."""
    runs = [run for point in points for run, _ in point.runs]
    total = sum(run.total_calls * run.samples for run in runs)

    def tell() -> None:
        progress(sum(run.calls * run.samples for run in runs), total, UNIT)

    try:
        for _ in take_runs(loaded, runs, tell):
            tell()
            _look_at_finished(loaded, points, judges)
    except Cancelled:
        return False
    return True


def _look_at_finished(loaded: Loaded, points: Sequence[Point], judges: Judges) -> None:
    for point in points:
        for run, part in [pair for pair in point.runs if pair[0].finished or pair[0].failed]:
            point.runs.remove((run, part))
            point.calls = run.calls
            try:
                if run.failed:
                    raise DemoError(run.failed)
                with loaded.alone():
                    pictures = decode(loaded.model, run.latents)
            except DemoError as error:
                point.failed = str(error)
                continue
            _look_at(point, part, pictures, judges)


def _look_at(point: Point, part: Sequence[int], pictures: Sequence[Image.Image], judges: Judges) -> None:
    """Note what the judges see; of the pictures only the first few are kept."""
    shown = [(i, p) for i, p in zip(part, pictures, strict=True) if not is_held_back(p)]
    if not shown:
        return
    places, pictures = [i for i, _ in shown], [p for _, p in shown]
    point.saturated.update({i: adherence.saturation(p) for i, p in shown})
    if judges.has_palette:
        point.off.update({i: off_palette(p) for i, p in shown})
    point.pictures.update({i: p for i, p in shown if i < 4})
    if judges.reader:
        readings = read(judges.reader.model, list(pictures), judges.reader.confidence)
        point.facts.update({i: adherence.check(judges.chosen[i], r) for i, r in zip(places, readings, strict=True)})
        point.features.update(zip(places, _features(judges.reader, pictures), strict=True))
    if judges.clip:
        cosines = clip_cosines(judges.clip, [judges.texts[i] for i in places], pictures)
        point.cosines.update(zip(places, cosines, strict=True))


def point_label(settings: CurvesSettings, point: Point) -> str:
    """A point's values: "guidance 3 · ddim" or "8 steps · ddim"."""
    value = f"guidance {point.value:g}" if settings.vary == "guidance" else steps_said(point.value)
    return f"{value} · {point.plan.scheduler}"


def _side(settings: CurvesSettings, point: Point, judges: Judges) -> Side:
    label = point_label(settings, point)
    if point.failed or not point.saturated:
        why = point.failed or "The model's safety checker held every picture back"
        return Side(label, (Measure("adherence", None, "share", "higher", why),))
    captions = [f"{label} · “{judges.texts[i]}”" if not n else judges.texts[i] for n, i in enumerate(point.pictures)]
    return Side(
        label,
        (
            *fact_measures(list(point.facts.values()), judges.why),
            _frechet(point, judges),
            _clip(point, judges),
            *harm_measures(list(point.off.values()), list(point.saturated.values()), judges.why),
            Measure.exact("unet_calls", point.calls, "per picture", "lower", CALLS_NOTE),
        ),
        tuple(point.pictures.values()),
        arrays={"features": np.stack(list(point.features.values()))} if point.features else {},
        captions=tuple(captions),
    )


def _frechet(point: Point, judges: Judges) -> Measure:
    if judges.truth is None or len(point.features) < 2:
        return Measure(FRECHET, None, "", "lower", judges.why or "At least two pictures are needed")
    drawn = np.stack(list(point.features.values()))
    found: Interval = frechet_interval(drawn, judges.truth[list(point.features)])
    return Measure(FRECHET, found.value, "", "lower", _FRECHET_NOTE, found.low, found.high, found.n)


def _clip(point: Point, judges: Judges) -> Measure:
    if judges.clip is None:
        return Measure("clip_score", None, "", "higher", judges.why_no_clip)
    found = mean_interval(list(point.cosines.values()), low=-100, high=100)
    note = f"100 times the cosine of picture and caption in {judges.clip.row.name}; the mean over captions"
    return Measure("clip_score", found.value, "", "higher", note, found.low, found.high, found.n)
