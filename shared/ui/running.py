"""Runs a comparison in a worker thread: progress a few times a second, and a Cancel that stops the thread."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
import time
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from shared.comparison import Comparison
from shared.demo import Cancelled, DemoError, Progress
from shared.settings import Settings, SettingsError

Compute = Callable[[Settings, Progress], Comparison]

DEVICE_SLOT = "device"
"""Every event that computes has this `concurrency_id`, with a limit of one, so that runs follow each other."""

CANCELLED = "Cancelled. Your last result is still here."
UNEXPECTED = "Something went wrong on our side. Your last result is still here, and the server's log says more."

LOOK_EVERY = 0.05
TELL_EVERY = 0.25

_device = threading.Lock()
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


class _Meter:
    """The progress callback of one run: raises Cancelled once stopped, else notes how far the work is."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._first: tuple[float, int] | None = None
        self.step: Step | None = None

    def __call__(self, done: int, total: int, unit: str) -> None:
        if self._stop.is_set():
            raise Cancelled
        now = time.monotonic()
        if self._first is None:
            self._first = (now, done)
        since, at = self._first
        left = (now - since) / (done - at) * (total - done) if done > at else None
        self.step = Step(done, total, unit, left)


async def follow(
    compute: Compute, settings: Settings, stop: threading.Event
) -> AsyncGenerator[Step | Comparison, None]:
    """Computes in a thread of its own: yields a Step a few times a second, and the Comparison at the end.

    `stop` makes the work's next progress call raise Cancelled, which ends the thread; so does closing this iterator
    or cancelling its task (the visitor closed the page). Raises what the work raised. A stopped thread keeps the
    device until it has really ended, so the next run never stands beside it.
    """
    meter, result = _Meter(stop), Future[Comparison]()

    def work() -> None:
        try:
            while not _device.acquire(timeout=LOOK_EVERY):
                if stop.is_set():
                    raise Cancelled
            try:
                if stop.is_set():
                    raise Cancelled
                comparison = compute(settings, meter)
            finally:
                _device.release()
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
