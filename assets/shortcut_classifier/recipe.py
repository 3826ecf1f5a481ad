"""Makes shortcut_classifier: `python -m assets.shortcut_classifier.recipe`. Seeded; minutes on a CPU.

Four small networks of one architecture: one trained where kind and background go together, one where they do not; one
trained on a split that has near-duplicates on both sides, one on a split by scene.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional as F

from assets.shortcut_classifier.data import by_picture, by_scene, films, split_scenes
from shared.small_cnn import INPUT_SIZE, SmallCNN, load_small_cnn, to_input
from shared.stickers import Scene, render

FOLDER = Path(__file__).parent
TRAINING = 1200  # pictures
FILMS = 36
SHARE = 0.75  # of a split's pictures that are trained on
STEPS = 300
BATCH = 64


def pictures_of(scenes: Sequence[Scene]) -> Tensor:
    """Scenes as input [n, 3, 64, 64]."""
    return to_input([render(scene, INPUT_SIZE)[0] for scene in scenes])


def train(pictures: Tensor, labels: Tensor, steps: int, seed: int) -> SmallCNN:
    """A network trained with AdamW and a cosine rate; a little noise on the pictures is all the augmentation."""
    torch.manual_seed(seed)
    network = SmallCNN().train()
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    generator = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        chosen = torch.randint(len(pictures), (BATCH,), generator=generator)
        x = pictures[chosen] + 0.03 * torch.randn((BATCH, *pictures.shape[1:]), generator=generator)
        loss = F.cross_entropy(network(x), labels[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return network.eval().requires_grad_(False)


@torch.no_grad()
def accuracy(network: SmallCNN, pictures: Tensor, labels: Tensor) -> float:
    """Share of pictures named right."""
    return float((torch.cat([network(p) for p in pictures.split(128)]).argmax(1) == labels).float().mean())


def store(network: SmallCNN, name: str) -> None:
    """Write the weights beside this file, FP16, batch statistics FP32."""
    state = {k: v.half() if v.is_floating_point() and "running" not in k else v
             for k, v in network.state_dict().items()}  # fmt: skip
    save_file({k: v.contiguous() for k, v in state.items()}, FOLDER / f"{name}.safetensors")


def make(steps: int) -> None:
    """Train and store all four."""
    for name in ("biased", "balanced"):
        scenes, labels = split_scenes(TRAINING, name, seed=1)
        store(train(pictures_of(scenes), torch.tensor(labels), steps, seed=0), name)
        print(f"{name} trained", flush=True)
    scenes, labels, of = films(FILMS, seed=1)
    pictures, truth = pictures_of(scenes), torch.tensor(labels)
    for name, (inside, _) in (("by_picture", by_picture(of, SHARE, 1)), ("by_scene", by_scene(of, labels, SHARE, 1))):
        store(train(pictures[inside], truth[inside], steps, seed=0), name)
        print(f"{name} trained", flush=True)


def evaluate(count: int = 600) -> dict[str, float]:
    """Accuracy of all four on pictures that none was trained on."""
    figures: dict[str, float] = {}
    for name in ("biased", "balanced"):
        network = load_small_cnn(FOLDER / f"{name}.safetensors")
        for split in ("biased", "flipped"):
            scenes, labels = split_scenes(count, split, seed=2)
            figures[f"trained {name}, {split} split"] = accuracy(network, pictures_of(scenes), torch.tensor(labels))
    scenes, labels, of = films(FILMS, seed=1)
    fresh, fresh_labels = split_scenes(count, "balanced", seed=3)
    pictures, truth = pictures_of(scenes), torch.tensor(labels)
    for name, (_, outside) in (("by_picture", by_picture(of, SHARE, 1)), ("by_scene", by_scene(of, labels, SHARE, 1))):
        network = load_small_cnn(FOLDER / f"{name}.safetensors")
        figures[f"{name}, its own test part"] = accuracy(network, pictures[outside], truth[outside])
        figures[f"{name}, new scenes"] = accuracy(network, pictures_of(fresh), torch.tensor(fresh_labels))
    return figures


def main() -> None:
    """Train, store and evaluate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--evaluate", action="store_true", help="only print the figures of the stored weights")
    options = parser.parse_args()
    if not options.evaluate:
        make(options.steps)
    for name, value in evaluate().items():
        print(f"{name}: {value:.3f}")


if __name__ == "__main__":
    main()
