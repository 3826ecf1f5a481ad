"""Many runs of one pipeline taken to their ends together, so that the U-Net is always asked in large batches.

Runs may differ in everything but the pipeline: the samples of one U-Net call stand at different timesteps, and each
run has a scheduler of its own. First steps that ask the same (same noise, same text, same timestep) are computed once.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from shared.demo import DemoError
from shared.models import Loaded
from shared.sampling import Rows, Sampling, ask_unet, join_rows

ROWS = 32
"""Rows of one U-Net call. Beyond it a CPU gains nothing: its matrix products run at their full rate."""
ROWS_GPU = 128
ROWS_BIG = 16


def rows_at_once(loaded: Loaded) -> int:
    """How many rows one U-Net call of this model may have."""
    if loaded.row.big:
        return ROWS_BIG
    return ROWS if loaded.device.type == "cpu" else ROWS_GPU


def take_steps(loaded: Loaded, runs: Sequence[Sampling], rows: int = ROWS) -> Iterator[None]:
    """Takes every run to its end and yields after each U-Net call; stop iterating to stop the work.

    The model is held during a call only, so between calls others may use it. Runs with the most steps begin first:
    so the batches stay full to the end, and runs finish one after another. A run that fails keeps the reason in
    `failed`; the others go on.
    """
    yield from _take_first_steps(loaded, runs, rows)
    left = [run for run in runs if not run.finished and not run.failed]
    waiting = deque(sorted(left, key=lambda run: run.done - len(run.timesteps)))
    active: list[Sampling] = []
    while waiting or active:
        while waiting and (not active or sum(r.rows for r in active) + waiting[0].rows <= rows):
            active.append(waiting.popleft())
        parts = [run.ask() for run in active]
        predicted: list[Tensor] = []
        for part in split_rows(join_rows(parts), rows):
            if predicted:
                yield
            with loaded.alone():
                predicted.append(ask_unet(loaded.model, part))
        answers = torch.cat(predicted).split([len(part.latents) for part in parts])
        for run, noise in zip(active, answers, strict=True):
            _advance(run, noise)
        yield
        active = [run for run in active if not run.finished and not run.failed]


def _take_first_steps(loaded: Loaded, runs: Sequence[Sampling], rows: int) -> Iterator[None]:
    found: dict[str, Tensor] = {}
    wanted: list[tuple[Sampling, list[str]]] = []
    asked: dict[str, Rows] = {}
    for run in runs:
        if run.finished or run.failed:
            continue
        each = split_rows(run.ask(), 1)
        keys = [_key(row) for row in each]
        asked.update(zip(keys, each, strict=True))
        wanted.append((run, keys))
    names = list(asked)
    for start in range(0, len(names), rows):
        if start:
            yield
        some = names[start : start + rows]
        with loaded.alone():
            predicted = ask_unet(loaded.model, join_rows([asked[name] for name in some]))
        found.update(zip(some, predicted, strict=True))
    for run, keys in wanted:
        _advance(run, torch.stack([found[key] for key in keys]))
    if names:
        yield


def _advance(run: Sampling, predicted: Tensor) -> None:
    try:
        run.advance(run.mix(predicted))
    except Exception as error:
        reason = str(error) if isinstance(error, DemoError) else f"The scheduler failed ({type(error).__name__})."
        run.failed = " ".join(reason.split())[:200]


def split_rows(rows: Rows, size: int) -> list[Rows]:
    """The rows in parts of at most `size`."""
    count = len(rows.latents)
    parts = [slice(start, start + size) for start in range(0, count, size)]
    return [Rows(rows.latents[p], rows.timesteps[p], {k: v[p] for k, v in rows.inputs.items()}) for p in parts]


def _key(row: Rows) -> str:
    """A digest of everything that the U-Net reads in a row: equal rows have equal answers."""
    digest = hashlib.blake2b(digest_size=16)
    for tensor in (row.latents, row.timesteps, *row.inputs.values()):
        digest.update(tensor.contiguous().view(torch.uint8).cpu().numpy().tobytes())
    return digest.hexdigest()
