from __future__ import annotations

import re
import shutil
import subprocess
import sys
import threading
from dataclasses import FrozenInstanceError, replace

import pytest
import torch
from safetensors.torch import save_file

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


def test_auto_is_the_bundled_pipeline_unless_a_gpu_and_weights_are_at_hand(monkeypatch, tmp_path):
    bundled = models.resolve("auto")
    assert (bundled.name, bundled.judge, bundled.clip) == ("sticker_diffusion", "scene_reader", "sticker_clip")
    monkeypatch.setattr(models, "_has_gpu", lambda: True)
    monkeypatch.setenv("GALLERY_MODELS", str(tmp_path))
    monkeypatch.setattr(models, "_snapshot", lambda row, local: None)
    assert models.resolve("auto").name == "sticker_diffusion"
    (tmp_path / models.REAL).mkdir(parents=True)
    (tmp_path / models.REAL / "model_index.json").write_text("{}")
    assert models.resolve("auto").name == models.REAL
    monkeypatch.setattr(models, "_has_gpu", lambda: False)
    assert models.resolve("auto").name == "sticker_diffusion"


def test_hub_rows_name_revision_licence_and_clip():
    hub = [row for row in models.ROWS if row.hub]
    assert {"stable-diffusion-v1-5/stable-diffusion-v1-5", "stabilityai/sd-turbo", "stabilityai/sdxl-turbo",
            "SimianLuo/LCM_Dreamshaper_v7", "openai/clip-vit-base-patch32"} <= {row.name for row in hub}  # fmt: skip
    for row in hub:
        assert re.fullmatch(r"[0-9a-f]{40}", row.revision) and row.licence and row.cannot
        if row.kind == "pipeline":
            assert row.clip == "openai/clip-vit-base-patch32" and not row.judge and row.big


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
    row = replace(models.resolve("auto"), asset="", hub="someone/else", revision="abc")

    def fake(repo, revision, allow_patterns, local_files_only):
        asked.append((repo, revision, local_files_only))
        if local_files_only:
            raise FileNotFoundError
        return str(tiny_assets / "sticker_diffusion")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fake)
    monkeypatch.setattr(models, "_hub_answers", lambda: False)
    with pytest.raises(DemoError, match="could not be had from the Hub"):
        models.locate(row)
    assert asked == [("someone/else", "abc", True)]  # a Hub that is away is not waited for
    asked.clear()
    monkeypatch.setattr(models, "_hub_answers", lambda: True)
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


@pytest.mark.parametrize("name", ["stabilityai/sd-turbo", "stable-diffusion-v1-5/stable-diffusion-v1-5"])
def test_the_bundled_pipeline_under_another_name_draws_the_same(monkeypatch, tmp_path, tiny_assets, name):
    from shared.sampling import Plan, Sampling, decode, encode

    def draw(loaded):
        run = Sampling(loaded.model, encode(loaded.model, "a red car"), Plan(5.0, 3, "ddim"), (1, 2))
        while not run.finished:
            run.step()
        return [p.tobytes() for p in decode(loaded.model, run.latents)]

    shutil.copytree(tiny_assets / "sticker_diffusion", tmp_path / name)
    monkeypatch.setenv("GALLERY_MODELS", str(tmp_path))
    other = models.load_pipeline(name)
    assert (other.row.name, other.origin) == (name, "local folder")
    assert draw(other) == draw(models.load_pipeline("sticker_diffusion"))


def test_big_models_are_refused_evicted_and_loaded_again(monkeypatch, tmp_path, tiny_assets):
    monkeypatch.setattr(models, "BUDGET_CPU", models.BUDGET)
    monkeypatch.setattr(models, "_snapshot", lambda row, local: None)
    with pytest.raises(DemoError, match=r"stabilityai/sd-turbo could not be had from the Hub: connect this machine"):
        models.load_pipeline("stabilityai/sd-turbo")
    assert models.loaded_names() == ()
    for name in ("stabilityai/sd-turbo", "stabilityai/sdxl-turbo", "stable-diffusion-v1-5/stable-diffusion-v1-5"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).symlink_to(tiny_assets / "sticker_diffusion")
    monkeypatch.setenv("GALLERY_MODELS", str(tmp_path))
    turbo = models.load_pipeline("stabilityai/sd-turbo")
    models.load_pipeline("stabilityai/sdxl-turbo")
    assert models.loaded_names() == ("stabilityai/sd-turbo", "stabilityai/sdxl-turbo")
    models.load_pipeline("stable-diffusion-v1-5/stable-diffusion-v1-5")  # 3,000 + 7,500 + 3,300 MiB are too many
    assert models.loaded_names() == ("stabilityai/sdxl-turbo", "stable-diffusion-v1-5/stable-diffusion-v1-5")
    again = models.load_pipeline("stabilityai/sd-turbo")
    assert again is not turbo
    assert models.loaded_names() == ("stable-diffusion-v1-5/stable-diffusion-v1-5", "stabilityai/sd-turbo")


def test_only_three_classes_of_pipeline_are_read(monkeypatch, tmp_path, tiny_assets):
    folder = tmp_path / "stabilityai" / "sd-turbo"
    shutil.copytree(tiny_assets / "sticker_diffusion", folder)
    index = (folder / "model_index.json").read_text()
    (folder / "model_index.json").write_text(index.replace('"StableDiffusionPipeline"', '"os.system"'))
    monkeypatch.setenv("GALLERY_MODELS", str(tmp_path))
    with pytest.raises(DemoError, match=r"holds a os\.system, not a StableDiffusionPipeline or"):
        models.load_pipeline("stabilityai/sd-turbo")


def test_of_a_hub_repository_only_one_format_is_fetched():
    from fnmatch import fnmatch

    def wanted(name: str, path: str) -> bool:
        return any(fnmatch(path, pattern) for pattern in models.hub_files(models.resolve(name)))

    turbo = "stabilityai/sd-turbo"
    assert wanted(turbo, "unet/diffusion_pytorch_model.fp16.safetensors") and wanted(turbo, "vae/config.json")
    assert not wanted(turbo, "sd_turbo.safetensors")
    assert not wanted(turbo, "unet/diffusion_pytorch_model.safetensors")
    assert not wanted(turbo, "unet/diffusion_pytorch_model.bin")
    assert wanted("SimianLuo/LCM_Dreamshaper_v7", "unet/diffusion_pytorch_model.safetensors")
    assert wanted("openai/clip-vit-base-patch32", "model.safetensors")


def test_a_sibling_takes_over_what_it_does_not_bring(monkeypatch, tmp_path, tiny_assets):
    """Low-rank changes, a smaller U-Net and a scheduler of a folder stand in the place of the base's."""
    from diffusers import LCMScheduler, UNet2DConditionModel

    from shared.low_rank import add_changes, factors

    root = tmp_path / "assets"
    shutil.copytree(tiny_assets, root)
    monkeypatch.setattr(models, "ASSETS", root)
    base = models.load_pipeline("sticker_diffusion").model
    changes = add_changes(UNet2DConditionModel.from_pretrained(root / "sticker_diffusion" / "unet"), rank=2)
    for change in changes.values():
        change.up.data.fill_(0.5)
    (root / "sticker_turbo").mkdir()
    save_file(factors(changes), root / "sticker_turbo" / "unet_changes.safetensors")
    LCMScheduler.from_config(base.scheduler.config, original_inference_steps=20).save_pretrained(
        root / "sticker_turbo" / "scheduler"
    )
    turbo = models.load_pipeline("sticker_turbo")
    assert (turbo.row.name, turbo.origin) == ("sticker_turbo", "bundled")
    assert isinstance(turbo.model.scheduler, LCMScheduler) and not isinstance(base.scheduler, LCMScheduler)
    name = "mid_block.resnets.0.conv1"
    here, there = (p.unet.get_submodule(name).weight for p in (turbo.model, base))
    change = 0.5 * torch.ones(len(there), 2) @ changes[name].down
    assert torch.allclose(here, there + change.view_as(there))
    assert torch.equal(turbo.model.text_encoder.get_input_embeddings().weight,
                       base.text_encoder.get_input_embeddings().weight)  # fmt: skip

    torch.manual_seed(5)
    UNet2DConditionModel.from_config(base.unet.config).save_pretrained(root / "sticker_small" / "unet")
    small = models.load_pipeline("sticker_small").model
    assert not torch.equal(small.unet.conv_in.weight, base.unet.conv_in.weight)
    assert type(small.scheduler) is type(base.scheduler)


def test_a_sibling_with_changes_of_another_network_is_refused(monkeypatch, tmp_path, tiny_assets):
    root = tmp_path / "assets"
    shutil.copytree(tiny_assets, root)
    monkeypatch.setattr(models, "ASSETS", root)
    (root / "sticker_turbo").mkdir()
    wrong = {"conv_in.up": torch.zeros(3, 2), "conv_in.down": torch.zeros(2, 5)}
    save_file(wrong, root / "sticker_turbo" / "unet_changes.safetensors")
    with pytest.raises(DemoError, match="weights of sticker_turbo can't be read"):
        models.load_pipeline("sticker_turbo")
