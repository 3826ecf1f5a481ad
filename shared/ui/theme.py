"""The look: Gradio's theme with local fonts only, and the style sheet with the gallery's colors."""

from __future__ import annotations

from pathlib import Path

import gradio as gr
from gradio.themes.utils import sizes

from shared.colors import SIDE_COLORS, palette

__all__ = ["SIDE_COLORS", "css", "theme"]


def theme() -> gr.themes.Base:
    """The gallery's Gradio theme, compact and quiet; its colors are those of `shared.colors`.

    Source Sans Pro is asked for in its regular and bold files alone: the semi-bold file that Gradio ships has
    hardly any Latin letters in it.
    """
    fonts = (gr.themes.LocalFont("Source Sans Pro", weights=(400, 700)), "system-ui", "sans-serif")
    mono = (gr.themes.LocalFont("IBM Plex Mono", weights=(400, 700)), "ui-monospace", "monospace")
    base = gr.themes.Base(
        primary_hue="blue",
        neutral_hue="gray",
        text_size=sizes.text_sm,
        spacing_size=sizes.spacing_sm,
        radius_size=sizes.radius_md,
        font=fonts,
        font_mono=mono,
    )
    return base.set(**_colors(), **_shapes())


def css() -> str:
    """The style sheet: the colors as variables that switch with `.dark`, then `style.css`."""
    light = "".join(f"--sbs-{name}:{value};" for name, value in palette(dark=False).items())
    dark = "".join(f"--sbs-{name}:{value};" for name, value in palette(dark=True).items())
    sheet = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
    return f":root{{{light}}}\n.dark{{{dark}}}\n{sheet}"


def _colors() -> dict[str, str]:
    names = {
        "body_background_fill": "page",
        "body_text_color": "text",
        "body_text_color_subdued": "muted",
        "background_fill_primary": "surface",
        "background_fill_secondary": "sunken",
        "block_background_fill": "surface",
        "block_border_color": "line",
        "block_info_text_color": "muted",
        "block_label_background_fill": "surface",
        "block_label_border_color": "line",
        "block_label_text_color": "muted",
        "block_title_text_color": "muted",
        "border_color_primary": "line",
        "panel_background_fill": "surface",
        "panel_border_color": "line",
        "accordion_text_color": "muted",
        "input_background_fill": "surface",
        "input_background_fill_focus": "surface",
        "input_border_color": "strong-line",
        "input_placeholder_color": "muted",
        "table_text_color": "text",
        "table_border_color": "line",
        "link_text_color": "a",
        "link_text_color_hover": "text",
        "link_text_color_active": "text",
        "link_text_color_visited": "a",
        "border_color_accent": "a",
        "slider_color": "a",
        "loader_color": "a",
        "checkbox_background_color": "surface",
        "checkbox_border_color": "strong-line",
        "checkbox_background_color_selected": "a",
        "checkbox_border_color_selected": "a",
        "checkbox_label_background_fill": "sunken",
        "checkbox_label_background_fill_hover": "line",
        "checkbox_label_background_fill_selected": "surface",
        "checkbox_label_text_color": "text",
        "checkbox_label_text_color_selected": "text",
        "checkbox_label_border_color": "sunken",
        "checkbox_label_border_color_hover": "line",
        "checkbox_label_border_color_selected": "text",
        "button_primary_background_fill": "button",
        "button_primary_background_fill_hover": "button-hover",
        "button_primary_border_color": "button",
        "button_primary_border_color_hover": "button-hover",
        "button_primary_text_color": "button-text",
        "button_primary_text_color_hover": "button-text",
        "button_secondary_background_fill": "surface",
        "button_secondary_background_fill_hover": "sunken",
        "button_secondary_border_color": "line",
        "button_secondary_border_color_hover": "strong-line",
        "button_secondary_text_color": "text",
        "button_secondary_text_color_hover": "text",
        "button_cancel_background_fill": "surface",
        "button_cancel_background_fill_hover": "bad-fill",
        "button_cancel_border_color": "bad",
        "button_cancel_border_color_hover": "bad",
        "button_cancel_text_color": "bad",
        "button_cancel_text_color_hover": "bad",
        "error_background_fill": "bad-fill",
        "error_border_color": "bad",
        "error_text_color": "bad",
    }
    light, dark = palette(dark=False), palette(dark=True)
    colors = {ours: light[name] for ours, name in names.items()}
    return colors | {f"{ours}_dark": dark[name] for ours, name in names.items()}


def _shapes() -> dict[str, str]:
    return {
        "layout_gap": "10px",
        "form_gap_width": "0px",
        "block_padding": "8px 12px",
        "block_border_width": "1px",
        "block_shadow": "none",
        "block_title_text_size": "12px",
        "block_title_text_weight": "400",
        "block_info_text_size": "12px",
        "block_label_text_size": "12px",
        "input_padding": "6px 9px",
        "input_shadow": "none",
        "input_border_width": "1px",
        "button_large_padding": "7px 14px",
        "button_large_text_size": "14px",
        "button_large_text_weight": "700",
        "button_medium_padding": "5px 12px",
        "button_medium_text_size": "14px",
        "button_medium_text_weight": "700",
        "button_small_padding": "3px 10px",
        "button_small_text_size": "13px",
        "button_small_text_weight": "400",
        "button_primary_shadow": "none",
        "button_secondary_shadow": "none",
        "button_transform_active": "none",
        "checkbox_label_padding": "3px 10px",
        "checkbox_label_text_size": "13px",
        "checkbox_label_shadow": "none",
        "section_header_text_weight": "700",
        "prose_header_text_weight": "700",
    }
