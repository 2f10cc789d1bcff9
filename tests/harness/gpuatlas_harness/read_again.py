"""Waits for a source that a thread reads in rounds."""

from __future__ import annotations

from typing import Protocol

from .polling import poll_until


class Counted(Protocol):
    """A source that counts how often it was read."""

    reads: int


def wait_for_reads(source: Counted, more: int = 2) -> None:
    """Until it was read so often again: the last but one of them is over then."""
    until = source.reads + more
    poll_until(
        lambda: source.reads,
        lambda reads: reads >= until,
        deadline_seconds=60,
        waiting_for=f"{until} reads",
    )
