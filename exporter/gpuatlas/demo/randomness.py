"""Numbers that look random and depend on their key alone.

Nothing here keeps state that matters: the same key gives the same number in any order, in any
process, at any time. That is what lets the simulator compute any instant without what came before.
"""

from __future__ import annotations

import hashlib
import math
from functools import lru_cache
from typing import Final

Key = str | int | float

# The letters of Kubernetes' own generated names: no vowels, so that no words come out.
_NAME_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"


# Neighbouring instants ask for the same numbers. Typed: 1 and 1.0 are equal and are other keys.
@lru_cache(maxsize=16_384, typed=True)
def _digest(*key: Key) -> bytes:
    text = "\x1f".join(str(part) for part in key)
    return hashlib.blake2b(text.encode(), digest_size=32).digest()


def fraction(*key: Key) -> float:
    """A number in [0, 1)."""
    return int.from_bytes(_digest(*key)[:6]) / 2**48


def hexadecimal(length: int, *key: Key) -> str:
    """At most 64 hexadecimal digits."""
    return _digest(*key).hex()[:length]


def uuid(*key: Key) -> str:
    """A version 4 UUID in its usual form."""
    digits = hexadecimal(32, *key)
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"


def name_suffix(length: int, *key: Key) -> str:
    """The random tail of a generated object name, at most 32 letters."""
    return "".join(_NAME_LETTERS[byte % len(_NAME_LETTERS)] for byte in _digest(*key)[:length])


def wave(at: float, period: float, *key: Key) -> float:
    """A smooth curve over time in [0, 1] that wanders once per `period` seconds.

    Two neighbouring points of a random lattice, joined by half a cosine.
    """
    step = math.floor(at / period)
    share = (1 - math.cos(math.pi * (at / period - step))) / 2
    return fraction(*key, step) * (1 - share) + fraction(*key, step + 1) * share
