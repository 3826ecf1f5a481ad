"""Parts that several drawings share: the outline, a wheel, a face, a middle shade of the body colour."""

from __future__ import annotations

from shared.stickers.art.paint import BLUSH, INK, METAL, WHITE, Paint, mix


def line(p: Paint, width: float = 3.6) -> str:
    """Stroke attributes of the outline of a body part."""
    return f'stroke="{p.dark}" stroke-width="{width}"'


def shade(p: Paint) -> str:
    """The body colour a little darker, for a second part that must still read as the same colour."""
    return mix(p.body, p.dark, 0.2)


def wheel(x: float, y: float, r: float) -> str:
    """A wheel: dark tyre, light hub."""
    return (
        f'<circle cx="{x}" cy="{y}" r="{r}" fill="{INK}"/>'
        f'<circle cx="{x}" cy="{y}" r="{r * 0.52:.1f}" fill="{METAL}"/>'
        f'<circle cx="{x}" cy="{y}" r="{r * 0.24:.1f}" fill="{WHITE}"/>'
    )


def eye(x: float, y: float, r: float) -> str:
    """A round dark eye with a white glint."""
    return (
        f'<circle cx="{x}" cy="{y}" r="{r}" fill="{INK}"/>'
        f'<circle cx="{x + r * 0.3:.1f}" cy="{y - r * 0.36:.1f}" r="{r * 0.36:.1f}" fill="{WHITE}"/>'
    )


def face(x: float, y: float, gap: float) -> str:
    """Two eyes `gap` to the left and right of (x, y), a smile between them and two cheeks."""
    return f"""
    <ellipse cx="{x - gap - 7}" cy="{y + 9}" rx="5.5" ry="3.8" fill="{BLUSH}"/>
    <ellipse cx="{x + gap + 7}" cy="{y + 9}" rx="5.5" ry="3.8" fill="{BLUSH}"/>
    {eye(x - gap, y, 5.2)}
    {eye(x + gap, y, 5.2)}
    <path d="M{x - 6} {y + 5} q6 8 12 0" fill="none" stroke="{INK}" stroke-width="3.4"/>
    """
