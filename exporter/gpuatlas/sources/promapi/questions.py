"""Several questions to one Prometheus, in bounded time; each that fails costs itself only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from gpuatlas.sources.errors import NotFoundError, SourceError

T = TypeVar("T")


class Questions:
    """Asks one after the other and remembers what failed."""

    def __init__(self, seconds: float, monotonic: Callable[[], float]) -> None:
        self.unread: dict[str, str] = {}
        self._seconds = seconds
        self._monotonic = monotonic
        self._end = monotonic() + seconds

    def ask(self, name: str, question: Callable[[], T]) -> T | None:
        """The answer, None where there is none: `unread` says why."""
        # A server that is slow with all of them would have a person wait for minutes.
        if self._monotonic() > self._end:
            self.unread[name] = f"not asked: what was asked before took {self._seconds:g} s"
            return None
        try:
            return question()
        except NotFoundError as error:
            # Thanos, Mimir's querier and VictoriaMetrics have not all of Prometheus' own API.
            self.unread[name] = f"the server does not serve that part of the API ({error})"
        except SourceError as error:
            self.unread[name] = str(error)
        return None
