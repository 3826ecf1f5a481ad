"""Four accuracies with their intervals, as a picture that reads on a light and on a dark page."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image, ImageDraw

from demos.fusion.bars import BOTTOM, FAINT, FINER, GREY, HEIGHT, LEFT, RIGHT, SEEN_ON_BOTH, TOP, WIDTH
from shared.comparison import Measure
from shared.lettering import Lettering

TITLES = ("both", "picture", "sound", "none")


def draw_states(measures: Sequence[Measure], index: int, titles: Sequence[str] = TITLES) -> Image.Image:
    """A bar from 0 to 1 for each measure with its interval, and its title below."""
    picture = Image.new("RGBA", (WIDTH * FINER, HEIGHT * FINER), (0, 0, 0, 0))
    pen = ImageDraw.Draw(picture)
    floor, tall = HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP
    slot = (WIDTH - LEFT - RIGHT) / len(measures)

    def height(value: float) -> int:
        return round((floor - value * tall) * FINER)

    for share in (0.0, 0.5, 1.0):
        pen.line([(LEFT * FINER, height(share)), ((WIDTH - RIGHT) * FINER, height(share))], fill=FAINT, width=FINER)
    for place, measure in enumerate(measures):
        middle = (LEFT + (place + 0.5) * slot) * FINER
        if measure.value is None:
            continue
        half = 0.3 * slot * FINER
        pen.rectangle(
            [middle - half, height(measure.value), middle + half, floor * FINER], fill=SEEN_ON_BOTH[index % 6]
        )
        if measure.low is not None and measure.high is not None:
            pen.line([(middle, height(measure.low)), (middle, height(measure.high))], fill=GREY, width=3 * FINER)
    small = picture.resize((WIDTH, HEIGHT), Image.Resampling.BOX)
    letters = Lettering(20, GREY)
    for place, title in enumerate(titles[: len(measures)]):
        middle = LEFT + (place + 0.5) * slot
        letters.write(small, (round(middle - letters.width(title) / 2), floor + 5), title)
    for share, text in ((0.0, "0"), (0.5, "0.5"), (1.0, "1")):
        letters.write(small, (LEFT - 10 - letters.width(text), round(floor - share * tall - 13)), text)
    return small
