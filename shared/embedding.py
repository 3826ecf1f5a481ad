"""Pictures and texts as vectors, by a CLIP, a sentence encoder, an ImageNet classifier or the scene reader."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import torch
from PIL import Image
from torch import Tensor
from torch.nn import functional as F

from shared.demo import Progress
from shared.models import Loaded
from shared.reader import prepare

BATCH = 32
_MEAN, _STD = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
"""CLIP's own normalization (Radford et al. 2021), where a model's folder names no other."""


@torch.no_grad()
def embed_pictures(loaded: Loaded, pictures: Sequence[Image.Image], progress: Progress) -> np.ndarray:
    """The pictures in a CLIP's joint space, each of length 1: [n, d].

    Resized so that the shorter side fits, cut to the middle square, normalized as the model's folder says.
    """
    mean, std = _normalization(loaded)
    size = loaded.model.config.vision_config.image_size
    found: list[Tensor] = []
    for start in range(0, len(pictures), BATCH):
        progress(start, len(pictures), "pictures embedded")
        pixels = torch.stack([_pixels(p, size) for p in pictures[start : start + BATCH]])
        pixels = (pixels - mean[:, None, None]) / std[:, None, None]
        found.append(_unit(loaded.model.get_image_features(pixel_values=pixels.to(loaded.device))))
    progress(len(pictures), len(pictures), "pictures embedded")
    return torch.cat(found).cpu().double().numpy()


@torch.no_grad()
def embed_captions(loaded: Loaded, texts: Sequence[str], progress: Progress) -> np.ndarray:
    """The texts in a CLIP's joint space, each of length 1: [n, d]. What is too long for the model is cut off."""
    longest = loaded.model.config.text_config.max_position_embeddings
    found: list[Tensor] = []
    for start in range(0, len(texts), BATCH):
        progress(start, len(texts), "captions embedded")
        tokens = _tokens(loaded, texts[start : start + BATCH], longest)
        found.append(_unit(loaded.model.get_text_features(**tokens)))
    progress(len(texts), len(texts), "captions embedded")
    return torch.cat(found).cpu().double().numpy()


@torch.no_grad()
def embed_sentences(loaded: Loaded, texts: Sequence[str], progress: Progress) -> np.ndarray:
    """The texts by a sentence encoder, each of length 1: [n, d]; the mean over tokens, as Sentence-BERT (Reimers and
    Gurevych 2019) pools. Beyond 256 tokens a text is cut off."""
    found: list[Tensor] = []
    longest = min(256, loaded.model.config.max_position_embeddings)
    for start in range(0, len(texts), BATCH):
        progress(start, len(texts), "texts embedded")
        tokens = _tokens(loaded, texts[start : start + BATCH], longest)
        states = loaded.model(**tokens).last_hidden_state
        mask = tokens["attention_mask"][..., None].to(states.dtype)
        found.append(F.normalize((states * mask).sum(1) / mask.sum(1).clamp(min=1), dim=-1))
    progress(len(texts), len(texts), "texts embedded")
    return torch.cat(found).cpu().double().numpy()


@torch.no_grad()
def read_features(loaded: Loaded, pictures: Sequence[Image.Image], progress: Progress) -> np.ndarray:
    """The scene reader's last spatial layer, averaged over the picture: [n, channels]."""
    reader, found = loaded.model, []
    for start in range(0, len(pictures), BATCH):
        progress(start, len(pictures), "pictures read")
        pixels = prepare(list(pictures[start : start + BATCH])).to(loaded.device)
        found.append(reader.features(reader.stem(pixels)).mean((2, 3)))
    progress(len(pictures), len(pictures), "pictures read")
    return torch.cat(found).cpu().double().numpy()


@torch.no_grad()
def classifier_features(loaded: Loaded, pictures: Sequence[Image.Image], progress: Progress) -> np.ndarray:
    """The ImageNet classifier's last spatial layer, averaged over the picture, each of length 1: [n, channels]."""
    from shared.imagenet import prepare as prepare_photos

    found: list[Tensor] = []
    for start in range(0, len(pictures), BATCH):
        progress(start, len(pictures), "pictures embedded")
        pixels = prepare_photos(pictures[start : start + BATCH]).to(loaded.device)
        found.append(F.normalize(loaded.model.extract_features(pixels).mean((2, 3)), dim=-1))
    progress(len(pictures), len(pictures), "pictures embedded")
    return torch.cat(found).cpu().double().numpy()


def _tokens(loaded: Loaded, texts: Sequence[str], longest: int) -> dict[str, Tensor]:
    tokens = loaded.tokenizer(list(texts), padding=True, truncation=True, max_length=longest, return_tensors="pt")
    return {k: v.to(loaded.device) for k, v in tokens.items() if k in ("input_ids", "attention_mask", "token_type_ids")}


def _unit(output: object) -> Tensor:
    """Features of length 1, whether the model hands out a tensor or an output with it pooled."""
    features = output if isinstance(output, Tensor) else getattr(output, "pooler_output", None)
    assert isinstance(features, Tensor)
    return F.normalize(features.float(), dim=-1)


def _pixels(picture: Image.Image, size: int) -> Tensor:
    picture = picture.convert("RGB")
    scale = size / min(picture.size)
    shape = (max(size, round(picture.width * scale)), max(size, round(picture.height * scale)))
    if picture.size != shape:
        picture = picture.resize(shape, Image.Resampling.BICUBIC)
    left, top = (picture.width - size) // 2, (picture.height - size) // 2
    square = np.asarray(picture.crop((left, top, left + size, top + size)))
    return torch.from_numpy(square.copy()).permute(2, 0, 1).float() / 255


def _normalization(loaded: Loaded) -> tuple[Tensor, Tensor]:
    file = loaded.folder / "preprocessor_config.json" if loaded.folder else None
    told = json.loads(file.read_text(encoding="utf-8")) if file and file.is_file() else {}
    return torch.tensor(told.get("image_mean", _MEAN)), torch.tensor(told.get("image_std", _STD))
