"""Tiny seeded models of the same classes as the real ones, made in well under two seconds."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from diffusers import AutoencoderTiny, DDIMScheduler, StableDiffusionPipeline, UNet2DConditionModel
from safetensors.torch import save_file
from tokenizers.pre_tokenizers import ByteLevel
from transformers import CLIPConfig, CLIPModel, CLIPTextConfig, CLIPTextModel, CLIPTokenizer

from shared.reader import SceneReader
from shared.stickers import BACKGROUNDS, COLORS, KINDS, vocabulary

TOKENS = 24


def tiny_tokenizer() -> CLIPTokenizer:
    """Every letter, and the world's words each as one token."""
    letters = sorted(ByteLevel.alphabet())
    words = sorted({w for group in vocabulary().values() for phrase in group for w in phrase.split()} | {"background"})
    tokens = [*letters, *(f"{letter}</w>" for letter in letters)]
    merges: list[tuple[str, str]] = []
    for word in words:
        pieces = [*word[:-1], f"{word[-1]}</w>"]
        while len(pieces) > 1:
            pair = (pieces[0], pieces[1])
            pieces[:2] = ["".join(pair)]
            if pair not in merges:
                merges.append(pair)
                tokens.append(pieces[0])
    tokens += ["<|startoftext|>", "<|endoftext|>"]
    vocab = {token: i for i, token in enumerate(dict.fromkeys(tokens))}
    return CLIPTokenizer(vocab=vocab, merges=merges, model_max_length=TOKENS)


def tiny_pipeline(seed: int = 0, channels: int = 8, sample_size: int = 4) -> StableDiffusionPipeline:
    """A StableDiffusionPipeline with random weights that draws pictures of 8 * sample_size pixels."""
    torch.manual_seed(seed)
    tokenizer = tiny_tokenizer()
    text = CLIPTextModel(
        CLIPTextConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=1,
            num_attention_heads=2,
            max_position_embeddings=TOKENS,
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )
    unet = UNet2DConditionModel(
        sample_size=sample_size,
        in_channels=channels,
        out_channels=channels,
        block_out_channels=(16, 32),
        layers_per_block=1,
        cross_attention_dim=32,
        attention_head_dim=8,
        norm_num_groups=8,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
    )
    vae = AutoencoderTiny(
        encoder_block_out_channels=(8,) * 4,
        decoder_block_out_channels=(8,) * 4,
        num_encoder_blocks=(1, 1, 1, 1),
        num_decoder_blocks=(1, 1, 1, 1),
        latent_channels=channels,
        scaling_factor=1.0,
    )
    scheduler = DDIMScheduler(
        beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", clip_sample=False,
        set_alpha_to_one=False, steps_offset=1,
    )  # fmt: skip
    pipeline = StableDiffusionPipeline(
        vae=vae, text_encoder=text, tokenizer=tokenizer, unet=unet, scheduler=scheduler,
        safety_checker=None, feature_extractor=None, requires_safety_checker=False,
    )  # fmt: skip
    for part in (text, unet, vae):
        part.eval().requires_grad_(False)
    pipeline.set_progress_bar_config(disable=True)
    return pipeline


def write_tiny_reader(folder: Path, seed: int = 0, confidence: float = 0.5) -> None:
    """A folder that `load_reader` reads, with random weights."""
    torch.manual_seed(seed)
    folder.mkdir(parents=True, exist_ok=True)
    reader = SceneReader(8)
    config = {"width": 8, "confidence": confidence, "kinds": list(KINDS), "colors": list(COLORS),
              "backgrounds": list(BACKGROUNDS)}  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))
    save_file(reader.state_dict(), folder / "model.safetensors")


def write_tiny_clip(folder: Path, seed: int = 0) -> None:
    """A folder that `load_clip` reads, with random weights."""
    torch.manual_seed(seed)
    tokenizer = tiny_tokenizer()
    tower = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2}
    ids = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id,
           "pad_token_id": tokenizer.pad_token_id}  # fmt: skip
    config = CLIPConfig(
        text_config=tower | ids | {"vocab_size": len(tokenizer), "max_position_embeddings": TOKENS},
        vision_config=tower | {"image_size": 32, "patch_size": 8},
        projection_dim=16,
    )
    CLIPModel(config).eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def write_tiny_assets(root: Path) -> Path:
    """A folder laid out like assets/, with a tiny sticker_diffusion and a tiny scene_reader."""
    tiny_pipeline(sample_size=8).save_pretrained(root / "sticker_diffusion")
    write_tiny_reader(root / "scene_reader")
    return root
