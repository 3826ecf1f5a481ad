"""Figures of the model card: `python -m assets.fusion.evaluate [--real recordings.zip]`.

The leave-one-speaker-out models come from the cache, where `python -m assets.fusion.recipe --speakers` puts them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from safetensors.torch import load_file

from assets.fusion import speech
from assets.fusion.recipe import REAL_SPEAKERS, Variant, weights_of
from demos.fusion.canvas import read_drawing
from demos.fusion.models import Inputs, answer, load, make_inputs, variant_for
from demos.fusion.networks import build
from shared.intervals import Interval, mean_interval, share_interval


def read_other_digits() -> Interval:
    """Share of scikit-learn's 1,797 digits (8x8, other writers) that the picture model reads as drawings."""
    from sklearn.datasets import load_digits

    pictures, digits = load_digits(return_X_y=True)
    drawings = np.stack([read_drawing(_as_drawing(p.reshape(8, 8))) for p in pictures])
    inputs = Inputs(torch.from_numpy(drawings)[:, None], torch.zeros(len(drawings), 1, 32, 48))
    right = answer(load(variant_for("image", "digit", "0")), inputs).argmax(axis=1) == digits
    return share_interval(int(right.sum()), len(right))


def _as_drawing(picture: np.ndarray) -> Image.Image:
    """An 8x8 digit of 0 to 16 as dark ink on a white canvas of 280x280."""
    canvas = Image.new("L", (280, 280), 0)
    large = Image.fromarray((picture / 16 * 255).astype(np.uint8)).resize((200, 200), Image.Resampling.BICUBIC)
    canvas.paste(large, (40, 40))
    return Image.fromarray(255 - np.asarray(canvas)).convert("RGB")


def leave_one_speaker_out(real: Path) -> dict[str, Interval]:
    """For each speaker, the share of their clean recordings read by a model that never heard them."""
    clips = speech.read_real(real)
    found = {}
    for speaker in REAL_SPEAKERS:
        path = weights_of(Variant("audio", "digit", without=speaker))
        if not path.exists():
            continue
        network = build("audio", "digit")
        network.load_state_dict(load_file(path))
        own = [clip for clip in clips if clip.speaker == speaker]
        windows = np.stack([clip.window for clip in own])
        inputs = make_inputs(np.zeros((len(own), 28, 28), dtype=np.float32), windows)
        right = answer(network.eval(), inputs).argmax(axis=1) == np.array([clip.word for clip in own])
        found[speaker] = share_interval(int(right.sum()), len(right))
    return found


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--real", type=Path, help="zip of real recordings, {digit}_{speaker}_{index}.wav")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    print("scikit-learn digits through the canvas path", _said(read_other_digits()), flush=True)
    if arguments.real:
        found = leave_one_speaker_out(arguments.real)
        for speaker, share in found.items():
            print(f"never heard {speaker}", _said(share), flush=True)
        print("mean over speakers", _said(mean_interval([i.value for i in found.values()], low=0, high=1)))


def _said(i: Interval) -> str:
    return f"{i.value:.3f} ({i.low:.3f} to {i.high:.3f}, n = {i.n})" if i.low is not None else f"{i.value:.3f}"


if __name__ == "__main__":
    main()
