"""Buildings: house, castle, tent."""

from __future__ import annotations

from shared.stickers.art.paint import CREAM, GLASS, INK, WOOD, Paint
from shared.stickers.art.parts import line, shade


def house(p: Paint) -> str:
    windows = "".join(
        f'<rect x="{x}" y="59" width="16" height="17" rx="2" fill="{GLASS}" {line(p, 3)}/>'
        f'<path d="M{x + 8} 60 V75" {line(p, 2.5)}/>'
        for x in (17, 67)
    )
    return f"""
    <path d="M69 9 H83 V40 H69Z" fill="{p.body}" {line(p)}/>
    <path d="M10 44 L50 12 L90 44 V92 Q90 97 85 97 H15 Q10 97 10 92Z" fill="{p.body}" {line(p)}/>
    <path d="M50 3 L95 39 Q99 43 96 47 Q92 52 87 49 L50 19 L13 49 Q8 52 4 47 Q1 43 5 39Z" fill="{shade(p)}" {line(p)}/>
    <path d="M50 9 L11 40" stroke="{p.light}" stroke-width="4"/>
    <circle cx="50" cy="40" r="7" fill="{GLASS}" {line(p, 3)}/>
    <path d="M39 96 V71 Q39 59 50 59 Q61 59 61 71 V96Z" fill="{CREAM}" {line(p, 3)}/>
    <circle cx="56" cy="79" r="2.2" fill="{INK}"/>
    {windows}
    """


def castle(p: Paint) -> str:
    tower = "M2 31 H12 V39 H22 V31 H32 V50 H29 V97 H5 V50 H2Z"
    return f"""
    <path d="M50 4 H64 L60 8.5 L64 13 H50Z" fill="{p.body}" {line(p, 3)}/>
    <path d="M33 70 V36 H67 V70Z" fill="{p.body}" {line(p)}/>
    <path d="M50 14 L74 38 H26Z" fill="{shade(p)}" {line(p)}/>
    <path d="M50 4 V18" {line(p, 3.4)}/>
    <path d="M26 97 V60 H39 V67 H45 V60 H55 V67 H61 V60 H74 V97Z" fill="{p.body}" {line(p)}/>
    <path d="{tower}" fill="{p.body}" {line(p)}/>
    <path d="{tower}" fill="{p.body}" {line(p)} transform="matrix(-1 0 0 1 100 0)"/>
    <path d="M5 50 H29 M71 50 H95" {line(p, 3)}/>
    <path d="M39 96 V87 Q39 76 50 76 Q61 76 61 87 V96Z" fill="{INK}"/>
    <path d="M17 61 V71 M83 61 V71 M50 46 V51" stroke="{INK}" stroke-width="7"/>
    """


def tent(p: Paint) -> str:
    return f"""
    <path d="M43 5 L53 22 M57 5 L47 22" stroke="{INK}" stroke-width="9"/>
    <path d="M43 5 L53 22 M57 5 L47 22" stroke="{WOOD}" stroke-width="4"/>
    <path d="M50 14 C62 38 80 68 98 95 H2 C20 68 38 38 50 14Z" fill="{p.body}"/>
    <path d="M50 38 C45 60 36 78 22 95 H78 C64 78 55 60 50 38Z" fill="{p.light}" {line(p, 3)}/>
    <path d="M50 45 C50 64 46 80 35 95 H65 C54 80 50 64 50 45Z" fill="{INK}"/>
    <path d="M50 14 C62 38 80 68 98 95 H2 C20 68 38 38 50 14Z" fill="none" {line(p)}/>
    """


DRAWINGS = (house, castle, tent)
