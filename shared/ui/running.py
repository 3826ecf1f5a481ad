"""Runs a comparison in a worker thread: progress a few times a second, and a Cancel that stops the thread."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
import time
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from shared.comparison import Comparison
from shared.demo import Cancelled, DemoError, Progress
from shared.giving_way import gives_way_by
from shared.hosting import hosting, line, results
from shared.line import Ticket
from shared.results import key_of, mark
from shared.settings import Settings, SettingsError
from shared.zerogpu import on_device

Compute = Callable[[Settings, Progress], Comparison]

DEVICE_SLOT = "device"
"""Every event that computes has this `concurrency_id`. Gradio lets all of them begin at once, and they wait in our own
line, where each is told its place."""

CANCELLED = "Cancelled. Your last result is still here."
UNEXPECTED = "Something went wrong on our side. Your last result is still here, and the server's log says more."

LOOK_EVERY = 0.05
TELL_EVERY = 0.25
SURE_AFTER = 5.0  # seconds, until an estimate of a study's length is believed
FAR_TOO_LONG = 5  # times the limit: refused at once, where a little too long is cut

_log = logging.getLogger("side_by_side")


@dataclass(eq=False)
class Run:
    """One run, from the click to its end. It stays in the session's State, where Cancel finds it.

    Compared and hashed by identity, so that State sees each new run as a change.
    """

    settings: Settings
    study: str = ""
    reveal: bool = True
    answers: tuple[Any, ...] = ()
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


@dataclass(frozen=True)
class Waiting:
    """How many runs stand before this one."""

    place: int


@dataclass(frozen=True)
class Stopping:
    """The work has been told to stop, and ends at its next progress call."""


class Meter:
    """The progress callback of one run: raises Cancelled once stopped, else notes how far the work is.

    `gives_way`: here others may have the device first. `seconds`: the most of the device that the run gets; beyond it
    the meter is `spent` and raises Cancelled, and DemoError at once where it would need many times as much.
    """

    def __init__(
        self, ticket: Ticket, stop: threading.Event, gives_way: bool = False, seconds: float | None = None
    ) -> None:
        self._ticket = ticket
        self._stop = stop
        self._gives_way = gives_way
        self.seconds = seconds
        self._first: tuple[float, int] | None = None
        self._began = time.monotonic()
        self.step: Step | None = None
        self.spent = False

    def __call__(self, done: int, total: int, unit: str) -> None:
        """Raises Cancelled to stop the work, and DemoError for a study that is far too large."""
        if self._gives_way:
            self.give_way()
        if self._stop.is_set():
            raise Cancelled
        now = time.monotonic()
        if self._first is None:
            self._first = (now, done)
        since, at = self._first
        left = (now - since) / (done - at) * (total - done) if done > at else None
        self.step = Step(done, total, unit, left)
        if self.seconds is not None:
            self._check_size(now - self._began, left)

    def give_way(self) -> None:
        """Lets those who wait have the device first; that time is not this run's."""
        if not self._stop.is_set():
            left_at = time.monotonic()
            line().let_others_go_first(self._ticket)
            self._began += time.monotonic() - left_at

    def _check_size(self, had: float, left: float | None) -> None:
        assert self.seconds is not None
        if left is not None and had > SURE_AFTER and had + left > FAR_TOO_LONG * self.seconds:
            raise DemoError(too_large(self.seconds, f"would take about {round((had + left) / 60)} minutes"))
        if had > self.seconds:
            self.spent = True
            raise Cancelled

    def give_back(self) -> None:
        """Let the next one have the device."""
        line().leave(self._ticket)

    def tell_if_cut(self, made: Comparison) -> Comparison:
        """The result; where the meter cut it short, its takeaway says so first."""
        if not self.spent:
            return made
        said = f"Stopped after {self.seconds:g} s of the device, the most that a hosted gallery gives a study; "
        return replace(made, takeaway=f"{said}this is what was finished. {made.takeaway}")


def too_large(seconds: float, how: str) -> str:
    """What the visitor is told whose study needs more of the device than a hosted gallery gives."""
    return (
        f"This study {how}, and a hosted gallery gives a study {seconds:g} s of its device: make it smaller, or run it "
        "on a machine of your own."
    )


async def follow(
    compute: Compute,
    settings: Settings,
    stop: threading.Event,
    gives_way: bool = False,
    *,
    name: tuple[str, str] | None = None,
    visitor: str = "",
    there: Callable[[], bool] = lambda: True,
) -> AsyncGenerator[Waiting | Step | Stopping | Comparison, None]:
    """Waits in line, then computes in a thread of its own: yields a Waiting for each new place, a Step a few times a
    second, a Stopping once `stop` is seen while it works, and the Comparison at the end.

    `stop` makes the work's next progress call raise Cancelled, which ends the thread; so does closing this iterator,
    cancelling its task, or `there` turning false (the visitor closed the page). Raises what the work raised, and Busy
    where there is no room in the line. A stopped thread keeps the device until it has really ended, so the next run
    never stands beside it. Work that `gives_way` lets others have the device at its progress calls. With a `name`
    (demo, study) a kept result of equal settings is taken, also one that is measured while this run waits.
    """
    key = await asyncio.to_thread(key_of, *name, settings) if name and hosting().memory else ""
    kept = await asyncio.to_thread(results().get, key) if key else None
    if kept is not None:
        yield kept
        return
    ticket, began = line().join(visitor), False
    try:
        told = 0
        while (place := line().place(ticket)) > 0:
            if stop.is_set() or not there():
                raise Cancelled
            if (found := results().in_memory(key)) is not None:
                yield mark(found)
                return
            if place != told:
                told = place
                yield Waiting(place)
            await asyncio.sleep(LOOK_EVERY)
        if stop.is_set() or not there():
            raise Cancelled
        if (found := results().in_memory(key)) is not None:
            yield mark(found)
            return
        seconds = hosting().most_study_seconds if name and name[1] else None
        meter = Meter(ticket, stop, gives_way, seconds)
        result = _start(compute, settings, meter, name or ("", ""), key)
        began = True
        async for update in _watch(meter, result, stop, there):
            yield update
    finally:
        stop.set()
        if not began:
            line().leave(ticket)


def _start(compute: Compute, settings: Settings, meter: Meter, name: tuple[str, str], key: str) -> Future[Comparison]:
    """Computes in a thread that gives the device back at its end and keeps the result; the future has what it made."""
    result = Future[Comparison]()

    def work() -> None:
        try:
            try:
                with gives_way_by(meter.give_way) if name[1] else nullcontext():
                    made = on_device(name, compute, settings, meter)
                results().put(key, made)
            finally:
                meter.give_back()
        except BaseException as error:
            result.set_exception(error)
        else:
            result.set_result(made)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), name="side-by-side-run", daemon=True).start()
    return result


async def _watch(
    meter: Meter, result: Future[Comparison], stop: threading.Event, there: Callable[[], bool]
) -> AsyncGenerator[Step | Stopping | Comparison, None]:
    told, told_at, stopping = None, 0.0, False
    while not result.done():
        await asyncio.sleep(LOOK_EVERY)
        if not there():
            raise Cancelled
        if stop.is_set():
            if not stopping:
                stopping = True
                yield Stopping()
        elif meter.step is not told and time.monotonic() - told_at >= TELL_EVERY:
            told, told_at = meter.step, time.monotonic()
            if told is not None:
                yield told
    try:
        made = result.result()
    except Cancelled:
        if meter.spent and meter.seconds:
            raise DemoError(too_large(meter.seconds, "needs longer")) from None
        raise
    yield meter.tell_if_cut(made)


def sentence_for(error: BaseException) -> str:
    """What the visitor is told. An unexpected error is told politely, and its trace goes to the server's log alone."""
    if isinstance(error, (SettingsError, DemoError)):
        return str(error)
    if isinstance(error, Cancelled):
        return CANCELLED
    _log.error("A run failed.", exc_info=error)
    return UNEXPECTED
