"""The advice that this process publishes, renewed at leisure.

Pools span nodes, so a pool is judged on the whole snapshot and published by one shard. Pages of
other shards' nodes are in it only where a Prometheus has them all: without, such a pool lacks
measurements, and the rules say so. Advice is for decisions about days: it need not follow each
change, and a large cluster takes a while.
"""

from __future__ import annotations

from typing import Final

from gpuatlas.advice.advise import advise
from gpuatlas.model.advice import PoolAdvice
from gpuatlas.model.snapshot import Snapshot
from gpuatlas.runtime.scope import Shard

# Two scrapes of the usual Prometheus interval, so that none shows advice from long ago.
_EVERY_SECONDS: Final = 60.0


class Adviser:
    """Keeps the last advice. Belongs to the refresh loop's thread."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard
        self._due = float("-inf")
        self._advice: tuple[PoolAdvice, ...] = ()

    def advice(self, snapshot: Snapshot, now: float) -> tuple[PoolAdvice, ...]:
        """The advice on our pools, at most a minute old by the monotonic clock `now`."""
        if now >= self._due:
            self._advice = tuple(a for a in advise(snapshot) if self._shard.owns(_name(a)))
            self._due = now + _EVERY_SECONDS
        return self._advice


def _name(advice: PoolAdvice) -> str:
    return "/".join((advice.pool, advice.platform, advice.model))
