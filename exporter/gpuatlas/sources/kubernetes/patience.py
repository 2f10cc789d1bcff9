"""Asks a busy API server again, for commands that a person runs.

A kind that was just defined, or a server that just started, is answered with 429 and a second to
wait until its storage is ready. Reflectors come back by themselves (`reflector`); a command looks
once, and what it was refused then is missing from its picture.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

from gpuatlas.sources.kubernetes.errors import BusyError

T = TypeVar("T")

# As often as client-go does, which kubectl is made of.
_RETRIES: Final = 10
# Where the server does not say that it will be better soon, which client-go takes for the answer.
_RETRIES_UNASKED: Final = 3
_PAUSE_UNASKED_S: Final = 1.0
# A person is waiting: no pause is longer, whatever the server asks for, nor are all of a command.
_MAX_PAUSE_S: Final = 10.0
_MAX_PAUSES_S: Final = 30.0


class Patience:
    """What one command is ready to wait for a busy server. Thread-safe."""

    def __init__(self, *, sleep: Callable[[float], object] = time.sleep) -> None:
        self._sleep = sleep
        self._left_s = _MAX_PAUSES_S
        self._lock = threading.Lock()

    def ask(self, question: Callable[[], T]) -> T:
        """The answer, to the last attempt if need be. Raises what that attempt raises."""
        retries = 0
        while True:
            try:
                return question()
            except BusyError as error:
                pause = self._pause(error, retries)
                if pause is None:
                    raise
            retries += 1
            self._sleep(pause)

    def _pause(self, error: BusyError, retries: int) -> float | None:
        """How many seconds to wait for the next attempt, None where there is to be none."""
        asked = error.retry_after_s
        if retries >= (_RETRIES_UNASKED if asked is None else _RETRIES):
            return None
        pause = min(_PAUSE_UNASKED_S if asked is None else asked, _MAX_PAUSE_S)
        with self._lock:
            if pause > self._left_s:
                return None
            self._left_s -= pause
        return pause
