"""How this server is hosted: for how many seats, with which limits. Set once at launch, read by all, never by a run."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from shared.credentials import Sign
from shared.line import Line
from shared.results import Results

LOCAL = ("", "127.0.0.1", "localhost", "::1")
PER_SEAT = 3


@dataclass(frozen=True)
class Hosting:
    """`seats`: how many people it is meant for; the line holds three runs for each. `public`: others than the person at
    this keyboard can reach it, so a visitor has limits. `study_seconds`: the most of the device that a study gets in
    public. `memory` and `disk`: MiB for results that are kept; `folder`: where on disk, None for memory alone.
    `teacher`: the workshop's password, empty for no workshop. `presenter`: larger type and no advanced controls.
    `workers`: where studies compute their batches, see shared.batches. `sign`: puts Content Credentials into cards of
    generated pictures; None for none.
    """

    seats: int = 30
    public: bool = False
    study_seconds: float = 180.0
    memory: int = 128
    disk: int = 512
    folder: Path | None = None
    teacher: str = ""
    presenter: bool = False
    workers: str = ""
    sign: Sign | None = None

    @property
    def line(self) -> int:
        """How many runs may be in line or under way."""
        return PER_SEAT * self.seats

    @property
    def each(self) -> int | None:
        """How many of them may be one visitor's; None for any number."""
        return PER_SEAT if self.public else None

    @property
    def most_study_seconds(self) -> float | None:
        """How long a study may have the device; None for as long as it takes."""
        return self.study_seconds if self.public else None


class _Server:
    """What there is one of in a server: how it is hosted, the line before its device, the results it keeps."""

    def __init__(self, how: Hosting) -> None:
        self.how = how
        self.line = Line(how.line, how.each)
        self.results = Results(how.memory, how.disk, how.folder)


_servers = [_Server(Hosting())]


def host(how: Hosting) -> None:
    """Says at launch how this server is hosted; the line and the kept results begin empty."""
    _servers[:] = [_Server(how)]


def hosting() -> Hosting:
    """How this server is hosted."""
    return _servers[0].how


def line() -> Line:
    """The line before the device."""
    return _servers[0].line


def results() -> Results:
    """The results that are kept."""
    return _servers[0].results


def is_public(address: str | None) -> bool:
    """Whether others can reach a server that listens on this address, or whether it is a Space."""
    return (address or "") not in LOCAL or bool(os.environ.get("SPACE_ID"))
