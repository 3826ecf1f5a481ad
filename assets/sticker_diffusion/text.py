"""The words of sticker_diffusion: a CLIP tokenizer in which every word of the world is one token, and its captions."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from torch import Tensor
from transformers import CLIPTextConfig, CLIPTextModel, CLIPTokenizer

from shared.stickers import BACKGROUNDS, COLORS, KINDS, STYLES, Scene, Sticker, caption
from shared.stickers.captions import leave_out

LENGTH = 32  # tokens a caption may have, start and end included
HIDDEN = 192
VARIANTS = len(STYLES) + 3


def make_tokenizer(folder: Path) -> CLIPTokenizer:
    """Train byte-pair merges until every word of the world is one token, and store the tokenizer.

    The 512 byte tokens stay, so that any text of any language has tokens, if only untrained ones.
    """
    words = set()
    for relation in ("left of", "above", "right of", "below", None):
        for style in STYLES:
            pair = (Sticker("apple", "orange"), Sticker("cat", "red"))
            words |= set(caption(Scene(pair, relation, "mint"), style).replace(",", " ,").split())
    words |= {*KINDS, *COLORS, *BACKGROUNDS}
    trainer_tokenizer = Tokenizer(models.BPE(end_of_word_suffix="</w>"))
    trainer_tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    trainer = trainers.BpeTrainer(vocab_size=5000, min_frequency=1, end_of_word_suffix="</w>", show_progress=False)
    trainer_tokenizer.train_from_iterator(sorted(words), trainer)
    merges = [tuple(m) for m in json.loads(trainer_tokenizer.to_str())["model"]["merges"]]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = [*alphabet, *(f"{c}</w>" for c in alphabet), *("".join(m) for m in merges)]
    tokens = [*dict.fromkeys(tokens), "<|startoftext|>", "<|endoftext|>"]
    vocab = {token: index for index, token in enumerate(tokens)}
    tokenizer = CLIPTokenizer(vocab=vocab, merges=merges, model_max_length=LENGTH)
    broken = [w for w in sorted(words) if len(tokenizer(w)["input_ids"]) != 3]
    if broken:
        raise ValueError(f"These words are more than one token: {broken}")
    tokenizer.save_pretrained(folder)
    return tokenizer


def make_text_encoder(tokenizer: CLIPTokenizer) -> CLIPTextModel:
    """An untrained CLIP text encoder for the tokenizer; hidden states [b, 32, 192]."""
    config = CLIPTextConfig(
        vocab_size=len(tokenizer), hidden_size=HIDDEN, intermediate_size=4 * HIDDEN, projection_dim=HIDDEN,
        num_hidden_layers=4, num_attention_heads=4, max_position_embeddings=LENGTH, hidden_act="quick_gelu",
        bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    return CLIPTextModel(config)


def tokenize(tokenizer: CLIPTokenizer, texts: Sequence[str]) -> Tensor:
    """Token ids [n, 32], padded and cut as the pipeline does it."""
    return tokenizer(
        list(texts), padding="max_length", max_length=LENGTH, truncation=True, return_tensors="pt"
    ).input_ids  # fmt: skip


def caption_ids(tokenizer: CLIPTokenizer, chosen: Sequence[Scene], seed: int = 0) -> Tensor:
    """Token ids of VARIANTS captions for each scene, int [n, VARIANTS, 32].

    One for each style, and three that leave out a color, the background or both, as people do.
    """
    rng = random.Random(seed)
    texts: list[str] = []
    for scene in chosen:
        texts += [caption(scene, style) for style in STYLES]
        index = rng.randrange(len(scene.stickers))
        texts.append(caption(leave_out(scene, color_of=index), rng.choice(STYLES)))
        texts.append(caption(leave_out(scene, background=True), rng.choice(STYLES)))
        texts.append(caption(leave_out(scene, color_of=index, background=True), rng.choice(STYLES)))
    ids = torch.cat([tokenize(tokenizer, texts[i : i + 8192]) for i in range(0, len(texts), 8192)])
    return ids.short().view(len(chosen), VARIANTS, LENGTH)
