"""Settings that each settle one confusion of the curriculum."""

from __future__ import annotations

from shared.demo import Preset

PRESETS = (
    Preset(
        "sound-gone",
        "The sound goes missing",
        {"drop": "audio", "trained_with": "0", "example": 15},
        settles="F1",
        confusion="Early or late fusion? Early joins features and expects all of them; late joins answers.",
    ),
    Preset(
        "picture-gone",
        "The picture goes missing",
        {"drop": "image", "trained_with": "0", "example": 15},
        settles="F1",
        confusion="Cross-attention or robustness? Intermediate fusion, too, expects what it was trained with.",
    ),
    Preset(
        "both-needed",
        "A task that needs both",
        {
            "task": "both_needed",
            "drop": "none",
            "trained_with": "0",
            "example": 15,
            "image_noise": 0.3,
            "audio_noise": 0.5,
        },
        settles="F2",
        confusion="The best fusion or the best for this data? Where both are needed at once, late fusion can't know.",
    ),
    Preset(
        "trained-for-gaps",
        "Trained with modality dropout",
        {"drop": "audio", "trained_with": "0.3", "example": 15},
        settles="F3",
        confusion="Robust by design or by training? Early fusion learns to live with gaps when it is shown some.",
    ),
    Preset(
        "unmarked-zeros",
        "Zeros in place of the sound",
        {"drop": "audio", "trained_with": "0.3", "drop_as": "zeros"},
        settles="F4",
        confusion="Missing or zero? Zeros look like an input; a mask token says that there is none.",
    ),
    Preset(
        "wrong-rate",
        "The wrong sample rate",
        {"drop": "image", "trained_with": "0.3", "force_sample_rate": 16_000, "audio_noise": 0.0},
        settles="F6",
        confusion="A bad model or a bad input? Read at the wrong sample rate, a word is another sound.",
    ),
    Preset(
        "latency",
        "Latency at matched accuracy",
        {"drop": "none", "trained_with": "0.3"},
        settles="F7",
        confusion="Fast or robust? Compare latency at the same accuracy, not at the same size.",
    ),
)
