"""What is measured on a side's pictures: the facts that the judge sees, CLIP scores, how many values are saturated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from shared import adherence
from shared.adherence import Facts
from shared.comparison import Better, Measure
from shared.demo import DemoError, no_progress
from shared.intervals import Interval, mean_interval, share_interval
from shared.models import Loaded, ModelRow, load_clip, load_scene_reader
from shared.off_palette import FAR, off_palette
from shared.reader import Reading, read
from shared.sampling import is_held_back
from shared.stickers import BACKGROUNDS, COLORS, KINDS, CaptionError, Scene, parse_caption


@dataclass(frozen=True)
class Judged:
    """One side as the judge sees it. `facts` is empty where the prompt can't be judged, and `why` says why.

    `unwanted` says for each picture whether it shows something that the negative prompt names; None without one.
    `has_palette`: the pictures are of the sticker world, whose colors are known.
    """

    facts: tuple[Facts, ...] = ()
    why: str = ""
    unwanted: tuple[bool, ...] | None = None
    has_palette: bool = False


def judge(row: ModelRow, prompt: str, negative_prompt: str, pictures: Sequence[Sequence[Image.Image]]) -> list[Judged]:
    """Every side's pictures against the prompt, read by the model's own judge in one go."""
    nothing = len(pictures)
    if not row.judge:
        return [Judged(why=f"No judge was made for the pictures of {row.name}")] * nothing
    scene, why = judgeable_scene(prompt)
    avoided = words_to_avoid(negative_prompt)
    if scene is None and not avoided:
        return [Judged(why=why, has_palette=True)] * nothing
    try:
        reader = load_scene_reader(row.judge)
    except DemoError as error:
        return [Judged(why=str(error), has_palette=True)] * nothing
    shown = [[p for p in side if not is_held_back(p)] for side in pictures]
    readings = iter(read(reader.model, [p for side in shown for p in side], reader.confidence))
    judged: list[Judged] = []
    for side in shown:
        seen = [next(readings) for _ in side]
        facts = tuple(adherence.check(scene, r) for r in seen) if scene else ()
        unwanted = tuple(shows_any(r, avoided) for r in seen) if avoided else None
        judged.append(Judged(facts, why, unwanted, has_palette=True))
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
    """adherence, kinds_right, all_facts, off_palette, saturation, and avoided words seen where there is a negative
    prompt.

    Pictures that the safety checker held back count in none of them.
    """
    shown = [p for p in pictures if not is_held_back(p)]
    if not shown:
        why = "The model's safety checker held every picture back"
        return (*fact_measures((), why), *(Measure(name, None, "share", "lower", why) for name in HARMS))
    saturated = [adherence.saturation(p) for p in shown]
    off = [off_palette(p) for p in shown] if judged.has_palette else []
    found = [*fact_measures(judged.facts, judged.why), *harm_measures(off, saturated, judged.why)]
    if judged.unwanted is not None:
        seen = share_interval(sum(judged.unwanted), len(judged.unwanted))
        found.append(measure("negative_seen", seen, "lower", _NEGATIVE))
    return tuple(found)


def harm_measures(off: Sequence[float], saturated: Sequence[float], why: str) -> list[Measure]:
    """off_palette and saturation from their values in each picture; off_palette is null with the reason where the
    pictures are not of the sticker world."""
    saturation = measure("saturation", mean_interval(saturated, low=0.0, high=1.0), "lower", _SATURATION)
    if not off:
        return [Measure("off_palette", None, "share", "lower", why or _NO_PALETTE), saturation]
    return [measure("off_palette", mean_interval(off, low=0.0, high=1.0), "lower", _OFF_PALETTE), saturation]


def load_clip_of(row: ModelRow) -> tuple[Loaded | None, str]:
    """The CLIP that a row names, or None and why there is none."""
    if not row.clip:
        return None, f"No CLIP was made for the pictures of {row.name}"
    try:
        return load_clip(row.clip), ""
    except DemoError as error:
        return None, str(error)


def clip_cosines(loaded: Loaded, prompts: Sequence[str], pictures: Sequence[Image.Image]) -> list[float]:
    """100 times the cosine between each picture and its prompt; one prompt may stand for all. In that form the CLIP
    score of Hessel et al. 2021 (arXiv 2104.08718) without their factor of 2.5 and their cut at 0."""
    from shared.embedding import embed_captions, embed_pictures

    with loaded.alone():
        texts = embed_captions(loaded, prompts, no_progress)
        seen = embed_pictures(loaded, pictures, no_progress)
    return (100 * (seen * texts).sum(-1)).tolist()


def clip_scores(row: ModelRow, prompt: str, pictures: Sequence[Sequence[Image.Image]]) -> list[Measure]:
    """Each side's clip_score, the mean over its pictures in the row's own CLIP. Pictures held back do not count."""
    loaded, why = load_clip_of(row)
    if loaded is None or not prompt:
        return [_no_clip(why or "The prompt is empty")] * len(pictures)
    return [_clip_score(loaded, prompt, [p for p in side if not is_held_back(p)]) for side in pictures]


def _clip_score(loaded: Loaded, prompt: str, pictures: Sequence[Image.Image]) -> Measure:
    if not pictures:
        return _no_clip("The model's safety checker held every picture back")
    scores = mean_interval(clip_cosines(loaded, [prompt], pictures), low=-100, high=100)
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
_OFF_PALETTE = (
    f"Share of pixels whose color is more than {FAR:g} (CIE 1976, in Lab) from every color of the sticker world; "
    "a true picture has some, where edges blend"
)
_NO_PALETTE = "Only the sticker world has a palette"
HARMS = ("off_palette", "saturation")
"""What too much guidance does to a picture, the most telling first."""
_NEGATIVE = "Share of pictures that show a kind, color or background which the negative prompt names"


def fact_measures(facts: Sequence[Facts], why: str) -> list[Measure]:
    """adherence, kinds_right and all_facts of these pictures; nulls with the reason where there are no facts."""
    if not facts:
        return [Measure(name, None, "share", better, why) for name, better in _FACTS]
    return [
        measure("adherence", adherence.adherence(facts), "higher", _ADHERENCE),
        measure("kinds_right", adherence.kinds_right(facts), "higher", _KINDS),
        measure("all_facts", adherence.all_facts(facts), "higher", _ALL),
    ]


def measure(name: str, found: Interval, better: Better, note: str) -> Measure:
    """A share with its interval."""
    return Measure(name, found.value, "share", better, note, found.low, found.high, found.n)
