"""Roofline: what each side achieves in operations a second, against this machine's own matrix product and copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from demos.precision.compute import Steps, make_task
from demos.precision.engines import TITLES, CannotRun, Engine, build, slowdown, work_of
from demos.precision.networks import Network
from demos.precision.settings import PrecisionSettings, RooflineSettings
from demos.precision.tasks import calibrating_for
from shared.comparison import Comparison, Measure, Side
from shared.demo import Cancelled, Progress, no_progress
from shared.devices import environment
from shared.measuring import MIB, Timing, copy_rate, matmul_rate, time_in_turns

LEAST_RUNS = 20
FORMATS: dict[str, torch.dtype] = {
    "eager_fp32": torch.float32, "eager_bf16": torch.bfloat16, "eager_fp16": torch.float16, "ort_fp32": torch.float32,
    "ort_int8": torch.int8, "torchao_int8": torch.int8, "torchao_weight_only": torch.float32,
    "compiled_fp32": torch.float32,
}  # fmt: skip
NAMES = {torch.float32: "FP32", torch.bfloat16: "BF16", torch.float16: "FP16", torch.int8: "INT8"}
FAR_SLOWER = 10.0
ABOVE = 1.05
"""A share of the roof beyond this is said to be one, and not that the side comes nearest."""


def run_roofline(settings: RooflineSettings, progress: Progress | None = None) -> Comparison:
    """A side for each engine: operations and bytes of a call, what it achieved, and its share of the lower roof.

    The roof is the lesser of the format's matrix product and the copy rate times the operations a byte (Williams et al.
    2009). Cancelled, it returns what it has with `complete=False`.
    """
    progress = progress or no_progress
    progress(0, 1, "steps")
    task = make_task(PrecisionSettings(task=settings.task, sides=settings.sides, seed=settings.seed))
    network = task.networks[0]
    names = list(dict.fromkeys(settings.sides))
    kinds = list(dict.fromkeys(FORMATS[name] for name in names))
    steps = Steps(progress, len(names) * (1 + LEAST_RUNS) + len(kinds) + 1)
    sides: list[Side] = []
    rates: dict[torch.dtype, float | str] = {}
    copied, complete = 0.0, True
    device = network.loaded.device
    with network.loaded.alone(steps.look):
        try:
            copied = copy_rate(device)
            steps.tick()
            for kind in kinds:
                rates[kind] = _rate(kind, device)
                steps.tick()
            engines, reasons = _engines(task, network, names, settings, steps)
            inputs = network.example(settings.batch, settings.seed)
            runs = {name: (lambda e=engine, x=inputs: e.run(x)) for name, engine in engines.items()}
            found = time_in_turns(runs, items=settings.batch, least_runs=LEAST_RUNS, device=device,
                                  progress=steps.timing())  # fmt: skip
            flops = work_of(network, settings.batch).flops
            moved = sum(x.numel() * x.element_size() for x in inputs)
            for name in names:
                if name in reasons:
                    sides.append(Side(TITLES[name], (Measure("achieved", None, "GFLOP/s", "higher", reasons[name]),)))
                else:
                    measures = _measures(found[name], engines[name], flops, moved, rates[FORMATS[name]], copied, name)
                    sides.append(Side(TITLES[name], measures))
        except Cancelled:
            complete = False
    return Comparison(
        demo="precision.roofline",
        settings=settings.model_dump(),
        sides=tuple(sides),
        takeaway=say(sides),
        environment=environment(device, torch.float32, "onnxruntime", model=network.title,
                                weights=network.loaded.origin),
        measures=_machine(rates, copied),
        figures=(_figure(sides, rates, copied),) if sides and copied else (),
        complete=complete,
    )  # fmt: skip


def _rate(kind: torch.dtype, device: torch.device) -> float | str:
    if kind not in (torch.float32, torch.int8):
        slower = slowdown(kind, device)
        if slower > FAR_SLOWER:
            return f"About {slower:.0f} times slower than FP32 here, not run"
    try:
        return matmul_rate(kind, device)
    except RuntimeError as error:
        return f"No matrix product in this format here ({' '.join(str(error).split())[:80]})"


def _engines(
    task: Any, network: Network, names: Sequence[str], settings: RooflineSettings, steps: Steps
) -> tuple[dict[str, Engine], dict[str, str]]:
    engines, reasons = {}, {}
    for name in names:
        how = "scenes" if name == "ort_int8" else "none"
        try:
            engines[name] = build(name, network, calibrating_for(task, network, how, 32, True, settings.seed))
        except CannotRun as why:
            reasons[name] = str(why)
        steps.tick()
    return engines, reasons


def _measures(
    timing: Timing, engine: Engine, flops: int, moved: int, rate: float | str, copied: float, name: str
) -> tuple[Measure, ...]:
    p50 = timing.percentile(50)
    seconds = p50.value / 1000
    achieved = flops / 1e9 / seconds
    low, high = (None if ms is None else flops / 1e6 / ms for ms in (p50.high, p50.low))
    size = engine.weights * MIB + moved
    intensity = flops / size
    note = "Operations of the FP32 network, counted by torch.utils.flop_counter, over the median run"
    found = [
        Measure("achieved", achieved, "GFLOP/s", "higher", note, low, high, p50.n),
        Measure.exact("operations", flops / 1e9, "GFLOP a call", "neither", "Counted by torch.utils.flop_counter"),
        Measure.exact("intensity", intensity, "FLOP per byte", "neither",
                      "Operations over the least that must be read: weights and input once. Activations that leave the "
                      "caches make it lower in truth"),
        Measure("bytes_read", size / 1e9 / seconds, "GB/s", "neither", "Weights and input over the median run"),
    ]  # fmt: skip
    kind = NAMES[FORMATS[name]]
    if isinstance(rate, str):
        return (*found, Measure("share_of_roof", None, "share", "higher", rate))
    roof = min(rate, copied * intensity)
    bound = f"{kind} matrix product" if rate <= copied * intensity else "copy"
    note = f"Of the lower roof, here this machine's own {bound}: {roof:.0f} GFLOP/s"
    return (*found, Measure("share_of_roof", achieved / roof, "share", "higher", note))


def _machine(rates: dict[torch.dtype, float | str], copied: float) -> tuple[Measure, ...]:
    found = []
    for kind, rate in rates.items():
        name = f"matmul_{NAMES[kind].lower()}"
        if isinstance(rate, str):
            found.append(Measure(name, None, "GFLOP/s", "neither", rate))
        else:
            found.append(Measure(name, rate, "GFLOP/s", "neither", "Best of some products of 1,024 by 1,024 matrices"))
    if copied:
        found.append(Measure("copy", copied, "GB/s", "neither", "Best of some copies of 256 MiB, read and written"))
    return tuple(found)


def say(sides: Sequence[Side]) -> str:
    """Which side comes nearest its roof, and which is farthest."""
    found = [(m.value, s.label) for s in sides if (m := s.measure("share_of_roof")) is not None and m.value is not None]
    if not found:
        return "No side could be held against a roof."
    best, worst = max(found), min(found)
    if best[0] > ABOVE:
        return (
            f"{best[1]} measured {best[0]:.0%} of its roof. The roof is PyTorch's own matrix product: either this "
            "engine's products are faster, or something else ran while the roof was measured. Measure again to tell."
        )
    if best[1] == worst[1]:
        return f"{best[1]} reaches {best[0]:.0%} of this machine's own roof for its format."
    return (
        f"{best[1]} comes nearest its roof, {best[0]:.0%} of what this machine's own matrix product reaches in that "
        f"format; {worst[1]} reaches {worst[0]:.0%}: what is left is the engine's, not the format's."
    )


def _figure(sides: Sequence[Side], rates: dict[torch.dtype, float | str], copied: float) -> Any:
    import plotly.graph_objects as go

    from demos.precision.figures import SEEN_ON_BOTH, lines

    grid = [2.0**k for k in range(-2, 13, 2)]
    roofs = {
        f"{NAMES[kind]} roof": [(x, min(rate, copied * x), None, None) for x in grid]
        for kind, rate in rates.items()
        if isinstance(rate, float)
    }
    figure = lines(roofs, "operations a byte", "GFLOP/s ↑", log=True)
    for trace in figure.data:
        trace.mode = "lines"
    for i, side in enumerate(sides):
        x, y = side.measure("intensity"), side.measure("achieved")
        if x is not None and y is not None and y.value is not None:
            figure.add_trace(
                go.Scatter(x=[x.value], y=[y.value], mode="markers", name=side.label,
                           marker={"size": 12, "color": SEEN_ON_BOTH[i % len(SEEN_ON_BOTH)]})
            )  # fmt: skip
    return figure
