"""t-SNE beside UMAP, linked, with numbers that say how far to believe each."""

from __future__ import annotations

from demos.embeddings.predictions import PREDICTIONS, TRAP
from demos.embeddings.presets import PRESETS
from demos.embeddings.settings import EmbeddingSettings, GridSettings, StabilitySettings
from shared.comparison import Comparison
from shared.demo import Demo, Progress, Study


def compare(settings: EmbeddingSettings, progress: Progress | None = None) -> Comparison:
    """See demos.embeddings.compute; imported here only when it is needed."""
    from demos.embeddings.compute import compare as compute

    return compute(settings, progress)


def run_grid(settings: GridSettings, progress: Progress | None = None) -> Comparison:
    """See demos.embeddings.studies."""
    from demos.embeddings.studies import run_grid as run

    return run(settings, progress)


def run_stability(settings: StabilitySettings, progress: Progress | None = None) -> Comparison:
    """See demos.embeddings.studies."""
    from demos.embeddings.studies import run_stability as run

    return run(settings, progress)


def warm_up() -> None:
    """Start compiling UMAP in the background; the app calls this once the page is up."""
    from demos.embeddings.layouts import start_compiling

    start_compiling()


def build() -> None:
    """Draw the tab; see demos.embeddings.view."""
    from demos.embeddings.view import build as draw

    draw()


DEMO = Demo(
    slug="embeddings",
    title="Embeddings",
    question="How far can you believe a map of your data?",
    order=3,
    Settings=EmbeddingSettings,
    compare=compare,
    build=build,
    predictions=PREDICTIONS,
    trap=TRAP,
    presets=PRESETS,
    studies=(
        Study("grid", "Grid: perplexities and n_neighbors", GridSettings, run_grid),
        Study("stability", "Stability: the same from several seeds", StabilitySettings, run_stability),
    ),
    hint="Same points, same neighbors; only the method differs.",
    extra={"warm_up": warm_up},
)
