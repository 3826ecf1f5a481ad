"""A run in its thread: progress, Cancel that ends the thread, one at a time on the device, errors as sentences."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator

import pytest

from shared.batches import run_batches
from shared.comparison import Comparison
from shared.demo import Cancelled, DemoError, Progress
from shared.hosting import Hosting, host, line
from shared.line import Line
from shared.settings import Settings, SettingsError
from shared.ui import running
from shared.ui.running import CANCELLED, UNEXPECTED, Compute, Meter, Run, Step, Stopping, Waiting, follow, sentence_for


class Nothing(Settings):
    """No settings at all."""


def result() -> Comparison:
    return Comparison("none", {}, (), "Done.", {})


def threads() -> int:
    return sum(thread.name == "side-by-side-run" for thread in threading.enumerate())


async def gather(compute, stop: threading.Event | None = None) -> list[Waiting | Step | Stopping | Comparison]:
    return [update async for update in follow(compute, Nothing(), stop or threading.Event())]


def test_steps_come_with_the_time_left_and_the_result_comes_last() -> None:
    def compute(settings: Settings, progress: Progress) -> Comparison:
        for done in range(11):
            progress(done, 10, "cells")
            time.sleep(0.06)
        return result()

    *steps, last = asyncio.run(gather(compute))
    assert last == result()
    assert steps and all(isinstance(s, Step) and s.total == 10 and s.unit == "cells" for s in steps)
    done = [s.done for s in steps if isinstance(s, Step)]
    assert done == sorted(done) and done[0] < done[-1]
    left = [s.seconds_left for s in steps if isinstance(s, Step) and s.done > 0]
    assert all(x is not None for x in left) and left == sorted(left, key=lambda x: -(x or 0))


def test_stop_raises_cancelled_in_the_work_and_ends_its_thread() -> None:
    seen: list[type[BaseException]] = []
    stop = threading.Event()

    def compute(settings: Settings, progress: Progress) -> Comparison:
        try:
            for done in range(10_000):
                progress(done, 10_000, "cells")
                time.sleep(0.01)
                if done == 5:
                    stop.set()
        except Cancelled:
            seen.append(Cancelled)
            raise
        return result()

    with pytest.raises(Cancelled):
        asyncio.run(gather(compute, stop))
    assert seen == [Cancelled] and threads() == 0


def test_a_stop_is_told_once_and_before_the_last_word() -> None:
    """The page gets all of a run in one stream, so that "Stopping" can't come after "Cancelled" and stay."""
    stop = threading.Event()

    def compute(settings: Settings, progress: Progress) -> Comparison:
        progress(0, 2, "cells")
        stop.set()
        time.sleep(0.5)
        return result()

    updates = asyncio.run(gather(compute, stop))
    assert updates[-2:] == [Stopping(), result()] and updates.count(Stopping()) == 1


def test_a_study_that_catches_cancelled_hands_in_what_it_has() -> None:
    stop = threading.Event()

    def compute(settings: Settings, progress: Progress) -> Comparison:
        try:
            for done in range(10_000):
                progress(done, 10_000, "cells")
                stop.set()
        except Cancelled:
            pass
        return Comparison("none", {}, (), "Part.", {}, complete=False)

    assert asyncio.run(gather(compute, stop))[-1] == Comparison("none", {}, (), "Part.", {}, complete=False)


def test_a_cancelled_task_stops_the_thread_and_the_next_run_waits_for_its_end() -> None:
    inside, most = [0], [0]
    started = threading.Event()

    def compute(settings: Settings, progress: Progress) -> Comparison:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        try:
            for done in range(40):
                progress(done, 40, "cells")
                started.set()
                time.sleep(0.01)
            return result()
        finally:
            inside[0] -= 1

    async def leave_and_run_again() -> Comparison | Step:
        first = asyncio.create_task(gather(compute))
        while not started.is_set():
            await asyncio.sleep(0.01)
        first.cancel()
        return (await gather(compute))[-1]

    assert asyncio.run(leave_and_run_again()) == result()
    assert most == [1] and threads() == 0


def test_runs_follow_each_other_on_the_device() -> None:
    inside, most = [0], [0]

    def compute(settings: Settings, progress: Progress) -> Comparison:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        time.sleep(0.05)
        inside[0] -= 1
        return result()

    async def three() -> list[list[Waiting | Step | Stopping | Comparison]]:
        return await asyncio.gather(*(gather(compute) for _ in range(3)))

    assert [found[-1] for found in asyncio.run(three())] == [result()] * 3
    assert most == [1]


def test_a_run_is_claimed_once() -> None:
    run = Run(Nothing())
    assert [run.claim(), run.claim()] == [True, False]
    assert run != Run(Nothing()) and hash(run) != hash(Run(Nothing()))


def test_errors_become_one_sentence_and_only_the_unexpected_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert sentence_for(DemoError("No such word.")) == "No such word."
    assert sentence_for(SettingsError("noise must be less.")) == "noise must be less."
    assert sentence_for(Cancelled()) == CANCELLED
    assert not caplog.records
    assert sentence_for(RuntimeError("secret path")) == UNEXPECTED and "secret" not in UNEXPECTED
    assert [r.exc_info is not None and "secret path" in str(r.exc_info[1]) for r in caplog.records] == [True]


def test_what_the_work_raises_arrives() -> None:
    def compute(settings: Settings, progress: Progress) -> Comparison:
        raise DemoError("The world has no whale.")

    with pytest.raises(DemoError, match="no whale"):
        asyncio.run(gather(compute))


def test_a_study_lets_others_have_the_device_between_its_batches() -> None:
    order: list[str] = []
    waiting = threading.Event()

    def study(settings: Settings, progress: Progress) -> Comparison:
        for done in range(6):
            order.append(f"study {done}")
            if done == 1:
                waiting.wait(5)
                time.sleep(0.2)  # the short one is in line now
            progress(done, 6, "batches")
        return result()

    def short(settings: Settings, progress: Progress) -> Comparison:
        order.append("short begins")
        progress(0, 1, "calls")
        time.sleep(0.05)
        order.append("short ends")
        return result()

    async def one(compute, gives_way: bool) -> Comparison | Step:
        return [u async for u in follow(compute, Nothing(), threading.Event(), gives_way)][-1]

    async def both() -> list[Comparison | Step]:
        first = asyncio.create_task(one(study, True))
        while "study 1" not in order:
            await asyncio.sleep(0.01)
        second = asyncio.create_task(one(short, False))
        await asyncio.sleep(0.05)
        waiting.set()
        return list(await asyncio.gather(first, second))

    assert asyncio.run(both()) == [result(), result()]
    assert order == ["study 0", "study 1", "short begins", "short ends", "study 2", "study 3", "study 4", "study 5"]


def test_a_study_stopped_while_others_have_the_device_comes_back_to_finish() -> None:
    stop, inside, most = threading.Event(), [0], [0]

    def enter() -> None:
        inside[0] += 1
        most[0] = max(most[0], inside[0])

    def study(settings: Settings, progress: Progress) -> Comparison:
        try:
            for done in range(1000):
                time.sleep(0.01)
                progress(done, 1000, "batches")
        except Cancelled:
            enter()
            time.sleep(0.05)
            inside[0] -= 1
        return Comparison("none", {}, (), "Part.", {}, complete=False)

    def short(settings: Settings, progress: Progress) -> Comparison:
        enter()
        stop.set()
        time.sleep(0.2)
        inside[0] -= 1
        return result()

    async def both() -> list[Comparison | Step]:
        async def one(compute, s, gives_way) -> Comparison | Step:
            return [u async for u in follow(compute, Nothing(), s, gives_way)][-1]

        first = asyncio.create_task(one(study, stop, True))
        await asyncio.sleep(0.1)
        return list(await asyncio.gather(first, one(short, threading.Event(), False)))

    part, whole = asyncio.run(both())
    assert isinstance(part, Comparison) and not part.complete and whole == result()
    assert most == [1]


@pytest.fixture
def capped() -> Iterator[None]:
    """A gallery that others can reach, where a study gets a fifth of a second of the device."""
    host(Hosting(public=True, study_seconds=0.2, memory=0))
    yield
    host(Hosting())


def working_for(cells: int, *, keeps: bool) -> Compute:
    """A study of so many cells of 10 ms, that keeps what it has when it is stopped, or does not."""

    def compute(settings: Settings, progress: Progress) -> Comparison:
        done = 0
        try:
            for done in range(cells):
                progress(done, cells, "cells")
                time.sleep(0.01)
        except Cancelled:
            if not keeps:
                raise
            return Comparison("none", {}, (), f"{done} cells.", {}, complete=False)
        return result()

    return compute


async def last_of(compute: Compute, study: str, visitor: str = "") -> object:
    updates = follow(compute, Nothing(), threading.Event(), name=("none", study), visitor=visitor)
    return [update async for update in updates][-1]


@pytest.mark.usefixtures("capped")
def test_a_hosted_study_over_its_seconds_is_cut_and_says_so_first() -> None:
    found = asyncio.run(last_of(working_for(60, keeps=True), "long"))
    assert isinstance(found, Comparison) and not found.complete
    assert found.takeaway.startswith("Stopped after 0.2 s of the device, the most that a hosted gallery gives a study;")
    assert 0 < int(found.takeaway.split()[-2]) < 60


@pytest.mark.usefixtures("capped")
def test_a_hosted_study_that_keeps_nothing_is_told_to_be_smaller() -> None:
    with pytest.raises(DemoError, match=r"^This study needs longer, and a hosted gallery gives a study 0\.2 s .*\.$"):
        asyncio.run(last_of(working_for(1000, keeps=False), "long"))
    assert threads() == 0 and len(line()) == 0


@pytest.mark.usefixtures("capped")
def test_a_hosted_study_far_too_large_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SURE_AFTER", 0.05)
    done: list[int] = []

    def compute(settings: Settings, progress: Progress) -> Comparison:
        for cell in range(60_000):
            progress(cell, 60_000, "cells")
            done.append(cell)
            time.sleep(0.01)
        return result()

    with pytest.raises(DemoError, match=r"This study would take about \d+ minutes, and a hosted gallery"):
        asyncio.run(last_of(compute, "huge"))
    assert len(done) < 20


def test_neither_a_comparison_nor_a_study_at_home_is_cut() -> None:
    host(Hosting(public=True, study_seconds=0.05, memory=0))
    try:
        assert asyncio.run(last_of(working_for(20, keeps=True), "")) == result()
        host(Hosting(study_seconds=0.05, memory=0))
        assert asyncio.run(last_of(working_for(20, keeps=True), "sweep")) == result()
    finally:
        host(Hosting())


def test_seconds_spent_while_others_have_the_device_do_not_count() -> None:
    queue = Line()
    ticket = queue.join()
    meter = Meter(ticket, threading.Event(), gives_way=True, seconds=0.3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "line", lambda: queue)
        patch.setattr(queue, "let_others_go_first", lambda mine: time.sleep(0.25))
        for done in range(4):
            meter(done, 4, "cells")
    assert not meter.spent and meter.step is not None and meter.step.done == 3


def test_a_study_lets_others_run_between_its_batches() -> None:
    order: list[str] = []

    def study(settings: Settings, progress: Progress) -> Comparison:
        for batch in run_batches(lambda n: n, range(3)):
            order.append(f"batch {batch}")
            while batch == 0 and len(line()) < 2:  # until the other one waits
                time.sleep(0.01)
        return result()

    def other(settings: Settings, progress: Progress) -> Comparison:
        order.append("other")
        return result()

    async def both() -> None:
        long = asyncio.create_task(last_of(study, "study"))
        while not order:
            await asyncio.sleep(0.01)
        await asyncio.gather(long, last_of(other, ""))

    host(Hosting(memory=0))
    asyncio.run(both())
    assert order == ["batch 0", "other", "batch 1", "batch 2"]
