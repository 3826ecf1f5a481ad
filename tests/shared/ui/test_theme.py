from __future__ import annotations

import re

import pytest
from gradio.themes.utils.fonts import local_font_available

from shared.colors import contrast, palette
from shared.ui.theme import css, theme


def variables(selector: str) -> dict[str, str]:
    found = re.search(rf"^{re.escape(selector)}\{{(.*?)\}}$", css(), re.M)
    assert found
    return dict(part.split(":") for part in found[1].split(";") if part)


def test_every_color_switches_with_the_dark_class():
    light, dark = variables(":root"), variables(".dark")
    assert light == {f"--sbs-{k}": v for k, v in palette(False).items()}
    assert dark == {f"--sbs-{k}": v for k, v in palette(True).items()}
    assert all(light[k] != dark[k] for k in light)


def test_the_sheet_uses_only_variables_that_exist():
    sheet = css()
    defined = set(re.findall(r"(--[\w-]+)\s*:", sheet)) | {"--sbs-n", "--sbs-ratio", "--sbs-rows"}
    assert set(re.findall(r"var\((--[\w-]+)", sheet)) <= defined
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b", sheet.split("\n", 2)[2])


def test_the_sheet_asks_for_nothing_outside_and_avoids_what_gradio_drops():
    for banned in ("http", "@import", "url(", "@container", "@supports", ":is(", ":where("):
        assert banned not in re.sub(r"/\*.*?\*/", "", css(), flags=re.S)
    assert css().count("{") == css().count("}")


def test_focus_is_visible():
    assert not re.search(r"outline:\s*(0|none)", css())
    assert ":focus-visible" in css()


def test_fonts_are_local_and_whole():
    fonts = [f for f in theme()._font + theme()._font_mono if type(f).__name__ == "LocalFont"]
    assert [(f.name, f.weights) for f in fonts] == [("Source Sans Pro", (400, 700)), ("IBM Plex Mono", (400, 700))]
    assert all(local_font_available(f.name, f.weights) for f in fonts)
    assert not [f for f in theme()._font if type(f).__name__ == "GoogleFont"]


PAIRS = [
    ("body_text_color", "body_background_fill"),
    ("body_text_color_subdued", "body_background_fill"),
    ("block_info_text_color", "block_background_fill"),
    ("block_title_text_color", "block_background_fill"),
    ("block_label_text_color", "block_label_background_fill"),
    ("input_placeholder_color", "input_background_fill"),
    ("link_text_color", "body_background_fill"),
    ("button_primary_text_color", "button_primary_background_fill"),
    ("button_primary_text_color_hover", "button_primary_background_fill_hover"),
    ("button_secondary_text_color", "button_secondary_background_fill"),
    ("button_cancel_text_color", "button_cancel_background_fill"),
    ("button_cancel_text_color_hover", "button_cancel_background_fill_hover"),
    ("checkbox_label_text_color", "checkbox_label_background_fill"),
    ("checkbox_label_text_color_selected", "checkbox_label_background_fill_selected"),
    ("error_text_color", "error_background_fill"),
]


@pytest.mark.parametrize(("front", "back"), PAIRS)
@pytest.mark.parametrize("ending", ["", "_dark"])
def test_controls_can_be_read(front, back, ending):
    made = theme()
    assert contrast(getattr(made, front + ending), getattr(made, back + ending)) >= 4.5
