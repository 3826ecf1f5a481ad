"""Logs which modality leads the training: `python -m assets.fusion.dominance --real recordings.zip`. Seeded.

The network is the late design, trained through one loss on the sum of both classifiers' scores, so that the modalities
compete. Plain SGD: an optimizer that rescales gradients would undo the rebalancing.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional as F

from assets.fusion.recipe import BATCH, FOLDER, Batches
from demos.fusion.compute import test_inputs
from demos.fusion.networks import Late
from demos.fusion.settings import AUDIO_NOISE, IMAGE_NOISE
from shared.devices import environment
from shared.training import Progress, cosine_rate

STEPS, LOOK, N = 500, 20, 300
RATE, MOMENTUM, ALPHA = 0.03, 0.9, 0.8


def run(batches: Batches, rebalance: bool, seed: int = 0) -> dict[str, list[float]]:
    """Train once; gives the log: per look the step, each modality's gradient norm, accuracy alone and of both."""
    torch.manual_seed(seed)
    network = Late("digit").train()
    optimizer = torch.optim.SGD(network.parameters(), lr=RATE, momentum=MOMENTUM)
    test, truth = test_inputs("digit", N, seed, IMAGE_NOISE, AUDIO_NOISE)
    everything = (torch.ones(BATCH, dtype=torch.bool),) * 2
    log: dict[str, list[float]] = {
        k: []
        for k in ("steps", "gradient_image", "gradient_audio", "accuracy_image", "accuracy_audio", "accuracy_both")
    }
    progress = Progress("rebalanced" if rebalance else "plain", STEPS)
    for step in range(STEPS):
        image, audio, answers = batches.draw(step, seed)
        scores = network.answers(image, audio, everything)
        loss = F.cross_entropy(scores[0] + scores[1], answers)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norms = [_norm(part) for part in (network.image, network.audio)]
        if rebalance:
            _turn_down(network, scores, answers)
        for group in optimizer.param_groups:
            group["lr"] = RATE * cosine_rate(step, STEPS, warm_up=20)
        optimizer.step()
        if step % LOOK == 0 or step + 1 == STEPS:
            log["steps"].append(step)
            log["gradient_image"].append(norms[0])
            log["gradient_audio"].append(norms[1])
            network.eval()
            with torch.no_grad():
                found = network.answers(test.image, test.audio, test.mask())
            network.train()
            right = torch.from_numpy(truth)
            for name, logits in zip(("image", "audio", "both"), (*found, found[0] + found[1]), strict=True):
                log[f"accuracy_{name}"].append(float((logits.argmax(dim=1) == right).float().mean()))
        progress.step(step + 1, f"loss {loss.item():.4f}")
    return {k: [round(v, 5) for v in values] for k, values in log.items()}


def _norm(part: torch.nn.Module) -> float:
    return math.sqrt(sum(float(p.grad.square().sum()) for p in part.parameters() if p.grad is not None))


def _turn_down(network: Late, scores: tuple[torch.Tensor, torch.Tensor], answers: torch.Tensor) -> None:
    """Scale the surer modality's gradients by 1 - tanh(alpha * ratio): Peng et al. 2022, equations 6 to 8."""
    sure = [float(F.softmax(s.detach(), dim=1).gather(1, answers[:, None]).sum()) for s in scores]
    for part, own, other in ((network.image, sure[0], sure[1]), (network.audio, sure[1], sure[0])):
        if own > other:
            factor = 1 - math.tanh(ALPHA * own / other)
            for parameter in part.parameters():
                if parameter.grad is not None:
                    parameter.grad.mul_(factor)


def main() -> None:
    """Train twice and write the log."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--real", type=Path, help="zip of real recordings, {digit}_{speaker}_{index}.wav")
    batches = Batches("digit", parser.parse_args().real)
    runs: dict[str, Any] = {name: run(batches, name == "rebalanced") for name in ("plain", "rebalanced")}
    where = environment(torch.device("cpu"), torch.float32, model="late fusion through one loss", weights="not kept")
    text = json.dumps({"n": N, "environment": where, "runs": runs})
    (FOLDER / "dominance.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
