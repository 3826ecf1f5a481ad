"""Chooses heads, timestep and threshold: `python -m demos.attention.choose [--scenes 48]`, a minute or two.

It looks at scenes that are none of the benchmark's: those that training may show. Heads are added one at a time, each
time the one that raises the mean IoU of the averaged map most, until none does or MOST are chosen. The threshold is the
one with the best mean of cross-attention's and Grad-CAM's IoU, so that neither is favored. The result goes to
chosen.json with the checksum of the weights; run it again after training.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from demos.attention import classifiers, maps, reading
from demos.attention.benchmark import BATCH, Example, cams_of, two_sticker_scenes
from demos.attention.recorder import cross_attention_layers, resize
from demos.attention.settings import follow_choice
from demos.attention.words import read_caption
from shared.models import ASSETS, Loaded, load_pipeline
from shared.sampling import encode_many

TIMESTEPS = (50, 100, 200)
THRESHOLDS = tuple(round(0.25 + 0.05 * i, 2) for i in range(9))
MOST = 8  # heads
SCENES = 48
SEED = 77
Head = tuple[str, int]


def head_maps(loaded: Loaded, examples: Sequence[Example], timestep: int) -> tuple[list[Head], Tensor]:
    """Every head, and its maps of both stickers of every scene, [heads, maps, height, width] of the finest layer."""
    every = dict.fromkeys(cross_attention_layers(loaded.model.unet), ())
    parts: list[Tensor] = []
    heads: list[Head] = []
    for start in range(0, len(examples), BATCH):
        part = examples[start : start + BATCH]
        encoded = encode_many(loaded.model, [e.caption for e in part])
        latents = reading.to_latents(loaded, [e.picture for e in part])
        seeds = [SEED + start + i for i in range(len(part))]
        _, recording, _ = reading.look(loaded, encoded, latents, seeds, timestep, every, heads=True)
        size = max((f.shape[-2:] for f in recording.heads.values()), key=lambda s: s[0] * s[1])
        rows = []
        for i, example in enumerate(part):
            read = read_caption(loaded.model.tokenizer, example.caption)
            for sticker in example.scene.stickers:
                phrase = read.phrase(read.find(sticker.kind))
                rows.append(torch.cat([resize(maps.word_map(f[i], phrase), tuple(size))  # pyright: ignore[reportArgumentType]
                                       for f in recording.heads.values()]).cpu())  # fmt: skip
        heads = [(name, h) for name, f in recording.heads.items() for h in range(f.shape[1])]
        parts.append(torch.stack(rows, 1))
    return heads, torch.cat(parts, 1)


def overlap(found: Tensor, masks: Tensor, thresholds: Sequence[float]) -> np.ndarray:
    """Mean IoU of maps [n, h, w] with masks [n, H, W] at each threshold, [thresholds]."""
    large = resize(found, (masks.shape[-2], masks.shape[-1]))
    low, high = large.amin((1, 2), keepdim=True), large.amax((1, 2), keepdim=True)
    large = (large - low) / (high - low).clamp_min(1e-9)
    ious = []
    for threshold in thresholds:
        above = large > threshold
        both, either = (above & masks).sum((1, 2)), (above | masks).sum((1, 2))
        ious.append(float((both / either.clamp_min(1)).mean()))
    return np.array(ious)


def pick_heads(found: Tensor, masks: Tensor) -> tuple[list[int], float]:
    """Heads by their index, chosen one at a time, and the best mean IoU over the thresholds that they reach."""
    picked: list[int] = []
    best, total = 0.0, torch.zeros_like(found[0])
    while len(picked) < MOST:
        rest = [h for h in range(len(found)) if h not in picked]
        gains = [overlap(total + found[h], masks, THRESHOLDS[1:8:2]).max() for h in rest]
        top = int(np.argmax(gains))
        if gains[top] <= best + 1e-3:
            break
        best = float(gains[top])
        picked.append(rest[top])
        total = total + found[rest[top]]
    return picked, best


def choose(count: int) -> dict:
    """The choice, as chosen.json holds it, with the IoU that it reached on the scenes it was chosen on."""
    loaded = load_pipeline("sticker_diffusion")
    examples = two_sticker_scenes(count, SEED, reading.unet_side(loaded), testing=False)
    masks = torch.from_numpy(np.concatenate([e.masks for e in examples]))
    small = masks[:, ::2, ::2]  # every second pixel is enough to rank heads
    results = []
    for timestep in TIMESTEPS:
        heads, found = head_maps(loaded, examples, timestep)
        picked, reached = pick_heads(found, small)
        every = overlap(found.mean(0), small, THRESHOLDS)
        print(f"timestep {timestep}: {len(picked)} heads reach {reached:.3f}, all {len(heads)} reach {every.max():.3f}")
        results.append((max(reached, float(every.max()) + 1e-3), timestep, heads, found,
                        picked if reached > every.max() else list(range(len(heads)))))  # fmt: skip
    _, timestep, heads, found, picked = max(results, key=lambda r: r[0])
    ours = overlap(found[picked].mean(0), masks, THRESHOLDS)
    cams = all_grad_cams(examples)
    theirs = overlap(cams, masks, THRESHOLDS)
    best = int(np.argmax(ours + theirs))
    for threshold, a, b in zip(THRESHOLDS, ours, theirs, strict=True):
        print(f"threshold {threshold:.2f}: cross-attention {a:.3f}, Grad-CAM {b:.3f}")
    chosen: dict[str, list[int]] = {}
    for index in sorted(picked):
        chosen.setdefault(heads[index][0], []).append(heads[index][1])
    return {
        "checksum": maps.checksum(ASSETS / "sticker_diffusion"),
        "heads": chosen,
        "timestep": timestep,
        "threshold": THRESHOLDS[best],
        "iou": round(float(ours[best]), 4),
        "scenes": count,
    }


def all_grad_cams(examples: Sequence[Example]) -> Tensor:
    """Grad-CAM of every scene's stickers at the picture's size, [maps, h, w]."""
    classifier = classifiers.load("scene_reader")
    found = [m for e in examples for m in cams_of(classifier, e, e.picture.size)]
    return torch.from_numpy(np.stack(found))


def renew(count: int = SCENES) -> dict:
    """Choose and store, and let this process go by the new choice, its settings' defaults too."""
    result = choose(count)
    maps.CHOSEN.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    maps.chosen.cache_clear()
    follow_choice(result["timestep"], result["threshold"])
    return result


def main() -> None:
    """Choose, store, and print what was chosen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=SCENES)
    print(json.dumps(renew(parser.parse_args().scenes), indent=2))


if __name__ == "__main__":
    main()
