"""Measures the remedies of the demo's card: `python -m demos.guidance.remedies`.

Over unseen scenes, each with its own noise, the same on both sides: what a negative prompt, rescaled guidance and
guidance in a part of the steps change. Prints the table of README.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from PIL import Image

from shared import adherence
from shared.batching import rows_at_once, take_steps
from shared.intervals import Interval, paired_difference
from shared.models import Loaded, load_pipeline, load_scene_reader
from shared.off_palette import off_palette
from shared.reader import Reading, read
from shared.sampling import Encoded, Plan, Sampling, decode, encode_many
from shared.stickers import Scene, Sticker, caption
from shared.training import scenes

STEPS, GUIDANCE, HARSH, RESCALE = 20, 5.0, 15.0, 0.7
INTERVAL = (0.1, 0.7)


@dataclass(frozen=True)
class Seen:
    """One side's pictures with what the scene reader says of each, and its U-Net calls a picture."""

    pictures: Sequence[Image.Image]
    readings: Sequence[Reading]
    calls: int


def draw(loaded: Loaded, texts: Sequence[str], plan: Plan, negatives: Sequence[str] | None = None) -> Seen:
    """A picture for each text, the one at index i from noise i; each may have a negative prompt of its own."""
    wanted = encode_many(loaded.model, texts)
    avoided = encode_many(loaded.model, negatives) if negatives else None
    size, runs = rows_at_once(loaded) // 2, []
    for start in range(0, len(texts), size):
        part = range(start, min(len(texts), start + size))
        encoded = wanted.of(part)
        if avoided:
            encoded = Encoded(encoded.prompt, avoided.prompt[list(part)])
        runs.append(Sampling(loaded.model, encoded, plan, list(part)))
    total = sum(run.total_calls * run.samples for run in runs)
    for _ in take_steps(loaded, runs, rows_at_once(loaded)):
        print(f"\r{sum(r.calls * r.samples for r in runs)} of {total} U-Net calls ", end="", file=sys.stderr)
    pictures = [p for run in runs for p in decode(loaded.model, run.latents)]
    reader = load_scene_reader(loaded.row.judge)
    return Seen(pictures, read(reader.model, pictures, reader.confidence), runs[0].calls)


def adherences(chosen: Sequence[Scene], seen: Seen) -> list[float]:
    """Each picture's share of facts right."""
    return [adherence.check(s, r).share for s, r in zip(chosen, seen.readings, strict=True)]


def shows(fact: Callable[[Scene, Reading], bool], chosen: Sequence[Scene], seen: Seen) -> list[float]:
    """For each picture, 1 where it shows the fact."""
    return [float(fact(s, r)) for s, r in zip(chosen, seen.readings, strict=True)]


def _shows_color(scene: Scene, reading: Reading) -> bool:
    return any(s.color == scene.stickers[0].color for s in reading.stickers)


def _shows_kind(scene: Scene, reading: Reading) -> bool:
    return any(s.kind == scene.stickers[0].kind for s in reading.stickers)


def _shows_background(scene: Scene, reading: Reading) -> bool:
    return reading.background == scene.background


def line(name: str, unit: str, before: Sequence[float], after: Sequence[float], calls: str) -> str:
    """One row of the card's table: both means and their paired difference with its interval."""
    gain: Interval = paired_difference(before, after)
    first, second = sum(before) / len(before), sum(after) / len(after)
    spread = "" if gain.low is None else f" ({gain.low:+.3f} to {gain.high:+.3f})"
    return f"| {name} | {unit} | {first:.3f} | {second:.3f} | {gain.value:+.3f}{spread} | {calls} |"


def measure_negative(loaded: Loaded, chosen: Sequence[Scene], texts: Sequence[str], steps: int) -> None:
    """A row for each fact that a negative prompt names, though the prompt names it too."""
    facts: tuple[tuple[str, Callable[[Scene, Reading], bool], Callable[[Scene], str]], ...] = (
        ("the first sticker's color", _shows_color, lambda s: str(s.stickers[0].color)),
        ("the first sticker's kind", _shows_kind, lambda s: caption(Scene((Sticker(s.stickers[0].kind),)))),
        ("the background", _shows_background, lambda s: f"{s.background} background"),
    )
    plain = draw(loaded, texts, Plan(GUIDANCE, steps, "ddim"))
    for name, fact, words in facts:
        steered = draw(loaded, texts, Plan(GUIDANCE, steps, "ddim"), [words(s) for s in chosen])
        found = (shows(fact, chosen, plain), shows(fact, chosen, steered))
        calls = f"{plain.calls} and {steered.calls}"
        print(line(f"negative prompt naming {name}", "pictures showing it", *found, calls), flush=True)


def measure_rescale(loaded: Loaded, chosen: Sequence[Scene], texts: Sequence[str], steps: int) -> None:
    """Three rows: pixels off the palette, saturation and adherence at too much guidance, without and with rescale."""
    harsh = draw(loaded, texts, Plan(HARSH, steps, "ddim"))
    mild = draw(loaded, texts, Plan(HARSH, steps, "ddim", rescale=RESCALE))
    off = [[off_palette(p) for p in side.pictures] for side in (harsh, mild)]
    saturated = [[adherence.saturation(p) for p in side.pictures] for side in (harsh, mild)]
    followed = [adherences(chosen, side) for side in (harsh, mild)]
    for name, (before, after) in (("off_palette", off), ("saturation", saturated), ("adherence", followed)):
        calls = f"{harsh.calls} and {mild.calls}"
        print(line(f"rescale {RESCALE} at guidance {HARSH:g}", name, before, after, calls), flush=True)


def measure_interval(loaded: Loaded, chosen: Sequence[Scene], texts: Sequence[str], steps: int) -> None:
    """A row: adherence with guidance in all steps and in a part of them."""
    plain = draw(loaded, texts, Plan(GUIDANCE, steps, "ddim"))
    part = draw(loaded, texts, Plan(GUIDANCE, steps, "ddim", 0.0, *INTERVAL))
    share = f"guidance {GUIDANCE:g} only from {INTERVAL[0]:.0%} to {INTERVAL[1]:.0%} of the steps"
    before, after = adherences(chosen, plain), adherences(chosen, part)
    print(line(share, "adherence", before, after, f"{plain.calls} and {part.calls}"), flush=True)


REMEDIES = {"negative": measure_negative, "rescale": measure_rescale, "interval": measure_interval}


@torch.inference_mode()
def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=100)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--only", choices=list(REMEDIES), help="measure one remedy; all if none is named")
    options = parser.parse_args()
    loaded = load_pipeline("sticker_diffusion")
    chosen = scenes(options.scenes, seed=21, testing=True)
    texts = [caption(scene) for scene in chosen]
    print("| remedy | measure | without | with | difference | U-Net calls |\n|---|---|---|---|---|---|")
    for name, measure in REMEDIES.items():
        if options.only in (None, name):
            measure(loaded, chosen, texts, options.steps)


if __name__ == "__main__":
    main()
