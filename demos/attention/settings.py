"""What can be set in the attention demo and its studies: controls, links, API and command line read it here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from shared.settings import Settings, setting

Source = Literal["scene", "generated", "photo"]
Which = Literal["chosen", "all", "one"]
Method = Literal[
    "attention", "gradcam", "edges", "blob", "gradcam_random", "attention_random", "integrated_gradients", "occlusion"
]
Example = Literal["chelsea", "coffee", "rocket", "camera", "astronaut"]
Model = Literal[
    "auto",
    "sticker_diffusion",
    "stable-diffusion-v1-5/stable-diffusion-v1-5",
    "stabilityai/sd-turbo",
    "stabilityai/sdxl-turbo",
]
Classifier = Literal["auto", "scene_reader", "efficientnet_lite0", "microsoft/resnet-50", "facebook/convnext-tiny-224"]

_CHOSEN = json.loads((Path(__file__).parent / "chosen.json").read_text(encoding="utf-8"))
TIMESTEP, THRESHOLD = int(_CHOSEN["timestep"]), float(_CHOSEN["threshold"])
SIX: list[Method] = ["attention", "gradcam", "edges", "blob", "gradcam_random", "attention_random"]

_METHODS = {
    "attention": "cross-attention", "gradcam": "Grad-CAM", "edges": "Sobel edges", "blob": "blob in the middle",
    "gradcam_random": "Grad-CAM, random weights", "attention_random": "attention, random weights",
    "integrated_gradients": "Integrated Gradients", "occlusion": "Occlusion",
}  # fmt: skip
_SOURCE = "scene: a render whose masks are known. generated: the model draws the prompt. photo: a real one."
_THRESHOLD = "A map's part above this share of its range counts as marked."
_LAYERS = "chosen: those that did best on other scenes. one: the layer below."
_HEADS = "chosen: those that did best on other scenes. one: the head below."
_TIMESTEP = "How noisy the picture is when the U-Net reads it: 0 not at all, 999 all noise."
_MODEL = "auto: a real Stable Diffusion where a GPU and its weights are at hand, else the bundled one."
_CLASSIFIER = "auto: the scene reader for stickers, EfficientNet-Lite0 for photos."


class AttentionSettings(Settings):
    """One picture, two explanations of it: cross-attention for a word, Grad-CAM for a class, and their controls."""

    source: Source = setting("scene", "Picture", _SOURCE, main=True)
    prompt: str = setting(
        "a red car left of a blue house on a mint background", "Prompt", "", main=True, lines=2, max_length=1000
    )
    word: str = setting(
        "", "Word", "Whose cross-attention; empty: the first sticker.", main=True, group="what", max_length=60
    )
    target: str = setting(
        "", "Class", "For Grad-CAM; empty: the word's, or the likeliest.", main=True, group="what", max_length=120
    )
    seed: int = setting(
        13, "Seed", "Of places and noise.", main=True, group="how", step=1, ge=0, le=2**63 - 1
    )  # fmt: skip
    threshold: float = setting(THRESHOLD, "Threshold", _THRESHOLD, main=True, group="how", step=0.05, ge=0.05, le=0.95)
    example: Example = setting("chelsea", "Photo", "Of scikit-image, where the picture is a photo.", group="seen")
    classifier: Classifier = setting("auto", "Classifier", _CLASSIFIER, group="seen")
    photo: str | None = setting(None, "Your photo", "", upload=True, max_length=4096)
    timestep: int = setting(TIMESTEP, "Timestep", _TIMESTEP, step=1, ge=0, le=999)
    layers: Which = setting("chosen", "Layers", _LAYERS, group="layers")
    heads: Which = setting("chosen", "Heads", _HEADS, group="layers")
    layer: int = setting(0, "Layer", "Counted from 0.", group="one", step=1, ge=0, le=200)
    head: int = setting(0, "Head", "Counted from 0.", group="one", step=1, ge=0, le=63)
    methods: list[Method] = setting(
        SIX,
        "Sides",
        "Cross-attention and Grad-CAM always stand first.",
        titles=_METHODS,
        min_length=1,
        max_length=8,
        costs=True,
    )
    model: Model = setting("auto", "Model", _MODEL)

    @property
    def wanted(self) -> tuple[Method, ...]:
        """The sides: attention, Grad-CAM, and then what else is chosen, each once."""
        return tuple(dict.fromkeys(("attention", "gradcam", *self.methods)))


class BenchmarkSettings(Settings):
    """Every method on many rendered scenes of two stickers that no training has shown."""

    n_scenes: int = setting(
        50, "Scenes", "Of two stickers each; more make narrower intervals.", step=1, ge=2, le=500, costs=True
    )
    seed: int = setting(0, "Seed", "Of scenes and noises.", group="how", step=1, ge=0, le=2**63 - 1)
    threshold: float = setting(THRESHOLD, "Threshold", _THRESHOLD, group="how", step=0.05, ge=0.05, le=0.95)
    timestep: int = setting(TIMESTEP, "Timestep", _TIMESTEP, step=1, ge=0, le=999)
    layers: Which = setting("chosen", "Layers", _LAYERS, group="layers")
    heads: Which = setting("chosen", "Heads", _HEADS, group="layers")
    layer: int = setting(0, "Layer", "Counted from 0.", group="one", step=1, ge=0, le=200)
    head: int = setting(0, "Head", "Counted from 0.", group="one", step=1, ge=0, le=63)
    curve_scenes: int = setting(
        5, "Scenes with deletion and insertion", "These need 66 looks a map.", step=1, ge=0, le=100, costs=True
    )
    model: Model = setting("auto", "Model", _MODEL)


class ShortcutSettings(Settings):
    """A classifier trained where kind and background go together, beside one trained where they do not."""

    part: Literal["background", "near-duplicates"] = setting(
        "background", "Shortcut", "background: it goes with the kind. near-duplicates: on both sides of a split."
    )
    n_pictures: int = setting(300, "Test pictures", "Of each split.", step=6, ge=12, le=1200, costs=True)
    n_maps: int = setting(24, "Pictures with maps", "Grad-CAM and occlusion.", step=1, ge=2, le=120, costs=True)
    seed: int = setting(0, "Seed", "Of the test pictures.", step=1, ge=0, le=2**31 - 1)


def follow_choice(timestep: int, threshold: float) -> None:
    """Make these the defaults in this process, as a new one reads them from chosen.json."""
    for model in (AttentionSettings, BenchmarkSettings):
        model.model_fields["timestep"].default = timestep
        model.model_fields["threshold"].default = threshold
        model.model_rebuild(force=True)
