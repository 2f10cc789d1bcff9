"""The simulated clock: it can run faster or slower than real time, stand still, and be moved."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class SimulatedClock:
    """`speed` is simulated seconds per real second; 0 stands still."""

    def __init__(
        self, start: float, speed: float, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._speed = speed
        self._instant = start  # simulated, at …
        self._anchor = monotonic()  # … this real moment

    def now(self) -> float:
        """The simulated instant in Unix seconds."""
        with self._lock:
            return self._now()

    def _now(self) -> float:
        return self._instant + (self._monotonic() - self._anchor) * self._speed

    def set(self, instant: float) -> None:
        """Jump to an instant; time goes on from there."""
        with self._lock:
            self._instant, self._anchor = instant, self._monotonic()

    @property
    def speed(self) -> float:
        """Simulated seconds per real second."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        with self._lock:
            self._instant, self._anchor = self._now(), self._monotonic()
            self._speed = speed
