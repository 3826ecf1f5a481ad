"""A study's batches: one after another in this process, or side by side in other processes or on a Dask cluster.

`python app.py --workers 4`, or `--workers dask://HOST:PORT` with an existing cluster whose workers have this repository
and its requirements, says where. joblib does the work, the results are the same, and they come in the same order.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from queue import Empty, Queue
from typing import Any, TypeVar

from shared.giving_way import give_way
from shared.hosting import hosting

Item = TypeVar("Item")
Result = TypeVar("Result")
LOOK_EVERY = 0.2
DASK = "dask://"


def run_batches(
    work: Callable[[Item], Result], items: Sequence[Item], still_wanted: Callable[[], None] = lambda: None
) -> Iterator[Result]:
    """`work(item)` for each item, in order, wherever `--workers` says; each result as soon as it and those before it
    are there. In this process others may have the device between two batches.

    `still_wanted` is called now and then while batches run elsewhere, and raises to stop them; in this process `work`
    itself may raise. Work that is sent elsewhere must be picklable (joblib takes closures too) and seeded by its item.
    """
    if compute_here(len(items)):
        for place, item in enumerate(items):
            if place:
                give_way()
            yield work(item)
        return
    yield from _elsewhere(hosting().workers, work, items, still_wanted)


def compute_here(count: int) -> bool:
    """Whether so many batches are computed in this process, so that their work may report its steps."""
    return count < 2 or hosting().workers in ("", "0", "1")


def _elsewhere(
    workers: str, work: Callable[[Item], Result], items: Sequence[Item], still_wanted: Callable[[], None]
) -> Iterator[Result]:
    import joblib

    done: Queue[tuple[str, Any]] = Queue()
    stop = threading.Event()

    def drain() -> None:
        try:
            with ExitStack() as stack:
                count = _enter(workers, stack)
                parallel = joblib.Parallel(n_jobs=count, batch_size=1, pre_dispatch=count, return_as="generator")  # pyright: ignore[reportArgumentType]
                results = parallel(joblib.delayed(work)(item) for item in items if not stop.is_set())
                for result in results:
                    done.put(("result", result))
                    if stop.is_set():
                        break
                results.close()  # pyright: ignore[reportAttributeAccessIssue]
            done.put(("end", None))
        except BaseException as error:
            done.put(("error", error))

    threading.Thread(target=drain, name="side-by-side-batches", daemon=True).start()
    try:
        while True:
            try:
                kind, value = done.get(timeout=LOOK_EVERY)
            except Empty:
                still_wanted()
                continue
            if kind == "end":
                return
            if kind == "error":
                raise value
            yield value
    finally:
        stop.set()


def _enter(workers: str, stack: ExitStack) -> int:
    """Enters joblib's backend, and says how many batches to have under way at once."""
    import joblib

    if not workers.startswith(DASK):
        stack.enter_context(joblib.parallel_config(backend="loky", inner_max_num_threads=1))
        return int(workers)
    from distributed import Client

    client = stack.enter_context(Client(f"tcp://{workers.removeprefix(DASK)}", set_as_default=False))
    stack.enter_context(joblib.parallel_config(backend="dask", client=client))
    return max(1, len(client.scheduler_info()["workers"]))
