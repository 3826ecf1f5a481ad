"""The bars of the precision demo, each measured in this run. `python -m tests.bench_precision [--quick]`.

Ratios are taken side by side, in one process, sides in turns. Run it with nothing else running.
"""

from __future__ import annotations

import argparse
import platform
import time
from typing import Any

import numpy as np
import torch

from demos.precision.compute import compare
from demos.precision.settings import CalibrationSettings, PrecisionSettings, StagesSettings
from shared.comparison import Comparison, Side
from shared.demo import DemoError

EAGER, ENGINE, INT8 = "eager FP32", "ONNX Runtime FP32", "ONNX Runtime static INT8"
FAST = {"p50", "p95", "p99", "throughput", "scene_p50", "spread", "accepted", "peak_memory"}


def timed(settings: PrecisionSettings) -> tuple[Comparison, float]:
    """A comparison and its seconds."""
    started = time.perf_counter()
    return compare(settings), time.perf_counter() - started


def value(c: Comparison, label: str, name: str) -> float:
    """A side's measure, NaN where it is not there."""
    found = next((side for side in c.sides if side.label == label), None)
    m = found.measure(name) if found else None
    return m.value if m is not None and m.value is not None else float("nan")


def bar(name: str, measured: float, holds: bool, goal: str, digits: int = 2) -> bool:
    """Prints one bar, and says whether it holds."""
    print(f"{'holds' if holds else 'FAILS':6} {name}: {measured:.{digits}f} ({goal})", flush=True)
    return holds


def quality(c: Comparison) -> dict[tuple[str, str], Any]:
    """Every quality number of every side."""
    return {(s.label, m.name): m.value for s in c.sides for m in s.measures if m.name not in FAST}


def ratios(c: Comparison) -> dict[str, float]:
    """Each side's median over the first one's."""
    first = value(c, c.sides[0].label, "p50")
    return {side.label: value(c, side.label, "p50") / first for side in c.sides}


def show(side: Side) -> str:
    """A side in one line."""
    found = {m.name: m.value for m in side.measures}
    parts = [f"{n} {v:.3g}" if v is not None else f"{n} –" for n, v in found.items()]
    return f"  {side.label}: {', '.join(parts)}"


def main() -> int:
    """Prints every bar of the demo; returns how many fail."""
    parser = argparse.ArgumentParser("python -m tests.bench_precision", description=main.__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the draw task and the studies")
    quick = parser.parse_args().quick
    print(f"{platform.processor() or platform.machine()}, {torch.get_num_threads()} threads, torch {torch.__version__}")
    kept = []
    first, seconds = timed(PrecisionSettings())
    print(*map(show, first.sides), sep="\n")
    print(first.takeaway)
    kept.append(bar("defaults, seconds", seconds, seconds < 60, "under 60 on two cores; the first run exports", 1))
    eager, engine, int8 = (value(first, s, "p50") for s in (EAGER, ENGINE, INT8))
    kept.append(bar("EfficientNet-Lite0, ONNX Runtime over eager", eager / engine, eager / engine >= 2, "at least 2"))
    kept.append(bar("static INT8 over ONNX Runtime FP32", engine / int8, engine / int8 >= 1.3, "at least 1.3"))
    base, own = (value(first, s, "accuracy") for s in (EAGER, INT8))
    kept.append(bar("FP32 accuracy on hard scenes", base, 0.85 <= base <= 0.95, "0.85 to 0.95", 3))
    kept.append(bar("INT8 accuracy minus FP32's", own - base, abs(own - base) <= 0.03, "within 0.03", 3))
    raw, _ = timed(PrecisionSettings(sides=["eager_fp32", "ort_fp32", "ort_int8"], calibration="none"))
    for said, c in (("calibrated on scenes", first), ("not calibrated", raw)):
        names = ("accuracy", "agreement", "photo_agreement", "logit_error")
        found = ", ".join(f"{name.replace('_', ' ')} {value(c, INT8, name):.3f}" for name in names)
        print(f"       INT8 {said}: {found}; FP32's own accuracy {base:.3f}")
    lost = base - value(raw, INT8, "accuracy")
    kept.append(bar("accuracy lost without calibration", lost, lost > 0.05, "visibly worse: over 0.05", 3))
    again, seconds = timed(PrecisionSettings())
    kept.append(bar("defaults once more, seconds", seconds, seconds < 60, "under 60", 1))
    same_numbers = quality(first) == quality(again)
    kept.append(bar("quality numbers of both runs equal", float(same_numbers), same_numbers, "exactly", 0))
    apart = max(abs(ratios(again)[k] / v - 1) for k, v in ratios(first).items())
    kept.append(bar("largest change of a p50 ratio", apart, apart <= 0.15, "within 0.15"))
    if not quick:
        kept += draw_and_studies()
    print(f"{sum(kept)} of {len(kept)} bars hold")
    return len(kept) - sum(kept)


def draw_and_studies() -> list[bool]:
    """The U-Net in INT8, its size and speed; the embed task; 500 scenes and 10,000 bootstrap samples in the studies."""
    from demos.precision.calibration import run_calibration
    from demos.precision.stages import run_stages

    c, seconds = timed(PrecisionSettings(task="draw", n_quality=8))
    print(f"draw, {seconds:.0f} s", *map(show, c.sides), c.takeaway, sep="\n")
    size = value(c, INT8, "weights") / value(c, ENGINE, "weights")
    kept = [bar("U-Net in static INT8, size over FP32's", size, size < 0.4, "first try 0.28")]
    try:
        c, seconds = timed(PrecisionSettings(task="embed"))
        print(f"embed, {seconds:.0f} s", *map(show, c.sides), c.takeaway, sep="\n")
    except DemoError as error:
        print(error)
    study = run_stages(StagesSettings())
    print(study.to_markdown(), study.takeaway, sep="\n")
    started = time.perf_counter()
    study = run_calibration(CalibrationSettings())
    print(study.to_markdown(), study.takeaway, f"{time.perf_counter() - started:.0f} s", sep="\n")
    counts = np.array([m.n for s in study.sides if (m := s.measure("accuracy")) is not None and m.n])
    kept.append(bar("scenes in the calibration study", float(counts.min()), bool((counts == 500).all()), "500", 0))
    return kept


if __name__ == "__main__":
    raise SystemExit(main())
