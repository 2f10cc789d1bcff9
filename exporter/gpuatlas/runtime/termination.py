"""How the process ends: by SIGTERM or SIGINT, within seconds, whatever its sources do."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import Final

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class Termination:
    """Waits for a signal to end. A context manager for the main thread.

    The interpreter writes each signal's number to a pipe in the moment that it comes. A handler in
    Python would run between two steps of the main thread: one that comes just before the thread
    begins to read would be heard only when the next one comes.
    """

    def __enter__(self) -> Termination:
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        self._wakeup = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        self._before = {number: signal.signal(number, _heard) for number in _SIGNALS}
        return self

    def wait(self) -> None:
        """Return when the process is told to end."""
        while os.read(self._reader, 1)[0] not in _SIGNALS:
            pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        os.close(self._reader)
        os.close(self._writer)


def _heard(number: int, frame: FrameType | None) -> None:
    """Nothing is left to do; without a handler of Python's the process would end at once."""


def leave() -> None:
    """End the process with success although readers still wait for an endpoint that hangs.

    Python joins the threads of executors at exit, daemons or not; each would take its own time
    limit. Nothing that they read is wanted any more.
    """
    if threading.active_count() > 1:
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
