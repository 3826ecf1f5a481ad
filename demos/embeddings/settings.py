"""What can be set in the embeddings demo and its studies: controls, links, API and command line read it here."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from shared.settings import Settings, setting

Dataset = Literal["digits", "stickers", "joint", "untrained", "clusters", "rings", "trefoil", "noise", "upload", "text"]
Metric = Literal["euclidean", "cosine"]
Third = Literal["auto", "none", "pca", "original"]
ColorBy = Literal["label", "own trust"]
Start = Literal["pca", "random"]

MOST_POINTS = 20_000
UPLOADS = (".csv", ".tsv", ".npy", ".parquet", ".zip")

_DATASET = (
    "digits: 1,797 handwritten digits. stickers: pictures of the sticker world. joint: pictures and captions in one "
    "space; untrained: the same before training. clusters, rings, trefoil, noise: their true shape is known. "
    "upload, text: your own."
)
_POINTS = "At most so many points; of more rows a sample is taken, always the same one."
_PERPLEXITY = "t-SNE: about how many neighbors a point keeps close to."
_NEIGHBORS = "UMAP: how many neighbors a point is tied to."
_MIN_DIST = "UMAP: how closely points may be packed."
_METRIC = "How distance is measured in the original space, for the maps and for every measure."
_STANDARDIZE = "Give every column mean 0 and spread 1 first."


class EmbeddingSettings(Settings):
    """One data set, laid out in two dimensions by t-SNE (side A) and by UMAP (side B), and by a third way if wanted."""

    dataset: Dataset = setting("digits", "Data set", _DATASET, main=True, group="data")
    n_points: int = setting(2000, "Points", _POINTS, main=True, group="data", step=1, ge=4, le=MOST_POINTS, costs=True)
    perplexity: float = setting(
        30.0, "perplexity", _PERPLEXITY, main=True, group="size", side="a", step=1, ge=1, le=200
    )
    n_neighbors: int = setting(15, "n_neighbors", _NEIGHBORS, main=True, group="size", side="b", step=1, ge=2, le=200)
    min_dist: float = setting(0.1, "min_dist", _MIN_DIST, main=True, group="look", step=0.05, ge=0, le=0.99)
    seed: int = setting(
        0, "Seed", "Of the layouts; data and sample stay the same.", main=True, group="look", step=1, ge=0, le=2**32 - 1
    )
    color_by: ColorBy = setting(
        "label", "Color by", "own trust: how far each point's neighbors on the map are true ones.",
        main=True,
    )  # fmt: skip
    third: Third = setting(
        "auto", "Third side",
        "original: the true shape, or your two columns. auto: the original where there is one.",
        group="third",
    )  # fmt: skip
    metric: Metric = setting("euclidean", "Metric", _METRIC, group="third")
    init: Start = setting("pca", "Starts from", "pca: t-SNE from PCA, UMAP from its graph's spectrum.", group="start")
    standardize: bool = setting(False, "Standardize columns", _STANDARDIZE, group="start")
    upload: str | None = setting(
        None, "Your data: CSV, TSV, NPY, Parquet, or a zip of pictures", "", upload=True, files=UPLOADS, max_length=4096
    )
    label_column: str = setting(
        "", "Label column", "By name, in your table; one named label, class, target or y is found by itself.",
        max_length=200,
    )  # fmt: skip
    text: str = setting("", "Your text, one entry a line", "At least four lines.", lines=4, max_length=15_000)


class GridSettings(Settings):
    """Strips of maps: t-SNE over perplexities and UMAP over n_neighbors, on the same data from the same start."""

    dataset: Dataset = setting("digits", "Data set", _DATASET, group="data")
    n_points: int = setting(700, "Points", _POINTS, group="data", step=1, ge=4, le=5000, costs=True)
    perplexities: list[Annotated[float, Field(ge=1, le=200)]] = setting(
        [3.0, 10.0, 30.0, 100.0], "Perplexities", _PERPLEXITY, min_length=1, max_length=8, costs=True
    )
    neighbor_counts: list[Annotated[int, Field(ge=2, le=200)]] = setting(
        [3, 10, 30, 100], "n_neighbors", _NEIGHBORS, min_length=1, max_length=8, costs=True
    )
    min_dist: float = setting(0.1, "min_dist", _MIN_DIST, group="look", step=0.05, ge=0, le=0.99)
    metric: Metric = setting("euclidean", "Metric", _METRIC, group="look")
    seed: int = setting(0, "Seed", "Of the layouts.", group="start", step=1, ge=0, le=2**32 - 1)
    standardize: bool = setting(False, "Standardize columns", _STANDARDIZE, group="start")
    upload: str | None = setting(None, "Your data", "", upload=True, files=UPLOADS, max_length=4096)
    label_column: str = setting("", "Label column", "By name, in an uploaded table.", max_length=200)
    text: str = setting("", "Your text, one entry a line", "", lines=2, max_length=15_000)


class StabilitySettings(Settings):
    """The same layout from several seeds: t-SNE from PCA, t-SNE from random points, UMAP."""

    dataset: Dataset = setting("digits", "Data set", _DATASET, group="data")
    n_points: int = setting(700, "Points", _POINTS, group="data", step=1, ge=4, le=5000, costs=True)
    seeds: int = setting(5, "Seeds", "How many, from 0 on.", group="size", step=1, ge=2, le=12, costs=True)
    perplexity: float = setting(30.0, "perplexity", _PERPLEXITY, group="size", step=1, ge=1, le=200)
    n_neighbors: int = setting(15, "n_neighbors", _NEIGHBORS, group="look", step=1, ge=2, le=200)
    min_dist: float = setting(0.1, "min_dist", _MIN_DIST, group="look", step=0.05, ge=0, le=0.99)
    metric: Metric = setting("euclidean", "Metric", _METRIC, group="start")
    standardize: bool = setting(False, "Standardize columns", _STANDARDIZE, group="start")
    upload: str | None = setting(None, "Your data", "", upload=True, files=UPLOADS, max_length=4096)
    label_column: str = setting("", "Label column", "By name, in an uploaded table.", max_length=200)
    text: str = setting("", "Your text, one entry a line", "", lines=2, max_length=15_000)
