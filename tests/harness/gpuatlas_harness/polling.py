"""Bounded waiting on other processes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")

INTERVAL_SECONDS = 0.05


def poll(
    attempt: Callable[[], Answer | None], *, deadline_seconds: float, waiting_for: str
) -> Answer:
    """Call ``attempt`` until it answers other than None, and return that answer.

    Raises:
        TimeoutError: there was no answer within ``deadline_seconds``; the message says
            ``waiting_for`` what.
    """
    end = time.monotonic() + deadline_seconds
    while True:
        answer = attempt()
        if answer is not None:
            return answer
        if time.monotonic() >= end:
            message = f"waited {deadline_seconds:g} s for {waiting_for}"
            raise TimeoutError(message)
        time.sleep(INTERVAL_SECONDS)
