"""Which text encoder draws better: `python -m assets.sticker_diffusion.words_trial`. Prints a table of the model card.

U-Nets from scratch, equal but for the width of the text, are trained on the same pictures, noises and captions for as
many steps with: a text encoder of their own, trained along; sticker_clip's, trained along; the same, frozen; the same,
frozen after it has learned layouts.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from diffusers import AutoencoderTiny, DDIMScheduler, StableDiffusionPipeline
from transformers import CLIPTextModel, CLIPTokenizer

from assets.sticker_diffusion import autoencoder, denoiser, layout, text
from assets.sticker_diffusion.evaluate import captions_of, draw, judge
from assets.sticker_diffusion.recipe import CLIP, FOLDER, TRAINING_SCENES, training_latents
from shared import adherence
from shared.sampling import Plan
from shared.training import scenes

WAYS = (
    "own, trained along",
    "sticker_clip's, trained along",
    "sticker_clip's, frozen",
    "sticker_clip's, layouts, frozen",
)


def make_text_encoder(way: str, tokenizer: CLIPTokenizer, captions: torch.Tensor, layout_steps: int) -> CLIPTextModel:
    """The text encoder that a way begins with."""
    if way.startswith("own"):
        return text.make_text_encoder(tokenizer)
    found = CLIPTextModel.from_pretrained(CLIP).float()
    if "layouts" not in way:
        return found
    return layout.train(found, scenes(TRAINING_SCENES, seed=1), captions, layout_steps, name="trial-layout")


def try_way(way: str, steps: int, layout_steps: int) -> StableDiffusionPipeline:
    """A pipeline trained from scratch in one of WAYS."""
    torch.manual_seed(0)
    tokenizer = CLIPTokenizer.from_pretrained(CLIP)
    vae = AutoencoderTiny.from_pretrained(FOLDER / "vae")
    captions = text.caption_ids(tokenizer, scenes(TRAINING_SCENES, seed=1))
    words = make_text_encoder(way, tokenizer, captions, layout_steps)
    unet = denoiser.build_unet(autoencoder.LATENT_CHANNELS, words.config.hidden_size)
    empty = text.tokenize(tokenizer, [""])[0]
    name = "trial-" + "-".join(way.replace(",", "").replace("'", "").split())
    found = denoiser.train(
        denoiser.Denoiser(unet, words), training_latents(vae), captions, empty, steps, name=name,
        freeze_text=way.endswith("frozen"),
    )  # fmt: skip
    return StableDiffusionPipeline(
        vae=vae, text_encoder=found.text, tokenizer=tokenizer, unet=found.unet,
        scheduler=DDIMScheduler.from_pretrained(FOLDER / "scheduler"),
        safety_checker=None, feature_extractor=None, requires_safety_checker=False,
    )  # fmt: skip


def main() -> None:
    """Train and measure every way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--layout-steps", type=int, default=500)
    parser.add_argument("--captions", type=int, default=200)
    parser.add_argument("--guidance", type=float, default=5.0)
    options = parser.parse_args()
    chosen = scenes(options.captions, seed=4, testing=True)
    print(f"| text encoder, {options.steps} steps | adherence | kinds right | relations right |\n|---|---|---|---|")
    for way in WAYS:
        pipeline = try_way(way, options.steps, options.layout_steps)
        facts = judge(chosen, draw(pipeline, captions_of(chosen), Plan(options.guidance, 20, "ddim")))
        a, k = adherence.adherence(facts), adherence.kinds_right(facts)
        relations = np.mean([f.relation for f in facts if f.relation is not None])
        print(
            f"| {way} | {a.value:.3f} ({a.low:.3f} to {a.high:.3f}) | {k.value:.3f} ({k.low:.3f} to {k.high:.3f}) | "
            f"{relations:.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
