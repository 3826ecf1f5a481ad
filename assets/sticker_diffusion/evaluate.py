"""Measures sticker_diffusion: `python -m assets.sticker_diffusion.evaluate`. Prints the figures of the model card.

`--model sticker_turbo` and `--model sticker_small` measure the siblings in the same way.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from diffusers import StableDiffusionPipeline
from PIL import Image

from shared import adherence
from shared.adherence import Facts
from shared.intervals import paired_difference
from shared.models import load_pipeline, load_scene_reader
from shared.reader import read
from shared.sampling import Encoded, Plan, Sampling, decode, encode, keeps_scheduler
from shared.stickers import HELD_OUT, STYLES, Scene, caption, render
from shared.training import Progress, scenes

BATCH = 25


def draw(pipeline: StableDiffusionPipeline, texts: Sequence[str], plan: Plan, seed: int = 0) -> list[Image.Image]:
    """One picture for each text, sampled in batches; the text at index i uses noise seed + i."""
    pictures: list[Image.Image] = []
    progress = Progress(f"guidance {plan.guidance:g}, {plan.steps} steps, {plan.scheduler}", len(texts), every=60)
    for start in range(0, len(texts), BATCH):
        part = texts[start : start + BATCH]
        encoded = [encode(pipeline, t) for t in part]
        together = Encoded(torch.cat([e.prompt for e in encoded]), encoded[0].empty)
        run = Sampling(pipeline, together, plan, [seed + start + i for i in range(len(part))])
        while not run.finished:
            run.step()
        pictures += decode(pipeline, run.latents)
        progress.step(start + len(part))
    return pictures


def captions_of(chosen: Sequence[Scene]) -> list[str]:
    """A caption for each scene, styles in turn."""
    return [caption(scene, STYLES[i % len(STYLES)]) for i, scene in enumerate(chosen)]


def judge(chosen: Sequence[Scene], pictures: Sequence[Image.Image]) -> list[Facts]:
    """Each picture's facts, by the scene reader."""
    loaded = load_scene_reader()
    readings = read(loaded.model, list(pictures), loaded.confidence)
    return [adherence.check(scene, reading) for scene, reading in zip(chosen, readings, strict=True)]


def line(name: str, facts: Sequence[Facts], pictures: Sequence[Image.Image]) -> str:
    """One row of the card's table."""
    a, k, f = adherence.adherence(facts), adherence.kinds_right(facts), adherence.all_facts(facts)
    saturated = float(np.mean([adherence.saturation(p) for p in pictures]))
    return (
        f"| {name} | {a.value:.3f} ({a.low:.3f} to {a.high:.3f}) | {k.value:.3f} ({k.low:.3f} to {k.high:.3f}) | "
        f"{f.value:.3f} ({f.low:.3f} to {f.high:.3f}) | {saturated:.4f} |"
    )


def sample_sheet(pipeline: StableDiffusionPipeline, guidance: float, path: Path, rows: int = 6) -> None:
    """Write rows x rows pictures of unseen captions beside the renders of the same scenes."""
    chosen = scenes(rows * rows, seed=6, testing=True)
    drawn = draw(pipeline, captions_of(chosen), Plan(guidance, 20, "ddim"))
    side, gap = drawn[0].width, 24
    sheet = Image.new("RGB", (2 * rows * side + gap, rows * side), "white")
    for index, scene in enumerate(chosen):
        x, y = index % rows * side, index // rows * side
        sheet.paste(drawn[index], (x, y))
        sheet.paste(render(scene, side)[0], (x + rows * side + gap, y))
    sheet.save(path, quality=90)


def main() -> None:
    """Print the tables over guidance, steps, schedulers, relations and held-out pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="sticker_diffusion")
    parser.add_argument("--captions", type=int, default=200)
    parser.add_argument("--guidances", default="1,2,3,5,7.5,12,20")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--scheduler", default="ddim")
    parser.add_argument("--step-counts", default="", help="also over these step counts, for ddim and dpm++")
    parser.add_argument("--held-out", action="store_true", help="also on kind and color pairs never trained")
    parser.add_argument("--samples", type=Path, help="write 36 pictures beside 36 renders here, at guidance 3")
    options = parser.parse_args()
    pipeline = load_pipeline(options.model).model
    if options.samples:
        sample_sheet(pipeline, 3.0, options.samples)
        return
    own = "lcm" if keeps_scheduler(pipeline) else options.scheduler
    chosen = scenes(options.captions, seed=4, testing=True)
    texts = captions_of(chosen)
    print(f"{options.captions} unseen captions, {options.steps} steps, {own}\n")
    print("| guidance | adherence | kinds right | all facts right | saturation |\n|---|---|---|---|---|")
    results: dict[float, list[Facts]] = {}
    for guidance in map(float, options.guidances.split(",")):
        pictures = draw(pipeline, texts, Plan(guidance, options.steps, own))
        results[guidance] = judge(chosen, pictures)
        print(line(f"{guidance:g}", results[guidance], pictures), flush=True)
    best = max(results, key=lambda g: adherence.adherence(results[g]).value)
    if 1.0 in results:
        gain = paired_difference([f.share for f in results[1.0]], [f.share for f in results[best]])
        print(f"\nbest guidance {best:g}; gain over guidance 1: {gain.value:.3f} ({gain.low:.3f} to {gain.high:.3f})")
    relation = [f.relation for f in results[best] if f.relation is not None]
    print(f"relations right at guidance {best:g}: {np.mean(relation):.3f} of {len(relation)}", flush=True)
    for scheduler in (("lcm",) if own == "lcm" else ("ddim", "dpm++")) if options.step_counts else ():
        print(f"\n| steps, {scheduler}, guidance {best:g} | adherence | kinds right | all facts right | saturation |")
        print("|---|---|---|---|---|")
        for steps in map(int, options.step_counts.split(",")):
            pictures = draw(pipeline, texts, Plan(best, steps, scheduler))
            print(line(str(steps), judge(chosen, pictures), pictures), flush=True)
    if options.held_out:
        unseen = scenes(options.captions, seed=5, held_out=True)
        pictures = draw(pipeline, captions_of(unseen), Plan(best, options.steps, own))
        print(f"\nscenes with a pair never trained ({len(HELD_OUT)} pairs), guidance {best:g}:")
        print(line("all facts", judge(unseen, pictures), pictures))
        alone = [Scene(s.stickers[:1]) for s in unseen]
        print(line("the pair only", judge(alone, pictures), pictures), flush=True)


if __name__ == "__main__":
    main()
