"""Makes scene_reader: `python -m assets.scene_reader.recipe`. Seeded, resumable, a GPU is used if there.

The reader learns from renders that are blurred, recolored, noised and squeezed, so that it judges generated pictures
as well as clean ones. It never sees a caption and nothing that a generator made.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional as F

from shared.adherence import Facts, check
from shared.reader import ReaderOutput, SceneReader, load_reader, read
from shared.stickers import BACKGROUNDS, COLORS, KINDS, Scene
from shared.training import (
    Optimizer,
    Progress,
    Training,
    cosine_rate,
    rendered,
    scenes,
    to_tensor,
    training_device,
)

FOLDER = Path(__file__).parent
SIZE = 128
WIDTH = 64
BATCH = 48
TRAINING_SCENES = 32_000
CONFIDENCE = 0.5  # below it the answer is "unsure"


def labels(chosen: Sequence[Scene]) -> dict[str, Tensor]:
    """Presence [n, kinds], color index [n, kinds], place [n, kinds, 2] and background index [n] of placed scenes."""
    presence = torch.zeros(len(chosen), len(KINDS))
    color = torch.zeros(len(chosen), len(KINDS), dtype=torch.long)
    place = torch.zeros(len(chosen), len(KINDS), 2)
    background = torch.zeros(len(chosen), dtype=torch.long)
    for row, scene in enumerate(chosen):
        background[row] = list(BACKGROUNDS).index(scene.background)
        for sticker in scene.stickers:
            kind = KINDS.index(sticker.kind)
            presence[row, kind] = 1
            color[row, kind] = list(COLORS).index(sticker.color)
            place[row, kind] = torch.tensor([sticker.x, sticker.y])
    return {"presence": presence, "color": color, "place": place, "background": background}


def loss_of(output: ReaderOutput, truth: dict[str, Tensor]) -> Tensor:
    """Cross-entropy of presence, background and, where a kind is there, color; ten times the L1 of its place."""
    there = truth["presence"].bool()
    presence = F.binary_cross_entropy_with_logits(output.presence, truth["presence"]) * len(KINDS) / 4
    color = F.cross_entropy(output.color[there], truth["color"][there])
    place = F.l1_loss(output.place[there], truth["place"][there])
    return presence + color + 10 * place + F.cross_entropy(output.background, truth["background"])


def degrade(pictures: Tensor, generator: torch.Generator) -> Tensor:
    """Pictures [n, 3, h, w] from -1 to 1, each blurred, recolored, squeezed and noised by an amount of its own.

    A quarter stay clean. The amounts are made for what small generators do: soft edges, tinted or harsh colors.
    """
    n = len(pictures)

    def amount(low: float, high: float, *shape: int) -> Tensor:
        drawn = torch.rand(n, *(shape or (1, 1, 1)), generator=generator) * (high - low) + low
        return drawn.to(pictures.device)

    x = pictures
    for sigma in (0.8, 1.6):
        x = torch.where(amount(0, 1) < 0.4, _blur(x, sigma), x)
    small = F.interpolate(F.avg_pool2d(x, 2), scale_factor=2, mode="bilinear")
    x = torch.where(amount(0, 1) < 0.25, small, x)
    contrast, brightness = amount(0.75, 1.5), amount(-0.15, 0.15)
    tint = amount(-0.08, 0.08, 3, 1, 1)
    x = x * contrast + brightness + tint
    rough = torch.randn(n, 3, 16, 16, generator=generator).to(x.device)
    rough = F.interpolate(rough, size=x.shape[-2:], mode="bilinear")
    x = x + rough * amount(0, 0.12) + torch.randn(x.shape, generator=generator).to(x.device) * amount(0, 0.12)
    return torch.where(amount(0, 1) < 0.25, pictures, x.clamp(-1, 1))


def _blur(x: Tensor, sigma: float) -> Tensor:
    reach = int(3 * sigma + 0.5)
    offsets = torch.arange(-reach, reach + 1, device=x.device, dtype=x.dtype)
    kernel = torch.exp(-(offsets**2) / (2 * sigma**2))
    kernel = (kernel / kernel.sum()).expand(x.shape[1], 1, -1)
    x = F.pad(x, (reach, reach, reach, reach), mode="reflect")
    x = F.conv2d(x, kernel[:, :, None, :], groups=x.shape[1])
    return F.conv2d(x, kernel[:, :, :, None], groups=x.shape[1])


def train(steps: int, fresh: bool, seed: int = 0) -> SceneReader:
    """Train on renders and give back the averaged network."""
    device = training_device()
    torch.manual_seed(seed)
    chosen = scenes(TRAINING_SCENES, seed=1)
    pictures, truth = rendered("train", chosen, SIZE), labels(chosen)
    network = SceneReader(WIDTH).to(device).train()
    if not fresh and (FOLDER / "model.safetensors").exists():
        network.load_state_dict({k: v.float() if v.is_floating_point() else v
                                 for k, v in load_file(FOLDER / "model.safetensors").items()})  # fmt: skip
    optimizer = Optimizer(network, plain=("stem.0.", "background."))
    run = Training("reader", network, optimizer, 0.998)
    progress = Progress("reader", steps)
    for step in range(run.first, steps):
        generator = torch.Generator().manual_seed(seed + step)
        indices = torch.randint(len(pictures), (BATCH,), generator=generator)
        x = degrade(to_tensor(pictures[indices.numpy()]).to(device), generator)
        with torch.autocast(device.type, torch.bfloat16):
            output = network(x.contiguous(memory_format=torch.channels_last))
        loss = loss_of(output, {k: v[indices].to(device) for k, v in truth.items()})
        optimizer.step(loss, cosine_rate(step, steps))
        run.average.update(network)
        progress.step(step + 1, f"loss {loss.item():.4f}")
        if (step + 1) % 500 == 0 or step + 1 == steps:
            run.save(step + 1)
    network.load_state_dict(run.average.values)
    return network.float().eval()


def store(network: SceneReader) -> None:
    """Write weights (FP16, batch statistics FP32) and config beside this file."""
    state = {k: v.half() if v.is_floating_point() and "running" not in k else v
             for k, v in network.cpu().state_dict().items()}  # fmt: skip
    save_file({k: v.contiguous() for k, v in state.items()}, FOLDER / "model.safetensors")
    config = {"width": WIDTH, "confidence": CONFIDENCE, "kinds": list(KINDS), "colors": list(COLORS),
              "backgrounds": list(BACKGROUNDS), "input_size": SIZE}  # fmt: skip
    (FOLDER / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def evaluate(count: int = 1000) -> dict[str, float]:
    """Share of facts read right on unseen renders, clean and degraded, and by type of fact."""
    reader, confidence = load_reader(FOLDER)
    chosen = scenes(count, seed=3, testing=True)
    clean = rendered("reader-unseen", chosen, SIZE)
    generator = torch.Generator().manual_seed(7)
    worn = ((degrade(to_tensor(clean), generator) + 1) * 127.5).round().byte().permute(0, 2, 3, 1).numpy()
    figures: dict[str, float] = {}
    for name, pictures in (("clean", clean), ("degraded", worn)):
        readings = read(reader, [Image.fromarray(p) for p in pictures], confidence)
        facts: list[Facts] = [check(scene, reading) for scene, reading in zip(chosen, readings, strict=True)]
        figures[f"facts right, {name}"] = sum(f.right for f in facts) / sum(f.total for f in facts)
        figures[f"kinds right, {name}"] = float(np.mean([f.kinds for f in facts]))
        figures[f"all facts right, {name}"] = float(np.mean([f.all_right for f in facts]))
        wanted = [{s.kind for s in scene.stickers} for scene in chosen]
        extra = [len({s.kind for s in r.stickers} - w) for r, w in zip(readings, wanted, strict=True)]
        figures[f"kinds seen that are not there, per picture, {name}"] = float(np.mean(extra))
    return figures


def main() -> None:
    """Train, store and evaluate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--fresh", action="store_true", help="do not start from the committed weights")
    parser.add_argument("--evaluate", action="store_true", help="only print the figures of the stored weights")
    options = parser.parse_args()
    if not options.evaluate:
        store(train(options.steps, options.fresh))
    for name, value in evaluate().items():
        print(f"{name}: {value:.4f}")


if __name__ == "__main__":
    main()
