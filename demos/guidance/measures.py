"""What is measured on a side's pictures: the facts that the judge sees, and how many values are saturated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from demos.guidance.settings import GuidanceSettings
from shared import adherence
from shared.adherence import Facts
from shared.comparison import Better, Measure
from shared.demo import DemoError
from shared.intervals import Interval, mean_interval, share_interval
from shared.models import ModelRow, load_scene_reader
from shared.reader import Reading, read
from shared.stickers import BACKGROUNDS, COLORS, KINDS, CaptionError, Scene, parse_caption


@dataclass(frozen=True)
class Judged:
    """One side as the judge sees it. `facts` is empty where the prompt can't be judged, and `why` says why.

    `unwanted` says for each picture whether it shows something that the negative prompt names; None without one.
    """

    facts: tuple[Facts, ...] = ()
    why: str = ""
    unwanted: tuple[bool, ...] | None = None


def judge(row: ModelRow, settings: GuidanceSettings, pictures: Sequence[Sequence[Image.Image]]) -> list[Judged]:
    """Every side's pictures against the prompt, read by the model's own judge in one go."""
    nothing = len(pictures)
    if not row.judge:
        return [Judged(why=f"No judge was made for the pictures of {row.name}")] * nothing
    scene, why = judgeable_scene(settings.prompt)
    avoided = words_to_avoid(settings.negative_prompt)
    if scene is None and not avoided:
        return [Judged(why=why)] * nothing
    try:
        reader = load_scene_reader(row.judge)
    except DemoError as error:
        return [Judged(why=str(error))] * nothing
    readings = iter(read(reader.model, [p for side in pictures for p in side], reader.confidence))
    judged: list[Judged] = []
    for side in pictures:
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
    """adherence, kinds_right, all_facts, saturation, and avoided words seen where there is a negative prompt."""
    saturated = mean_interval([adherence.saturation(p) for p in pictures], low=0.0, high=1.0)
    found = [*_fact_measures(judged), _measure("saturation", saturated, "lower", _SATURATION)]
    if judged.unwanted is not None:
        seen = share_interval(sum(judged.unwanted), len(judged.unwanted))
        found.append(_measure("negative_seen", seen, "lower", _NEGATIVE))
    return tuple(found)


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
        return [
            Measure(name, None, "share", "higher", judged.why) for name in ("adherence", "kinds_right", "all_facts")
        ]
    return [
        _measure("adherence", adherence.adherence(judged.facts), "higher", _ADHERENCE),
        _measure("kinds_right", adherence.kinds_right(judged.facts), "higher", _KINDS),
        _measure("all_facts", adherence.all_facts(judged.facts), "higher", _ALL),
    ]


def _measure(name: str, found: Interval, better: Better, note: str) -> Measure:
    return Measure(name, found.value, "share", better, note, found.low, found.high, found.n)
