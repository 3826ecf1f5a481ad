"""Things: umbrella, key, cup, star, heart, guitar."""

from __future__ import annotations

from shared.stickers.art.paint import CREAM, INK, WOOD, Paint
from shared.stickers.art.parts import face, line


def umbrella(p: Paint) -> str:
    handle = "M50 50 V86 Q50 97 60 97 Q70 97 70 88"
    return f"""
    <g transform="translate(1 2) rotate(-16 50 50) scale(0.965)">
    <path d="{handle}" fill="none" stroke="{INK}" stroke-width="11"/>
    <path d="{handle}" fill="none" stroke="{WOOD}" stroke-width="5"/>
    <path d="M50 0 V10" {line(p, 7)}/>
    <path d="M1 60 C1 28 22 6 50 6 C78 6 99 28 99 60 Q91 49 83 49 Q75 49 67 60 Q59 49 50 49 Q41 49 33 60
             Q25 49 17 49 Q9 49 1 60Z" fill="{p.body}" {line(p)}/>
    <path d="M50 8 C40 20 34 38 33 57 M50 8 C60 20 66 38 67 57" fill="none" {line(p, 3)}/>
    <path d="M13 39 Q18 25 28 18" fill="none" stroke="{p.light}" stroke-width="5"/>
    </g>
    """


def key(p: Paint) -> str:
    return f"""
    <g transform="translate(2.7 -4.9) rotate(-45 50 50) scale(0.91)">
    <path fill-rule="evenodd" d="M24 20 C38 20 48 28 53 41 H99 Q104 41 104 46 V60 Q104 64 100 64 V81 H86 V64 H79 V76 H65
             V64 H54 C50 78 38 86 24 86 A33 33 0 0 1 24 20Z M19 40 A13 13 0 1 0 19 66 A13 13 0 1 0 19 40Z"
          fill="{p.body}" {line(p)}/>
    <path d="M58 49 H94 M8 34 Q14 28 22 28" fill="none" stroke="{p.light}" stroke-width="5"/>
    </g>
    """


def cup(p: Paint) -> str:
    return f"""
    <path fill-rule="evenodd" d="M66 34 H78 Q98 34 98 54 Q98 75 78 75 H66Z M70 47 V62 H77 Q84 62 84 54.5 Q84 47 77 47Z"
          fill="{p.body}" {line(p)}/>
    <path d="M2 20 H74 V78 Q74 96 56 96 H20 Q2 96 2 78Z" fill="{p.body}" {line(p)}/>
    <ellipse cx="38" cy="20" rx="36" ry="14" fill="{p.body}" {line(p)}/>
    <ellipse cx="38" cy="21" rx="27" ry="8" fill="{CREAM}" {line(p, 3)}/>
    <path d="M14 46 V74" stroke="{p.light}" stroke-width="6"/>
    """


def star(p: Paint) -> str:
    # The thick strokes make the points of the star round: first the outline, then the body over it.
    points = "50,14.5 63.1,35.9 87.5,41.7 71.2,60.7 73.2,85.8 50,76.2 26.8,85.8 28.8,60.7 12.5,41.7 36.9,35.9"
    return f"""
    <polygon points="{points}" fill="{p.dark}" {line(p, 22)}/>
    <polygon points="{points}" fill="{p.body}" stroke="{p.body}" stroke-width="14"/>
    <path d="M47 18 L38 33" stroke="{p.light}" stroke-width="5"/>
    {face(50, 51, 14)}
    """


def heart(p: Paint) -> str:
    return f"""
    <path d="M54 93 C80 75 98 57 98 34 C98 16 86 5 71 5 C62 5 54 10 50 18 C46 10 38 5 29 5 C14 5 2 16 2 34
             C2 57 20 75 46 93 Q50 96 54 93Z" fill="{p.body}" {line(p)}/>
    <path d="M11 36 C11 24 17 16 27 14" fill="none" stroke="{p.light}" stroke-width="6"/>
    {face(50, 43, 15)}
    """


def guitar(p: Paint) -> str:
    return f"""
    <g transform="translate(-1 10.2) rotate(42 50 50) scale(0.865)">
    <path d="M46 -2 H58 V40 H46Z" fill="{WOOD}" stroke="{INK}" stroke-width="3.4"/>
    <path d="M41 -18 H63 L60 2 H44Z" fill="{p.body}" {line(p)}/>
    <path d="M52 19 C70 14 80 25 75 39 C72 48 88 53 88 74 C88 97 71 107 52 107 C33 107 16 97 16 74 C16 53 32 48 29 39
             C24 25 34 14 52 19Z" fill="{p.body}" {line(p)}/>
    <circle cx="52" cy="54" r="11.5" fill="{INK}"/>
    <path d="M40 84 H64" stroke="{INK}" stroke-width="7"/>
    <path d="M52 22 V82" stroke="{CREAM}" stroke-width="3"/>
    <path d="M25 76 Q25 68 31 62" fill="none" stroke="{p.light}" stroke-width="5"/>
    </g>
    """


DRAWINGS = (umbrella, key, cup, star, heart, guitar)
