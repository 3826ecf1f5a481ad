"""Parts that several drawings share: an outline around joined shapes, eyes, a smile, cheeks, a mirrored half."""

from __future__ import annotations

from shared.stickers.art.paint import BLUSH, INK, WHITE, Paint

OUTLINE = 3.5  # width of the outline around a body, in units of the box


def joined(p: Paint, *shapes: str) -> str:
    """The shapes as one body: filled with the body colour, the outline only around all of them, outside the shapes."""
    body = "\n".join(shapes)
    return f"""
        <g fill="{p.dark}" stroke="{p.dark}" stroke-width="{2 * OUTLINE}">{body}</g>
        <g fill="{p.body}">{body}</g>
    """


def mirrored(half: str) -> str:
    """The shapes of the left half and the same flipped to the right half."""
    return f'{half}<g transform="matrix(-1 0 0 1 100 0)">{half}</g>'


def eye(x: float, y: float, r: float = 5.5) -> str:
    """A dot eye with a white glint."""
    return f"""
        <circle cx="{x}" cy="{y}" r="{r}" fill="{INK}"/>
        <circle cx="{x + 0.32 * r}" cy="{y - 0.36 * r}" r="{0.36 * r}" fill="{WHITE}"/>
    """


def smile(x: float, y: float, width: float = 10) -> str:
    """A small smile that hangs between two points `width` apart at the height y."""
    d = f"M{x - width / 2} {y} q{width / 2} {0.9 * width} {width} 0"
    return f'<path d="{d}" fill="none" stroke="{INK}" stroke-width="3"/>'


def cheek(x: float, y: float) -> str:
    """A rosy cheek."""
    return f'<ellipse cx="{x}" cy="{y}" rx="5.5" ry="3.8" fill="{BLUSH}"/>'
