"""The networks that are timed and judged: each a module from tensors to one tensor, in FP32, with an example input."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn

from shared.demo import DemoError
from shared.models import Loaded, is_here, load_classifier, load_clip, load_pipeline, load_scene_reader, load_sentences
from shared.reader import SceneReader

Inputs = tuple[Tensor, ...]


@dataclass(frozen=True, eq=False)
class Network:
    """One network in FP32. `example(n, seed)` gives inputs for n items, on the CPU, as they come in use or alike."""

    name: str
    title: str
    module: nn.Module
    example: Callable[[int, int], Inputs]
    loaded: Loaded
    rows: int = 1
    """Rows of the input that make one item: 2 for a U-Net under guidance."""

    @cached_property
    def checksum(self) -> str:
        """A digest of the weights, their names and the network's name: the key of what is exported from it."""
        digest = hashlib.sha256(self.name.encode())
        for name, value in self.module.state_dict().items():
            digest.update(f"{name} {tuple(value.shape)}".encode())
            digest.update(value.detach().cpu().contiguous().numpy().tobytes())
        return digest.hexdigest()[:24]


class EvidenceReader(nn.Module):
    """The scene reader as a plain classifier: pictures [b, 3, 128, 128] to the evidence for each kind at each place,
    [b, kinds, 16, 16]. Its answer is the kind with the greatest smooth maximum, see `answer_logits`."""

    def __init__(self, reader: SceneReader) -> None:
        super().__init__()
        self.stem, self.features, self.kinds = reader.stem, reader.features, reader.kinds

    def forward(self, pictures: Tensor) -> Tensor:
        """[b, 3, 128, 128] to [b, kinds, 16, 16]."""
        return self.kinds(self.features(self.stem(pictures)))


def answer_logits(evidence: Tensor) -> Tensor:
    """The reader's presence logits [b, kinds] from its evidence [b, kinds, h, w]; log-mean-exp as in `SceneReader`."""
    maps = evidence.float().flatten(2)
    sharp = SceneReader.SHARPNESS
    return (torch.logsumexp(sharp * maps, dim=-1) - math.log(maps.shape[-1])) / sharp


class Unet(nn.Module):
    """A diffusion U-Net with its inputs in a row and its answer alone."""

    def __init__(self, unet: nn.Module) -> None:
        super().__init__()
        self.unet = unet

    def forward(self, latents: Tensor, timesteps: Tensor, text: Tensor) -> Tensor:
        """[b, c, h, w], [b], [b, tokens, width] to the noise [b, c, h, w]."""
        # Timesteps stay in FP32 outside: what is large and whole loses its last digits in BF16.
        return self.unet(latents, timesteps, text, return_dict=False)[0]


class Decoder(nn.Module):
    """The autoencoder's decoding half."""

    def __init__(self, vae: Any) -> None:
        super().__init__()
        self.vae = vae

    def forward(self, latents: Tensor) -> Tensor:
        """[b, c, h, w] to pictures [b, 3, height, width]."""
        return self.vae.decode(latents, return_dict=False)[0]


class TextStates(nn.Module):
    """A pipeline's text encoder."""

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, tokens: Tensor) -> Tensor:
        """[b, tokens] to [b, tokens, width]."""
        return self.encoder(tokens)[0]


class MeanSentence(nn.Module):
    """A sentence encoder with its mean over tokens."""

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """[b, tokens] twice to [b, d], each of length 1."""
        states = self.encoder(input_ids=tokens, attention_mask=mask)[0]
        weights = mask[..., None].to(states.dtype)
        mean = (states * weights).sum(1) / weights.sum(1)
        return mean / mean.norm(dim=-1, keepdim=True)


class ClipText(nn.Module):
    """A CLIP's text side."""

    def __init__(self, clip: Any) -> None:
        super().__init__()
        self.text_model, self.text_projection = clip.text_model, clip.text_projection

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """[b, tokens] twice to [b, d], each of length 1."""
        pooled = self.text_model(input_ids=tokens, attention_mask=mask)[1]
        found = self.text_projection(pooled)
        return found / found.norm(dim=-1, keepdim=True)


def scene_reader() -> Network:
    """The bundled scene reader. Raises DemoError where its weights are missing."""
    from demos.precision.scenes import hard_scenes, to_input

    loaded = load_scene_reader()
    return Network("scene_reader", "scene reader", EvidenceReader(loaded.model).eval(),
                   lambda n, seed: (to_input(hard_scenes(n, seed).pictures),), loaded)  # fmt: skip


def photo_classifier() -> Network:
    """EfficientNet-Lite0. Raises DemoError where its package is missing."""
    from demos.precision.photos import photo_inputs

    loaded = load_classifier()
    return Network("efficientnet_lite0", "EfficientNet-Lite0", loaded.model,
                   lambda n, seed: (photo_inputs(n, seed),), loaded)  # fmt: skip


def unet() -> Network:
    """The bundled pipeline's U-Net under guidance: two rows an item."""
    loaded = load_pipeline("sticker_diffusion")
    config, width = loaded.model.unet.config, loaded.model.text_encoder.config.hidden_size
    tokens = loaded.model.tokenizer.model_max_length

    def example(n: int, seed: int) -> Inputs:
        g = torch.Generator().manual_seed(seed % 2**63)
        latents = torch.randn(2 * n, config.in_channels, config.sample_size, config.sample_size, generator=g)
        return latents, torch.full((2 * n,), 500.0), torch.randn(2 * n, tokens, width, generator=g)

    return Network("unet", "U-Net", Unet(loaded.model.unet).eval(), example, loaded, rows=2)


def decoder() -> Network:
    """The bundled pipeline's autoencoder, decoding."""
    loaded = load_pipeline("sticker_diffusion")
    config = loaded.model.unet.config

    def example(n: int, seed: int) -> Inputs:
        g = torch.Generator().manual_seed(seed % 2**63)
        return (torch.randn(n, config.in_channels, config.sample_size, config.sample_size, generator=g),)

    return Network("autoencoder", "autoencoder", Decoder(loaded.model.vae).eval(), example, loaded)


def text_encoder() -> Network:
    """The bundled pipeline's text encoder."""
    loaded = load_pipeline("sticker_diffusion")

    def example(n: int, seed: int) -> Inputs:
        from demos.precision.scenes import captions

        return (tokenize(loaded.model.tokenizer, captions(n, seed)),)

    return Network("text_encoder", "text encoder", TextStates(loaded.model.text_encoder).eval(), example, loaded)


def tokenize(tokenizer: Any, texts: list[str]) -> Tensor:
    """Texts as a pipeline's tokens [n, tokens], padded to their full length."""
    found = tokenizer(texts, padding="max_length", truncation=True, max_length=tokenizer.model_max_length,
                      return_tensors="pt")  # fmt: skip
    return found.input_ids


def sentence_encoder() -> Network:
    """MiniLM where the registry has it, else the sticker CLIP's text side. Raises DemoError where neither is here."""
    if is_here("minilm"):
        loaded = load_sentences("minilm")
        module: nn.Module = MeanSentence(loaded.model)
    elif is_here("sticker_clip"):
        loaded = load_clip("sticker_clip")
        module = ClipText(loaded.model)
    else:
        raise DemoError(
            "task: “embed” needs MiniLM (the folder sentence-transformers/all-MiniLM-L6-v2 under GALLERY_MODELS) or "
            "the bundled sticker_clip, and neither is here; classify and draw work."
        )

    def example(n: int, seed: int) -> Inputs:
        from demos.precision.scenes import captions

        return tokenize_pairs(loaded.tokenizer, captions(n, seed))

    return Network(loaded.row.name, loaded.row.about or loaded.row.name, module.eval(), example, loaded)


LONGEST_TEXT = 24  # tokens: captions of the sticker world are shorter


def tokenize_pairs(tokenizer: Any, texts: list[str]) -> Inputs:
    """Texts as tokens and mask [n, 24], all of one length, so that every engine gets the same shape."""
    found = tokenizer(texts, padding="max_length", truncation=True, max_length=LONGEST_TEXT, return_tensors="pt")
    return found["input_ids"], found["attention_mask"]
