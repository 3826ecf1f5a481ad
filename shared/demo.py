"""The contract between a demo and everything that shows it: tab, command line, API, links."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from shared.comparison import Comparison
from shared.settings import Settings

Progress = Callable[[int, int, str], None]
"""Called with how much is done, of how much, in which unit ("U-Net calls"); raises Cancelled to stop the work."""


class Cancelled(Exception):
    """Raised by a progress callback when the visitor has cancelled."""


class DemoError(ValueError):
    """Work that can't be done with these settings; the message is one sentence for the visitor."""


def no_progress(done: int, total: int, unit: str) -> None:
    """A progress callback that tells nobody."""


@dataclass(frozen=True)
class Answer:
    """One answer to a prediction. `holds` says from the measured values whether it was right: True, False, or None
    where the run can't tell."""

    label: str
    holds: Callable[[Comparison], bool | None]


@dataclass(frozen=True)
class Prediction:
    """A question to answer before running: two to four answers, the wrong instinct among them.

    `told_by` is the title of the preset whose run can tell, where not every run can.
    """

    question: str
    answers: tuple[Answer, ...]
    told_by: str = ""

    def __post_init__(self) -> None:
        if not 2 <= len(self.answers) <= 4:
            raise ValueError(f"A prediction has two to four answers, not {len(self.answers)}")


@dataclass(frozen=True)
class Preset:
    """Settings that make one point. `settles` names the item of the curriculum ("G1"), `confusion` is the pair that
    people mix up, in one line, for the index in the gallery."""

    slug: str
    title: str
    settings: Mapping[str, Any]
    settles: str = ""
    confusion: str = ""


@dataclass(frozen=True)
class Study:
    """Longer work of a demo: many sides (cells, points, methods) and figures. Cancelled, it returns what it has with
    `complete=False`.

    `gives_way`: others' runs may go first at any call of its progress. Such a study holds no model at these calls, and
    times nothing across them. Every study lets them go first where it calls `shared.giving_way.give_way`, as
    `shared.batches.run_batches` does between two batches.
    """

    slug: str
    title: str
    Settings: type[Settings]
    run: Callable[..., Comparison]
    gives_way: bool = False


@dataclass(frozen=True)
class Demo:
    """One tab of the gallery. `compare(settings, progress=None)` computes and never imports Gradio; `build()` draws
    the tab's content inside an open Gradio context and never computes."""

    slug: str
    title: str
    question: str
    order: int
    Settings: type[Settings]
    compare: Callable[..., Comparison]
    build: Callable[[], None]
    predictions: tuple[Prediction, ...]
    trap: str
    presets: tuple[Preset, ...]
    studies: tuple[Study, ...] = ()
    hint: str = ""
    """What is held equal and what differs, in one short line beside the question."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Room for a view's own constants. Known to the page: `warm_up`, `prepare`, `first_rows`, the names of the
    measures that stand above the fold of a table with many, and `film_sides`: with more sides than that their further
    pictures are left to a view of the demo's own. With `captions_tell` the lines below the pictures are results, and
    wait for the prediction."""
