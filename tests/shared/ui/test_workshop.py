"""The workshop's board: counts for the teacher alone, escaped, reset behind the password; links hide the numbers."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import gradio as gr
import pytest

from shared.demo import Answer, Demo, Prediction, Preset
from shared.hosting import Hosting, host
from shared.settings import Settings, setting
from shared.tally import Tally
from shared.ui import workshop
from shared.ui.panel import Panel, Shown
from shared.ui.workshop import OTHERS_TRY, WRONG, links_html, reveal
from tests.looks import compared, share


class Some(Settings):
    word: str = setting("a", "Word")


DEMO = Demo(
    "some", "A <demo>", "?", 1, Some, lambda s, p=None: None, lambda: None,  # pyright: ignore[reportArgumentType]
    (Prediction("Which <one>?", (Answer("A & B", lambda c: True), Answer("C", lambda c: False))),),
    "", (Preset("x", "First & last", {"word": "b c"}),),
)  # fmt: skip


@pytest.fixture(autouse=True)
def teacher(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(workshop, "WRONG_WAITS", 0)
    host(Hosting(teacher="chalk"))
    yield
    host(Hosting())


def test_only_the_teacher_sees_the_counts_and_resets_them() -> None:
    tally = Tally()
    tally.choose("some", 0, "A & B")
    tally.choose("some", 0, "A & B")
    assert reveal((DEMO,), "guess", tally=tally) == WRONG
    assert reveal((DEMO,), "guess", begin_anew=True, tally=tally) == WRONG
    shown = reveal((DEMO,), "chalk", tally=tally)
    assert "A &amp; B: <b>2</b>" in shown and "C: <b>0</b>" in shown and "A &lt;demo&gt;: Which &lt;one&gt;?" in shown
    assert "Nobody has predicted" in reveal((DEMO,), "chalk", begin_anew=True, tally=tally)


def test_without_a_password_at_launch_nobody_is_the_teacher() -> None:
    host(Hosting())
    assert reveal((DEMO,), "", tally=Tally()) == WRONG


def test_a_workshop_link_opens_the_preset_with_its_numbers_hidden() -> None:
    assert "<a href='?demo=some&amp;word=b+c&amp;predict=1'>First &amp; last</a>" in links_html((DEMO,))


def test_the_first_answer_of_a_round_counts_and_after_a_reset_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    tally = Tally()
    monkeypatch.setattr(workshop, "TALLY", tally)
    count = workshop._counter(DEMO, 0)
    assert count("forged", 0, None) == 0 and count(None, 0, None) == 0
    one = count("A & B", 0, None)
    assert count("C", one, None) == one and tally.counts("some", 0) == {"A & B": 1}  # the numbers are on view by then
    tally.reset()
    assert count("A & B", 0, None) != one and count("C", one, None) != one
    assert tally.counts("some", 0) == {"A & B": 1, "C": 1}


def test_an_answer_after_the_numbers_were_seen_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    tally = Tally()
    monkeypatch.setattr(workshop, "TALLY", tally)
    with gr.Blocks():
        panel = Panel(DEMO, None, ())
    count, folded = workshop._counter(DEMO, 0), Shown(compared(share(0.5), share(0.9)))
    told = panel.unfold(folded)[panel.shown]  # "Show me the numbers"
    assert told.peeked and panel.unfold(told, "C")[panel.shown].peeked
    assert count("C", 0, told) == 0 and tally.counts("some", 0) == {}
    answered = panel.unfold(folded, "C")[panel.shown]
    assert not answered.peeked and count("C", 0, answered) != 0 and tally.counts("some", 0) == {"C": 1}


def test_guesses_side_by_side_do_not_count_as_more_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workshop, "WRONG_WAITS", 0.5)
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda _: reveal((DEMO,), "guess", tally=Tally()), range(8)))
    assert said.count(WRONG) == 1 and said.count(OTHERS_TRY) == 7
