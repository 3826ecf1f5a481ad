"""Between two batches a study lets others have the device: the run says how, the study's loop says when.

A run's progress calls are no good for it everywhere: in the middle of a batch a library may hold a lock, or a model may
carry hooks that another run would meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


def _go_on() -> None:
    """Outside a server, in another process, and for what is no study, nobody waits."""


_how: ContextVar[Callable[[], None]] = ContextVar("how_to_give_way", default=_go_on)


@contextmanager
def gives_way_by(how: Callable[[], None]) -> Iterator[None]:
    """Within it, `give_way` in this thread calls `how`."""
    before = _how.set(how)
    try:
        yield
    finally:
        _how.reset(before)


def give_way() -> None:
    """Lets those who wait have the device first. Call it between batches, with no lock held and every model as it was
    found; it returns when it is this run's turn again."""
    _how.get()()
