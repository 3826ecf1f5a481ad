"""The line before the device: order, places, its limits, and a study that lets others go first."""

from __future__ import annotations

import threading

import pytest

from shared.demo import DemoError
from shared.line import Busy, Line


def test_places_count_who_stands_before_and_move_up() -> None:
    line = Line()
    tickets = [line.join() for _ in range(3)]
    assert [line.place(t) for t in tickets] == [0, 1, 2]
    line.leave(tickets[1])
    assert [line.place(t) for t in (tickets[0], tickets[2])] == [0, 1]
    line.leave(tickets[0])
    line.leave(tickets[0])  # giving up twice harms nobody
    assert line.place(tickets[2]) == 0 and len(line) == 1


def test_a_full_line_refuses_politely_and_has_room_again() -> None:
    line = Line(longest=2)
    first = line.join()
    line.join()
    with pytest.raises(Busy, match=r"The gallery is busy: 2 runs are in line already\. Try again in a minute\."):
        line.join()
    line.leave(first)
    assert line.place(line.join()) == 1
    assert issubclass(Busy, DemoError)  # so that every view shows its sentence


def test_one_visitor_has_a_share_and_others_have_theirs() -> None:
    line = Line(longest=10, each=3)
    mine = [line.join("me") for _ in range(3)]
    with pytest.raises(Busy, match="You have 3 runs in line already"):
        line.join("me")
    assert line.place(line.join("you")) == 3
    line.leave(mine[0])
    assert line.place(line.join("me")) == 3


def test_who_lets_others_go_first_comes_back_after_all_who_waited() -> None:
    line = Line()
    study, first, second = line.join(), line.join(), line.join()
    back = threading.Event()

    def give_way() -> None:
        line.let_others_go_first(study)
        back.set()

    threading.Thread(target=give_way, daemon=True).start()
    while line.place(first) != 0:
        pass
    assert line.place(study) == 2
    line.leave(first)
    assert not back.is_set() and line.place(second) == 0
    line.leave(second)
    assert back.wait(5) and line.place(study) == 0
