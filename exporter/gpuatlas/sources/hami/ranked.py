"""Keeps one value for each thing that a page may state under several metric names."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, NamedTuple, TypeVar


class Meaning(NamedTuple):
    """What a metric name says, and how far it is trusted beside others that say the same."""

    quantity: str
    rank: int  # 0 is the most trusted name of a quantity


K = TypeVar("K", bound=Hashable)


class RankedReadings(Generic[K]):
    """Values by key; a lower rank is a more trusted name and wins whatever the order of the lines.

    Two different values of one rank leave the key unknown: nobody can tell which one is right.
    """

    def __init__(self) -> None:
        self._values: dict[K, tuple[int, float | None]] = {}

    def put(self, key: K, rank: int, value: float) -> bool:
        """Take one value; False when it contradicts another of the same rank."""
        held = self._values.get(key)
        if held is None or rank < held[0]:
            self._values[key] = (rank, value)
            return True
        if rank > held[0] or held[1] == value:
            return True
        self._values[key] = (rank, None)
        return False

    def get(self, key: K) -> float | None:
        """The value, or None where there is none or several."""
        held = self._values.get(key)
        return None if held is None else held[1]

    def whole(self, key: K) -> int | None:
        """The value as a whole number of bytes or containers."""
        value = self.get(key)
        return None if value is None else int(value)

    def items(self) -> list[tuple[K, float | None]]:
        """All keys with their values."""
        return [(key, value) for key, (_, value) in self._values.items()]
