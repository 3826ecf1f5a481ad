"""A small memory for what follows from the data alone, so that another setting does not compute it again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any


class Memo:
    """The values used last, by key; the oldest is forgotten. What it keeps is never written to.

    A key holds a digest of the data itself, so one visitor's data never answers another's question unless the two
    are the same numbers.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Any | None:
        """The value of a key, or None."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: Hashable, value: Any) -> Any:
        """Keeps the value, and returns it."""
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return value

    def remember(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value of a key, made now if it is not there."""
        found = self.get(key)
        return self.put(key, make()) if found is None else found

    def clear(self) -> None:
        """Forgets everything."""
        with self._lock:
            self._kept.clear()
