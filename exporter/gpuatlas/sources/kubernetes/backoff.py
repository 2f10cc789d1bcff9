"""Pauses between attempts: doubled after each failure, shortened at random.

Pure but for the given random generator.
"""

from __future__ import annotations

from random import Random
from typing import Final

_DOUBLINGS: Final = 32  # far beyond any cap, and no overflow


class Backoff:
    """Exponential pauses with jitter, in seconds.

    A pause lies between half of its nominal length and all of it, so that a thousand clients that
    lost the same server do not come back in the same instant.
    """

    def __init__(self, *, start_s: float, cap_s: float, random: Random) -> None:
        self._start_s = start_s
        self._cap_s = cap_s
        self._random = random
        self._failures = 0

    def pause(self) -> float:
        """The next pause."""
        nominal = min(self._cap_s, self._start_s * 2.0 ** min(self._failures, _DOUBLINGS))
        self._failures += 1
        return self.jittered(nominal)

    def jittered(self, nominal: float) -> float:
        """Between half of `nominal` and all of it."""
        return nominal * (1.0 - self._random.random() / 2.0)

    def reset(self) -> None:
        """Start from the shortest pause again."""
        self._failures = 0
