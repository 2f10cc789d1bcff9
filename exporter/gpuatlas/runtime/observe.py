"""What the refresh loop asks of its input, whether that is a live cluster or a folder."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Protocol

from gpuatlas.model.observations import Observations
from gpuatlas.model.sizing import SizingReport
from gpuatlas.model.status import SourceStatus
from gpuatlas.runtime.service_rounds import ServiceWatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """One look at all sources.

    `missing` names what a first complete picture still waits for ("kubernetes-pods: first list").
    While it is not empty the observations are partial: sums over them would be too small, so no
    snapshot is published from them. `sizing` is the last report, None where there is none.
    `services` reads the pages of inference servers, None where nobody does.
    """

    observations: Observations
    statuses: tuple[SourceStatus, ...]
    missing: tuple[str, ...] = ()
    sizing: SizingReport | None = None
    services: ServiceWatch | None = None

    @property
    def complete(self) -> bool:
        """All required kinds were listed and the first round of pages is over, good or bad."""
        return not self.missing


class Observer(Protocol):
    """A running reader of all sources."""

    @property
    def changed(self) -> threading.Event:
        """Set when `observe` has something new to say; the reader of it clears it."""

    def start(self) -> None:
        """Begin to read in the background; returns at once."""

    def observe(self, now: float) -> Observed:
        """What is known at `now` (Unix seconds). Does no I/O: it must not wait for a source."""

    def close(self) -> None:
        """Stop reading and end the threads."""
