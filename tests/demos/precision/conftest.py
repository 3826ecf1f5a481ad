from __future__ import annotations

import pytest
import torch
from torch import nn

from demos.precision import classify
from demos.precision.networks import Network
from shared import measuring, models
from tests.tiny import write_tiny_assets, write_tiny_clip


@pytest.fixture(scope="session")
def tiny_assets(tmp_path_factory):
    root = write_tiny_assets(tmp_path_factory.mktemp("assets"))
    write_tiny_clip(root / "sticker_clip")
    return root


@pytest.fixture(scope="session")
def onnx_cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


class Photos(nn.Module):
    """A seeded stand-in for the photo classifier, with a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.conv, self.linear = nn.Conv2d(3, 8, 7, stride=16), nn.Linear(8, 10)

    def forward(self, x):
        return self.linear(torch.relu(self.conv(x)).mean((2, 3)))


@pytest.fixture
def tiny(monkeypatch, tiny_assets, onnx_cache):
    """The registry with tiny models, exported files in a folder of the test's, timings of a few runs."""
    monkeypatch.setattr(models, "ASSETS", tiny_assets)
    monkeypatch.setenv("XDG_CACHE_HOME", str(onnx_cache))
    monkeypatch.delenv("GALLERY_MODELS", raising=False)
    monkeypatch.setattr(measuring, "LEAST_SECONDS", 0.0)
    for module in ("compute", "batches", "roofline", "stages"):
        monkeypatch.setattr(f"demos.precision.{module}.LEAST_RUNS", 3)
    models.forget()
    photos = Photos().eval().requires_grad_(False)

    def photo_classifier():
        loaded = models.load_scene_reader()
        stand_in = models.Loaded(loaded.row, photos, "test", loaded.device, loaded.dtype)
        return Network("photos", "tiny photo classifier", photos, photo_example, stand_in)

    monkeypatch.setattr(classify, "photo_classifier", photo_classifier)
    monkeypatch.setattr(classify, "photo_inputs", lambda n, seed: photo_example(n, seed)[0])
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield tiny_assets
    models.forget()
    torch.set_num_threads(threads)


def photo_example(n, seed):
    return (torch.rand(n, 3, 224, 224, generator=torch.Generator().manual_seed(seed)) * 2 - 1,)
