"""Runs a comparison in a worker thread: progress a few times a second, and a Cancel that stops the thread."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from shared.comparison import Comparison
from shared.demo import Cancelled, DemoError, Progress
from shared.settings import Settings, SettingsError

Compute = Callable[[Settings, Progress], Comparison]

DEVICE_SLOT = "device"
"""Every event that computes has this `concurrency_id`. So many may be under way at a time, but only one of them has
the device; the others stand in line for it."""
IN_LINE = 8

CANCELLED = "Cancelled. Your last result is still here."
UNEXPECTED = "Something went wrong on our side. Your last result is still here, and the server's log says more."

LOOK_EVERY = 0.05
TELL_EVERY = 0.25

_log = logging.getLogger("side_by_side")


@dataclass(eq=False)
class Run:
    """One run, from the click to its end. It stays in the session's State, where Cancel finds it.

    Compared and hashed by identity, so that State sees each new run as a change.
    """

    settings: Settings
    study: str = ""
    reveal: bool = True
    stop: threading.Event = field(default_factory=threading.Event)
    claimed: bool = False

    def claim(self) -> bool:
        """True for the first who asks, so that a run that was queued twice is done once."""
        first, self.claimed = not self.claimed, True
        return first


@dataclass(frozen=True)
class Step:
    """How far the work is. `seconds_left` is None as long as nothing is done."""

    done: int
    total: int
    unit: str
    seconds_left: float | None = None


class Device:
    """The device, had by one run at a time, in the order in which they ask."""

    def __init__(self) -> None:
        self._line: deque[object] = deque()  # who stands first has it
        self._moved = threading.Condition()

    def take(self, who: object, stop: threading.Event) -> None:
        """Return when it is one's turn; raises Cancelled where one is stopped before."""
        with self._moved:
            self._line.append(who)
            while self._line[0] is not who:
                self._moved.wait(LOOK_EVERY)
                if stop.is_set() and self._line[0] is not who:
                    self._line.remove(who)
                    raise Cancelled

    def give_back(self) -> None:
        """Let the next one have it."""
        with self._moved:
            self._line.popleft()
            self._moved.notify_all()

    def let_others_go_first(self, who: object) -> None:
        """Where others wait, give the device to them and come back after all who wait now. Even a stopped run comes
        back, since it still has to finish what it has."""
        with self._moved:
            if len(self._line) > 1:
                self._line.append(self._line.popleft())
                self._moved.notify_all()
                self._moved.wait_for(lambda: self._line[0] is who)


_device = Device()


class _Meter:
    """The progress callback of one run: raises Cancelled once stopped, else notes how far the work is. `gives_way`:
    here others may have the device first."""

    def __init__(self, stop: threading.Event, gives_way: bool = False) -> None:
        self._stop = stop
        self._gives_way = gives_way
        self._first: tuple[float, int] | None = None
        self.step: Step | None = None

    def __call__(self, done: int, total: int, unit: str) -> None:
        if self._gives_way and not self._stop.is_set():
            _device.let_others_go_first(self)
        if self._stop.is_set():
            raise Cancelled
        now = time.monotonic()
        if self._first is None:
            self._first = (now, done)
        since, at = self._first
        left = (now - since) / (done - at) * (total - done) if done > at else None
        self.step = Step(done, total, unit, left)


async def follow(
    compute: Compute, settings: Settings, stop: threading.Event, gives_way: bool = False
) -> AsyncGenerator[Step | Comparison, None]:
    """Computes in a thread of its own: yields a Step a few times a second, and the Comparison at the end.

    `stop` makes the work's next progress call raise Cancelled, which ends the thread; so does closing this iterator
    or cancelling its task (the visitor closed the page). Raises what the work raised. A stopped thread keeps the
    device until it has really ended, so the next run never stands beside it. Work that `gives_way` lets others have the
    device at its progress calls.
    """
    meter, result = _Meter(stop, gives_way), Future[Comparison]()

    def work() -> None:
        try:
            _device.take(meter, stop)
            try:
                if stop.is_set():
                    raise Cancelled
                comparison = compute(settings, meter)
            finally:
                _device.give_back()
        except BaseException as error:
            result.set_exception(error)
        else:
            result.set_result(comparison)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), name="side-by-side-run", daemon=True).start()
    told, told_at = None, 0.0
    try:
        while not result.done():
            await asyncio.sleep(LOOK_EVERY)
            if meter.step is not told and time.monotonic() - told_at >= TELL_EVERY:
                told, told_at = meter.step, time.monotonic()
                if told is not None:
                    yield told
        yield result.result()
    finally:
        stop.set()


def sentence_for(error: BaseException) -> str:
    """What the visitor is told. An unexpected error is told politely, and its trace goes to the server's log alone."""
    if isinstance(error, (SettingsError, DemoError)):
        return str(error)
    if isinstance(error, Cancelled):
        return CANCELLED
    _log.error("A run failed.", exc_info=error)
    return UNEXPECTED
