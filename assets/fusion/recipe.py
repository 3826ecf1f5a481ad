"""Makes the fusion demo's models: `python -m assets.fusion.recipe --real recordings.zip`. Seeded, resumable.

Every model of a task sees the same batches: the same pairs of a picture and a sound with the same noise. What differs
is the network, and which modalities each sample keeps.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional as F

from assets.fusion import handwriting, speech
from demos.fusion.networks import Fusion, Late, Present, Task, build, combine
from shared.training import Optimizer, Progress, Training, cache_folder, cosine_rate

FOLDER = Path(__file__).parent
BATCH = 96
STEPS: dict[Task, int] = {"digit": 800, "both_needed": 1_500}
"""The same for every design of a task; what needs both modalities takes longer to learn."""
MOST_IMAGE_NOISE, MOST_AUDIO_NOISE = 0.8, 1.4
CLEAN = 0.2
"""Share of training pairs without noise. What is noisy stays readable, and a pair's picture and sound are equally
noisy: one lost in noise while the other is clear would be modality dropout by another name. Measured with 600 steps:
drawn each on its own, early fusion falls by 14 points more than late when a modality goes, drawn together by 35."""
NOISE = 2  # counts the ways in which noise was drawn, so that no cached network of another one is taken
PLAIN = ("head.", "image.head.", "audio.head.", "single.head.", "gate.")


@dataclass(frozen=True)
class Variant:
    """One network to train: its design, task, modality dropout, size, and the speaker it never hears."""

    design: str
    task: Task
    dropout: float = 0.0
    scale: float = 1.0
    without: str = ""

    @property
    def name(self) -> str:
        """A name for files and for prefixes in the weights."""
        parts = [self.design, self.task, f"{self.dropout:g}"]
        if self.scale != 1:
            parts.append(f"x{self.scale:g}")
        return "-".join([*parts, *([f"without-{self.without}"] if self.without else [])])


DESIGNS = ("early", "intermediate", "late")
DROPOUTS = (0.0, 0.3, 0.6)
SMALLER = (0.35, 0.6)
SHIPPED: tuple[Variant, ...] = (
    *(Variant(design, "digit") for design in ("early", "late", "image", "audio", "intermediate")),
    *(Variant(design, "digit", 0.3) for design in DESIGNS),
    *(Variant(design, "digit", 0.6) for design in DESIGNS),
    *(Variant(design, "digit", 0.3, scale) for scale in SMALLER for design in DESIGNS),
    *(Variant(design, "both_needed") for design in (*DESIGNS, "image", "audio")),
    *(Variant(design, "both_needed", 0.3) for design in DESIGNS),
    *(Variant(design, "both_needed", 0.6) for design in DESIGNS),
)


class Batches:
    """Draws training pairs: a picture and a sound that belong together, and the digit to answer."""

    def __init__(self, task: Task, real: Path | None, without: str = "") -> None:
        pictures, sounds = handwriting.build_pool(), speech.build_pool(real)
        self.task: Task = task
        self.pictures, self.digits = torch.from_numpy(pictures["pictures"]), pictures["digits"]
        kept = sounds["speakers"] != without if without else np.ones(len(sounds["words"]), dtype=bool)
        self.levels, self.words = torch.from_numpy(sounds["levels"]), sounds["words"]
        self.by_digit = [np.flatnonzero(self.digits == d) for d in range(10)]
        # Real people are as many as they are; half of what is heard is theirs.
        speakers, real_names = sounds["speakers"], set(REAL_SPEAKERS)
        is_real = np.isin(speakers, list(real_names))
        self.real = [np.flatnonzero((self.words == w) & kept & is_real) for w in range(12)]
        self.made = [np.flatnonzero((self.words == w) & kept & ~is_real) for w in range(12)]
        self.hiss = torch.from_numpy(speech.noise_pool())

    def draw(self, step: int, seed: int) -> tuple[Tensor, Tensor, Tensor]:
        """Noisy pictures [n, 1, 28, 28 or 56], noisy log-mels [n, 1, 32, 48] and answers [n] of one step."""
        rng = np.random.default_rng([seed, step])
        generator = torch.Generator().manual_seed(seed * 1_000_003 + step)
        digits = rng.integers(0, 10, (BATCH, 2))
        chosen = [[_pick(self.by_digit[d], rng) for d in row] for row in digits]
        pictures = self.pictures[torch.tensor(chosen)].float() / 255
        if self.task == "digit":
            image, words, answers = pictures[:, :1], digits[:, 0], digits[:, 0]
        else:
            side = rng.integers(0, 2, BATCH)
            image = torch.cat([pictures[:, :1], pictures[:, 1:]], dim=3)
            words, answers = 10 + side, digits[np.arange(BATCH), side]
        clips = [self._clip(word, rng) for word in words]
        audio = self.levels[torch.tensor(clips)].float()[:, None]
        amounts = _amounts(BATCH, generator)
        return (
            self._noisy_image(image, amounts, generator),
            self._noisy_audio(audio, amounts, rng),
            torch.from_numpy(answers),
        )

    def _clip(self, word: int, rng: np.random.Generator) -> int:
        some = self.real[word] if len(self.real[word]) and rng.random() < 0.5 else self.made[word]
        return _pick(some, rng)

    def _noisy_image(self, image: Tensor, amounts: Tensor, generator: torch.Generator) -> Tensor:
        return (image + MOST_IMAGE_NOISE * amounts * torch.randn(image.shape, generator=generator)).clamp(0, 1)

    def _noisy_audio(self, levels: Tensor, amounts: Tensor, rng: np.random.Generator) -> Tensor:
        hiss = self.hiss[torch.from_numpy(rng.integers(0, len(self.hiss), len(levels)))][:, None]
        # Powers of independent sounds add on average; the recipe needs no waveforms that way.
        power = torch.pow(10.0, levels) + (MOST_AUDIO_NOISE * amounts) ** 2 * hiss
        return (power.log10() + 2.0) / 1.5


REAL_SPEAKERS = ("george", "jackson", "lucas", "nicolas", "yweweler")


def _pick(some: np.ndarray, rng: np.random.Generator) -> int:
    return int(some[rng.integers(len(some))])


def _amounts(n: int, generator: torch.Generator) -> Tensor:
    """How noisy each of n pairs is, from 0 to 1, [n, 1, 1, 1]."""
    drawn = torch.rand(n, 1, 1, 1, generator=generator)
    return torch.where(torch.rand(n, 1, 1, 1, generator=generator) < CLEAN, torch.zeros(()), drawn)


def keep(n: int, dropout: float, step: int) -> Present:
    """Which samples keep their picture and their sound: each is dropped on its own with the rate `dropout`."""
    generator = torch.Generator().manual_seed(77_000_000 + step)
    there = torch.rand(n, 2, generator=generator) >= dropout
    return there[:, 0], there[:, 1]


def loss_of(network: Fusion, image: Tensor, audio: Tensor, present: Present, answers: Tensor) -> Tensor:
    """Cross-entropy; for late fusion that of each classifier on what it was given, and of the gate on both answers."""
    if not isinstance(network, Late):
        return F.cross_entropy(network(image, audio, present), answers)
    pair = network.answers(image, audio, present)
    own = [
        (F.cross_entropy(logits, answers, reduction="none") * there).mean()
        for logits, there in zip(pair, present, strict=True)
    ]
    fixed = (pair[0].detach(), pair[1].detach())
    return own[0] + own[1] + F.nll_loss(combine(network, fixed, present, "gate"), answers)


def weights_of(variant: Variant) -> Path:
    """Where a trained variant is kept; it is trained anew when what it sees is made in another way."""
    seen = "" if variant.design == "audio" else f"-pictures{handwriting.POOL}"
    return cache_folder("fusion") / f"{variant.name}{seen}-noise{NOISE}.safetensors"


def train(variant: Variant, source: Callable[[], Batches], seed: int = 0) -> Fusion:
    """Train one variant, or take it from the cache; gives back the averaged network in evaluation mode."""
    torch.manual_seed(seed)
    network = build(variant.design, variant.task, variant.scale).train()
    done = weights_of(variant)
    if done.exists():
        network.load_state_dict(load_file(done))
        return network.eval()
    batches, steps = source(), STEPS[variant.task]
    run = Training(f"fusion-{done.stem}", network, Optimizer(network, 0.01, 3e-3, PLAIN), 0.98)
    progress = Progress(variant.name, steps)
    everything = (torch.ones(BATCH, dtype=torch.bool),) * 2
    for step in range(run.first, steps):
        image, audio, answers = batches.draw(step, seed)
        present = keep(BATCH, variant.dropout, step) if variant.dropout else everything
        loss = loss_of(network, image, audio, present, answers)
        run.optimizer.step(loss, cosine_rate(step, steps, warm_up=40))
        run.average.update(network)
        progress.step(step + 1, f"loss {loss.item():.4f}")
        if (step + 1) % 250 == 0 and step + 1 < steps:
            run.save(step + 1)
    network.load_state_dict(run.average.values)
    save_file({k: v.contiguous() for k, v in network.state_dict().items()}, done)
    return network.eval()


def store() -> None:
    """Write every trained variant into model.safetensors (FP16, batch statistics FP32) and config.json beside it."""
    weights: dict[str, Tensor] = {}
    found = []
    for variant in SHIPPED:
        path = weights_of(variant)
        if not path.exists():
            continue
        found.append({"name": variant.name, **asdict(variant)})
        for key, value in load_file(path).items():
            small = value.is_floating_point() and "running" not in key
            weights[f"{variant.name}/{key}"] = (value.half() if small else value).contiguous()
    save_file(weights, FOLDER / "model.safetensors")
    (FOLDER / "model.safetensors").chmod(0o644)
    config = {"steps": STEPS, "batch": BATCH, "image_noise": MOST_IMAGE_NOISE, "audio_noise": MOST_AUDIO_NOISE}
    (FOLDER / "config.json").write_text(json.dumps({**config, "variants": found}, indent=1) + "\n")


def store_pictures() -> None:
    """Write the test pictures, uint8 [500, 28, 28] with their digits, that no model is trained on."""
    pictures, digits = handwriting.read_digits()
    _, test = handwriting.split(digits)
    np.savez_compressed(FOLDER / "pictures.npz", pictures=pictures[test], digits=digits[test].astype(np.uint8))


def main() -> None:
    """Train what is missing, store it, and say how it does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--real", type=Path, help="zip of real recordings, {digit}_{speaker}_{index}.wav")
    parser.add_argument("--only", nargs="*", help="names of variants to train")
    parser.add_argument("--speakers", action="store_true", help="train the leave-one-speaker-out models")
    arguments = parser.parse_args()
    torch.set_num_threads(min(2, torch.get_num_threads()))
    if not (FOLDER / "speech.flac").exists():
        speech.store_test_speech(FOLDER)
    if not (FOLDER / "pictures.npz").exists():
        store_pictures()
    if arguments.speakers:
        for speaker in REAL_SPEAKERS:
            left_out = Variant("audio", "digit", without=speaker)
            train(left_out, lambda who=speaker: Batches("digit", arguments.real, who))
        return
    for variant in SHIPPED:
        if not arguments.only or variant.name in arguments.only:
            train(variant, lambda task=variant.task: Batches(task, arguments.real))
    store()


if __name__ == "__main__":
    main()
