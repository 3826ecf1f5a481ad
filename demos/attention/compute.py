"""One picture, two explanations and their controls: makes every map, measures it, and says what came out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from PIL import Image

from demos.attention import classifiers, controls, gradcam, maps, reading
from demos.attention.measures import Found, between, causal, side_measures
from demos.attention.photos import read_photo
from demos.attention.pictures import colored, overlay, with_outline
from demos.attention.recorder import cross_attention_layers
from demos.attention.settings import AttentionSettings, Method
from demos.attention.takeaway import say
from demos.attention.words import Caption, Word, clean, default_word, names_background, read_caption, sticker_of
from shared import explaining
from shared.comparison import Comparison, Measure, Side
from shared.demo import DemoError, Progress, no_progress
from shared.devices import environment
from shared.models import Loaded, load_pipeline, resolve
from shared.sampling import encode
from shared.stickers import CaptionError, Scene, parse_caption, place, render

UNIT = "maps and looks"
LABELS: dict[Method, str] = {
    "attention": "cross-attention",
    "gradcam": "Grad-CAM",
    "edges": "control: Sobel edges",
    "blob": "control: blob in the middle",
    "gradcam_random": "control: Grad-CAM, random weights",
    "attention_random": "control: attention, random weights",
    "integrated_gradients": "Integrated Gradients",
    "occlusion": "Occlusion",
}
NO_PHOTO = "sticker diffusion knows no photos"
INSTEAD = "choose a Stable Diffusion as the model"
STRIP = (48, 48)  # pixels of a strip's maps


@dataclass
class Subject:
    """What is explained: the picture, its masks [stickers, h, w] if they are known, and what it is called."""

    picture: Image.Image
    scene: Scene | None = None
    masks: np.ndarray | None = None
    name: str = "the scene"


@dataclass
class Attended:
    """The diffusion model's side: caption, word and phrase, the word's map, the maps with random weights, strips."""

    caption: Caption
    word: Word
    phrase: tuple[Word, ...]
    found: Found
    random: Found
    strips: list[maps.Strip]
    note: str = ""


class Counter:
    """Counts finished work for the progress callback."""

    def __init__(self, progress: Progress, total: int) -> None:
        self.progress, self.total, self.done = progress, total, 0
        progress(0, total, UNIT)

    def tell(self, more: int = 1) -> None:
        """So much more is done."""
        self.done += more
        self.progress(min(self.done, self.total), self.total, UNIT)


def compare(settings: AttentionSettings, progress: Progress | None = None) -> Comparison:
    """Every wanted side on the same picture.

    A side's images are the plain picture, the map laid over it (which stands for the side) and the map alone. Arrays:
    `map` [height, width]; the first side's also hold strips ([n, 48, 48] with `<strip>_names`). Raises DemoError where
    something can't be done, and whatever `progress` raises to stop the work.
    """
    wanted = settings.wanted
    drawn = reading.STEPS if settings.source == "generated" else len(reading.STRIP_TIMESTEPS)
    count = Counter(progress or no_progress, drawn + 3 + len(controls.RANDOM_SEEDS) * 2 + 3 * len(wanted))
    classifier = classifiers.load(_classifier_name(settings))
    row = resolve(settings.model)
    sees = settings.source != "photo" or row.name != "sticker_diffusion"
    loaded = load_pipeline(settings.model) if sees else None
    subject, attended = _subject(settings, loaded, count)
    target = _target(settings, classifier, subject, attended)
    with classifier.loaded.alone(still_wanted=lambda: count.tell(0)):
        found = _explain(settings, classifier, subject, attended, target, count)
        best = classifier.best(subject.picture)
        chance = float(classifier.probabilities_of(_pixels(classifier, subject.picture)[None], target)[0])
    mask, why = _mask(subject, attended)
    name = classifier.classes[target]
    sides = tuple(_side(settings, method, found[method], subject, mask, why, attended, name) for method in wanted)
    return Comparison(
        demo="attention",
        settings=settings.model_dump() | {"model": row.name, "photo": _file_name(settings.photo)},
        sides=sides,
        takeaway=say(
            sides, name, chance, best[0], attended.word.text if attended else "", subject.name
        ),
        environment=environment(
            classifier.loaded.device, classifier.loaded.dtype, "diffusers", "captum",
            model=row.name if loaded else classifier.name, weights=(loaded or classifier.loaded).origin,
            classifier=classifier.name, target=classifier.classes[target],
            drawn_by=row.name if settings.source == "generated" else "",
        ),
        measures=_between(found, chance, classifier.classes[target]),
    )  # fmt: skip


def _file_name(photo: str | None) -> str | None:
    """An upload's name; where it lies on the server is nobody's business."""
    return Path(photo).name if photo else None


def _classifier_name(settings: AttentionSettings) -> str:
    if settings.classifier != "auto":
        return settings.classifier
    stickers = settings.source == "scene" or resolve(settings.model).name == "sticker_diffusion"
    return "scene_reader" if stickers and settings.source != "photo" else "efficientnet_lite0"


def _subject(settings: AttentionSettings, loaded: Loaded | None, count: Counter) -> tuple[Subject, Attended | None]:
    """The picture, and what the diffusion model reads in it; None where there is no model that can."""
    if settings.source == "photo":
        picture, name = read_photo(settings.photo, settings.example)
        subject = Subject(picture, name=name)
    elif settings.source == "scene":
        subject = _rendered(settings, reading.unet_side(loaded) if loaded else 128)
    else:
        subject = Subject(Image.new("RGB", (8, 8)), name="the drawn picture")
    if loaded is None:
        return subject, None
    with loaded.alone(still_wanted=lambda: count.tell(0)):
        return subject, attend(settings, loaded, subject, count)


def _rendered(settings: AttentionSettings, side: int) -> Subject:
    try:
        scene = place(parse_caption(settings.prompt), settings.seed)
    except CaptionError as error:
        raise DemoError(f"prompt: a scene is rendered from it. {error}") from None
    picture, masks = render(scene, side)
    return Subject(picture, scene, masks)


def attend(settings: AttentionSettings, loaded: Loaded, subject: Subject, count: Counter) -> Attended:
    """Record the cross-attention for the subject; where it is to be drawn, its picture is filled in."""
    pipeline = loaded.model
    caption = read_caption(pipeline.tokenizer, settings.prompt)
    word = caption.find(settings.word or default_word(caption))
    phrase = caption.phrase(word)
    heads = {name: layer.heads for name, layer in cross_attention_layers(pipeline.unet).items()}
    choice, note = maps.choose(heads, settings.layers, settings.heads, settings.layer, settings.head)
    encoded = encode(pipeline, settings.prompt)
    if settings.source == "generated":
        subject.picture, made = reading.draw(loaded, encoded, settings.seed, choice, phrase, count.tell)
        latents = reading.to_latents(loaded, [subject.picture])
    else:
        latents = reading.to_latents(loaded, [subject.picture])
        made = reading.read(loaded, encoded, latents, settings.seed, settings.timestep, choice, phrase, count.tell)
    seeds, every = (settings.seed,), dict.fromkeys(heads, ())
    _, recording, _ = reading.look(loaded, encoded, latents, seeds, settings.timestep, every, heads=True)
    strips = [
        maps.word_strip(made.maps, caption, STRIP),
        maps.layer_strip(recording, phrase, STRIP),
        maps.head_strip(recording, phrase, STRIP),
        made.steps,
    ]
    random = Found([])
    if "attention_random" in settings.wanted:
        for seed in controls.RANDOM_SEEDS:
            started = perf_counter()
            blind = reading.look_at_random(loaded, encoded, latents, seeds, settings.timestep, choice, seed)
            random.seconds = perf_counter() - started
            random.maps.append(maps.picture_map(maps.word_map(blind[0], phrase), subject.picture.size))
            count.tell()
    own = maps.picture_map(maps.word_map(made.maps, phrase), subject.picture.size)
    return Attended(caption, word, phrase, Found([own], made.seconds, note=note), random, strips, note)


def _target(
    settings: AttentionSettings, classifier: classifiers.Classifier, subject: Subject, attended: Attended | None
) -> int:
    """The class that Grad-CAM explains: the one set, the word's, or the likeliest."""
    if settings.target:
        return classifier.index(settings.target)
    if classifier.name == "scene_reader" and attended:
        words = [clean(w.text) for w in (attended.word,)]
        sticker = sticker_of(attended.caption, attended.word, subject.scene or _named(settings))
        scene = subject.scene or _named(settings)
        shown = scene.stickers[sticker] if sticker is not None else None
        name = classifiers.target_of(
            words, shown.kind if shown else None, shown.color if shown else None, scene.background
        )
        if name:
            return classifier.index(name)
    return classifier.likeliest(subject.picture)


def _named(settings: AttentionSettings) -> Scene:
    try:
        return parse_caption(settings.prompt)
    except CaptionError:
        return Scene(())


def _mask(subject: Subject, attended: Attended | None) -> tuple[np.ndarray | None, str]:
    """The mask of what the word names, or None and why there is none."""
    if subject.masks is None or subject.scene is None:
        return None, f"No mask is known for {subject.name}"
    if attended is None:
        return None, "No word was read"
    if names_background(attended.word):
        return ~subject.masks.any(0), ""  # pyright: ignore[reportReturnType]
    sticker = sticker_of(attended.caption, attended.word, subject.scene)
    if sticker is None:
        return None, f"“{attended.word.text}” names nothing that has a mask"
    return subject.masks[sticker], ""


def _explain(
    settings: AttentionSettings, classifier: classifiers.Classifier, subject: Subject, attended: Attended | None,
    target: int, count: Counter,
) -> dict[Method, Found]:  # fmt: skip
    """Every wanted method's maps at the picture's size, with deletion and insertion."""
    network, size = classifier.network, subject.picture.size
    inputs = classifier.inputs(subject.picture)
    baseline = classifier.to_input(explaining.blur(_pixels(classifier, subject.picture))[None]).to(inputs.device)
    layer = gradcam.find_layer(network, inputs, target)

    def of_class(make: Callable[[], gradcam.ClassMap]) -> Found:
        started = perf_counter()
        found = make()
        seconds = perf_counter() - started
        note = "" if found.positive else NOTHING.format(classifier.classes[target])
        return Found([maps.picture_map(found.values, size)], seconds, note=note)

    def random_cam() -> Found:
        every = Found([])
        for seed in controls.RANDOM_SEEDS:
            blind = controls.random_copy(network, seed, inputs)
            one = of_class(lambda: gradcam.grad_cam(blind, inputs, target, layer))  # noqa: B023
            every.maps += one.maps
            every.seconds = one.seconds
            count.tell()
        flat = [m for m in every.maps if explaining.is_flat(m)]
        kept = [m for m in every.maps if not explaining.is_flat(m)] or every.maps[:1]
        note = f"{len(flat)} of {len(every.maps)} random networks gave no positive evidence" if flat else ""
        return Found(kept, every.seconds, note=note)

    def timed(make: Callable[[], np.ndarray]) -> Found:
        started = perf_counter()
        found = make()
        return Found([found], perf_counter() - started)

    makers: dict[Method, Callable[[], Found]] = {
        "attention": lambda: attended.found if attended else Found([], why=NO_PHOTO),
        "gradcam": lambda: of_class(lambda: gradcam.grad_cam(network, inputs, target, layer)),
        "edges": lambda: timed(lambda: controls.edges(subject.picture)),
        "blob": lambda: timed(lambda: controls.blob(size)),
        "gradcam_random": random_cam,
        "attention_random": lambda: attended.random if attended else Found([], why=NO_PHOTO),
        "integrated_gradients": lambda: of_class(
            lambda: gradcam.integrated_gradients(network, inputs, target, baseline)
        ),
        "occlusion": lambda: of_class(
            lambda: gradcam.occlusion(network, inputs, target, baseline, lambda *_: count.tell(0))
        ),
    }
    pixels = _pixels(classifier, subject.picture)
    found: dict[Method, Found] = {}
    gradcam.grad_cam(network, inputs, target, layer)  # a warm-up, thrown away
    for method in settings.wanted:
        one = makers[method]()
        count.tell()
        for made in (m for m in one.maps if not explaining.is_flat(m)):
            at = maps.picture_map(made, (classifier.size, classifier.size))
            one.causal.append(causal(classifier, pixels, at, target))
            count.tell(0)
        count.tell(2)
        found[method] = one
    return found


NOTHING = "No positive evidence for {}: nothing in the picture raises this class, so there is no map"


def _pixels(classifier: classifiers.Classifier, picture: Image.Image) -> np.ndarray:
    return np.asarray(classifier.fit(picture), dtype=np.float32)


def _side(
    settings: AttentionSettings, method: Method, found: Found, subject: Subject, mask: np.ndarray | None, why: str,
    attended: Attended | None, target: str,
) -> Side:  # fmt: skip
    measures = side_measures(found, mask, why, settings.threshold)
    if not found.maps:
        return Side(LABELS[method], measures, (subject.picture,), captions=(f"{found.why}: {INSTEAD}",))
    shown = found.maps[0]
    said = found.note or _made(method, attended, target)
    flat = explaining.is_flat(shown)
    laid = overlay(subject.picture, shown)
    images = (subject.picture, laid if mask is None else with_outline(laid, mask), colored(shown))
    arrays = {"map": shown.astype(np.float32)}
    if mask is not None:
        arrays["mask"] = mask
    if method == "attention" and attended:
        for strip in attended.strips:
            key = strip.title.replace(" ", "_")
            arrays |= {key: strip.maps.astype(np.float16), f"{key}_names": np.array(strip.names)}
    return Side(
        LABELS[method], measures, images[:1] if flat else images, arrays=arrays,
        captions=(said,) if flat else ("picture", said, "map"), cover=0 if flat else 1,
    )  # fmt: skip


def _made(method: Method, attended: Attended | None, target: str) -> str:
    """What made a side's map, in a few words."""
    if method in ("attention", "attention_random") and attended:
        phrase = " ".join(w.text for w in attended.phrase)
        seeds = f", seed {controls.RANDOM_SEEDS[0]} of {len(controls.RANDOM_SEEDS)}"
        return f"for “{phrase}”" + (seeds if method == "attention_random" else "")
    return {"edges": "needs no model", "blob": "needs no picture"}.get(method, f"for “{target}”")


def _between(found: dict[Method, Found], chance: float, target: str) -> tuple[Measure, ...]:
    """Agreement of the two explanations, and of each with itself on random weights; the class's probability."""
    measures = [
        Measure("target_probability", chance, "probability", "neither", f"What the classifier gives “{target}”")
    ]
    pairs: tuple[tuple[str, Method, Method, str], ...] = (
        ("agreement", "attention", "gradcam", "Spearman's correlation of A's and B's maps over the pixels"),
        ("agreement_attention_random", "attention", "attention_random", "Cross-attention with and without its weights"),
        ("agreement_gradcam_random", "gradcam", "gradcam_random", "Grad-CAM with and without the network's weights"),
    )
    for name, first, second, note in pairs:
        if first in found and second in found and found[first].maps and found[second].maps:
            measures.append(between(found[first].maps[0], found[second].maps, name, note))
        elif name == "agreement":
            measures.append(Measure(name, None, "rank correlation", "neither", "Only one of the two maps is there"))
    return tuple(measures)


def warm_up() -> None:
    """Load what the first run needs, so that the first visitor does not wait for it."""
    try:
        compare(AttentionSettings(methods=["attention", "gradcam"]))
    except DemoError:
        return  # the tab says so when it is used
