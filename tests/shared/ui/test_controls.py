"""Controls from Settings: which kind each field gets, and that what they hold goes back through Settings' own check."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import gradio as gr
import pytest
from gradio.data_classes import ImageData

from shared.settings import Settings, SettingsError, setting
from shared.ui.controls import Controls, draw_control, draw_controls, from_controls, to_control


class Many(Settings):
    """A field of every kind."""

    words: str = setting("a word", "Words", main=True, lines=2)
    scale_a: float = setting(1.5, "scale", main=True, group="scale", side="a", step=0.5, ge=0, le=30)
    scale_b: float = setting(7.5, "scale", main=True, group="scale", side="b", step=0.5, ge=0, le=30)
    seed: int = setting(3, "Seed", main=True, ge=0, le=2**31 - 1)
    large: int = setting(5, "Large", ge=0, le=2**63 - 1)
    way: Literal["up", "down"] = setting("up", "Way")
    many: Literal["a", "b", "c", "d"] = setting("b", "Many")
    few: Literal["a", "b", "c", "d", "e"] = setting("a", "Few", not_offered=("d", "b"))
    exact: bool = setting(True, "Exact")
    levels: tuple[float, ...] = setting((0.5, 2.0), "Levels")
    secret: int = setting(1, "Secret", hidden=True)


@pytest.fixture
def drawn() -> Controls:
    with gr.Blocks():
        return draw_controls(Many)


def test_each_field_has_the_control_that_suits_it(drawn: Controls) -> None:
    kinds = {name: type(control).__name__ for name, control in drawn.items()}
    assert kinds == {
        "words": "Textbox", "scale_a": "Slider", "scale_b": "Slider", "seed": "Number", "large": "Textbox",
        "way": "Radio", "many": "Dropdown", "few": "Radio", "exact": "Checkbox", "levels": "Textbox",
    }  # fmt: skip
    assert (drawn["scale_a"].label, drawn["scale_b"].label) == ("A scale", "B scale")
    slider = drawn["scale_b"]
    assert isinstance(slider, gr.Slider) and (slider.minimum, slider.maximum, slider.step) == (0, 30, 0.5)
    assert "sbs-in-b" in slider.elem_classes
    assert [value for _, value in drawn["few"].choices] == ["a", "c", "e"]  # pyright: ignore[reportAttributeAccessIssue]


def test_what_the_controls_hold_at_first_is_the_default(drawn: Controls) -> None:
    assert from_controls(Many, {name: control.value for name, control in drawn.items()}) == Many()


def test_main_and_the_rest_share_the_fields_out() -> None:
    with gr.Blocks():
        main, rest = draw_controls(Many, main=True), draw_controls(Many, main=False)
    assert list(main) == ["words", "scale_a", "scale_b", "seed"]
    assert list(rest) == ["large", "way", "many", "few", "exact", "levels"]


def test_a_hook_draws_below_its_field() -> None:
    seen: list[list[str]] = []
    with gr.Blocks():
        draw_controls(Many, hooks={"words": lambda controls: seen.append(list(controls))})
    assert seen == [["words"]]


def test_wrong_values_reach_settings_and_no_other_check(drawn: Controls) -> None:
    assert drawn["scale_a"].preprocess(1e9) == 1e9 and drawn["way"].preprocess("sideways") == "sideways"
    with pytest.raises(SettingsError, match="scale_a must be a number from 0 to 30, not"):
        from_controls(Many, {"scale_a": 1e9})
    with pytest.raises(SettingsError, match="seed must be a whole number from 0 to 2,147,483,647, not empty"):
        from_controls(Many, {"seed": None})
    with pytest.raises(SettingsError, match="levels"):
        from_controls(Many, {"levels": "1, two"})


def test_large_whole_numbers_and_lists_travel_as_text() -> None:
    fields = Many.model_fields
    assert to_control(fields["large"], 2**60 + 1) == str(2**60 + 1)
    assert from_controls(Many, {"large": str(2**60 + 1)}) == Many(large=2**60 + 1)
    assert to_control(fields["levels"], (0.5, 2.0)) == "0.5, 2"
    assert from_controls(Many, {"levels": " 0.5 ,2,"}) == Many(levels=(0.5, 2.0))


def test_choices_are_shown_by_their_titles_and_handed_on_as_they_are() -> None:
    class Titled(Settings):
        kinds: list[Literal["a", "b"]] = setting(["b"], "Kinds", titles={"a": "the first"})

    with gr.Blocks():
        (control,) = draw_controls(Titled).values()
    assert control.choices == [("the first", "a"), ("b", "b")]  # pyright: ignore[reportAttributeAccessIssue]
    assert control.value == ["b"] and from_controls(Titled, {"kinds": control.value}) == Titled()


def test_a_picture_hands_on_its_file_unread(tmp_path: Path) -> None:
    class WithPhoto(Settings):
        photo: str | None = setting(None, "Photo", upload=True)

    (tmp_path / "text.png").write_text("no picture")
    with gr.Blocks():
        control = draw_control("photo", WithPhoto.model_fields["photo"])
    assert control.preprocess(ImageData(path=str(tmp_path / "text.png"))) == str(tmp_path / "text.png")
    assert control.preprocess(None) is None
