"""Plants: a leafy tree, a flower on its stem, a cactus in a pot and a spotted mushroom."""

from __future__ import annotations

from shared.stickers.art.face import joined
from shared.stickers.art.paint import CREAM, LEAF, WHITE, WOOD, Paint


def tree(p: Paint) -> str:
    crown = (
        '<circle cx="50" cy="27" r="23"/>',
        '<circle cx="23" cy="43" r="19"/>',
        '<circle cx="77" cy="43" r="19"/>',
        '<circle cx="36" cy="56" r="17"/>',
        '<circle cx="64" cy="56" r="17"/>',
    )
    return f"""
        <path d="M41 58 H59 V80 Q60 90 70 97 H30 Q40 90 41 80 Z" fill="{WOOD}" stroke="{WOOD}" stroke-width="3"/>
        {joined(p, *crown)}
        <path d="M36 23 Q39 13 50 12 M13 42 Q15 34 22 33" fill="none" stroke="{p.light}" stroke-width="6"/>
        <path d="M27.5 28 Q27 38 35 44 M71 25.5 Q60 30 59 42 M50 64 Q54 57 52 50"
              fill="none" stroke="{p.dark}" stroke-width="4"/>
    """


def flower(p: Paint) -> str:
    petals = (f'<circle cx="50" cy="16.5" r="13" transform="rotate({60 * i} 50 39)"/>' for i in range(6))
    return f"""
        <path d="M50 60 V96" stroke="{LEAF}" stroke-width="8"/>
        <path d="M50 92 C32 96 14 88 6 67 C28 65 46 72 50 92 Z" fill="{LEAF}"/>
        <path d="M50 92 C68 96 86 88 94 67 C72 65 54 72 50 92 Z" fill="{LEAF}"/>
        {joined(p, *petals, '<circle cx="50" cy="39" r="21"/>')}
        <circle cx="50" cy="39" r="12.5" fill="{CREAM}" stroke="{p.dark}" stroke-width="3.5"/>
    """


def cactus(p: Paint) -> str:
    arms = "M50 59 H25 Q13 59 13 47 V34 M50 49 H75 Q87 49 87 37 V25"
    return f"""
        <path d="{arms}" fill="none" stroke="{p.dark}" stroke-width="25"/>
        {joined(p, '<rect x="35.5" y="3.5" width="29" height="84" rx="14.5"/>')}
        <path d="{arms}" fill="none" stroke="{p.body}" stroke-width="18"/>
        <path d="M43 16 V26 M57 20 V30 M50 36 V46 M42 54 V64 M58 58 V68 M13 37 V45 M87 28 V36"
              fill="none" stroke="{WHITE}" stroke-width="4"/>
        <path d="M26 82 H74 L70 98 H30 Z" fill="{WOOD}" stroke="{WOOD}" stroke-width="4"/>
        <rect x="20" y="74" width="60" height="11" rx="4" fill="{WOOD}"/>
    """


def mushroom(p: Paint) -> str:
    cap = '<path d="M4 54 C4 24 24 4 50 4 C76 4 96 24 96 54 Q96 62 88 62 H12 Q4 62 4 54 Z"/>'
    return f"""
        <path d="M34 58 Q34 73 27 85 Q24 98 38 98 H62 Q76 98 73 85 Q66 73 66 58 Z"
              fill="{CREAM}" stroke="{p.dark}" stroke-width="3.5"/>
        {joined(p, cap)}
        <circle cx="50" cy="30" r="11" fill="{WHITE}"/>
        <circle cx="22" cy="43" r="7.5" fill="{WHITE}"/>
        <circle cx="78" cy="43" r="7.5" fill="{WHITE}"/>
    """


DRAWINGS = (tree, flower, cactus, mushroom)
