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

    The handler writes to a pipe, which is all that a handler may safely do: setting an Event that
    the same thread is about to wait for can deadlock.
    """

    def __enter__(self) -> Termination:
        self._reader, self._writer = os.pipe()
        self._before = {number: signal.signal(number, self._handle) for number in _SIGNALS}
        return self

    def wait(self) -> None:
        """Return when the process is told to end."""
        os.read(self._reader, 1)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self._reader)
        os.close(self._writer)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        os.write(self._writer, b"x")


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
