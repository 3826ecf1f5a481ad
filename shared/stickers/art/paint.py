"""What a drawing may use: one paintable colour with its shades, and the few colours that stay as they are.

No channel of any colour comes within 9 levels of 0 or 255, so that a saturated pixel in a generated picture was not
learned from the world.
"""

from __future__ import annotations

import colorsys
from dataclasses import dataclass

INK = "#2B2D42"  # eyes, wheels, outlines of details
WHITE = "#F6F6F4"
GLASS = "#D2ECF5"  # windows
WOOD = "#9C6B43"  # trunks, handles, sticks
LEAF = "#4CAF6D"  # stalks and small leaves
METAL = "#9AA5B1"
CREAM = "#F6EBD3"  # bellies, cream, paper
BLUSH = "#F59BAB"  # cheeks, noses


def mix(color: str, other: str, share: float) -> str:
    """The hex color that is `share` (0..1) of the way from `color` to `other`, mixed in sRGB."""
    a, b = (tuple(int(c[i : i + 2], 16) for i in (1, 3, 5)) for c in (color, other))
    return "#" + "".join(f"{round(x + (y - x) * share):02X}" for x, y in zip(a, b, strict=True))


@dataclass(frozen=True)
class Paint:
    """The body colour of a sticker, as hex, and the shades of it that a drawing may use."""

    body: str

    @property
    def dark(self) -> str:
        """The shade for outlines of the body and for parts in shadow: same hue, darker."""
        r, g, b = (int(self.body[i : i + 2], 16) / 255 for i in (1, 3, 5))
        h, s, v = colorsys.rgb_to_hsv(r, g, b)
        return "#" + "".join(f"{round(c * 255):02X}" for c in colorsys.hsv_to_rgb(h, min(1.0, s * 1.1), v * 0.62))

    @property
    def light(self) -> str:
        """The highlight: the body colour, 45% of the way to white."""
        return mix(self.body, WHITE, 0.45)
