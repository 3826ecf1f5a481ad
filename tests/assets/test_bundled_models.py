"""The bundled models as they are: the same pictures on any number of threads, small enough, and nothing outdated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from demos import all_demos
from shared import checksums, models
from shared.sampling import Plan, Sampling, decode, encode
from shared.stored import folder_of, outdated

PROMPT = "a red car left of a blue house on a mint background"
TREE = Path(models.__file__).resolve().parent.parent


@pytest.fixture
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def draw(name: str, seeds: tuple[int, ...], guidance: float, steps: int) -> np.ndarray:
    pipeline = models.load_pipeline(name).model
    run = Sampling(pipeline, encode(pipeline, PROMPT), Plan(guidance, steps, "ddim"), seeds)
    while not run.finished:
        run.step()
    return np.stack([np.asarray(picture) for picture in decode(pipeline, run.latents)]).astype(int)


def pipelines() -> list[str]:
    """The bundled pipelines that are there."""
    return [r.name for r in models.ROWS if r.kind == "pipeline" and r.asset and models.is_here(r.name)]


@pytest.mark.parametrize("name", pipelines())
@pytest.mark.usefixtures("threads")
def test_same_seed_same_picture_on_any_threads_and_in_any_batch(name: str) -> None:
    torch.set_num_threads(1)
    alone = draw(name, (13,), 5.0, 8)[0]
    assert alone.std() > 20  # a picture, not an even field
    for count in (2, 4):
        torch.set_num_threads(count)
        assert np.abs(draw(name, (13,), 5.0, 8)[0] - alone).max() <= 2
    assert np.abs(draw(name, (4, 13, 77, 5), 5.0, 8)[1] - alone).max() <= 2


@pytest.mark.parametrize("folder", checksums.model_folders(), ids=lambda folder: folder.name)
def test_every_model_has_its_card_and_small_files(folder: Path) -> None:
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert card.startswith("---\nlicense: apache-2.0") and "## Figures" in card and f"assets.{folder.name}" in card
    sizes = {path.name: path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    assert max(sizes.values()) < 9_000_000, max(sizes, key=lambda name: sizes[name])
    if (folder / checksums.LIST).is_file():
        checksums.check(folder)


@pytest.mark.parametrize("demo", all_demos(), ids=lambda demo: demo.slug)
def test_stored_results_are_of_the_weights_that_are_there(demo) -> None:
    assert outdated(folder_of(demo)) == (), "run “python -m shared.stored”"
