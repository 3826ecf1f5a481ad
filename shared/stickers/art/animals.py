"""Animals: the heads of a cat and a rabbit, a fish, a bird, a turtle, a butterfly and a whale."""

from __future__ import annotations

from shared.stickers.art.face import cheek, eye, joined, mirrored, smile
from shared.stickers.art.paint import CREAM, GLASS, INK, WHITE, Paint


def cat(p: Paint) -> str:
    head = """
        <path d="M12 12 Q14 4 21 9 L39 23 Q50 20 61 23 L79 9 Q86 4 88 12 Q93 32 91 50
                 C96 78 78 94 50 94 C22 94 4 78 9 50 Q7 32 12 12 Z"/>
    """
    half = f"""
        <path d="M17 18 L31 29 Q22 33 18 41 Q15 29 17 18 Z" fill="{p.light}"/>
        <path d="M22 65 L2 61 M22 73 L3 78" fill="none" stroke="{INK}" stroke-width="3"/>
        <ellipse cx="42.5" cy="73" rx="11" ry="9" fill="{WHITE}"/>
    """
    return f"""
        {joined(p, head)}
        <path d="M50 25 V36 M40 27 V33 M60 27 V33" fill="none" stroke="{p.dark}" stroke-width="4"/>
        {mirrored(half)}
        {eye(31, 53, 7)}
        {eye(69, 53, 7)}
        <path d="M43 64 H57 L50 71 Z" fill="{INK}" stroke="{INK}" stroke-width="2.5"/>
        <path d="M41 75 Q46 82 50 75 Q54 82 59 75" fill="none" stroke="{INK}" stroke-width="3"/>
    """


def rabbit(p: Paint) -> str:
    ear = '<ellipse cx="31" cy="31" rx="13" ry="27" transform="rotate(-8 31 31)"/>'
    inner_ear = f'<ellipse cx="31" cy="33" rx="6" ry="19" transform="rotate(-8 31 33)" fill="{p.light}"/>'
    return f"""
        {joined(p, mirrored(ear), '<ellipse cx="50" cy="70" rx="38" ry="26.5"/>')}
        {mirrored(inner_ear)}
        {eye(31, 65, 6)}
        {eye(69, 65, 6)}
        {cheek(22, 77)}
        {cheek(78, 77)}
        <rect x="43" y="78" width="14" height="12.5" rx="3" fill="{WHITE}" stroke="{p.dark}" stroke-width="2.5"/>
        <path d="M50 80 V89" stroke="{p.dark}" stroke-width="2.5"/>
        <ellipse cx="42" cy="76" rx="9" ry="7" fill="{WHITE}"/>
        <ellipse cx="58" cy="76" rx="9" ry="7" fill="{WHITE}"/>
        <path d="M45 68 H55 L50 73 Z" fill="{INK}" stroke="{INK}" stroke-width="2.5"/>
    """


def fish(p: Paint) -> str:
    body = '<path d="M20 52 C34 26 50 18 64 18 C84 18 96.5 36 96.5 52 C96.5 68 84 86 64 86 C50 86 34 78 20 52 Z"/>'
    tail = '<path d="M29 52 Q21 26 7 21 Q3 20 5 26 Q13 52 5 78 Q3 84 7 83 Q21 78 29 52 Z"/>'
    fins = '<path d="M42 28 Q40 10 46 5 Q66 4 80 24 Z"/><path d="M46 78 Q42 92 48 96 Q62 95 72 82 Z"/>'
    return f"""
        {joined(p, tail, fins)}
        {joined(p, body)}
        <path d="M40 37 Q33 52 40 67 M55 27 Q47 38 49 48" fill="none" stroke="{p.light}" stroke-width="7"/>
        <path d="M70 56 Q58 50 51 60 Q56 63 53 71 Q66 74 70 64 Z" fill="{p.light}" stroke="{p.dark}" stroke-width="3"/>
        <circle cx="79" cy="43" r="9" fill="{WHITE}"/>
        {eye(80.5, 43, 6)}
        <path d="M92 62 Q86 69 79 65" fill="none" stroke="{INK}" stroke-width="3"/>
    """


def bird(p: Paint) -> str:
    tail = '<path d="M22 66 L5 52 Q3 48 8 46 L30 42 Z"/>'
    head = '<circle cx="62" cy="33" r="24"/><path d="M58 14 Q54 2 46 5 Q48 12 46 20 Z"/>'
    body = '<path d="M40 34 C24 42 14 56 20 68 C26 80 40 85 54 85 C74 85 86 70 86 50 V33 Z"/>'
    return f"""
        <path d="M44 84 V96 H52 M62 84 V96 H70" fill="none" stroke="{INK}" stroke-width="4"/>
        {joined(p, tail, body, head)}
        <path d="M81 25 L97 35 Q98 36 97 37 L81 47 Q77 42 77 36 Q77 30 81 25 Z"
              fill="{CREAM}" stroke="{INK}" stroke-width="3"/>
        <path d="M84 58 C84 74 70 83 52 82 C60 76 70 62 84 58 Z" fill="{CREAM}"/>
        <path d="M24 56 Q38 42 58 52 Q62 70 46 74 Q30 72 24 56 Z" fill="{p.light}" stroke="{p.dark}" stroke-width="3"/>
        {eye(62, 29, 6.2)}
        {cheek(63, 43)}
    """


def turtle(p: Paint) -> str:
    legs = '<rect x="15" y="60" width="17" height="30" rx="7"/><rect x="46" y="60" width="17" height="30" rx="7"/>'
    neck = '<path d="M60 74 Q82 76 88 48 L72 40 Q71 54 60 58 Z"/><ellipse cx="83" cy="34" rx="13.5" ry="15"/>'
    tail = '<path d="M20 64 L5 71 Q3 74 6 76 L20 80 Z"/>'
    shell = '<path d="M8 65 C7 35 20 14 38 14 C56 14 69 35 68 65 Q68 71 62 71 H14 Q8 71 8 65 Z"/>'
    return f"""
        {joined(p, legs, neck, tail)}
        {joined(p, shell)}
        <path d="M27 33 H49 L55 50 L38 59 L21 50 Z" fill="{p.light}" stroke="{p.dark}" stroke-width="3.5"/>
        <path d="M27 33 L20 24 M49 33 L56 24 M55 50 L67 54 M21 50 L9 54 M38 59 V70"
              fill="none" stroke="{p.dark}" stroke-width="3.5"/>
        {eye(86, 31, 5.5)}
        {smile(88, 40, 8)}
    """


def butterfly(p: Paint) -> str:
    wings = """
        <path d="M50 54 C46 28 26 10 10 9 Q3 9 4 18 C5 38 16 54 50 58 Z"/>
        <path d="M50 52 C28 50 12 58 13 74 C14 90 32 98 40 86 C46 78 49 68 50 56 Z"/>
    """
    spots = f"""
        <circle cx="20" cy="25" r="7.5" fill="{WHITE}"/>
        <circle cx="34" cy="39" r="4.5" fill="{WHITE}"/>
        <circle cx="28" cy="74" r="7" fill="{p.light}"/>
        <path d="M48 24 Q46 12 38 7" fill="none" stroke="{INK}" stroke-width="3.2"/>
        <circle cx="37.5" cy="6.5" r="3.5" fill="{INK}"/>
    """
    return f"""
        {joined(p, mirrored(wings))}
        {mirrored(spots)}
        <rect x="44.5" y="32" width="11" height="56" rx="5.5" fill="{INK}"/>
        <circle cx="50" cy="30" r="8.5" fill="{INK}"/>
    """


def whale(p: Paint) -> str:
    body = """
        <path d="M4 62 C4 40 22 30 42 30 C62 30 66 52 76 52 C81 52 82 46 81 40 C71 38 65 30 66 20
                 C75 19 81 22 85 28 C87 22 91 17 95.5 16 C98 28 95 37 90 41 C97 64 84 93 46 93 C18 93 4 82 4 62 Z"/>
    """
    jet = "M34 28 V16 M34 16 Q33 6 22 6 Q16 7 15 15 M34 16 Q35 6 46 6 Q52 7 53 15"
    return f"""
        <path d="{jet}" fill="none" stroke="{p.dark}" stroke-width="11"/>
        <path d="{jet}" fill="none" stroke="{GLASS}" stroke-width="5.5"/>
        {joined(p, body)}
        <path d="M5 70 Q24 80 50 74 Q62 72 70 84 Q60 93 46 93 C22 93 8 85 5 70 Z" fill="{CREAM}"/>
        <path d="M26 80 Q30 86 29 91 M42 79 Q46 86 45 92" fill="none" stroke="{p.dark}" stroke-width="2.6"/>
        <path d="M48 68 Q54 62 62 66 Q64 76 56 84 Q50 78 48 68 Z" fill="{p.body}" stroke="{p.dark}" stroke-width="3"/>
        {eye(24, 56, 6)}
        {smile(14, 64, 9)}
    """


DRAWINGS = (cat, rabbit, fish, bird, turtle, butterfly, whale)
