"""A stand-in for the platform's package `spaces`: each call forks, and arguments and results are pickled."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Callable, Iterator
from typing import Any

CALLS: list[int] = []
"""The durations that were declared."""


def GPU(duration: Callable[..., int]) -> Callable[..., Any]:  # noqa: N802, the platform's name
    """The decorator: the declared duration is asked first, then a child process does the work."""

    def decorate(function: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        def call(*args: Any) -> Iterator[Any]:
            CALLS.append(duration(*args))
            sent = pickle.dumps(args)
            context = multiprocessing.get_context("fork")
            here, there = context.Pipe()

            def child() -> None:
                try:
                    for value in function(*pickle.loads(sent)):
                        there.send_bytes(pickle.dumps(("value", value)))
                    there.send_bytes(pickle.dumps(("end", None)))
                except BaseException as error:
                    there.send_bytes(pickle.dumps(("error", error)))

            process = context.Process(target=child)
            process.start()
            there.close()  # so that the end of a child that dies is noticed
            while True:
                kind, value = pickle.loads(here.recv_bytes())
                if kind == "end":
                    break
                if kind == "error":
                    process.join(20)
                    raise value
                yield value
            process.join(20)

        return call

    return decorate
