"""Settings that each settle one confusion of the curriculum."""

from __future__ import annotations

from shared.demo import Preset

PRESETS = (
    Preset(
        "far-clusters", "Six clusters, and the truth", {"dataset": "clusters", "n_points": 900},
        settles="E1", confusion="Near or far? Both keep neighbors; distances between far clusters are not to be read.",
    ),
    Preset(
        "cluster-sizes", "Sizes made equal",
        {"dataset": "clusters", "n_points": 600, "perplexity": 30.0, "n_neighbors": 30},
        settles="E2", confusion="A wide cluster or a wide patch? Sizes on the map are made nearly equal.",
    ),
    Preset(
        "small-neighborhoods", "Digits at perplexity 3",
        {"dataset": "digits", "n_points": 900, "perplexity": 3.0, "n_neighbors": 3},
        settles="E3", confusion="The data's shape or the setting's? Perplexity, n_neighbors and seed change it.",
    ),
    Preset(
        "noise", "Clusters in pure noise", {"dataset": "noise", "n_points": 500, "perplexity": 5.0, "n_neighbors": 5},
        settles="E4", confusion="Clusters or noise? At small neighborhoods pure noise falls into clumps, too.",
    ),
    Preset(
        "trefoil", "A knot, and the truth", {"dataset": "trefoil", "n_points": 600},
        settles="E5", confusion="A pretty map or a faithful one? Trustworthiness, continuity and overlap say.",
    ),
    Preset(
        "own-trust", "Digits by their own trust", {"dataset": "digits", "color_by": "own trust", "third": "pca"},
        settles="E5", confusion="Is every point to be believed alike? Each has a trust of its own.",
    ),
    Preset(
        "modality-gap", "Pictures and captions, untrained",
        {"dataset": "untrained", "n_points": 800, "metric": "cosine"},
        settles="E6", confusion="One joint space or two clouds? Before training, pictures and captions sit apart.",
    ),
    Preset(
        "gap-trained", "The same, trained", {"dataset": "joint", "n_points": 800, "metric": "cosine"},
        settles="E6", confusion="Does training close the modality gap? The number says what this CLIP is left with.",
    ),
)  # fmt: skip
