"""The shortcut study: the same accuracy for different reasons, and what slices, Grad-CAM and occlusion say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from assets.shortcut_classifier.data import GROUNDS, by_picture, by_scene, films, split_scenes
from demos.attention import gradcam
from demos.attention.maps import picture_map
from demos.attention.pictures import overlay
from demos.attention.settings import ShortcutSettings
from demos.attention.slices import slice_figure
from demos.attention.takeaway import say_duplicates, say_shortcut
from shared import checksums, explaining
from shared.comparison import Comparison, Measure, Side
from shared.demo import Cancelled, DemoError, Progress, no_progress
from shared.devices import environment
from shared.intervals import Interval, mean_interval, share_interval
from shared.models import ASSETS
from shared.small_cnn import INPUT_SIZE, KINDS, SmallCNN, load_small_cnn, to_input
from shared.stickers import Scene, render

FOLDER = ASSETS / "shortcut_classifier"
FILMS, SHARE = 36, 0.75
UNIT = "pictures"
LABELS = {
    "biased": "trained where kind and background go together",
    "balanced": "trained on any background",
    "by_picture": "split by picture: near-duplicates on both sides",
    "by_scene": "split by scene",
}
_BIASED = "On unseen pictures where each kind stands on the background that it had in training"
_FLIPPED = "On unseen pictures where no kind stands on the background that it had in training"
_ENERGY = "The share of Grad-CAM's mass for the class that it names that lies in the sticker, on the flipped split"
_OCCLUSION = "The same of an occlusion map: how much the class's logit falls where a window hides the picture"
_AREA = "The share of the picture that the sticker covers: what a map that knows nothing would have"
_OWN = "On the test part of its own split: what its makers would report"
_NEW = "On new scenes, none of them a near-duplicate of anything it was trained on"
_GAP = "Accuracy on its own test part minus accuracy on new scenes"


@dataclass(frozen=True)
class Pictures:
    """Rendered scenes: PIL pictures, the sticker's mask in each [n, h, w], inputs and labels."""

    scenes: Sequence[Scene]
    pictures: list[Image.Image]
    masks: np.ndarray
    inputs: Tensor
    labels: np.ndarray


def run_shortcut(settings: ShortcutSettings, progress: Progress | None = None) -> Comparison:
    """Two sides of one architecture. background: biased and balanced training, with accuracy on both splits, slices and
    maps. near-duplicates: a split by picture and a split by scene. Stopped early, it gives what it has.

    Raises DemoError where the weights are not there, or are damaged.
    """
    names = ("biased", "balanced") if settings.part == "background" else ("by_picture", "by_scene")
    try:
        checksums.check(FOLDER)
        networks = [load_small_cnn(FOLDER / f"{name}.safetensors") for name in names]
    except OSError:
        raise DemoError(
            "The weights of shortcut_classifier are not here: check out the folder again or run its recipe.py."
        ) from None
    run = _backgrounds if settings.part == "background" else _duplicates
    return run(settings, networks, progress or no_progress)


def _backgrounds(settings: ShortcutSettings, networks: Sequence[SmallCNN], progress: Progress) -> Comparison:
    total = 2 * settings.n_pictures + 4 * settings.n_maps
    done, complete = 0, True
    splits: dict[str, Pictures] = {}
    maps: list[list[tuple[np.ndarray, np.ndarray]]] = [[], []]
    try:
        for name in ("biased", "flipped"):
            splits[name] = draw(*split_scenes(settings.n_pictures, name, settings.seed + 1000))
            done += settings.n_pictures
            progress(done, total, UNIT)
        flipped = splits["flipped"]
        called = [guess(network, flipped.inputs) for network in networks]
        for i in range(min(settings.n_maps, len(flipped.labels))):
            for network, names, found in zip(networks, called, maps, strict=True):
                found.append(explain(network, flipped.inputs[i : i + 1], int(names[i])))
                done += 2
                progress(done, total, UNIT)
    except Cancelled:
        complete = False
    named = {name: [guess(n, found.inputs) for n in networks] for name, found in splits.items()}
    sides = tuple(_background_side(i, splits, named, maps[i]) for i in range(2))
    figures = ()
    if "flipped" in splits:
        both = [splits["biased"], splits["flipped"]]
        labels = np.concatenate([b.labels for b in both])
        where = np.array([GROUNDS.index(s.background or "") for b in both for s in b.scenes])
        right = [np.concatenate([named[k][i] == splits[k].labels for k in ("biased", "flipped")]) for i in range(2)]
        figures = (slice_figure(labels, where, right, [s.label for s in sides], KINDS, GROUNDS),)
    return _comparison(settings, sides, say_shortcut(sides), complete, figures)


def draw(scenes: Sequence[Scene], labels: Sequence[int]) -> Pictures:
    """The scenes rendered at the networks' size."""
    made = [render(scene, INPUT_SIZE) for scene in scenes]
    pictures = [picture for picture, _ in made]
    return Pictures(scenes, pictures, np.stack([m[0] for _, m in made]), to_input(pictures), np.array(labels))


@torch.no_grad()
def guess(network: SmallCNN, inputs: Tensor) -> np.ndarray:
    """The likeliest class of each picture, [n]."""
    return torch.cat([network(x).argmax(1) for x in inputs.split(64)]).numpy()


def explain(network: SmallCNN, inputs: Tensor, label: int) -> tuple[np.ndarray, np.ndarray]:
    """Grad-CAM and occlusion maps for a class, at the picture's size."""
    size = (INPUT_SIZE, INPUT_SIZE)
    cam = picture_map(gradcam.grad_cam(network, inputs, label, "features").values, size)
    mean = inputs.mean((2, 3), keepdim=True).expand_as(inputs)
    return cam, gradcam.occlusion(network, inputs, label, mean).values


def _background_side(
    index: int, splits: dict[str, Pictures], named: dict[str, list[np.ndarray]],
    found: Sequence[tuple[np.ndarray, np.ndarray]],
) -> Side:  # fmt: skip
    measures = [
        _accuracy(f"accuracy_{name}", note, splits.get(name), named.get(name, [None, None])[index])
        for name, note in (("biased", _BIASED), ("flipped", _FLIPPED))
    ]
    label = LABELS[("biased", "balanced")[index]]
    if not found:
        why = "No picture was explained"
        measures += [Measure(n, None, "share", "higher", why) for n in ("energy_inside", "occlusion_inside")]
        return Side(label, tuple(measures))
    flipped = splits["flipped"]
    masks = flipped.masks[: len(found)]
    for name, note, part in (("energy_inside", _ENERGY, 0), ("occlusion_inside", _OCCLUSION, 1)):
        values = [
            explaining.energy_inside(f[part], m)
            for f, m in zip(found, masks, strict=True) if not explaining.is_flat(f[part])
        ]  # fmt: skip
        measures.append(_mean(name, values, note))
    measures.append(_mean("sticker_area", [float(m.mean()) for m in masks], _AREA, "neither"))
    cam, hidden = found[0]
    called = KINDS[named["flipped"][index][0]]
    first = flipped.pictures[0].resize((256, 256), Image.Resampling.BICUBIC)
    images, captions = [first], [_caption(named["flipped"][index][0], flipped.labels[0])]
    for values, title in ((cam, "Grad-CAM"), (hidden, "occlusion")):
        large = picture_map(values, (256, 256))
        images.append(first if explaining.is_flat(large) else overlay(first, large))
        captions.append(f"{title} for “{called}”")
    arrays = {"map": cam, "occlusion": hidden}
    return Side(label, tuple(measures), tuple(images), captions=tuple(captions), arrays=arrays, cover=1)


def _caption(guessed: int, true: int) -> str:
    return f"a {KINDS[true]}, called a {KINDS[guessed]}"


def _accuracy(name: str, note: str, found: Pictures | None, named: np.ndarray | None) -> Measure:
    if found is None or named is None:
        return Measure(name, None, "share", "higher", "Stopped before it was measured")
    return _measure(name, share_interval(int((named == found.labels).sum()), len(named)), note)


def _mean(name: str, values: Sequence[float], note: str, better: str = "higher") -> Measure:
    if not values:
        return Measure(name, None, "share", "higher", "No map had positive evidence")
    found = mean_interval(values, low=0.0, high=1.0, grain=0.01)
    return Measure(name, found.value, "share", "neither" if better == "neither" else "higher", note, found.low,
                   found.high, found.n)  # fmt: skip


def _measure(name: str, found: Interval, note: str) -> Measure:
    return Measure(name, found.value, "share", "higher", note, found.low, found.high, found.n)


def _duplicates(settings: ShortcutSettings, networks: Sequence[SmallCNN], progress: Progress) -> Comparison:
    fresh_scenes, fresh_labels = split_scenes(settings.n_pictures, "balanced", settings.seed + 2000)
    scenes, labels, of = films(FILMS, seed=1)
    parts: list[Callable[[], tuple[list[int], list[int]]]] = [
        lambda: by_picture(of, SHARE, 1), lambda: by_scene(of, labels, SHARE, 1)
    ]  # fmt: skip
    total = 3 * settings.n_pictures
    sides: list[Side] = []
    complete = True
    try:
        fresh = draw(fresh_scenes, fresh_labels)
        progress(settings.n_pictures, total, UNIT)
        for index, (network, part) in enumerate(zip(networks, parts, strict=True)):
            inside, outside = part()
            tested = np.random.default_rng(settings.seed).permutation(outside)[: settings.n_pictures]
            own = draw([scenes[i] for i in tested], [labels[i] for i in tested])
            trained = scenes[inside[0]]
            sides.append(_duplicate_side(LABELS[("by_picture", "by_scene")[index]], network, own, fresh, trained))
            progress((index + 2) * settings.n_pictures, total, UNIT)
    except Cancelled:
        complete = False
    return _comparison(settings, tuple(sides), say_duplicates(sides), complete, ())


def _duplicate_side(label: str, network: SmallCNN, own: Pictures, fresh: Pictures, trained: Scene) -> Side:
    mine, new = (guess(network, p.inputs) == p.labels for p in (own, fresh))
    first, second = share_interval(int(mine.sum()), len(mine)), share_interval(int(new.sum()), len(new))
    shown = [p.resize((256, 256), Image.Resampling.BICUBIC) for p in (render(trained, INPUT_SIZE)[0], own.pictures[0])]
    gap = float(mine.mean() - new.mean())
    error = 1.96 * float(np.sqrt(mine.var() / len(mine) + new.var() / len(new)))
    return Side(
        label,
        (
            _measure("accuracy_own_test", first, _OWN),
            _measure("accuracy_new_scenes", second, _NEW),
            Measure("overstatement", gap, "share", "lower", _GAP, gap - error, gap + error, len(mine)),
        ),
        (shown[1], shown[0]),
        captions=("a test picture", "one it was trained on"),
    )


def _comparison(
    settings: ShortcutSettings, sides: tuple[Side, ...], takeaway: str, complete: bool, figures: tuple
) -> Comparison:
    return Comparison(
        demo="attention",
        settings=settings.model_dump(),
        sides=sides,
        takeaway=takeaway,
        environment=environment(
            torch.device("cpu"), torch.float32, "captum", model="shortcut_classifier", weights="bundled"
        ),
        figures=figures,
        complete=complete,
    )
