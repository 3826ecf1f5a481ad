"""What the page needs besides its components: the look, and a few lines of script for theme, numbers and cards."""

from __future__ import annotations

from pathlib import Path

from shared.hosting import hosting
from shared.ui.theme import css as look_css

HEAD = f"<script>(() => {{\n{Path(__file__).with_name('page.js').read_text(encoding='utf-8')}}})();</script>"


def css() -> str:
    """The look's style sheet, the layout of header, tabs and controls, and what a presenter's screen changes."""
    sheets = ["layout.css", *(["presenter.css"] if hosting().presenter else [])]
    return "\n".join([look_css(), *(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in sheets)])
