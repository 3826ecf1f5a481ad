from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from dataclasses import FrozenInstanceError, replace

import pytest
import torch

from shared import models
from shared.demo import Cancelled, DemoError
from tests.tiny import write_tiny_assets


@pytest.fixture(scope="module")
def tiny_assets(tmp_path_factory):
    return write_tiny_assets(tmp_path_factory.mktemp("assets"))


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tiny_assets):
    monkeypatch.setattr(models, "ASSETS", tiny_assets)
    monkeypatch.delenv("GALLERY_MODELS", raising=False)
    models.forget()
    yield
    models.forget()


def test_auto_is_the_bundled_pipeline():
    assert models.resolve("auto").name == "sticker_diffusion"
    assert models.resolve("auto").judge == "scene_reader"


@pytest.mark.parametrize("name", ["../../etc", "", "someone/else", "https://example.org/x"])
def test_only_names_in_the_table(name):
    with pytest.raises(DemoError, match=r"There is no model .*auto, sticker_diffusion"):
        models.load_pipeline(name)


def test_rows_are_frozen_and_named_once():
    with pytest.raises(FrozenInstanceError):
        models.ROWS[0].name = "x"
    names = [row.name for row in models.ROWS]
    assert len(set(names)) == len(names)
    assert all(row.judge in (*names, "") for row in models.ROWS)


def test_a_reader_does_not_draw():
    with pytest.raises(DemoError, match="scene_reader does not draw"):
        models.load_pipeline("scene_reader")


def test_loaded_once_and_shared():
    first = models.load_pipeline("auto")
    assert models.load_pipeline("sticker_diffusion") is first
    assert (first.origin, first.dtype) == ("bundled", torch.float32)
    assert next(first.model.unet.parameters()).requires_grad is False
    assert models.load_scene_reader().confidence == 0.5


def test_many_threads_load_one(monkeypatch):
    loads, real = [], models._read_pipeline
    monkeypatch.setattr(models, "_read_pipeline", lambda *a: loads.append(1) or real(*a))
    found = []
    threads = [threading.Thread(target=lambda: found.append(models.load_pipeline("auto"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loads) == 1 and len({id(m) for m in found}) == 1


def test_least_recently_used_leaves(monkeypatch):
    monkeypatch.setattr(models, "BUDGET", 130)  # pipeline 120, reader 20
    kept = models.load_pipeline("auto")
    models.load_scene_reader()
    assert models.loaded_names() == ("scene_reader",)
    assert kept.model.unet is not None  # who holds it can go on
    assert models.load_pipeline("auto") is not kept


def test_local_folder_stands_in_where_there_is_no_asset(monkeypatch, tmp_path, tiny_assets):
    bundled = models.load_pipeline("auto").model.unet.state_dict()
    models.forget()
    own = tmp_path / "own"
    shutil.copytree(tiny_assets / "sticker_diffusion", own / "someone" / "else")
    row = replace(models.resolve("auto"), asset="", hub="someone/else", revision="abc")
    monkeypatch.setattr(models, "ROWS", (row, *models.ROWS[1:]))
    monkeypatch.setenv("GALLERY_MODELS", str(own))
    found = models.load_pipeline("sticker_diffusion")
    assert found.origin == "local folder"
    assert all(torch.equal(v, bundled[k]) for k, v in found.model.unet.state_dict().items())


def test_hub_comes_last_its_cache_first(monkeypatch, tiny_assets):
    import huggingface_hub

    asked = []

    def fake(repo, revision, allow_patterns, local_files_only):
        asked.append((repo, revision, local_files_only))
        if local_files_only:
            raise FileNotFoundError
        return str(tiny_assets / "sticker_diffusion")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fake)
    row = replace(models.resolve("auto"), asset="", hub="someone/else", revision="abc")
    folder, origin = models.locate(row)
    assert folder == tiny_assets / "sticker_diffusion" and origin == "Hub someone/else@abc"
    assert asked == [("someone/else", "abc", True), ("someone/else", "abc", False)]


def test_missing_and_broken_models_say_what_to_do(monkeypatch, tmp_path, tiny_assets):
    monkeypatch.setattr(models, "ASSETS", tmp_path)
    with pytest.raises(DemoError, match="check out the folder assets/sticker_diffusion again"):
        models.load_pipeline("auto")
    shutil.copytree(tiny_assets / "sticker_diffusion", tmp_path / "sticker_diffusion")
    next((tmp_path / "sticker_diffusion" / "unet").glob("*.safetensors")).write_bytes(b"broken")
    with pytest.raises(DemoError, match=r"can't be read \(.*get the folder sticker_diffusion again") as caught:
        models.load_pipeline("auto")
    assert "\n" not in str(caught.value)
    assert models.loaded_names() == ()


def test_who_waits_for_a_model_can_give_up():
    loaded = models.load_scene_reader()

    def cancelled() -> None:
        raise Cancelled

    with loaded.alone():
        with pytest.raises(Cancelled), loaded.alone(cancelled):
            pass
        assert loaded.lock.locked()
    assert not loaded.lock.locked()


def test_the_table_needs_nothing_heavy():
    code = "import shared.models, sys; assert not {'torch', 'diffusers', 'transformers'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
