"""Checksums of the bundled models' files, so that one cut short or changed is refused before anything reads it.

`python -m shared.checksums` writes them, a `checksums.json` in each model's folder; run it after training.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from shared.demo import DemoError

ASSETS = Path(__file__).resolve().parent.parent / "assets"
LIST = "checksums.json"
KINDS = (".safetensors", ".json", ".txt", ".npz", ".pth", ".onnx", ".flac")
AGAIN = "check out the folder again, or run “python -m shared.checksums” if you have trained it anew"


def files_of(folder: Path) -> list[Path]:
    """The files of a model's folder that have checksums, in a fixed order."""
    found = (path for path in folder.rglob("*") if path.suffix in KINDS and path.name != LIST and path.is_file())
    return sorted(found, key=lambda path: path.relative_to(folder).as_posix())


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check(folder: Path) -> None:
    """Raises DemoError where a listed file is missing, cut short or changed; a folder without a list passes."""
    if not (folder / LIST).is_file():
        return
    listed = json.loads((folder / LIST).read_text(encoding="utf-8"))
    for name, wanted in listed.items():
        path = folder / name
        if not path.is_file():
            raise DemoError(f"The file {name} of {folder.name} is missing: {AGAIN}.")
        if digest(path) != wanted:
            raise DemoError(f"The file {name} of {folder.name} is damaged or changed (its checksum differs): {AGAIN}.")


def fingerprint(folder: Path) -> str:
    """One short digest of a model's folder, its weights and settings: 16 hexadecimal digits."""
    found = [f"{path.relative_to(folder).as_posix()} {digest(path)}" for path in files_of(folder)]
    return hashlib.sha256("\n".join(found).encode()).hexdigest()[:16]


def write(folder: Path) -> Path:
    """Writes the list of a folder as its files are now. Returns the list's path."""
    found = {path.relative_to(folder).as_posix(): digest(path) for path in files_of(folder)}
    (folder / LIST).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return folder / LIST


def model_folders() -> list[Path]:
    """The folders in assets/ that hold weights."""
    return sorted(folder for folder in ASSETS.iterdir() if folder.is_dir() and any(folder.rglob("*.safetensors")))


def main(arguments: list[str]) -> int:
    """Writes the lists of the folders named, or of all that hold weights."""
    for folder in [ASSETS / name for name in arguments] or model_folders():
        print(write(folder).relative_to(ASSETS.parent))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
