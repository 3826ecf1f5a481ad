"""The room's predictions in a workshop: how many chose each answer, and nothing about who."""

from __future__ import annotations

import hmac
import threading
from collections import Counter

MOST_ROOMS = 64


class Tally:
    """Counts by demo, question and answer. A visitor who changes their mind is counted once."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, int], Counter[str]] = {}
        self._lock = threading.Lock()

    def choose(self, demo: str, question: int, answer: str, before: str = "") -> None:
        """Counts an answer; `before` is the same visitor's earlier one, which is taken back."""
        with self._lock:
            if len(self._counts) >= MOST_ROOMS and (demo, question) not in self._counts:
                return
            counts = self._counts.setdefault((demo, question), Counter())
            if before and counts[before] > 0:
                counts[before] -= 1
            counts[answer] += 1

    def counts(self, demo: str, question: int) -> dict[str, int]:
        """How many chose each answer."""
        with self._lock:
            return {answer: n for answer, n in self._counts.get((demo, question), Counter()).items() if n > 0}

    def reset(self) -> None:
        """Begins anew, for the next room."""
        with self._lock:
            self._counts.clear()


TALLY = Tally()


def is_teacher(given: str, password: str) -> bool:
    """Whether the password is the one given at launch; without one nobody is the teacher."""
    return bool(password) and hmac.compare_digest(given.encode(), password.encode())
