"""Tables of any size as a fair sample: rows come in chunks, good ones are drawn evenly, the others counted with why."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from demos.embeddings import upload
from demos.embeddings.points import SAMPLE_SEED, Points
from shared.demo import DemoError, Progress

CHUNK = 20_000
PROBE = 64 * 1024
LABEL_NAMES = ("label", "class", "target", "y")
MOST_LABELS = 50
LONGEST_TEXT = 200
MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "None", "-"]
MOST_UNPACKED = 2 * 2**30
LONGEST_LINE = 4 * 2**20
"""Characters of the first line that are looked at for its number of columns."""


class Sampler:
    """Draws at most `most` good rows evenly from chunks of a table, however many come.

    The first chunk decides what each column is: numbers, where at least half of its filled cells are; else text. A
    row with a missing, unreadable or infinite number is dropped and counted.
    """

    def __init__(self, label_column: str, most: int) -> None:
        self._wanted_label, self._most = label_column, most
        self._rng = np.random.default_rng(SAMPLE_SEED)
        self._numbers: list[Any] = []
        self._texts: list[Any] = []
        self._label: Any = None
        self._started = False
        self._kept_keys = np.empty(0)
        self._kept_values = np.empty((0, 0))
        self._kept_labels: list[str] = []
        self._kept_texts: list[str] = []
        self.good = self.missing = self.endless = 0
        self.notes: list[str] = []
        self.title = "your table"

    def feed(self, chunk: Any) -> None:
        """Takes in the next rows; every cell is text, a number or missing."""
        if not len(chunk):
            return
        numbers = {c: _as_numbers(chunk[c]) for c in (self._numbers if self._started else chunk.columns)}
        if not self._started:
            self._decide(chunk, numbers)
        if not self._numbers:
            return
        values = np.column_stack([numbers[c] for c in self._numbers])
        missing, endless = np.isnan(values).any(axis=1), np.isinf(values).any(axis=1)
        self.missing += int(missing.sum())
        self.endless += int((endless & ~missing).sum())
        good = np.flatnonzero(~missing & ~endless)
        self.good += len(good)
        keys = self._rng.random(len(good))
        best = np.argsort(np.concatenate([self._kept_keys, keys]), kind="stable")[: self._most]
        best = np.sort(best)
        labels = self._kept_labels + (
            [_as_text(v) for v in chunk[self._label].iloc[good]] if self._label is not None else []
        )
        texts = self._kept_texts + (_joined(chunk.iloc[good], self._texts) if self._texts else [])
        self._kept_values = np.concatenate([self._kept_values.reshape(-1, values.shape[1]), values[good]])[best]
        self._kept_keys = np.concatenate([self._kept_keys, keys])[best]
        self._kept_labels = [labels[i] for i in best] if labels else []
        self._kept_texts = [texts[i] for i in best] if texts else []

    def points(self) -> Points:
        """What was drawn. Raises DemoError where no column held numbers or no row was whole."""
        if not self._started:
            raise DemoError("upload: the table has no rows.")
        if not self._numbers:
            raise DemoError("upload: no column holds numbers; lines of text go into “Your text” instead.")
        notes = [*self.notes, *upload.dropped_notes(self.missing, self.endless)]
        if self.good == 0:
            raise DemoError(f"upload: no row is left. {' '.join(notes)}")
        truth = self._kept_values.copy() if self._kept_values.shape[1] == 2 else None
        return Points(
            self.title, self._kept_values, tuple(self._kept_labels), tuple(self._kept_texts), truth=truth,
            rows=self.good, notes=tuple(notes),
        )  # fmt: skip

    def _decide(self, chunk: Any, numbers: dict[Any, np.ndarray]) -> None:
        self._started = True
        filled = {
            c: max(1, int((chunk[c].notna() & (chunk[c].astype(str).str.strip() != "")).sum())) for c in chunk.columns
        }
        numeric = [
            c for c in chunk.columns if np.isfinite(numbers[c]).sum() + np.isinf(numbers[c]).sum() >= filled[c] / 2
        ]
        numeric = [c for c in numeric if not np.isnan(numbers[c]).all()]
        self._label = self._find_label(chunk, numeric)
        self._numbers = [c for c in numeric if c != self._label]
        self._texts = [c for c in chunk.columns if c not in numeric and c != self._label]
        if self._texts and self._numbers:
            names = ", ".join(f"“{str(c)[:30]}”" for c in self._texts[:3]) + (", ..." if len(self._texts) > 3 else "")
            one = len(self._texts) == 1
            self.notes.append(
                f"Column{'' if one else 's'} {names} {'holds' if one else 'hold'} text: shown, not laid out."
            )
        upload.check_columns(len(chunk.columns))

    def _find_label(self, chunk: Any, numeric: list[Any]) -> Any:
        names = {str(c).strip().lower(): c for c in reversed(list(chunk.columns))}
        if self._wanted_label:
            found = names.get(self._wanted_label.strip().lower())
            if found is None:
                known = ", ".join(str(c)[:30] for c in list(chunk.columns)[:8])
                raise DemoError(
                    f"label_column: there is no column “{self._wanted_label[:40]}”; the columns are {known}."
                )
            return found
        named = next((names[name] for name in LABEL_NAMES if name in names), None)
        if named is not None:
            return named
        few = (
            c
            for c in chunk.columns
            if c not in numeric and 2 <= chunk[c].nunique() <= min(MOST_LABELS, len(chunk) // 2)
        )
        return next(few, None)


def feed_text(sampler: Sampler, file: Path, separator: str | None, progress: Progress) -> None:
    """Feeds a CSV or TSV, whatever its encoding, separator and decimal mark. Raises DemoError with one sentence."""
    encoding, note = find_encoding(file)
    head = _head(file, encoding)
    if "\0" in head:
        raise DemoError("upload: this is no text file: it holds zero bytes.")
    separator = separator or find_separator(head)
    with file.open("r", encoding=encoding, errors="replace", newline="") as stream:
        first = stream.readline(LONGEST_LINE)  # a million columns would cost pandas gigabytes before they are counted
    upload.check_columns(len(_cells(first, separator)) if '"' in first else first.count(separator) + 1)
    decimal = "," if separator == ";" and re.search(r"\d,\d", head) and not re.search(r"\d\.\d", head) else "."
    sampler.title = upload.title_of(file)
    sampler.notes += [note] if note else []
    named = has_header(head, separator, decimal)
    guessed = int(file.stat().st_size / max(1, len(head) / max(1, head.count("\n"))))
    done = 0
    try:
        with file.open("r", encoding=encoding, errors="replace", newline="") as stream:
            chunks: Any = pd.read_csv(
                stream, sep=separator, header=0 if named else None, dtype=str, chunksize=CHUNK, skipinitialspace=True,
                keep_default_na=False, na_values=MISSING, on_bad_lines="error",
            )  # fmt: skip
            for chunk in chunks:
                upload.check_columns(len(chunk.columns))
                if not named:
                    chunk.columns = [f"column {i + 1}" for i in range(len(chunk.columns))]
                sampler.feed(chunk.apply(lambda column: column.str.replace(",", ".")) if decimal == "," else chunk)
                done += len(chunk)
                progress(done, max(done, guessed), "rows read")
    except pd.errors.ParserError as error:
        found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
        if found:
            raise DemoError(
                f"upload: line {int(found[2]):,} has {found[3]} cells and those above have {found[1]}."
            ) from None
        raise DemoError("upload: the table can't be read; a quote may be missing.") from None
    except pd.errors.EmptyDataError:
        raise DemoError("upload: the table has no rows.") from None


def _cells(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator), [""])
    except csv.Error:  # a cell of over 128 KiB, so that there are not many
        return [""]


def feed_parquet(sampler: Sampler, file: Path, progress: Progress) -> None:
    """Feeds a Parquet file's columns of numbers and text; others are left out with a note."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sampler.title = upload.title_of(file)
    try:
        table = pq.ParquetFile(file)
        schema, total = table.schema_arrow, table.metadata.num_rows
        upload.check_columns(len(schema))
        groups = [table.metadata.row_group(i) for i in range(table.metadata.num_row_groups)]
        if sum(g.total_byte_size for g in groups) > MOST_UNPACKED:
            raise DemoError(f"upload: the Parquet file unpacks to more than {MOST_UNPACKED // 2**30} GB.")
        plain = [f.name for f in schema if _is_plain(f.type, pa)]
        if len(plain) < len(schema):
            out = len(schema) - len(plain)
            one = out == 1
            sampler.notes.append(
                f"{out} column{'' if one else 's'} that hold{'s' if one else ''} neither numbers nor text left out."
            )
        done = 0
        for batch in table.iter_batches(CHUNK, columns=plain):
            frame = batch.to_pandas()
            if len(set(frame.columns)) < len(frame.columns):
                raise DemoError("upload: two columns of the Parquet file have the same name.")
            sampler.feed(frame)
            done += len(frame)
            progress(min(done, total), max(1, total), "rows read")
    except (pa.ArrowException, OSError, KeyError):
        raise DemoError("upload: the Parquet file can't be read; it is damaged or no Parquet file.") from None


def find_encoding(file: Path) -> tuple[str, str]:
    """The encoding of a text file, and a note where it is not UTF-8."""
    with file.open("rb") as stream:
        start = stream.read(4)
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16", "The file is UTF-16."
        stream.seek(0)
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        try:
            for block in iter(lambda: stream.read(2**20), b""):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return "cp1252", "The file is not UTF-8; its letters were read as Windows-1252."
    return "utf-8-sig", ""


def find_separator(head: str) -> str:
    """The mark that splits most of the first lines into the same number of cells, more than one; the comma comes
    last, because it is a decimal mark as well."""
    lines = [line for line in head.splitlines()[:50] if line.strip()]
    best, found = 0.0, ","
    for mark in ("\t", ";", "|", ","):
        counts = [len(row) for row in csv.reader(lines, delimiter=mark)]
        usual = max(set(counts), key=counts.count) if counts else 1
        share = counts.count(usual) / len(counts) if usual > 1 else 0.0
        if share > best:
            best, found = share, mark
    return found


def has_header(head: str, separator: str, decimal: str) -> bool:
    """Whether the first line names the columns: it does where any cell of it is no number."""
    first = next(iter(csv.reader(head.splitlines()[:1], delimiter=separator)), [])
    cells = [c.strip().replace(",", ".") if decimal == "," else c.strip() for c in first]
    return not all(_is_number(c) for c in cells)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return cell == ""
    return True


def _head(file: Path, encoding: str) -> str:
    with file.open("r", encoding=encoding, errors="replace", newline="") as stream:
        text = stream.read(PROBE)
    return text if len(text) < PROBE else text[: text.rfind("\n") + 1] or text


def _as_numbers(column: Any) -> np.ndarray:
    """The column as floats; what is no number is NaN."""
    if pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    found: Any = pd.to_numeric(column, errors="coerce")
    return found.to_numpy(dtype=np.float64, na_value=np.nan)


def _as_text(value: Any) -> str:
    if value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
        return "no label"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return " ".join(text.replace("\0", " ").split())[:LONGEST_TEXT] or "no label"


def _joined(rows: Any, columns: list[Any]) -> list[str]:
    """The text cells of every row, as one line each."""
    cells: Iterable[tuple[Any, ...]] = rows[columns].itertuples(index=False, name=None)
    lines = (" · ".join(str(c) for c in row if isinstance(c, str) and c) for row in cells)
    return [" ".join(line.replace("\0", " ").split())[:LONGEST_TEXT] for line in lines]


def _is_plain(kind: Any, pa: Any) -> bool:
    types = pa.types
    return any(
        test(kind)
        for test in (types.is_integer, types.is_floating, types.is_boolean, types.is_string, types.is_large_string)
    ) or (types.is_dictionary(kind) and types.is_string(kind.value_type))
