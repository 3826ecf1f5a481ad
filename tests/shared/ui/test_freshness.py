"""Which controls hold something else than made the result on view, and which run a prediction is for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gradio as gr
from PIL import Image

from shared.comparison import Comparison
from shared.demo import Answer, Demo, Prediction
from shared.settings import Settings, setting
from shared.ui.freshness import FOR_NEXT, changed_titles, stale_html
from shared.ui.panel import Panel, Shown
from tests.looks import compared, share


class Values(Settings):
    """A setting of each kind that compares differently as text and as a value."""

    scale_b: float = setting(7.5, "scale", side="b", ge=0, le=30)
    levels: tuple[float, ...] = setting((0.5, 2.0), "Levels")
    words: str = setting("a", "Words")


def never(settings: Settings, progress: object = None) -> Comparison:
    raise AssertionError("nothing is computed here")


PREDICTION = Prediction("Which?", (Answer("A", lambda c: True), Answer("B", lambda c: False)))
DEMO = Demo("tiny", "Tiny", "Which?", 1, Values, never, lambda: None, (PREDICTION,), "Look twice.", ())
HELD: dict[str, Any] = {"scale_b": 7.5, "levels": "0.5, 2", "words": "a"}


def test_what_changed_is_named_by_its_label() -> None:
    made = Values()
    assert changed_titles(Values, made, HELD) == []
    assert changed_titles(Values, made, HELD | {"levels": " 0.5,2.0 ", "words": "a "}) == []
    assert changed_titles(Values, made, HELD | {"scale_b": 8, "levels": "1"}) == ["B scale", "Levels"]


def test_a_wrong_value_is_a_change_too() -> None:
    assert changed_titles(Values, Values(), HELD | {"scale_b": 999}) == ["B scale"]
    assert changed_titles(Values, Values(), HELD | {"scale_b": None}) == ["B scale"]


def test_the_line_names_up_to_three_and_escapes() -> None:
    assert stale_html([]) == ""
    shown = stale_html(["a", "<b>", "c", "d"], FOR_NEXT)
    assert "(a, &lt;b&gt;, c, ...)" in shown and shown.count("<p") == 1 and FOR_NEXT in shown


def panel() -> Panel:
    with gr.Blocks():
        return Panel(DEMO, None, ())


def test_a_prediction_that_was_used_is_not_for_the_next_run() -> None:
    made = panel()
    shown = Shown(compared(share(0.5), share(0.9)), settings=Values(), answers=("A",))
    assert made.answers_for_next(shown, ("A",)) == ()
    assert made.answers_for_next(shown, ("B",)) == ("B",)
    assert made.answers_for_next(None, ("A",)) == ("A",)
    assert made.answers_for_next(shown, (None,)) == ()


def test_a_result_keeps_the_prediction_that_was_for_it() -> None:
    made = panel()
    first = Shown(compared(share(0.5), share(0.9)), settings=Values(), reveal=True, answers=("A",))
    assert "You predicted “A”" in made.update(first)[made.takeaway].value
    without = Shown(first.comparison, settings=Values(), reveal=True)
    assert "You predicted" not in made.update(without)[made.takeaway].value
    assert "You predicted “A”" in made.unfold(first)[made.takeaway].value


def test_what_would_show_numbers_is_hidden_until_they_are_shown() -> None:
    made = panel()
    folded = Shown(compared(share(0.5), share(0.9)), settings=Values())
    assert made.update(folded)[made.share.saves].visible is False
    assert made.update(folded)[made.table].visible is False
    assert made.unfold(folded)[made.share.saves].visible is True


def test_captions_that_tell_a_result_wait_for_the_prediction() -> None:
    with gr.Blocks():
        quiet, telling = (Panel(replace(DEMO, extra={"captions_tell": tells}), None, ()) for tells in (False, True))
    picture = Image.new("RGB", (8, 8))
    sides = tuple(replace(s, images=(picture,), captions=("accepted: 3 ms",)) for s in compared(share(0.5)).sides)
    folded = Shown(replace(compared(share(0.5)), sides=sides), settings=Values())
    assert "accepted: 3 ms" in quiet.update(folded)[quiet.sides]
    assert "accepted: 3 ms" not in telling.update(folded)[telling.sides]
    assert "accepted: 3 ms" in telling.unfold(folded)[telling.sides]
    assert "accepted: 3 ms" in telling.update(replace(folded, reveal=True))[telling.sides]


def test_a_new_result_is_not_marked() -> None:
    made = panel()
    assert made.update(Shown(compared(share(0.5)), settings=Values()))[made.stale].visible is False
