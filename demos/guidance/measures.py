"""What is measured on a side's pictures: the facts that the judge sees, CLIP scores, how many values are saturated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from shared import adherence
from shared.adherence import Facts
from shared.comparison import Better, Measure
from shared.demo import DemoError, no_progress
from shared.intervals import Interval, mean_interval, share_interval
from shared.models import Loaded, ModelRow, load_clip, load_scene_reader
from shared.reader import Reading, read
from shared.sampling import is_held_back
from shared.stickers import BACKGROUNDS, COLORS, KINDS, CaptionError, Scene, parse_caption


@dataclass(frozen=True)
class Judged:
    """One side as the judge sees it. `facts` is empty where the prompt can't be judged, and `why` says why.

    `unwanted` says for each picture whether it shows something that the negative prompt names; None without one.
    """

    facts: tuple[Facts, ...] = ()
    why: str = ""
    unwanted: tuple[bool, ...] | None = None


def judge(
    row: ModelRow, prompt: str, negative_prompt: str, pictures: Sequence[Sequence[Image.Image]]
) -> list[Judged]:
    """Every side's pictures against the prompt, read by the model's own judge in one go."""
    nothing = len(pictures)
    if not row.judge:
        return [Judged(why=f"No judge was made for the pictures of {row.name}")] * nothing
    scene, why = judgeable_scene(prompt)
    avoided = words_to_avoid(negative_prompt)
    if scene is None and not avoided:
        return [Judged(why=why)] * nothing
    try:
        reader = load_scene_reader(row.judge)
    except DemoError as error:
        return [Judged(why=str(error))] * nothing
    shown = [[p for p in side if not is_held_back(p)] for side in pictures]
    readings = iter(read(reader.model, [p for side in shown for p in side], reader.confidence))
    judged: list[Judged] = []
    for side in shown:
        seen = [next(readings) for _ in side]
        facts = tuple(adherence.check(scene, r) for r in seen) if scene else ()
        unwanted = tuple(shows_any(r, avoided) for r in seen) if avoided else None
        judged.append(Judged(facts, why, unwanted))
    return judged


def judgeable_scene(prompt: str) -> tuple[Scene | None, str]:
    """The prompt's scene, or None and a sentence that says why its facts can't be judged."""
    try:
        scene = parse_caption(prompt)
    except CaptionError as error:
        return None, str(error)
    kinds = [s.kind for s in scene.stickers]
    if len(set(kinds)) < len(kinds):
        return None, "The judge sees one sticker of a kind, and the prompt names a kind twice."
    return scene, ""


def words_to_avoid(negative_prompt: str) -> frozenset[str]:
    """The kinds, colors and backgrounds that the negative prompt names."""
    words = frozenset(negative_prompt.lower().replace(",", " ").replace(".", " ").split())
    return words & {*KINDS, *COLORS, *BACKGROUNDS}


def shows_any(reading: Reading, words: frozenset[str]) -> bool:
    """Whether a picture shows a kind, a sticker's color or a background among the words."""
    seen = {s.kind for s in reading.stickers} | {s.color for s in reading.stickers} | {reading.background}
    return bool(seen & words)


def side_measures(judged: Judged, pictures: Sequence[Image.Image]) -> tuple[Measure, ...]:
    """adherence, kinds_right, all_facts, saturation, and avoided words seen where there is a negative prompt.

    Pictures that the safety checker held back count in none of them.
    """
    shown = [p for p in pictures if not is_held_back(p)]
    if not shown:
        return tuple(
            Measure(name, None, "share", better, "The model's safety checker held every picture back")
            for name, better in (*_FACTS, ("saturation", "lower"))
        )
    saturated = mean_interval([adherence.saturation(p) for p in shown], low=0.0, high=1.0)
    found = [*_fact_measures(judged), _measure("saturation", saturated, "lower", _SATURATION)]
    if judged.unwanted is not None:
        seen = share_interval(sum(judged.unwanted), len(judged.unwanted))
        found.append(_measure("negative_seen", seen, "lower", _NEGATIVE))
    return tuple(found)


def clip_scores(row: ModelRow, prompt: str, pictures: Sequence[Sequence[Image.Image]]) -> list[Measure]:
    """Each side's clip_score: 100 times the cosine between a picture and the prompt in the row's own CLIP; the mean
    over pictures (Hessel et al. 2021, arXiv 2104.08718, who scale it by 2.5 and cut it at 0)."""
    nothing = len(pictures)
    if not row.clip:
        return [_no_clip(f"No CLIP was made for the pictures of {row.name}")] * nothing
    if not prompt:
        return [_no_clip("The prompt is empty")] * nothing
    try:
        loaded = load_clip(row.clip)
    except DemoError as error:
        return [_no_clip(str(error))] * nothing
    return clip_scores_of(loaded, [prompt], pictures)


def clip_scores_of(loaded: Loaded, prompts: Sequence[str], pictures: Sequence[Sequence[Image.Image]]) -> list[Measure]:
    """`clip_scores` by a loaded CLIP; one prompt for all pictures of a side, or one for each."""
    from shared.embedding import embed_captions, embed_pictures

    with loaded.alone():
        texts = embed_captions(loaded, prompts, no_progress)
        found = [_clip_score(loaded, embed_pictures, texts, side) for side in pictures]
    return found


def _clip_score(loaded: Loaded, embed: Callable[..., np.ndarray], texts: np.ndarray, side: Sequence[Image.Image]) -> Measure:
    kept = [i for i, picture in enumerate(side) if not is_held_back(picture)]
    if not kept:
        return _no_clip("The model's safety checker held every picture back")
    embedded = embed(loaded, [side[i] for i in kept], no_progress)
    wanted = texts[kept] if len(texts) > 1 else texts
    scores = mean_interval((100 * (embedded * wanted).sum(-1)).tolist(), low=-100, high=100)
    note = f"100 times the cosine of picture and prompt in {loaded.row.name}; the mean over pictures"
    return Measure("clip_score", scores.value, "", "higher", note, scores.low, scores.high, scores.n)


def _no_clip(why: str) -> Measure:
    return Measure("clip_score", None, "", "higher", why)


_FACTS: tuple[tuple[str, Better], ...] = (("adherence", "higher"), ("kinds_right", "higher"), ("all_facts", "higher"))
_ADHERENCE = (
    "Share of the prompt's facts (kinds, colors, relation, background) that the scene reader finds; "
    "the mean over pictures"
)
_KINDS = "Share of pictures in which the scene reader finds every kind that the prompt names"
_ALL = "Share of pictures in which every fact of the prompt is right"
_SATURATION = "Share of the color values within 2 of either end of 0 to 255; true pictures of this world have none"
_NEGATIVE = "Share of pictures that show a kind, color or background which the negative prompt names"


def _fact_measures(judged: Judged) -> list[Measure]:
    if not judged.facts:
        return [Measure(name, None, "share", better, judged.why) for name, better in _FACTS]
    return [
        _measure("adherence", adherence.adherence(judged.facts), "higher", _ADHERENCE),
        _measure("kinds_right", adherence.kinds_right(judged.facts), "higher", _KINDS),
        _measure("all_facts", adherence.all_facts(judged.facts), "higher", _ALL),
    ]


def _measure(name: str, found: Interval, better: Better, note: str) -> Measure:
    return Measure(name, found.value, "share", better, note, found.low, found.high, found.n)
