"""The thread under everything that is read round after round, and what ended its last round."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final, Protocol

# How often the cluster is asked whether its objects are known, before the first round.
_LOOK_SECONDS: Final = 0.1
# A round that takes longer than the interval is followed by a short rest.
_REST_SECONDS: Final = 1.0
_STOP_SECONDS: Final = 0.5


class Settling(Protocol):
    """A cluster that is not known at first."""

    @property
    def settled(self) -> bool:
        """Whether its objects are known as a whole."""


class Worker:
    """Runs `run` in a daemon thread until closed.

    An unexpected error ends a round, not the thread: `keep` takes it there, and `raise_kept` raises
    it once in the thread that asks for what was read.
    """

    def __init__(self, run: Callable[[], None], *, name: str) -> None:
        self._error: Exception | None = None
        self._closing = threading.Event()
        self._thread = threading.Thread(target=run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to run."""
        self._thread.start()

    def stop(self) -> None:
        """No further round."""
        self._closing.set()

    def close(self) -> None:
        """End the thread. A round under way is left to its own time limits."""
        self.stop()
        if self._thread.ident is not None:
            self._thread.join(_STOP_SECONDS)

    @property
    def closing(self) -> bool:
        """Whether `run` has to return."""
        return self._closing.is_set()

    def wait(self, seconds: float) -> bool:
        """Sleep; whether `run` has to return."""
        return self._closing.wait(seconds)

    def wait_for(self, cluster: Settling) -> None:
        """Sleep until the cluster is known, or until `run` has to return."""
        while not cluster.settled and not self.wait(_LOOK_SECONDS):
            pass

    def rest(self, started: float, interval: float) -> None:
        """Sleep for what is left of the interval since `started` of the monotonic clock."""
        left = started + interval - time.monotonic()
        self.wait(max(left, min(_REST_SECONDS, interval)))

    def keep(self, error: Exception) -> None:
        """Called where a round ends."""
        self._error = error

    def raise_kept(self) -> None:
        """Raises whatever unexpected ended a round since the last call."""
        error, self._error = self._error, None
        if error is not None:
            raise error
