"""An observer whose input never changes: a capture folder, or a test's own observations."""

from __future__ import annotations

import threading

from gpuatlas.model.observations import Observations
from gpuatlas.model.status import SourceStatus
from gpuatlas.runtime.observe import Observed


class StaticObserver:
    """Gives what it was made with at each look.

    The instant of the observations stays theirs: a capture is shown as it was when it was taken,
    so that its waiting times and ages are the recorded ones. `replace` puts other input in place.
    """

    def __init__(
        self,
        observations: Observations,
        statuses: tuple[SourceStatus, ...] = (),
        missing: tuple[str, ...] = (),
    ) -> None:
        self.changed = threading.Event()
        self._observed = Observed(observations=observations, statuses=statuses, missing=missing)

    def start(self) -> None:
        self.changed.set()

    def observe(self, now: float) -> Observed:
        return self._observed

    def replace(self, observed: Observed) -> None:
        """Put other input in place and say so."""
        self._observed = observed
        self.changed.set()

    def close(self) -> None:
        """There is nothing to end."""
