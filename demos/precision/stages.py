"""Stages: text encoder, U-Net and autoencoder in each format; what half the steps save beside what INT8 saves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from demos.precision.compute import Steps
from demos.precision.draw import AT_ONCE, Draw
from demos.precision.engines import TITLES, CannotRun, Engine, build
from demos.precision.exporting import Calibrating
from demos.precision.figures import bars
from demos.precision.networks import Network, decoder, text_encoder
from demos.precision.settings import PrecisionSettings, StagesSettings
from demos.precision.tasks import CALIBRATION_SEED, calibrating_for, digest, noise_like
from shared.comparison import Comparison, Measure, Side
from shared.demo import Cancelled, Progress, no_progress
from shared.devices import environment
from shared.measuring import Timing, latency_measures, time_in_turns

LEAST_RUNS = 20
CALIBRATION_SIZE = 32
STAGES = ("text encoder", "U-Net", "autoencoder")


def run_stages(settings: StagesSettings, progress: Progress | None = None) -> Comparison:
    """A side for each stage and format, with its share of a picture's time; between the sides what halving the steps
    and INT8 in the U-Net each save, and what they cost in quality.

    A picture is one text call (with and without the prompt), one U-Net call of two rows a step, and one decoding.
    Cancelled, it returns the sides that are done with `complete=False`.
    """
    progress = progress or no_progress
    progress(0, 1, "steps")
    task = Draw(PrecisionSettings(task="draw", n_quality=settings.n_quality, steps=settings.steps, seed=settings.seed))
    networks: dict[str, Network] = dict(zip(STAGES, (text_encoder(), task.networks[0], decoder()), strict=True))
    names = list(dict.fromkeys(("eager_fp32", *settings.sides)))
    half = max(1, settings.steps // 2)
    calls = -(-settings.n_quality // AT_ONCE) * (2 * settings.steps + half)
    steps = Steps(progress, len(STAGES) * len(names) * (1 + LEAST_RUNS) + calls)
    timings: dict[str, dict[str, Timing]] = {}
    engines: dict[str, dict[str, Engine]] = {}
    reasons: dict[tuple[str, str], str] = {}
    between: tuple[Measure, ...] = ()
    complete = True
    with task.networks[0].loaded.alone(steps.look):
        try:
            for stage, network in networks.items():
                engines[stage] = _build(stage, network, task, names, settings, steps, reasons)
                inputs = network.example(1 if stage != "text encoder" else 2, settings.seed)
                runs = {name: (lambda e=e, x=inputs: e.run(x)) for name, e in engines[stage].items()}
                before = steps.done
                timings[stage] = time_in_turns(runs, least_runs=LEAST_RUNS, device=network.loaded.device,
                                               progress=steps.timing())  # fmt: skip
                steps.done = min(steps.total, before + LEAST_RUNS * len(names))
            between = _savings(task, engines["U-Net"], timings, settings, half, steps)
        except Cancelled:
            complete = False
    sides = _sides(settings, networks, engines, timings, reasons)
    return Comparison(
        demo="precision.stages",
        settings=settings.model_dump(),
        sides=sides,
        takeaway=say(sides, between, settings.steps, half),
        environment=environment(task.networks[0].loaded.device, torch.float32, "onnxruntime", "diffusers",
                                model=task.networks[0].loaded.row.name, weights=task.networks[0].loaded.origin),
        measures=between,
        figures=(_figure(timings, settings.steps),) if len(timings) == len(STAGES) else (),
        complete=complete,
    )  # fmt: skip


def _build(
    stage: str,
    network: Network,
    task: Draw,
    names: Sequence[str],
    settings: StagesSettings,
    steps: Steps,
    reasons: dict[tuple[str, str], str],
) -> dict[str, Engine]:
    found: dict[str, Engine] = {}
    for name in names:
        calibrating = Calibrating("none", None, True)
        if name == "ort_int8":
            calibrating = _calibrating(stage, network, task, settings)
        try:
            found[name] = build(name, network, calibrating)
        except CannotRun as why:
            reasons[stage, name] = str(why)
        steps.tick()
    return found


def _calibrating(stage: str, network: Network, task: Draw, s: StagesSettings) -> Calibrating:
    if stage == "U-Net" or s.calibration == "none":
        return calibrating_for(task, network, s.calibration, CALIBRATION_SIZE, True, s.seed)
    seed = s.seed + CALIBRATION_SEED
    inputs = network.example(CALIBRATION_SIZE, seed)
    if stage == "autoencoder":  # what it decodes in use: latents at the end of their way, not noise
        inputs = (task.final_latents(CALIBRATION_SIZE // 4, seed),)
    if s.calibration == "noise":
        inputs = noise_like(inputs, s.seed)
    return Calibrating(f"{s.calibration}-{CALIBRATION_SIZE}-{digest(inputs)}", inputs, True)


def picture_ms(timings: Mapping[str, Mapping[str, Timing]], unet: str, steps: int) -> float:
    """Milliseconds of one picture from the stages' medians, with the U-Net in one format and the rest in FP32."""

    def p50(stage: str, name: str) -> float:
        return timings[stage][name].percentile(50).value

    return p50("text encoder", "eager_fp32") + steps * p50("U-Net", unet) + p50("autoencoder", "eager_fp32")


def _savings(
    task: Draw, engines: Mapping[str, Engine], timings: Mapping[str, Mapping[str, Timing]], s: StagesSettings,
    half: int, steps: Steps,
) -> tuple[Measure, ...]:  # fmt: skip
    truth = task.draw(engines["eager_fp32"], steps.tick)
    halved = task.draw(engines["eager_fp32"], steps.tick, half)
    whole = picture_ms(timings, "eager_fp32", s.steps)
    how = "From the medians of the stages: text encoder and autoencoder once, the U-Net once a step"
    found = [
        Measure("picture_ms", whole, "ms", "lower", f"FP32, {s.steps} steps. {how}"),
        Measure("picture_ms_half_steps", picture_ms(timings, "eager_fp32", half), "ms", "lower",
                f"FP32, {half} steps. {how}"),
        _named(task.adherence(truth), "adherence_fp32"),
        _named(task.adherence(halved), "adherence_half_steps"),
    ]  # fmt: skip
    if "ort_int8" in engines:
        pictures = task.draw(engines["ort_int8"], steps.tick)
        found.insert(2, Measure("picture_ms_int8", picture_ms(timings, "ort_int8", s.steps), "ms", "lower",
                                f"U-Net in static INT8, {s.steps} steps. {how}"))  # fmt: skip
        found.append(_named(task.adherence(pictures), "adherence_int8"))
    return tuple(found)


def _named(m: Measure, name: str) -> Measure:
    return Measure(name, m.value, m.unit, m.better, m.note, m.low, m.high, m.n)


def _sides(
    settings: StagesSettings,
    networks: Mapping[str, Network],
    engines: Mapping[str, Mapping[str, Engine]],
    timings: Mapping[str, Mapping[str, Timing]],
    reasons: Mapping[tuple[str, str], str],
) -> tuple[Side, ...]:
    sides: list[Side] = []
    for stage in networks:
        for name in settings.sides:
            label = f"{stage} · {TITLES[name]}"
            if (stage, name) in reasons:
                sides.append(Side(label, (Measure("p50", None, "ms", "lower", reasons[stage, name]),)))
            elif name in timings.get(stage, {}):
                sides.append(Side(label, _stage_measures(stage, name, engines, timings, settings.steps)))
    return tuple(sides)


def _stage_measures(
    stage: str, name: str, engines: Mapping[str, Mapping[str, Engine]], timings: Mapping[str, Mapping[str, Timing]],
    steps: int,
) -> tuple[Measure, ...]:  # fmt: skip
    engine = engines[stage][name]
    p50, p95, p99, _ = latency_measures(timings[stage][name], f"One call for one picture, in {engine.note}")
    calls = {s: steps if s == "U-Net" else 1 for s in timings}
    times = {s: calls[s] * own[name].percentile(50).value for s, own in timings.items() if name in own}
    share = times[stage] / sum(times.values())
    weights = Measure.exact("weights", engine.weights, "MiB", "lower", "Of this stage")
    said = f"Of a picture of {steps} steps with every stage in this format"
    return p50, p95, p99, weights, Measure("share_of_time", share, "share", "neither", said)


def say(sides: Sequence[Side], between: Sequence[Measure], steps: int, half: int) -> str:
    """Where the time goes; what half the steps and what INT8 save, and which saves more."""
    found = {m.name: m for m in between}
    whole, fewer = (found[n].value if n in found else None for n in ("picture_ms", "picture_ms_half_steps"))
    if not whole or not fewer:
        return "Stopped before the savings were measured."
    unet = next((s for s in sides if s.label.startswith("U-Net")), None)
    part = unet.measure("share_of_time") if unet else None
    sentences = [f"The U-Net takes {part.value:.0%} of a picture's time."] if part and part.value is not None else []
    quality = _cost(found, "adherence_half_steps")
    sentences.append(f"Half the steps ({half} for {steps}) save {1 - fewer / whole:.0%} of the time{quality}.")
    int8 = found.get("picture_ms_int8")
    if int8 is not None and int8.value:
        saved = 1 - int8.value / whole
        more = f"saves {saved:.0%}" if saved > 0 else f"costs {-saved:.0%} more"
        verb = "saves nothing" if abs(saved) <= 0.02 else more
        sentences.append(f"Static INT8 in the U-Net {verb}{_cost(found, 'adherence_int8')}.")
        sentences.append(_first(found, fewer < int8.value))
    return " ".join(sentences)


def _first(found: Mapping[str, Measure], fewer_is_faster: bool) -> str:
    """Which of the two saves more time, and whether the other keeps more of what FP32 draws."""
    faster, other = ("Fewer steps", "INT8") if fewer_is_faster else ("INT8", "fewer steps")
    kept = {n: m.value for n in ("half_steps", "int8") if (m := found.get(f"adherence_{n}")) is not None}
    mine, its = (kept.get(n) for n in (("half_steps", "int8") if fewer_is_faster else ("int8", "half_steps")))
    if mine is not None and its is not None and its > mine:
        return f"{faster} would save more time here, and {other} would keep more adherence: choose by your floor."
    return f"Here {faster[:1].lower() + faster[1:] if fewer_is_faster else faster} would be the first thing to try."


def _cost(found: Mapping[str, Measure], name: str) -> str:
    before, after = found.get("adherence_fp32"), found.get(name)
    if before is None or after is None or before.value is None or after.value is None:
        return ""
    return f" at adherence {after.value:.2f} against {before.value:.2f}"


def _figure(timings: Mapping[str, Mapping[str, Timing]], steps: int) -> object:
    groups = {
        stage: [(TITLES[n], (steps if stage == "U-Net" else 1) * t.percentile(50).value) for n, t in own.items()]
        for stage, own in timings.items()
    }
    return bars(groups, f"ms of a picture, {steps} steps", stacked=True)
