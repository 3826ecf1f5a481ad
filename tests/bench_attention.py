"""What explaining costs: `python -m tests.bench_attention`. Not a test; figures go into the demo's README.

Grad-CAM against a bare forward and backward pass, and a generation with the recorder against one without, in turns.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import torch

from demos.attention import classifiers, gradcam, reading
from demos.attention.recorder import record
from demos.attention.words import read_caption
from shared.models import load_pipeline
from shared.sampling import Plan, Sampling, encode
from shared.stickers import Scene, Sticker, render

ROUNDS = 9
PROMPT = "a red car left of a blue house on a mint background"


def in_turns(bare: Callable[[], object], other: Callable[[], object], rounds: int) -> tuple[float, float]:
    """The median CPU seconds of both, after one call of each, measured in turns."""
    bare(), other()
    taken: list[list[float]] = [[], []]
    for turn in range(rounds):
        for i in (0, 1) if turn % 2 == 0 else (1, 0):
            started = time.process_time()
            (bare, other)[i]()
            taken[i].append(time.process_time() - started)
    return statistics.median(taken[0]), statistics.median(taken[1])


def grad_cam_cost(name: str) -> tuple[float, float]:
    """Seconds of a bare forward and backward pass, and of a Grad-CAM."""
    classifier = classifiers.load(name)
    picture = render(Scene((Sticker("car", "red"),), None, "mint"), 256)[0]
    x, network = classifier.inputs(picture), classifier.network
    layer = gradcam.find_layer(network, x, 0)

    def bare() -> None:
        given = x.clone().requires_grad_(True)
        network(given)[:, 0].sum().backward()

    return in_turns(bare, lambda: gradcam.grad_cam(network, x, 0, layer), ROUNDS)


def recording_cost(steps: int) -> tuple[float, float]:
    """Seconds of a generation, and of one with its cross-attention recorded."""
    loaded = load_pipeline("sticker_diffusion")
    encoded = encode(loaded.model, PROMPT)
    read_caption(loaded.model.tokenizer, PROMPT)

    def bare() -> None:
        run = Sampling(loaded.model, encoded, Plan(reading.GUIDANCE, steps, "ddim"), (13,))
        while not run.finished:
            run.step()

    def recorded() -> None:
        with record(loaded.model.unet, guided=True):
            bare()

    return in_turns(bare, recorded, 3)


def main() -> None:
    """Print the ratios, each beside what it may be at most."""
    torch.set_num_threads(1)
    for name in ("scene_reader", "efficientnet_lite0"):
        bare, cam = grad_cam_cost(name)
        print(f"{name}: forward and backward {bare * 1e3:.1f} ms, Grad-CAM {cam * 1e3:.1f} ms", end=", ")
        print(f"{cam / bare:.2f} times (at most 1.3)")
    bare, recorded = recording_cost(reading.STEPS)
    print(f"generation: {bare:.2f} s, recorded {recorded:.2f} s, {recorded / bare:.2f} times (at most 1.4)")


if __name__ == "__main__":
    main()
