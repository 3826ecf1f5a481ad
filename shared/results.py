"""Results that are kept, so that equal settings are computed once: so much in memory and on disk.

A key is everything that a result depends on: demo and study, settings with the model's resolved name, the versions of
this code, its models and its libraries, and the machine. Uploads and cancelled results are never kept.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from shared.archive import pack, unpack
from shared.comparison import Comparison, plain
from shared.demo import DemoError
from shared.devices import processor
from shared.settings import Settings, look

ROOT = Path(__file__).resolve().parent.parent
ENDING = ".result.zip"
MIB = 2**20
FIGURE_BYTES = 200_000  # what a figure is taken to need in memory

_log = logging.getLogger("side_by_side")


class Results:
    """The results that are kept. `memory` and `disk` are in MiB; without a `folder` nothing is written."""

    def __init__(self, memory: int = 128, disk: int = 512, folder: Path | None = None) -> None:
        self.memory, self.disk, self.folder = memory, disk, folder
        self._kept: OrderedDict[str, tuple[Comparison, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> Comparison | None:
        """The kept result, its environment saying that it is one; None where there is none."""
        found = self.in_memory(key) or self._read(key)
        return None if found is None else mark(found)

    def in_memory(self, key: str) -> Comparison | None:
        """The result as it was measured, if it is in memory; quick enough to ask again and again."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def put(self, key: str, comparison: Comparison) -> None:
        """Keeps a complete result. A full disk costs the file, nothing else."""
        if not key or not comparison.complete:
            return
        comparison = dated(comparison)
        self._remember(key, comparison)
        if self.folder is not None:
            self._write(key, comparison)

    def _remember(self, key: str, comparison: Comparison) -> None:
        size = weigh(comparison)
        if size > self.memory * MIB:
            return
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = (comparison, size)
            while sum(s for _, s in self._kept.values()) > self.memory * MIB:
                self._kept.popitem(last=False)

    def _read(self, key: str) -> Comparison | None:
        path = self._path(key)
        if path is None or not path.is_file():
            return None
        try:
            comparison = unpack(path.read_bytes())
            path.touch()
        except Exception:
            path.unlink(missing_ok=True)  # cut short or damaged: it is measured again
            return None
        self._remember(key, comparison)
        return comparison

    def _write(self, key: str, comparison: Comparison) -> None:
        path = self._path(key)
        if path is None:
            return
        part = path.with_suffix(f".{threading.get_ident()}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(pack(comparison))
            part.replace(path)  # so that a server killed here leaves no half file of that name
            self._make_room()
        except (OSError, ValueError) as error:
            _log.warning("A result is kept in memory only: %s", error)
        finally:
            part.unlink(missing_ok=True)

    def _make_room(self) -> None:
        assert self.folder is not None
        for left in self.folder.glob("*.result.*.part"):
            if f".{threading.get_ident()}." not in left.name:
                left.unlink(missing_ok=True)
        files = sorted(self.folder.glob(f"*{ENDING}"), key=lambda f: f.stat().st_mtime)
        total = sum(f.stat().st_size for f in files)
        for oldest in files:
            if total <= self.disk * MIB:
                return
            total -= oldest.stat().st_size
            oldest.unlink(missing_ok=True)

    def _path(self, key: str) -> Path | None:
        return None if self.folder is None else self.folder / f"{key}{ENDING}"


def dated(comparison: Comparison) -> Comparison:
    """The comparison with today's date in its environment, if it carries none."""
    if comparison.environment.get("date"):
        return comparison
    return replace(
        comparison, environment={**comparison.environment, "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")}
    )


def mark(comparison: Comparison) -> Comparison:
    """The comparison with an environment that says it was kept; its date says when it was measured."""
    return replace(comparison, environment={**comparison.environment, "cached": True})


def weigh(comparison: Comparison) -> int:
    """About how many bytes a comparison takes in memory."""
    pictures = sum(p.width * p.height * len(p.getbands()) for s in comparison.sides for p in s.images)
    arrays = sum(int(getattr(a, "nbytes", 0)) for s in comparison.sides for a in s.arrays.values())
    figures = len(comparison.figures) + sum(s.figure is not None for s in comparison.sides)
    return pictures + arrays + figures * FIGURE_BYTES + 20_000


def key_of(demo: str, study: str, settings: Settings) -> str:
    """The key of a run, or an empty one where its result must not be kept, as with an upload. It needs no torch unless
    the settings name a model."""
    values: dict[str, Any] = plain(settings.model_dump())
    fields = type(settings).model_fields
    if any(values.get(name) for name, info in fields.items() if look(info).get("upload")):
        return ""
    facts = [demo, study, _resolved(values), version(), machine()]
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()[:40]


def _resolved(values: Mapping[str, Any]) -> dict[str, Any]:
    name = values.get("model")
    if not isinstance(name, str):
        return dict(values)
    from shared.models import resolve

    try:
        row = resolve(name)
    except DemoError:
        return dict(values)
    return {**values, "model": f"{row.name}@{row.revision}"}


@cache
def version() -> str:
    """A digest of this repository's code, of the sizes and dates of its models, and of the libraries' versions."""
    digest = hashlib.sha256()
    for path in sorted([*(ROOT / "demos").rglob("*.py"), *(ROOT / "shared").rglob("*.py")]):
        digest.update(path.read_bytes())
    for path in sorted((ROOT / "assets").rglob("*.safetensors")):
        found = path.stat()
        digest.update(f"{path.name} {found.st_size} {found.st_mtime_ns}\n".encode())
    for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines():
        name = line.partition("==")[0].partition("[")[0].strip()
        try:
            digest.update(f"{name} {importlib.metadata.version(name)}\n".encode())
        except (importlib.metadata.PackageNotFoundError, ValueError):
            continue
    return digest.hexdigest()


@cache
def machine() -> str:
    """What it runs on: the processor, and the NVIDIA driver's version where there is one."""
    driver = Path("/proc/driver/nvidia/version")
    return f"{processor()} {driver.read_text() if driver.is_file() else ''}"
