"""Food: an apple with a leaf, a cupcake with a cherry and a swirled lollipop."""

from __future__ import annotations

from shared.stickers.art.face import joined
from shared.stickers.art.paint import CREAM, LEAF, WHITE, WOOD, Paint


def apple(p: Paint) -> str:
    fruit = """
        <path d="M50 32 C58 22 94 18 95 52 C95 76 76 97 62 96 Q56 95 50 93 Q44 95 38 96
                 C24 97 5 76 5 52 C6 18 42 22 50 32 Z"/>
    """
    return f"""
        {joined(p, fruit)}
        <path d="M37 31 Q50 44 63 31" fill="none" stroke="{p.dark}" stroke-width="4"/>
        <path d="M50 37 Q50 18 44 7" fill="none" stroke="{WOOD}" stroke-width="7"/>
        <path d="M52 22 C54 6 70 1 84 4 C82 18 70 26 52 22 Z" fill="{LEAF}"/>
        <path d="M15 54 Q15 41 25 37" fill="none" stroke="{p.light}" stroke-width="7"/>
    """


def cupcake(p: Paint) -> str:
    return f"""
        <path d="M16 58 H84 L75 94 Q74 98 70 98 H30 Q26 98 25 94 Z"
              fill="{CREAM}" stroke="{p.dark}" stroke-width="3.5"/>
        <path d="M33 62 L37 96 M50 62 V96 M67 62 L63 96" fill="none" stroke="{p.body}" stroke-width="7"/>
        {joined(p, '<circle cx="50" cy="11" r="7.5"/>')}
        {joined(p, '<rect x="30" y="17" width="40" height="22" rx="11" transform="rotate(-7 50 28)"/>')}
        {joined(p, '<rect x="18" y="30" width="64" height="24" rx="12" transform="rotate(-5 50 42)"/>')}
        {joined(p, '<rect x="6" y="45" width="88" height="25" rx="12.5" transform="rotate(-3 50 58)"/>')}
        <path d="M24 56 l5 5 M46 60 l6 -4 M72 54 l4 5 M36 43 l6 -3 M62 38 l5 4 M46 28 l5 -3"
              fill="none" stroke="{WHITE}" stroke-width="4.5"/>
    """


def lollipop(p: Paint) -> str:
    stick = "M44 56 L9 91"
    return f"""
        <path d="{stick}" stroke="{p.dark}" stroke-width="15"/>
        <path d="{stick}" stroke="{WHITE}" stroke-width="8"/>
        {joined(p, '<circle cx="60.5" cy="39.5" r="36"/>')}
        <path d="M60 41 C62 34 71 37 70 45 C68 55 51 56 46 44 C42 29 56 17 71 20 C90 26 93 52 76 66"
              fill="none" stroke="{WHITE}" stroke-width="7"/>
        <path d="M32 43 Q31 30 39 22" fill="none" stroke="{p.light}" stroke-width="6"/>
    """


DRAWINGS = (apple, cupcake, lollipop)
