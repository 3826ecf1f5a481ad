"""A model file that was cut short or changed is refused with a sentence, and other models go on loading."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shared import checksums, models
from shared.demo import DemoError
from tests.tiny import write_tiny_assets

ROOT = Path(__file__).parents[2]


@pytest.fixture
def assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = write_tiny_assets(tmp_path)
    for name in ("sticker_diffusion", "scene_reader"):
        checksums.write(folder / name)
    monkeypatch.setattr(models, "ASSETS", folder)
    models.forget()
    return folder


def test_a_changed_byte_is_refused_and_the_other_model_works(assets: Path) -> None:
    weights = next((assets / "sticker_diffusion" / "unet").glob("*.safetensors"))
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(bytes(content))
    with pytest.raises(DemoError, match=r"The file unet/.*\.safetensors of sticker_diffusion is damaged or changed"):
        models.load_pipeline("sticker_diffusion")
    assert models.load_scene_reader().row.name == "scene_reader"


def test_a_file_cut_short_and_a_missing_one_are_refused(assets: Path) -> None:
    weights = assets / "scene_reader" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(DemoError, match=r"model\.safetensors of scene_reader is damaged"):
        models.load_scene_reader()
    weights.unlink()
    with pytest.raises(DemoError, match=r"model\.safetensors of scene_reader is missing"):
        models.load_scene_reader()
    assert models.load_pipeline("sticker_diffusion").origin == "bundled"


def test_a_folder_without_a_list_passes(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"x")
    checksums.check(tmp_path)
    assert json.loads(checksums.write(tmp_path).read_text()) == {
        "model.safetensors": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"  # sha256sum of "x"
    }


@pytest.mark.parametrize("folder", checksums.model_folders(), ids=lambda folder: folder.name)
def test_the_bundled_lists_are_those_of_the_files(folder: Path) -> None:
    """After training, `python -m shared.checksums` writes them anew."""
    listed = json.loads((folder / checksums.LIST).read_text())
    assert list(listed) == [path.relative_to(folder).as_posix() for path in checksums.files_of(folder)]
    checksums.check(folder)
