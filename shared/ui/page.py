"""What the page needs besides its components: the look, and a few lines of script for theme, numbers and cards."""

from __future__ import annotations

from pathlib import Path

from shared.ui.theme import css as look_css

HEAD = f"<script>(() => {{\n{Path(__file__).with_name('page.js').read_text(encoding='utf-8')}}})();</script>"


def css() -> str:
    """The look's style sheet, then the layout of header, tabs and controls."""
    return look_css() + "\n" + Path(__file__).with_name("layout.css").read_text(encoding="utf-8")
