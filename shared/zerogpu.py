"""ZeroGPU: each action is one call of a decorated function, which runs in a forked process with a GPU for a while.

Everywhere else `on_device` simply computes. There, arguments and results are pickled by the platform, so that settings,
steps and a comparison of NumPy arrays and pictures travel, and nothing that lives on the GPU. A forked process can't
see the visitor's Cancel: a file that only this run knows says that it is still wanted.
"""

from __future__ import annotations

import importlib
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from shared.comparison import Comparison
from shared.demo import Cancelled, Progress
from shared.settings import Settings

SHORTEST, LONGEST = 15, 120  # seconds; the platform refuses longer ones to most visitors
COMPARE_SECONDS, STUDY_SECONDS = 20, 60  # what the default settings are declared with


def is_zerogpu() -> bool:
    """Whether this is a Space on ZeroGPU; the platform sets the variable."""
    return os.environ.get("SPACES_ZERO_GPU", "").lower() in ("1", "true", "t")


def estimate(demo: str, study: str, settings: Settings, *rest: object) -> int:
    """Seconds of a GPU to declare for a run: those of the default settings times how much larger these are."""
    base = STUDY_SECONDS if study else COMPARE_SECONDS
    ratio = settings.work() / type(settings)().work()
    return round(min(max(base * ratio, SHORTEST), LONGEST))


def on_device(
    name: tuple[str, str], compute: Callable[..., Comparison], settings: Settings, progress: Progress
) -> Comparison:
    """The comparison, computed here, or on ZeroGPU in one decorated call. `progress` may raise Cancelled."""
    if not is_zerogpu() or not name[0]:
        return compute(settings, progress)
    handle, text = tempfile.mkstemp(prefix="side-by-side-")
    os.close(handle)
    wanted = Path(text)
    made: Comparison | None = None
    cancelled = False
    try:
        for update in decorated()(*name, settings, text):
            if isinstance(update, Comparison):
                made = update
            elif not cancelled:
                try:
                    progress(*update)
                except Cancelled:
                    cancelled = True
                    wanted.unlink(missing_ok=True)
    finally:
        wanted.unlink(missing_ok=True)
    if made is None:
        raise Cancelled
    return made


@cache
def decorated() -> Callable[..., Iterator[Any]]:
    """`run` with the platform's decorator; the platform's package is there, and only there."""
    spaces: Any = importlib.import_module("spaces")
    return spaces.GPU(duration=estimate)(run)


def run(demo: str, study: str, settings: Settings, wanted: str) -> Iterator[tuple[int, int, str] | Comparison]:
    """Computes in the forked process: yields (done, total, unit) on the way and the Comparison at the end; nothing
    more where it was cancelled. Raises what the work raises."""
    compute = find(demo, study)
    said: SimpleQueue[Any] = SimpleQueue()

    def tell(done: int, total: int, unit: str) -> None:
        if not Path(wanted).exists():
            raise Cancelled
        said.put((done, total, unit))

    def work() -> None:
        try:
            said.put(compute(settings, tell))
        except BaseException as error:
            said.put(error)

    threading.Thread(target=work, name="side-by-side-gpu", daemon=True).start()
    while True:
        update, step = said.get(), None
        while isinstance(update, tuple):
            step = update  # of many at once, only the newest is worth a message
            if said.empty():
                break
            update = said.get()
        if step is not None:
            yield step
        if update is step:
            continue
        if isinstance(update, Cancelled):
            return
        if isinstance(update, BaseException):
            raise update
        yield update
        if isinstance(update, Comparison):
            return


def find(demo: str, study: str) -> Callable[..., Comparison]:
    """What computes a demo, or a study of it."""
    found = next(d for d in importlib.import_module("demos").all_demos() if d.slug == demo)
    return next(s for s in found.studies if s.slug == study).run if study else found.compare


def load_models() -> None:
    """Loads every bundled model at the start, as ZeroGPU wants it; elsewhere the first use loads."""
    if not is_zerogpu():
        return
    from shared import models
    from shared.model_rows import ROWS

    readers = {"pipeline": models.load_pipeline, "reader": models.load_scene_reader, "clip": models.load_clip}
    for row in ROWS:
        if row.asset and row.kind in readers and models.is_here(row.name):
            readers[row.kind](row.name)
