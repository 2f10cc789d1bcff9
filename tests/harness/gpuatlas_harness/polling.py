"""Bounded waiting on other processes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Seen = TypeVar("Seen")
Answer = TypeVar("Answer")

INTERVAL_SECONDS = 0.05
# Of what was last seen, a message shows so much; a page or a configuration is longer.
LONGEST_SEEN = 1_000


def poll_until(
    look: Callable[[], Seen],
    holds: Callable[[Seen], bool],
    *,
    deadline_seconds: float,
    waiting_for: str,
    showing: Callable[[Seen], object] = str,
) -> Seen:
    """Look again and again until what is seen ``holds``, and return that.

    Raises:
        TimeoutError: nothing that holds was seen within ``deadline_seconds``; the message says
            ``waiting_for`` what, and what was seen last, or of that what ``showing`` picks.
    """
    end = time.monotonic() + deadline_seconds
    while not holds(seen := look()):
        if time.monotonic() >= end:
            last = "" if seen is None else f"; last seen: {_shortened(str(showing(seen)))}"
            message = f"waited {deadline_seconds:g} s for {waiting_for}{last}"
            raise TimeoutError(message)
        time.sleep(INTERVAL_SECONDS)
    return seen


def poll(
    attempt: Callable[[], Answer | None], *, deadline_seconds: float, waiting_for: str
) -> Answer:
    """Call ``attempt`` until it answers other than None, and return that answer.

    Raises:
        TimeoutError: there was no answer within ``deadline_seconds``; the message says
            ``waiting_for`` what.
    """
    answer = poll_until(
        attempt,
        lambda seen: seen is not None,
        deadline_seconds=deadline_seconds,
        waiting_for=waiting_for,
    )
    assert answer is not None
    return answer


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_SEEN else f"{text[:LONGEST_SEEN]}…"
