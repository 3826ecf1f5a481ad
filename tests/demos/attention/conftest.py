from __future__ import annotations

import pytest
import torch

from shared import models
from tests.tiny import write_tiny_assets


@pytest.fixture(scope="session")
def tiny_assets(tmp_path_factory):
    return write_tiny_assets(tmp_path_factory.mktemp("assets"))


@pytest.fixture
def tiny(monkeypatch, tiny_assets):
    """The registry with tiny models of the real ones' classes in their place."""
    monkeypatch.setattr(models, "ASSETS", tiny_assets)
    monkeypatch.delenv("GALLERY_MODELS", raising=False)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    models.forget()
    yield tiny_assets
    models.forget()
    torch.set_num_threads(threads)
