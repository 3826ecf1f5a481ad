"""Every kind of sticker as a drawing: a function from a Paint to an SVG fragment in a 100 by 100 box."""

from __future__ import annotations

from collections.abc import Callable

from shared.stickers.art import animals, buildings, food, plants, things, vehicles
from shared.stickers.art.paint import Paint

Drawing = Callable[[Paint], str]

DRAWINGS: dict[str, Drawing] = {
    drawing.__name__: drawing
    for module in (animals, vehicles, food, plants, buildings, things)
    for drawing in module.DRAWINGS
}
