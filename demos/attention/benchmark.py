"""The benchmark study: every method and control on many unseen scenes of two stickers, with means and intervals."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from PIL import Image

from demos.attention import classifiers, controls, gradcam, maps, reading
from demos.attention.compute import LABELS
from demos.attention.measures import SPECS, causal, scores
from demos.attention.pictures import overlay
from demos.attention.recorder import cross_attention_layers
from demos.attention.settings import SIX, BenchmarkSettings, Method
from demos.attention.takeaway import say_benchmark
from demos.attention.words import read_caption
from shared import explaining
from shared.batches import compute_here, run_batches
from shared.comparison import Comparison, Measure, Side
from shared.demo import Cancelled, DemoError, Progress, no_progress
from shared.devices import environment
from shared.intervals import mean_interval
from shared.models import Loaded, load_pipeline
from shared.sampling import encode_many
from shared.stickers import Scene, caption, is_for_testing, place, random_scene, render

UNIT = "scenes"
BATCH = 16
REFERENCE: dict[Method, Method] = {"gradcam": "gradcam", "gradcam_random": "gradcam"}
"""Whose area a method's map is cut to for iou_like_area; the cross-attention's for all others."""
_LIKE_AREA = "As iou, with the map cut to mark as much of the picture as the real method's map above the threshold"
_FLAT = "The share of maps without any evidence: the same everywhere"


@dataclass(frozen=True)
class Scored:
    """What one method gave on one scene: by measure the mean over its two stickers, and the first sticker's map."""

    values: dict[str, float]
    first: np.ndarray


@dataclass
class Sums:
    """One method's values by measure, one for each scene."""

    values: dict[str, list[float]] = field(default_factory=dict)
    first: np.ndarray | None = None

    def add(self, scored: Scored) -> None:
        """Take in one scene."""
        for name, value in scored.values.items():
            self.values.setdefault(name, []).append(value)
        self.first = scored.first if self.first is None else self.first


@dataclass(frozen=True)
class Example:
    """A scene of two stickers with its picture, masks [2, h, w] and caption."""

    scene: Scene
    picture: Image.Image
    masks: np.ndarray
    caption: str


@dataclass(frozen=True)
class Batch:
    """Scenes that are explained together, from number `start` on: all that another process needs for it."""

    settings: BenchmarkSettings
    choice: maps.Choice
    start: int
    examples: tuple[Example, ...]


def two_sticker_scenes(count: int, seed: int, side: int, *, testing: bool) -> list[Example]:
    """Rendered scenes of two stickers: of the tenth that no training shows, or of the others."""
    rng = random.Random(f"attention {seed} {testing}")
    found: list[Example] = []
    while len(found) < count:
        scene = random_scene(rng)
        if len(scene.stickers) != 2 or is_for_testing(scene) != testing:
            continue
        placed = place(scene, rng.randrange(2**31))
        picture, masks = render(placed, side)
        found.append(Example(placed, picture, masks, caption(placed)))
    return found


def run_benchmark(settings: BenchmarkSettings, progress: Progress | None = None) -> Comparison:
    """A side for each method; measures are means over scenes with 95% intervals. Stopped early, it gives what it has.

    Raises DemoError for a model that does not draw stickers: only of those the masks are known.
    """
    progress = progress or no_progress
    loaded = load_pipeline(settings.model)
    if loaded.row.name != "sticker_diffusion":
        raise DemoError(f"model: the benchmark's scenes are stickers, which {loaded.row.name} was not trained on.")
    classifier = classifiers.load("scene_reader")
    examples = two_sticker_scenes(settings.n_scenes, settings.seed, reading.unet_side(loaded), testing=True)
    heads = {name: layer.heads for name, layer in cross_attention_layers(loaded.model.unet).items()}
    choice, _ = maps.choose(heads, settings.layers, settings.heads, settings.layer, settings.head)
    batches = [
        Batch(settings, choice, start, tuple(examples[start : start + BATCH]))
        for start in range(0, len(examples), BATCH)
    ]
    sums: dict[Method, Sums] = {method: Sums() for method in SIX}
    done, complete = 0, True

    def tell() -> None:
        progress(done, len(examples), UNIT)

    try:
        tell()
        for scored in score_batches(batches, tell):
            for method, one in scored.items():
                sums[method].add(one)
            done += 1
            tell()
    except Cancelled:
        complete = False
    sides = tuple(_side(method, sums[method], examples[0], done) for method in SIX)
    return Comparison(
        demo="attention",
        settings=settings.model_dump() | {"model": loaded.row.name},
        sides=sides,
        takeaway=say_benchmark(sides, done, complete),
        environment=environment(
            loaded.device, loaded.dtype, "diffusers", "captum", model=loaded.row.name, weights=loaded.origin,
            classifier=classifier.name, drawn_by="",
        ),
        complete=complete,
    )  # fmt: skip


Maps = dict[Method, list[np.ndarray]]


def score_batches(batches: Sequence[Batch], tell: Callable[[], None]) -> Iterator[dict[Method, Scored]]:
    """Every scene's scores by method, in order; computed here or where `--workers` says. `tell` may raise to stop."""

    def here(batch: Batch) -> Iterator[dict[Method, Scored]]:
        return score(batch, tell)

    def elsewhere(batch: Batch) -> list[dict[Method, Scored]]:
        return list(score(batch, lambda: None))

    for scenes in run_batches(here if compute_here(len(batches)) else elsewhere, batches, tell):
        yield from scenes


def score(batch: Batch, tell: Callable[[], None]) -> Iterator[dict[Method, Scored]]:
    """The scores of a batch's scenes by method. `tell` is called between its parts, and may raise to stop the work."""
    loaded, classifier = load_pipeline(batch.settings.model), classifiers.load("scene_reader")
    for index, each in enumerate(explain_batch(loaded, classifier, batch, tell)):
        curves = batch.start + index < batch.settings.curve_scenes
        yield _score_scene(each, batch.examples[index], batch.settings, classifier, curves=curves)


def explain_batch(
    loaded: Loaded, classifier: classifiers.Classifier, batch: Batch, tell: Callable[[], None]
) -> Iterator[Maps]:
    """For each example and method the maps of its two stickers, [h, w] of the picture. The random weights change with
    every batch. `tell` is called between its parts, and may raise to stop the work."""
    examples, timestep, choice = batch.examples, batch.settings.timestep, batch.choice
    size = examples[0].picture.size
    seeds = [batch.settings.seed + batch.start + i for i in range(len(examples))]
    random_seed = controls.RANDOM_SEEDS[0] + batch.start // BATCH
    with loaded.alone():
        encoded = encode_many(loaded.model, [e.caption for e in examples])
        latents = reading.to_latents(loaded, [e.picture for e in examples])
        tell()
        seen, _, _ = reading.look(loaded, encoded, latents, seeds, timestep, choice)
        tell()
        blind = reading.look_at_random(loaded, encoded, latents, seeds, timestep, choice, random_seed)
    with classifier.loaded.alone():
        inputs = torch.cat([classifier.inputs(e.picture) for e in examples])
        blind_network = controls.random_copy(classifier.network, random_seed, inputs)
        cams, random_cams = [], []
        for example in examples:
            tell()
            cams.append(cams_of(classifier, example, size))
            random_cams.append(cams_of(replace(classifier, network=blind_network), example, size))
    for i, example in enumerate(examples):
        read = read_caption(loaded.model.tokenizer, example.caption)
        phrases = [read.phrase(read.find(s.kind)) for s in example.scene.stickers]
        edge, middle = controls.edges(example.picture), controls.blob(size)
        yield {
            "attention": [maps.picture_map(maps.word_map(seen[i], p), size) for p in phrases],
            "gradcam": cams[i],
            "edges": [edge] * len(phrases),
            "blob": [middle] * len(phrases),
            "gradcam_random": random_cams[i],
            "attention_random": [maps.picture_map(maps.word_map(blind[i], p), size) for p in phrases],
        }


def cams_of(classifier: classifiers.Classifier, example: Example, size: tuple[int, int]) -> list[np.ndarray]:
    """Grad-CAM of each of the example's stickers at the picture's size."""
    inputs = classifier.inputs(example.picture)
    found = [
        gradcam.grad_cam(classifier.network, inputs, classifier.index(s.kind)).values for s in example.scene.stickers
    ]
    return [maps.picture_map(f, size) for f in found]


def _score_scene(
    found: Maps, example: Example, settings: BenchmarkSettings, classifier: classifiers.Classifier, *, curves: bool
) -> dict[Method, Scored]:
    areas = {m: [explaining.area(f, settings.threshold) for f in found[m]] for m in ("attention", "gradcam")}
    pixels = np.asarray(classifier.fit(example.picture), dtype=np.float32)
    scored: dict[Method, Scored] = {}
    for method, each in found.items():
        like = areas[REFERENCE.get(method, "attention")]
        stickers = [
            scores(f, mask, settings.threshold)
            | {"iou_like_area": explaining.iou_of_area(f, mask, a), "flat_maps": float(explaining.is_flat(f))}
            for f, mask, a in zip(each, example.masks, like, strict=True)
        ]
        values = {name: float(np.mean([sticker[name] for sticker in stickers])) for name in stickers[0]}
        if curves:
            target = classifier.index(example.scene.stickers[0].kind)
            at = maps.picture_map(each[0], (classifier.size, classifier.size))
            values["deletion_auc"], values["insertion_auc"] = causal(classifier, pixels, at, target)
        scored[method] = Scored(values, each[0])
    return scored


def _side(method: Method, sums: Sums, example: Example, done: int) -> Side:
    specs = {name: (unit, better, note) for name, unit, better, note in SPECS}
    order = ("iou", "iou_like_area", "pointing_game", "energy_inside", "area", "deletion_auc", "insertion_auc",
             "flat_maps")  # fmt: skip
    specs["iou_like_area"] = ("share", "higher", _LIKE_AREA)
    specs["flat_maps"] = ("share", "neither", _FLAT)
    measures = []
    for name in order:
        unit, better, note = specs[name]
        values = sums.values.get(name)
        if not values:
            measures.append(Measure(name, None, unit, better, "Of no scene of this run"))  # pyright: ignore[reportArgumentType]
            continue
        found = mean_interval(values, low=0.0, high=1.0, grain=0.05)
        about = f"{note}. Mean over {found.n} scenes, of each the mean over its stickers"
        measures.append(Measure(name, found.value, unit, better, about, found.low, found.high, found.n))  # pyright: ignore[reportArgumentType]
    if sums.first is None:
        return Side(LABELS[method], tuple(measures))
    flat = explaining.is_flat(sums.first)
    shown = example.picture if flat else overlay(example.picture, sums.first)
    said = f"the first of {done} scenes, for “{example.scene.stickers[0].kind}”"
    return Side(
        LABELS[method], tuple(measures), (example.picture, shown), captions=("picture", said), cover=1,
        arrays={"iou": np.array(sums.values["iou"])},
    )  # fmt: skip
