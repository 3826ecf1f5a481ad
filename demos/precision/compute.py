"""One network in several formats and engines: builds every side, times them in turns, judges them against FP32."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import torch

from demos.precision.decision import QUALITIES, Verdict, accepted_measure, decide
from demos.precision.engines import TITLES, CannotRun, Engine, build
from demos.precision.settings import PrecisionSettings
from demos.precision.takeaway import say
from demos.precision.tasks import Judged, Task, calibrating_for
from shared.comparison import Comparison, Measure, Side
from shared.demo import DemoError, Progress, no_progress
from shared.devices import environment
from shared.measuring import Timing, latency_measures, peak_memory, spread_measure, time_in_turns

UNIT = "steps of the run"
LEAST_RUNS = 30
REFERENCE = "eager_fp32"
_MEASURED = ("p50", "p95", "p99", "throughput")


class Steps:
    """Counts the steps of a run for its progress callback."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress, self.total, self.done = progress, max(1, total), 0

    def tick(self) -> None:
        """One more is done. Raises what the callback raises to stop."""
        self.done = min(self.done + 1, self.total)
        self.look()

    def look(self) -> None:
        """Nothing more is done; asks whether the work is still wanted."""
        self._progress(self.done, self.total, UNIT)

    def timing(self) -> Progress:
        """A progress callback for timed runs, which counts them on from here."""
        base = self.done

        def look(done: int, total: int, unit: str) -> None:
            self.done = max(self.done, min(base + done, self.total))
            self.look()

        return look


def make_task(settings: PrecisionSettings) -> Task:
    """The task with its networks loaded. Raises DemoError where they can't be had.

    A task is imported when it is wanted: with the diffusion pipeline comes a library that takes longer to import than
    the scene reader takes to run.
    """
    if settings.task == "draw":
        from demos.precision.draw import Draw

        return Draw(settings)
    if settings.task == "embed":
        from demos.precision.embed import Embed

        return Embed(settings)
    from demos.precision.classify import Classify

    return Classify(settings)


def compare(settings: PrecisionSettings, progress: Progress | None = None) -> Comparison:
    """Every side with its latency, size and quality, its verdict at the gates, and its pictures.

    A side's images are the first item's picture and nine more, the same items on every side; arrays: what was computed
    of all items. A side that can't run has null measures that say why. Raises DemoError where the task's networks can't
    be had or no side can run, and whatever `progress` raises to stop the work.
    """
    progress = progress or no_progress
    progress(0, 1, UNIT)
    task = make_task(settings)
    names = list(dict.fromkeys((REFERENCE, *settings.sides)))
    steps = Steps(progress, _count(task, names, settings))
    with ExitStack() as held:
        for loaded in {id(n.loaded): n.loaded for n in task.networks}.values():
            held.enter_context(loaded.alone(steps.look))
        engines, reasons = build_all(task, names, settings, steps)
        timings = time_all(task, [n for n in engines if n in settings.sides], engines, settings, steps)
        judged = task.judge(engines, steps.tick)
    memory = _memory(settings, [n for n in engines if n in settings.sides], steps)
    sides = tuple(_side(name, task, engines, reasons, timings, judged, memory) for name in settings.sides)
    if not any(name in engines for name in settings.sides):
        raise DemoError(f"sides: none of these can run here. {next(iter(reasons.values()))}.")
    decision = decide(sides, settings.latency_objective, settings.quality_floor)
    sides = tuple(_with_verdict(side, v) for side, v in zip(sides, decision.verdicts, strict=True))
    first = task.networks[0].loaded
    return Comparison(
        demo="precision",
        settings=settings.model_dump(),
        sides=sides,
        takeaway=say(sides, decision, settings.calibration),
        environment=environment(
            first.device, torch.float32, "onnxruntime", "torchao", model=" and ".join(n.title for n in task.networks),
            weights=first.origin, drawn_by=first.row.name,
        ),
    )  # fmt: skip


def _count(task: Task, names: Sequence[str], settings: PrecisionSettings) -> int:
    build_steps = len(names) * len(task.networks)
    timed = LEAST_RUNS * len(settings.sides) * len(task.networks)
    return build_steps + timed + task.ticks() * len(names) + len(settings.sides) * settings.memory


def build_all(
    task: Task, names: Sequence[str], settings: PrecisionSettings, steps: Steps
) -> tuple[dict[str, list[Engine]], dict[str, str]]:
    """Every side's engines, one a network; and why the other sides can't run."""
    engines: dict[str, list[Engine]] = {}
    reasons: dict[str, str] = {}
    for name in names:
        own: list[Engine] = []
        for network in task.networks:
            steps.look()
            try:
                how = settings.calibration if name == "ort_int8" else "none"
                calibrating = calibrating_for(task, network, how, settings.calibration_size, settings.per_channel,
                                              settings.seed)  # fmt: skip
                own.append(build(name, network, calibrating))
            except CannotRun as why:
                reasons[name] = str(why)
                break
            finally:
                steps.tick()
        if name not in reasons:
            engines[name] = own
    return engines, reasons


def time_all(
    task: Task, names: Sequence[str], engines: Mapping[str, Sequence[Engine]], settings: PrecisionSettings, steps: Steps
) -> dict[str, list[Timing]]:
    """Each side's timing of each network, sides in turns."""
    timings: dict[str, list[Timing]] = {name: [] for name in names}
    for place, network in enumerate(task.networks):
        inputs = network.example(settings.batch, settings.seed)
        runs = {name: (lambda engine=engines[name][place], x=inputs: engine.run(x)) for name in names}
        base = steps.done

        def look(done: int, total: int, unit: str, base: int = base) -> None:
            steps.done = max(steps.done, min(base + done, base + LEAST_RUNS * len(names)))
            steps.look()

        found = time_in_turns(
            runs, items=settings.batch, least_runs=LEAST_RUNS, device=network.loaded.device, progress=look
        )
        steps.done = base + LEAST_RUNS * len(names)
        for name in names:
            timings[name].append(found[name])
    return timings


def _memory(settings: PrecisionSettings, names: Sequence[str], steps: Steps) -> dict[str, Measure]:
    found: dict[str, Measure] = {}
    for name in names if settings.memory else ():
        note = "Peak resident memory of a process that loads and runs this side alone, Python and libraries included"
        try:
            value = peak_memory("demos.precision.memory", [settings.task, name, str(settings.batch)], steps.look)
            found[name] = Measure("peak_memory", value, "MiB", "lower", note)
        except DemoError as error:
            found[name] = Measure("peak_memory", None, "MiB", "lower", str(error))
        steps.tick()
    return found


def _side(
    name: str,
    task: Task,
    engines: Mapping[str, Sequence[Engine]],
    reasons: Mapping[str, str],
    timings: Mapping[str, Sequence[Timing]],
    judged: Mapping[str, Judged],
    memory: Mapping[str, Measure],
) -> Side:
    if name not in engines:
        return Side(TITLES[name], _nulls(task, reasons[name], judged))
    own, engine, timing = judged[name], engines[name][0], timings[name][0]
    p50, p95, p99, throughput = latency_measures(timing, f"{task.timed_as}, in {engine.note}; sides in turns")
    weights = Measure.exact("weights", sum(e.weights for e in engines[name]), "MiB", "lower", _weights_note(task))
    measures = [p50, p95, *own.measures, weights, p99, throughput, *_second(task, timings[name])]
    measures += [spread_measure(timing), *([memory[name]] if name in memory else [])]
    return Side(TITLES[name], tuple(measures), own.pictures, None, own.arrays, own.captions)


def _weights_note(task: Task) -> str:
    return f"Weights of {' and '.join(n.title for n in task.networks)}; an ONNX file's graph counts too"


def _second(task: Task, timings: Sequence[Timing]) -> list[Measure]:
    if len(timings) < 2:
        return []
    p50 = latency_measures(timings[1], f"One call of the {task.networks[1].title}; sides in turns")[0]
    return [replace(p50, name="scene_p50")]


def _nulls(task: Task, why: str, judged: Mapping[str, Judged]) -> tuple[Measure, ...]:
    names: list[tuple[str, str, Any]] = [("p50", "ms", "lower"), ("p95", "ms", "lower")]
    some = next(iter(judged.values())).measures
    names += [(m.name, m.unit, m.better) for m in some]
    names += [("weights", "MiB", "lower"), ("p99", "ms", "lower"), ("throughput", "items/s", "higher")]
    return tuple(Measure(name, None, unit, better, why) for name, unit, better in names)


def _with_verdict(side: Side, verdict: Verdict) -> Side:
    names = [m.name for m in side.measures]
    place = max((names.index(name) + 1 for name in ("p95", *QUALITIES) if name in names), default=len(names))
    measures = (*side.measures[:place], accepted_measure(verdict), *side.measures[place:])
    captions = (verdict.caption, *side.captions[1:]) if side.captions else ()
    return replace(side, measures=measures, captions=captions)
