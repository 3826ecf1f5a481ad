"""Settings that each settle one confusion of the curriculum."""

from __future__ import annotations

from shared.demo import Preset

_SCENE = "a red car left of a blue house on a mint background"

PRESETS = (
    Preset(
        "two-models",
        "One word, two models",
        {"prompt": _SCENE, "word": "house"},
        settles="A1",
        confusion="Attention or Grad-CAM? One ties a word to places in the drawing model; the other a class to places "
        "in a classifier.",
    ),
    Preset(
        "edges",
        "Is it more than an edge detector?",
        {"prompt": "a green turtle above a yellow star on a night background", "word": "turtle"},
        settles="A2",
        confusion="Explanation or edge detector? Edges look convincing too; masks and random weights tell.",
    ),
    Preset(
        "hide",
        "Hide what it marks",
        {"prompt": "a purple umbrella on a peach background", "word": "umbrella",
         "methods": ["attention", "gradcam", "edges", "blob", "occlusion"]},
        settles="A2",
        confusion="Focus or cause? Hiding the marked part and looking again tests the cause.",
    ),
    Preset(
        "background",
        "A word for the background",
        {"prompt": "a pink whale below an orange boat on a sky background", "word": "sky"},
        settles="A1",
        confusion="Word or object? Any word has a map, also one that names no thing.",
    ),
    Preset(
        "drawn",
        "While it draws",
        {"source": "generated", "prompt": _SCENE, "word": "car"},
        settles="A1",
        confusion="Reading or drawing? The same attention is at work while the picture comes to be.",
    ),
    Preset(
        "cat",
        "A real cat, a real network",
        {"source": "photo", "example": "chelsea", "methods": ["attention", "gradcam", "edges", "blob", "gradcam_random",
                                                             "occlusion"]},
        settles="A2",
        confusion="Right class, right reason? The map says where the class was found.",
    ),
    Preset(
        "absent",
        "A class that is not there",
        {"prompt": _SCENE, "word": "car", "target": "umbrella"},
        settles="A2",
        confusion="Map or evidence? A class that is not in the picture still gets a map, or none at all.",
    ),
)  # fmt: skip
