"""Makes sticker_diffusion: `python -m assets.sticker_diffusion.recipe`. Seeded, resumable, a GPU is used if there.

Stages: the autoencoder, the latents of all training scenes, sticker_clip's text encoder on layouts, then the U-Net with
it. Each stage keeps checkpoints in the user's cache folder and begins from the committed weights where there is
none; `--fresh` begins from scratch. The folder is then one that `StableDiffusionPipeline.from_pretrained` loads.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from diffusers import AutoencoderTiny, DDIMScheduler, StableDiffusionPipeline, UNet2DConditionModel
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import CLIPTextModel, CLIPTokenizer

from assets.sticker_diffusion import autoencoder, denoiser, layout, text
from shared.training import Checkpoint, cache_folder, rendered, scenes

FOLDER = Path(__file__).parent
CLIP = FOLDER.parent / "sticker_clip"
SIZE = 128
TRAINING_SCENES = 32_000


def training_pictures(count: int = TRAINING_SCENES) -> np.ndarray:
    """The renders that every stage trains on, uint8 [n, 128, 128, 3]; fewer are the first of them."""
    return rendered("train", scenes(count, seed=1), SIZE)


def make_autoencoder(steps: int, fresh: bool) -> AutoencoderTiny:
    """Train the autoencoder, set the scale of its latents, store it, say how good it is."""
    start = None if fresh or not (FOLDER / "vae").exists() else AutoencoderTiny.from_pretrained(FOLDER / "vae")
    network = autoencoder.train(training_pictures(), steps, start)
    sample = autoencoder.encode(network, training_pictures()[:512])
    network.register_to_config(scaling_factor=round(denoiser.LATENT_SPREAD / float(sample.std()), 4))
    network.half().save_pretrained(FOLDER / "vae")
    network.float()
    tidy_configurations()
    report_autoencoder(network)
    return network


def report_autoencoder(network: AutoencoderTiny) -> None:
    """Print PSNR and SSIM on unseen scenes."""
    psnr, ssim = autoencoder.psnr_and_ssim(network, rendered("unseen", scenes(200, seed=2, testing=True), SIZE))
    print(f"autoencoder on 200 unseen scenes: PSNR {psnr:.2f} dB, SSIM {ssim:.4f}", flush=True)


def training_latents(network: AutoencoderTiny, count: int = TRAINING_SCENES) -> Tensor:
    """Scaled latents of the first training scenes, FP16 [n, 8, 16, 16]; kept in the cache under the autoencoder's
    sum."""
    sums = sum(float(p.detach().abs().sum()) for p in network.parameters())
    scale = network.config.scaling_factor
    path = cache_folder("latents") / f"{count}-{sums:.6f}-{scale:g}.safetensors"
    if not path.exists():
        latents = autoencoder.encode(network, training_pictures(count)) * scale
        save_file({"latents": latents.half().contiguous()}, path)
    return load_file(path)["latents"]


def make_denoiser(network: AutoencoderTiny, steps: int, layout_steps: int, fresh: bool, rate: float) -> None:
    """Train U-Net and text encoder on the latents and store the whole pipeline; the text encoder, at first that of
    sticker_clip, learns layouts for `layout_steps`."""
    torch.manual_seed(0)
    if fresh or not (FOLDER / "unet").exists():
        tokenizer = CLIPTokenizer.from_pretrained(CLIP)
        words = CLIPTextModel.from_pretrained(CLIP).float()
        start = denoiser.Denoiser(denoiser.build_unet(autoencoder.LATENT_CHANNELS), words)
    else:
        tokenizer = CLIPTokenizer.from_pretrained(FOLDER / "tokenizer")
        start = denoiser.Denoiser(
            UNet2DConditionModel.from_pretrained(FOLDER / "unet").float(),
            CLIPTextModel.from_pretrained(FOLDER / "text_encoder").float(),
        )
    chosen = scenes(TRAINING_SCENES, seed=1)
    captions = text.caption_ids(tokenizer, chosen)
    if layout_steps and Checkpoint("denoiser").load() is None:
        start.text = layout.train(start.text, chosen, captions, layout_steps)
    empty = text.tokenize(tokenizer, [""])[0]
    trained = denoiser.train(start, training_latents(network), captions, empty, steps, rate=rate)
    store(trained, network, tokenizer)


def store(trained: denoiser.Denoiser, vae: AutoencoderTiny, tokenizer: CLIPTokenizer) -> None:
    """Write the pipeline's folder, weights as FP16: it loads as FP32 all the same. The U-Net in shards under 9 MB."""
    schedule = DDIMScheduler.from_config(
        denoiser.build_schedule().config, clip_sample=False, set_alpha_to_one=False, steps_offset=1,
        timestep_spacing="trailing",
    )  # fmt: skip
    pipeline = StableDiffusionPipeline(
        vae=vae, text_encoder=trained.text, tokenizer=tokenizer, unet=trained.unet, scheduler=schedule,
        safety_checker=None, feature_extractor=None, requires_safety_checker=False,
    )  # fmt: skip
    pipeline.save_pretrained(FOLDER)
    for old in (FOLDER / "unet").glob("*.safetensors*"):
        old.unlink()
    trained.unet.half().save_pretrained(FOLDER / "unet", max_shard_size="8MB")
    trained.text.half().save_pretrained(FOLDER / "text_encoder")
    vae.half().save_pretrained(FOLDER / "vae")
    trained.float()
    vae.float()
    tidy_configurations()


def tidy_configurations() -> None:
    """Take out of the stored configurations where on the maker's machine their weights once lay, and let transformers
    load as FP32 what is stored as FP16, as diffusers does."""
    for path in FOLDER.glob("*/config.json"):
        config = json.loads(path.read_text())
        tidied = {name: value for name, value in config.items() if name != "_name_or_path"}
        if "dtype" in tidied:
            tidied["dtype"] = "float32"
        if tidied != config:
            path.write_text(json.dumps(tidied, indent=2, sort_keys=True) + "\n")


def store_checkpoint() -> None:
    """Store the averaged weights of the last checkpoint, while the training goes on."""
    saved = Checkpoint("denoiser").load()
    if saved is None:
        raise SystemExit("There is no checkpoint of the U-Net yet.")
    tokenizer = CLIPTokenizer.from_pretrained(CLIP)
    network = denoiser.Denoiser(denoiser.build_unet(autoencoder.LATENT_CHANNELS), text.make_text_encoder(tokenizer))
    network.load_state_dict(saved[1]["average"])
    store(network.eval(), AutoencoderTiny.from_pretrained(FOLDER / "vae"), tokenizer)
    print(f"stored the weights of step {saved[0]}")


def main() -> None:
    """Run the stages that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stage", choices=["all", "autoencoder", "denoiser", "store", "report"], default="all")
    parser.add_argument("--autoencoder-steps", type=int, default=5000)
    parser.add_argument("--denoiser-steps", type=int, default=3000)
    parser.add_argument("--layout-steps", type=int, default=500, help="of the text encoder alone, before the U-Net")
    parser.add_argument("--rate", type=float, default=1.0, help="share of the full learning rate for the U-Net")
    parser.add_argument("--fresh", action="store_true", help="do not start from the committed weights")
    options = parser.parse_args()
    if options.stage == "store":
        store_checkpoint()
        return
    if options.stage in ("all", "autoencoder"):
        vae = make_autoencoder(options.autoencoder_steps, options.fresh)
    else:
        vae = AutoencoderTiny.from_pretrained(FOLDER / "vae")
        report_autoencoder(vae)
    if options.stage in ("all", "denoiser"):
        make_denoiser(vae, options.denoiser_steps, options.layout_steps, options.fresh, options.rate)


if __name__ == "__main__":
    main()
