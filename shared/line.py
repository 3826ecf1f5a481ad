"""The line before the device: one run has it at a time, the others stand in order, so many in all and so many each."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass

from shared.demo import DemoError


class Busy(DemoError):
    """There is no room in the line; the message is one polite sentence."""


@dataclass(eq=False)
class Ticket:
    """One run in the line. `visitor` is whose it is; empty where nobody counts."""

    visitor: str = ""


class Line:
    """Who stands first has the device. Joining never blocks; a run asks for its place until it is 0."""

    def __init__(self, longest: int = 90, each: int | None = None) -> None:
        """`longest`: how many may stand in it; `each`: how many of one visitor, None for any number."""
        self.longest, self.each = longest, each
        self._line: deque[Ticket] = deque()
        self._moved = threading.Condition()

    def __len__(self) -> int:
        return len(self._line)

    def join(self, visitor: str = "") -> Ticket:
        """A place at the end. Raises Busy where the line, or the visitor's share of it, is full."""
        with self._moved:
            if len(self._line) >= self.longest:
                raise Busy(f"The gallery is busy: {len(self._line)} runs are in line already. Try again in a minute.")
            mine = sum(ticket.visitor == visitor for ticket in self._line) if visitor else 0
            if self.each is not None and mine >= self.each:
                raise Busy(
                    f"You have {mine} runs in line already, as many as one visitor may: cancel one, or wait for it."
                )
            ticket = Ticket(visitor)
            self._line.append(ticket)
            return ticket

    def place(self, ticket: Ticket) -> int:
        """How many stand before; 0 has the device."""
        with self._moved:
            return self._line.index(ticket)

    def leave(self, ticket: Ticket) -> None:
        """Gives up the place, the device too; harmless where it is given up already."""
        with self._moved:
            if ticket in self._line:
                self._line.remove(ticket)
            self._moved.notify_all()

    def let_others_go_first(self, ticket: Ticket) -> None:
        """Where others wait, give the device to them and come back after all who wait now. Even a stopped run comes
        back, since it still has to finish what it has. Blocks; for the thread that computes."""
        with self._moved:
            if len(self._line) > 1:
                self._line.append(self._line.popleft())
                self._moved.notify_all()
                self._moved.wait_for(lambda: self._line[0] is ticket)
