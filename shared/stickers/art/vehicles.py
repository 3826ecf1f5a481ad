"""Vehicles: car, bus, sailing boat, rocket, hot-air balloon."""

from __future__ import annotations

from shared.stickers.art.paint import CREAM, GLASS, INK, WHITE, WOOD, Paint
from shared.stickers.art.parts import line, shade, wheel


def car(p: Paint) -> str:
    shell = """M11 80 C5 80 2 77 2 71 V56 C2 48 6 43 13 42 L19 23 C21 15 25 11 33 11 H54 C61 11 65 13 68 19 L79 40
               C91 42 98 48 98 58 V71 C98 77 95 80 89 80Z"""
    return f"""
    <path d="{shell}" fill="{p.body}"/>
    <path d="M3 68 H97 V72 C97 76 94 79 89 79 H11 C6 79 3 76 3 72Z" fill="{shade(p)}"/>
    <path d="{shell}" fill="none" {line(p)}/>
    <path d="M33 21 H41 Q44 21 44 24 V41 H23 L27 25 Q28 21 33 21Z" fill="{GLASS}" {line(p, 3)}/>
    <path d="M54 21 H55 Q59 21 61 24 L70 41 H51 V24 Q51 21 54 21Z" fill="{GLASS}" {line(p, 3)}/>
    <path d="M30 35 L36 26 M57 35 L60 30" stroke="{WHITE}" stroke-width="3.4"/>
    <path d="M52 51 H59" {line(p, 3.4)}/>
    <path d="M10 51 H36" stroke="{p.light}" stroke-width="4.5"/>
    <circle cx="87" cy="56" r="6" fill="{CREAM}" {line(p, 3)}/>
    <path d="M9.5 77 A15.5 15.5 0 0 1 40.5 77Z M60.5 77 A15.5 15.5 0 0 1 91.5 77Z" fill="{p.dark}"/>
    {wheel(25, 77, 12.5)}
    {wheel(76, 77, 12.5)}
    """


def bus(p: Paint) -> str:
    windows = "".join(
        f'<rect x="{x}" y="22" width="16" height="18" rx="3" fill="{GLASS}" {line(p, 3)}/>' for x in (10, 31, 52)
    )
    return f"""
    <rect x="2" y="9" width="96" height="73" rx="12" fill="{p.body}"/>
    <path d="M3 69 H97 V70 Q97 81 86 81 H14 Q3 81 3 70Z" fill="{shade(p)}"/>
    <path d="M3 54 H66" stroke="{p.light}" stroke-width="5" stroke-linecap="butt"/>
    <path d="M76 22 H97 V48 H76 Q73 48 73 45 V25 Q73 22 76 22Z" fill="{GLASS}" {line(p, 3)}/>
    <circle cx="89" cy="59" r="5.5" fill="{CREAM}" {line(p, 3)}/>
    <rect x="2" y="9" width="96" height="73" rx="12" fill="none" {line(p)}/>
    {windows}
    <path d="M10 80 A15 15 0 0 1 40 80Z M60 80 A15 15 0 0 1 90 80Z" fill="{p.dark}"/>
    {wheel(25, 80, 12)}
    {wheel(75, 80, 12)}
    """


def boat(p: Paint) -> str:
    hull = "M2 66 H98 C95 86 84 97 68 97 H32 C16 97 5 86 2 66Z"
    return f"""
    <path d="M52 9 C80 17 95 36 96 58 H52Z" fill="{p.body}" {line(p)}/>
    <path d="M44 16 C41 35 27 50 6 58 H44Z" fill="{CREAM}" {line(p)}/>
    <path d="M48 5 V66" stroke="{INK}" stroke-width="9"/>
    <path d="M48 5 V66" stroke="{WOOD}" stroke-width="4"/>
    <path d="{hull}" fill="{p.body}"/>
    <path d="M6 79 Q14 71 22 79 T38 79 T54 79 T70 79 T86 79 L94 78" fill="none" stroke="{p.light}" stroke-width="5"/>
    <path d="{hull}" fill="none" {line(p)}/>
    <path d="M64 22 Q79 31 85 46" fill="none" stroke="{p.light}" stroke-width="5"/>
    """


def rocket(p: Paint) -> str:
    return f"""
    <g transform="translate(8 -3.5) rotate(40 50 50) scale(0.89)">
    <path d="M39 90 C32 108 46 114 55 130 C64 114 78 108 71 90Z" fill="{CREAM}" {line(p)}/>
    <path d="M32 54 C14 62 10 78 13 97 C22 88 30 86 40 86Z" fill="{p.body}" {line(p)}/>
    <path d="M78 54 C96 62 100 78 97 97 C88 88 80 86 70 86Z" fill="{p.body}" {line(p)}/>
    <path d="M55 -8 C70 6 96 48 75 91 H35 C14 48 40 6 55 -8Z" fill="{p.body}" {line(p)}/>
    <path d="M55 -8 C60.4 -3 67.2 5.7 72.8 16.7 Q55 27 37.2 16.7 C42.8 5.7 49.6 -3 55 -8Z" fill="{shade(p)}" {line(p)}/>
    <circle cx="55" cy="46" r="13" fill="{GLASS}" {line(p, 5)}/>
    <path d="M34 66 Q36 76 39 82" fill="none" stroke="{p.light}" stroke-width="5"/>
    </g>
    """


def balloon(p: Paint) -> str:
    envelope = "M50 2 C79 2 96 19 96 38 C96 54 78 62 66 75 H34 C22 62 4 54 4 38 C4 19 21 2 50 2Z"
    return f"""
    <path d="M38 75 L41 86 M62 75 L59 86" stroke="{INK}" stroke-width="3.4"/>
    <path d="{envelope}" fill="{p.body}"/>
    <path d="M50 2 C22 10 18 50 38 75 H45 C33 50 34 12 50 2Z" fill="{p.light}"/>
    <path d="M50 2 C78 10 82 50 62 75 H55 C67 50 66 12 50 2Z" fill="{p.light}"/>
    <path d="{envelope}" fill="none" {line(p)}/>
    <path d="M33 83 H67 L65 94 Q64 98 60 98 H40 Q36 98 35 94Z" fill="{WOOD}" stroke="{INK}" stroke-width="3.4"/>
    """


DRAWINGS = (car, bus, boat, rocket, balloon)
