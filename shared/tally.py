"""The room's predictions in a workshop: how many chose each answer, and nothing about who."""

from __future__ import annotations

import hmac
import threading
from collections import Counter

MOST_ROOMS = 64


class Tally:
    """Counts by demo, question and answer, in rounds that end with a reset."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, int], Counter[str]] = {}
        self._round = 1
        self._lock = threading.Lock()

    def choose(self, demo: str, question: int, answer: str, counted: int = 0) -> int:
        """Counts an answer, unless this visitor was counted in this round already: the first answer shows the numbers,
        so a later one is no prediction. `counted` is what the visitor's last call returned: the round."""
        with self._lock:
            room_left = len(self._counts) < MOST_ROOMS or (demo, question) in self._counts
            if counted != self._round and room_left:
                self._counts.setdefault((demo, question), Counter())[answer] += 1
            return self._round

    def counts(self, demo: str, question: int) -> dict[str, int]:
        """How many chose each answer."""
        with self._lock:
            return dict(self._counts.get((demo, question), Counter()))

    def reset(self) -> None:
        """Begins anew, for the next room."""
        with self._lock:
            self._counts.clear()
            self._round += 1


TALLY = Tally()


def is_teacher(given: object, password: str) -> bool:
    """Whether the password is the one given at launch; without one nobody is the teacher."""
    if not isinstance(given, str) or not password:
        return False
    return hmac.compare_digest(given.encode(errors="replace"), password.encode())
