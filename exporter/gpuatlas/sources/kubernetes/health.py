"""How the reading of one kind fares, for `gpuatlas_source_*`. Thread-safe, no I/O, no clock."""

from __future__ import annotations

import threading
from collections import Counter

from gpuatlas.model.status import SourceStatus


class Health:
    """The state of one source: written by the thread that reads, read by any."""

    def __init__(self, source: str) -> None:
        self._lock = threading.Lock()
        self._source = source
        self._up: bool | None = None
        self._error = ""
        self._last_success_at: float | None = None
        self._read_seconds: float | None = None
        self._rejected: Counter[str] = Counter()

    def succeeded(self, at: float) -> bool:
        """The watch is alive at `at`, Unix seconds. True when that is a change of state."""
        with self._lock:
            changed = self._up is not True
            self._up, self._error, self._last_success_at = True, "", at
            return changed

    def failed(self, error: str) -> bool:
        """The server did not answer. True when that is a change of state or of the reason."""
        with self._lock:
            changed = self._up is not False or self._error != error
            self._up, self._error = False, error
            return changed

    def listed(self, *, seconds: float, at: float) -> None:
        """A whole list was read in this time. Whether the source is up, its watch will tell."""
        with self._lock:
            self._read_seconds, self._last_success_at = seconds, at

    def rejected(self, reason: str) -> None:
        """One object was refused."""
        with self._lock:
            self._rejected[reason] += 1

    def status(self) -> SourceStatus:
        """The state now. `up` is None until the first answer or failure."""
        with self._lock:
            return SourceStatus(
                source=self._source,
                up=self._up,
                last_success_at=self._last_success_at,
                read_seconds=self._read_seconds,
                error=self._error,
                targets={},
                rejected=dict(self._rejected),
            )
