"""Cuts connections whose request takes too long as a whole.

A socket's own time-out starts anew with every byte: a client that sends or takes one byte every few
seconds would hold a thread for hours. A few such clients would hold them all.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

_LOOK_SECONDS: Final = 0.5


class Deadlines:
    """The connections that a request is being served on, each with the time it must be over."""

    def __init__(
        self, limit_seconds: float, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._limit = limit_seconds
        self._monotonic = monotonic
        self._ends: dict[socket.socket, float] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="web-deadlines", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def close(self) -> None:
        """Stop watching."""
        self._closing.set()
        self._thread.join()

    @contextmanager
    def limit(self, connection: socket.socket) -> Iterator[None]:
        """Cut `connection` if the block takes longer than the limit."""
        with self._lock:
            self._ends[connection] = self._monotonic() + self._limit
        try:
            yield
        finally:
            with self._lock:
                self._ends.pop(connection, None)

    def cut_overdue(self) -> None:
        """Cut those whose time is over; the threads that wait on them go on with an error."""
        self._cut(self._monotonic())

    def cut_all(self) -> None:
        """Cut every connection in use, for a stop that must not wait for clients."""
        self._cut(float("inf"))

    def _run(self) -> None:
        while not self._closing.wait(_LOOK_SECONDS):
            self.cut_overdue()

    def _cut(self, now: float) -> None:
        with self._lock:
            for connection, end in self._ends.items():
                if end <= now:
                    _shut(connection)


def _shut(connection: socket.socket) -> None:
    """End both directions below TLS: its own goodbye would wait for the client."""
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
