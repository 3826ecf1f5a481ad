"""Data sets that a model embeds: sticker pictures, pictures with captions, pasted lines, a zip of pictures."""

from __future__ import annotations

import random
import threading
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path, PurePosixPath

import numpy as np
from PIL import Image, ImageDraw

from demos.embeddings.memo import Memo
from demos.embeddings.points import SAMPLE_SEED, Points
from shared.demo import DemoError, Progress
from shared.models import Loaded, is_here, load_classifier, load_clip, load_scene_reader, load_sentences
from shared.stickers import Scene, caption, place, random_scene, render

MOST_PICTURES = 1000
MOST_LINES = 2000
THUMB = 32
RENDERED = {"sticker_clip": 128, "scene_reader": 64}
"""Pixels a side: what each model was trained on."""
MOST_UNZIPPED = 200 * 2**20
MOST_ONE = 20 * 2**20
MOST_PIXELS = 40_000_000
MOST_FILES = 20_000
PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif")
SCENE_SEED = 11
COLOR_LOOKS: dict[str, tuple[str, str]] = {
    "red": ("#d33030", "#ff6f6f"), "orange": ("#d87000", "#ff9f45"), "yellow": ("#a98500", "#f6cb2f"),
    "green": ("#2b8f47", "#4fc36f"), "blue": ("#2f6fde", "#6ea2ff"), "purple": ("#8a45c8", "#bd92f2"),
    "pink": ("#dc5f99", "#f7a6c9"), "brown": ("#8a5a3b", "#c79069"),
}  # fmt: skip
"""The stickers' colors on light and on dark, darker or lighter than shared.stickers has them where they were faint."""

_embedded = Memo(4)


def sticker_pictures(most: int, progress: Progress) -> Points:
    """Scenes with one sticker, through the bundled CLIP, or the scene reader's features where that is missing.

    Labelled by the sticker's color, which these features sort by more than by its kind; the kind stands in the text.
    """
    count = min(most, MOST_PICTURES)
    name = "sticker_clip" if is_here("sticker_clip") else "scene_reader"
    return _embedded.get((name, count)) or _embedded.put((name, count), _sticker_pictures(name, count, progress))


def _sticker_pictures(name: str, count: int, progress: Progress) -> Points:
    from shared.embedding import embed_pictures, read_features

    loaded = load_clip(name) if name == "sticker_clip" else load_scene_reader(name)
    scenes = [place(scene, i) for i, scene in enumerate(_scenes(count, one=True))]
    pictures = _draw(scenes, RENDERED[name], progress)
    with loaded.alone(lambda: progress(0, count, "pictures")):
        embed = embed_pictures if name == "sticker_clip" else read_features
        features = embed(loaded, pictures, progress)
    return Points(
        f"sticker pictures through the {name.replace('_', ' ')}",
        features,
        tuple(str(s.stickers[0].color) for s in scenes),
        tuple(caption(s) for s in scenes),
        _thumbs(pictures),
        model=loaded.row.name,
        weights=loaded.origin,
        looks=COLOR_LOOKS,
    )


def pictures_and_captions(most: int, progress: Progress, *, trained: bool = True) -> Points:
    """Pictures and their captions in one space, half of the points each, with the modality gap as a number; by the
    bundled CLIP, or by the same network as it was before training.

    The gap is the distance between the mean picture and the mean caption, all of length 1 (Liang et al. 2022,
    arXiv 2203.02053). Raises DemoError where the gallery's CLIP is missing.
    """
    if not is_here("sticker_clip"):
        raise DemoError(
            "dataset: “joint” needs the bundled model sticker_clip, which is not here; every other data set works."
        )
    count = max(2, min(most, 2 * MOST_PICTURES) // 2)
    key = ("joint", trained, count)
    return _embedded.get(key) or _embedded.put(key, _pictures_and_captions(count, trained, progress))


def _pictures_and_captions(count: int, trained: bool, progress: Progress) -> Points:
    from shared.embedding import embed_captions, embed_pictures

    loaded = load_clip("sticker_clip")
    loaded = loaded if trained else _before_training(loaded)
    scenes = _scenes(count, one=False)
    pictures, captions = _draw(scenes, RENDERED["sticker_clip"], progress), [caption(s) for s in scenes]
    with loaded.alone(lambda: progress(0, count, "pictures")):
        seen = embed_pictures(loaded, pictures, progress)
        read = embed_captions(loaded, captions, progress)
    return Points(
        "sticker pictures and captions in one space" + ("" if trained else ", before training"),
        np.concatenate([seen, read]),
        ("picture",) * count + ("caption",) * count,
        tuple(captions + captions),
        np.concatenate([_thumbs(pictures), np.repeat(_written()[None], count, axis=0)]),
        gap=modality_gap(seen, read),
        pair_distance=float(np.linalg.norm(seen - read, axis=1).mean()),
        model=loaded.row.name,
        weights=loaded.origin,
    )


def _before_training(loaded: Loaded) -> Loaded:
    """The same network with the random weights that training starts from, seeded."""
    import torch
    from transformers import CLIPModel

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = CLIPModel(loaded.model.config)
    model = model.to(loaded.device).eval().requires_grad_(False)  # pyright: ignore[reportArgumentType]
    return replace(loaded, model=model, origin="untrained, seed 0", lock=threading.Lock())


def modality_gap(pictures: np.ndarray, captions: np.ndarray) -> float:
    """The distance between the two modalities' means."""
    return float(np.linalg.norm(pictures.mean(axis=0) - captions.mean(axis=0)))


def _written() -> np.ndarray:
    """The thumbnail of a caption: a few lines, as if written."""
    picture = Image.new("RGB", (THUMB, THUMB), "white")
    pen = ImageDraw.Draw(picture)
    for y, end in ((9, 26), (15, 23), (21, 18)):
        pen.rectangle((6, y, end, y + 1), fill="#6b7280")
    return np.asarray(picture)


def lines_of_text(text: str, most: int, progress: Progress) -> Points:
    """Pasted lines through MiniLM. Raises DemoError for too few lines, or where the model can't be had."""
    from shared.embedding import embed_sentences

    lines = [" ".join(line.replace("\0", " ").split()) for line in text.splitlines()]
    filled = [line for line in lines if line]
    if len(filled) < 4:
        raise DemoError(
            f"text: at least 4 lines are needed, and there {'is 1' if len(filled) == 1 else f'are {len(filled)}'}."
        )
    notes = (
        [f"{len(lines) - len(filled):,} empty line{'s' * (len(lines) - len(filled) != 1)} dropped."]
        if len(lines) > len(filled)
        else []
    )
    limit = min(most, MOST_LINES)
    at = np.sort(np.random.default_rng(SAMPLE_SEED).permutation(len(filled))[:limit])
    chosen = [filled[i] for i in at]
    loaded = load_sentences("minilm")
    with loaded.alone(lambda: progress(0, len(chosen), "texts")):
        features = embed_sentences(loaded, chosen, progress)
    return Points("your text through MiniLM", features, texts=tuple(t[:200] for t in chosen), rows=len(filled),
                  notes=tuple(notes), model=loaded.row.name, weights=loaded.origin)  # fmt: skip


def zipped_pictures(file: Path, most: int, progress: Progress) -> Points:
    """A zip's pictures through CLIP; a picture's folder is its label. Nothing is unpacked to the disk.

    Where CLIP can't be had, EfficientNet-Lite0's features stand in, and that is noted. The sticker CLIP never reads
    them: it knows nothing but stickers. Raises DemoError with one sentence for what is no zip, unpacks to too much, or
    holds too few pictures.
    """
    from shared.embedding import classifier_features, embed_pictures

    names, pictures, notes = _read_zip(file, min(most, MOST_PICTURES), progress)
    loaded = _picture_model()
    embed = embed_pictures if loaded.row.kind == "clip" else classifier_features
    if loaded.row.kind != "clip":
        notes.append("CLIP is not here, so the ImageNet classifier EfficientNet-Lite0 read the pictures.")
    with loaded.alone(lambda: progress(0, len(pictures), "pictures")):
        features = embed(loaded, pictures, progress)
    folders = [PurePosixPath(n).parent.name for n in names]
    labels = tuple(f or "no folder" for f in folders) if len(set(folders)) > 1 else ()
    title, texts = f"your pictures in {file.name[:60]}", tuple(n[-120:] for n in names)
    return Points(title, features, labels, texts, _thumbs(pictures),
                  rows=len(pictures), notes=tuple(notes), model=loaded.row.name, weights=loaded.origin)  # fmt: skip


def _picture_model() -> Loaded:
    """CLIP, or the ImageNet classifier where CLIP can't be had. Raises DemoError where both are missing."""
    try:
        return load_clip("clip")
    except DemoError:
        if not is_here("efficientnet_lite0"):
            raise
        return load_classifier("efficientnet_lite0")


def _read_zip(file: Path, most: int, progress: Progress) -> tuple[list[str], list[Image.Image], list[str]]:
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError, ValueError):
        raise DemoError("upload: the zip can't be read; it is damaged or no zip.") from None
    with archive:
        entries = [e for e in archive.infolist() if not e.is_dir()]
        if len(entries) > MOST_FILES:
            raise DemoError(f"upload: the zip holds {len(entries):,} files; at most {MOST_FILES:,} are read.")
        total = sum(e.file_size for e in entries)
        if total > MOST_UNZIPPED:
            raise DemoError(
                f"upload: the zip unpacks to {total / 2**20:,.0f} MB; at most {MOST_UNZIPPED // 2**20} MB are read."
            )
        wanted = [
            e for e in entries if PurePosixPath(e.filename).suffix.lower() in PICTURES and "__MACOSX" not in e.filename
        ]
        if not wanted:
            raise DemoError(f"upload: the zip holds no pictures ({', '.join(PICTURES)}).")
        chosen = np.sort(np.random.default_rng(SAMPLE_SEED).permutation(len(wanted))[:most])
        names, pictures, bad = [], [], 0
        for step, i in enumerate(chosen):
            progress(step, len(chosen), "pictures read")
            picture = _open_picture(archive, wanted[i])
            bad += picture is None
            if picture is not None:
                names.append(wanted[i].filename)
                pictures.append(picture)
    if len(pictures) < 4:
        raise DemoError(f"upload: at least 4 pictures are needed, and {len(pictures)} of {len(wanted)} could be read.")
    notes = [f"{bad:,} picture{'s' * (bad != 1)} that can't be read dropped."] if bad else []
    if len(wanted) > len(chosen):
        notes.append(f"A sample of {len(chosen):,} of {len(wanted):,} pictures.")
    return names, pictures, notes


def _open_picture(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Image.Image | None:
    """The picture at 256 pixels, or None where it can't be read, is locked, or is larger than it should be."""
    import io

    if entry.file_size > MOST_ONE or entry.flag_bits & 1:
        return None
    try:
        with archive.open(entry) as stream:
            content = stream.read(MOST_ONE + 1)
        if len(content) > MOST_ONE:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content)) as picture:
                if picture.width * picture.height > MOST_PIXELS:
                    return None
                picture.draft("RGB", (256, 256))
                small = picture.convert("RGB")
        small.thumbnail((256, 256))
        return small
    except Exception:  # a decoder may raise anything on a damaged picture
        return None


def _scenes(count: int, *, one: bool) -> list[Scene]:
    rng = random.Random(SCENE_SEED)
    scenes: list[Scene] = []
    while len(scenes) < count:
        scene = random_scene(rng)
        if not one or len(scene.stickers) == 1:
            scenes.append(scene)
    return scenes


def _draw(scenes: list[Scene], size: int, progress: Progress) -> list[Image.Image]:
    pictures = []
    for i, scene in enumerate(scenes):
        if i % 20 == 0:
            progress(i, len(scenes), "pictures drawn")
        pictures.append(render(scene, size, seed=i)[0])
    return pictures


def _thumbs(pictures: list[Image.Image]) -> np.ndarray:
    shots = []
    for picture in pictures:
        square = Image.new("RGB", (THUMB, THUMB), "white")
        small = picture.convert("RGB")
        small.thumbnail((THUMB, THUMB), Image.Resampling.BOX)
        square.paste(small, ((THUMB - small.width) // 2, (THUMB - small.height) // 2))
        shots.append(np.asarray(square))
    return np.stack(shots)
