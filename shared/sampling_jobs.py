"""Runs of one pipeline taken to their ends: together in this process, or each elsewhere where `--workers` says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from torch import Tensor

from shared.batches import compute_here, run_batches
from shared.batching import rows_at_once, take_steps
from shared.models import Loaded, load_pipeline
from shared.sampling import Encoded, Plan, Sampling


@dataclass(frozen=True)
class End:
    """What a run came to: its final latents on the CPU, its U-Net calls per sample, or why it failed."""

    latents: Tensor
    calls: int
    failed: str


@dataclass(frozen=True)
class SamplingJob:
    """A run that another process can make: it loads the model by its name. `encoded` is on the CPU."""

    model: str
    encoded: Encoded
    plan: Plan
    seeds: tuple[int, ...]

    def run(self) -> End:
        """Sample to the end."""
        loaded = load_pipeline(self.model)
        run = Sampling(loaded.model, _on(self.encoded, str(loaded.device)), self.plan, self.seeds)
        for _ in take_steps(loaded, [run], rows_at_once(loaded)):
            pass
        return End(run.latents.cpu(), run.calls, run.failed)


def take_runs(loaded: Loaded, runs: Sequence[Sampling], still_wanted: Callable[[], None]) -> Iterator[None]:
    """Takes every run to its end: in this process all together, yielding after each U-Net call (`take_steps`); else
    each as a batch of its own, yielding after each run. Pictures are the same to within 2 of 255 either way.

    `still_wanted` is called while work is elsewhere, and raises to stop it. Stop iterating to stop the work.
    """
    if compute_here(len(runs)):
        yield from take_steps(loaded, runs, rows_at_once(loaded))
        return
    jobs = [SamplingJob(loaded.row.name, _on(run.encoded, "cpu"), run.plan, run.seeds) for run in runs]
    for run, end in zip(runs, run_batches(SamplingJob.run, jobs, still_wanted), strict=True):
        run.take_over(end.latents, end.calls, end.failed)
        yield


def _on(encoded: Encoded, device: str) -> Encoded:
    moved = {
        name: value.to(device)
        for name in ("prompt", "empty", "pooled", "pooled_empty")
        if (value := getattr(encoded, name)) is not None
    }
    return replace(encoded, **moved)
