"""Stored results: a comparison as files and back, so that a tab opens with pictures.

`python -m shared.stored` makes them.

A stored result is a folder: `result.json` (what `to_dict()` holds, plus captions and the pictures' file names), its
pictures as PNG and its arrays as NPZ. Its environment carries the hardware and the date of the run, and `weights` the
fingerprints of the bundled models that it was made with, so that a test finds what a new training left behind. Figures
stay out.
"""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from shared import models
from shared.checksums import fingerprint, model_folders, write
from shared.comparison import Comparison, Measure, Side
from shared.demo import Demo, Progress
from shared.model_rows import ROWS

RESULT = "result.json"
ARRAYS = "arrays.npz"
LONGEST_SIDE = 512
_log = logging.getLogger("side_by_side")


def folder_of(demo: Demo) -> Path:
    """Where a demo keeps its stored default result: `stored/` in the demo's own folder."""
    package = ".".join(demo.Settings.__module__.split(".")[:2])
    module = importlib.import_module(package)
    return Path(str(module.__file__)).parent / "stored"


def save(comparison: Comparison, folder: Path, weights: Mapping[str, str] | None = None) -> None:
    """Writes a comparison into a folder, with today's date in its environment if it carries none.

    Pictures are scaled down to at most LONGEST_SIDE pixels, and those that several sides share are
    written once, so that the folder stays small. The files are written beside the folder and then take its place, so
    that who opens it meanwhile, or after a write that failed, finds a whole result: the one from before.
    """
    new, old = (folder.with_name(f".{folder.name}-{os.getpid()}-{which}") for which in ("new", "old"))
    new.mkdir(parents=True)
    try:
        _write(comparison, new, weights)
        if folder.exists():
            folder.rename(old)
        new.rename(folder)
    finally:
        if old.exists() and not folder.exists():
            old.rename(folder)
        shutil.rmtree(new, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _write(comparison: Comparison, folder: Path, weights: Mapping[str, str] | None) -> None:
    date = comparison.environment.get("date") or datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    data = replace(comparison, environment={**comparison.environment, "date": date}).to_dict()
    arrays: dict[str, np.ndarray] = {}
    names: dict[bytes, str] = {}
    for index, (side, found) in enumerate(zip(comparison.sides, data["sides"], strict=True)):
        found["captions"] = list(side.captions)
        found["cover"] = side.cover
        found["images"] = [f"side{index}_{n}.png" for n in range(len(side.images))]
        for place, picture in enumerate(side.images):
            small = picture.copy()
            small.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
            file = folder / found["images"][place]
            small.save(file, optimize=True)
            same = names.setdefault(file.read_bytes(), file.name)
            if same != file.name:
                file.unlink()
                found["images"][place] = same
        arrays |= {f"{index}/{name}": np.asarray(value) for name, value in side.arrays.items()}
    if arrays:
        np.savez_compressed(folder / ARRAYS, allow_pickle=False, **arrays)
    if weights:
        data["weights"] = dict(weights)
    (folder / RESULT).write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def load(folder: Path) -> Comparison | None:
    """The comparison that `save` wrote into a folder, or None where there is none. One that is damaged is as good as
    none, with a warning in the log: a tab without stored pictures still works."""
    if not (folder / RESULT).is_file():
        return None
    try:
        return _read(folder)
    except Exception as error:  # each library has errors of its own for what it can't read
        _log.warning("The stored result in %s can't be read: %s. python -m shared.stored makes it.", folder, error)
        return None


def _read(folder: Path) -> Comparison:
    data = json.loads((folder / RESULT).read_text(encoding="utf-8"))
    arrays: dict[str, np.ndarray] = {}
    if (folder / ARRAYS).is_file():
        with np.load(folder / ARRAYS, allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files}
    sides = tuple(_load_side(folder, index, side, arrays) for index, side in enumerate(data["sides"]))
    measures = tuple(Measure(**m) for m in data["measures"])
    return Comparison(
        data["demo"], data["settings"], sides, data["takeaway"], data["environment"], measures, (), data["complete"]
    )


def load_default(demo: Demo) -> Comparison | None:
    """A demo's stored default result, or None where it ships none or its settings are no longer the default's."""
    comparison = load(folder_of(demo))
    if comparison is None:
        return None
    fields = demo.Settings().model_dump(mode="json")
    stored = {k: v for k, v in comparison.settings.items() if k in fields and k != "model"}
    return comparison if stored == {k: fields[k] for k in stored} else None


def store_default(demo: Demo, progress: Progress | None = None) -> Path:
    """Computes a demo's default comparison and stores it, after what else the demo keeps of its models: the function
    `extra["prepare"]`, if there is one. Returns the folder."""
    models.forget()
    prepare = demo.extra.get("prepare")
    if prepare is not None:
        prepare()
    save(demo.compare(demo.Settings(), progress), folder_of(demo), weights_in_memory())
    return folder_of(demo)


def weights_in_memory() -> dict[str, str]:
    """The fingerprints of the bundled models that are loaded now, by the models' names."""
    rows = (row for row in ROWS if row.asset and row.name in models.loaded_names())
    return {row.name: fingerprint(models.ASSETS / row.asset) for row in rows}


def outdated(folder: Path) -> tuple[str, ...]:
    """The names of the bundled models whose weights are no longer those that the stored result was made with."""
    weights = json.loads((folder / RESULT).read_text(encoding="utf-8")).get("weights", {})
    assets = {row.name: row.asset for row in ROWS if row.asset}
    return tuple(name for name, found in weights.items() if fingerprint(models.ASSETS / assets[name]) != found)


def main(arguments: list[str] | None = None) -> int:
    """`python -m shared.stored [slug ...]`: stores the default result of these demos. With no name, all that depends on
    the bundled models: their files' checksums, and of every demo what it chose by them and its default result."""
    demos = {demo.slug: demo for demo in importlib.import_module("demos").all_demos()}
    parser = argparse.ArgumentParser("python -m shared.stored", description=main.__doc__)
    parser.add_argument("slugs", nargs="*", help=f"of {', '.join(demos)}; all if none is named")
    wanted = parser.parse_args(arguments).slugs or list(demos)
    unknown = [slug for slug in wanted if slug not in demos]
    if unknown:
        print(f"There is no demo “{unknown[0]}”; the demos are {', '.join(demos)}.", file=sys.stderr)
        return 2
    for folder in [] if wanted != list(demos) else model_folders():
        write(folder)
    for slug in wanted:
        print(f"{slug}: {store_default(demos[slug])}")
    return 0


def _load_side(folder: Path, index: int, data: dict[str, Any], arrays: dict[str, np.ndarray]) -> Side:
    images = []
    for name in data["images"]:
        with Image.open(folder / Path(name).name) as picture:
            images.append(picture.convert("RGB") if picture.mode == "P" else picture.copy())
    start = f"{index}/"
    own = {name.removeprefix(start): value for name, value in arrays.items() if name.startswith(start)}
    return Side(data["label"], tuple(Measure(**m) for m in data["measures"]), tuple(images), None, own,
                tuple(data["captions"]), data.get("cover", 0))  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
