"""What a visitor uploads, read as if it were hostile: a table of numbers, or a zip of pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from demos.embeddings.points import SAMPLE_SEED, Points
from demos.embeddings.settings import UPLOADS
from shared.demo import DemoError, Progress

MOST_BYTES = 64 * 2**20
MOST_COLUMNS = 4096
MOST_NUMBERS = 40_000_000
"""A sample's rows times columns: what stays in memory."""


def read_upload(path: str, label_column: str, most: int, progress: Progress) -> Points:
    """The uploaded file as points, at most `most` of them, drawn evenly from all good rows.

    Raises DemoError with one sentence that says what is wrong with the file.
    """
    file = Path(path)
    try:
        size = file.stat().st_size if file.is_file() else None
    except (OSError, ValueError):
        size = None
    if size is None:
        raise DemoError("upload: the file is not there any more; choose it again.")
    kind = file.suffix.lower()
    if kind not in UPLOADS:
        raise DemoError(
            f"upload: a file must be one of {', '.join(UPLOADS)}, not “{kind[:12] or 'without an ending'}”."
        )
    if size == 0:
        raise DemoError("upload: the file is empty.")
    if size > MOST_BYTES:
        raise DemoError(f"upload: the file has {size / 2**20:,.0f} MB; at most {MOST_BYTES // 2**20} MB are read.")
    if kind == ".zip":
        from demos.embeddings.pictures import zipped_pictures

        return zipped_pictures(file, most, progress)
    if kind == ".npy":
        return read_npy(file, most)
    from demos.embeddings import tables

    sampler = tables.Sampler(label_column, most)
    if kind == ".parquet":
        tables.feed_parquet(sampler, file, progress)
    else:
        tables.feed_text(sampler, file, "\t" if kind == ".tsv" else None, progress)
    return sampler.points()


def read_npy(file: Path, most: int) -> Points:
    """A two-dimensional array of numbers. Objects, which only a pickle holds, are refused unread."""
    try:
        array = np.load(file, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        if "allow_pickle" in str(error) or "Object arrays" in str(error) or "object" in str(error):
            raise DemoError(
                "upload: the .npy holds Python objects (a pickle), which could run code; save numbers instead."
            ) from None
        raise DemoError("upload: the .npy can't be read; it is damaged or shorter than it says.") from None
    except Exception:
        raise DemoError("upload: the .npy can't be read; it is damaged or no NumPy file.") from None
    if not isinstance(array, np.ndarray) or array.dtype.names or array.dtype.kind not in "biuf":
        raise DemoError("upload: the .npy must hold plain numbers: whole, real, or yes and no.")
    if array.ndim != 2:
        raise DemoError(f"upload: the .npy must have two dimensions, rows and columns, not {array.ndim}.")
    rows, columns = array.shape
    check_columns(columns)
    if rows == 0:
        raise DemoError("upload: the .npy has no rows.")
    notes: list[str] = []
    at = np.arange(rows)
    if rows * columns > MOST_NUMBERS:  # look only at as many rows as fit, chosen evenly
        at = np.sort(np.random.default_rng(SAMPLE_SEED).permutation(rows)[: max(most, MOST_NUMBERS // columns)])
    values = np.asarray(array[at], dtype=np.float64)
    missing, endless = np.isnan(values).any(axis=1), np.isinf(values).any(axis=1)
    notes += dropped_notes(int(missing.sum()), int((endless & ~missing).sum()))
    good = np.flatnonzero(~missing & ~endless)
    chosen = np.sort(np.random.default_rng(SAMPLE_SEED).permutation(len(good))[:most])
    found = values[good[chosen]]
    truth = found.copy() if columns == 2 else None
    return Points(title_of(file), found, truth=truth, rows=rows - (len(at) - len(good)), notes=tuple(notes))


def check_columns(columns: int) -> None:
    """Raises DemoError for no columns, or too many."""
    if columns < 1:
        raise DemoError("upload: there is no column.")
    if columns > MOST_COLUMNS:
        raise DemoError(f"upload: at most {MOST_COLUMNS:,} columns are read, and here are more.")


def dropped_notes(missing: int, endless: int) -> list[str]:
    """Sentences on rows that were dropped, and why."""
    notes = []
    if missing:
        notes.append(f"{missing:,} row{'s' * (missing != 1)} with a missing or unreadable number dropped.")
    if endless:
        notes.append(f"{endless:,} row{'s' * (endless != 1)} with an infinite number dropped.")
    return notes


def title_of(file: Path) -> str:
    """How an uploaded file is called on the screen."""
    return f"your file {file.name[:60]}"
