"""What one rule is, and the words that its rows are written with. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from gpuatlas.advice.facts import PoolFacts
from gpuatlas.model.advice import Strategy, Verdict

WHOLE, MIG, LIMITED = Strategy.WHOLE, Strategy.MIG, Strategy.MEMORY_LIMITED
MPS, SLICING = Strategy.MPS, Strategy.TIME_SLICING
IMPOSSIBLE, UNSAFE, NO_ADVICE = Verdict.IMPOSSIBLE, Verdict.UNSAFE, Verdict.NO_ADVICE
POSSIBLE, SUITS = Verdict.POSSIBLE, Verdict.SUITS

SHARED: Final = (MIG, LIMITED, MPS, SLICING)
EVERY: Final = (WHOLE, *SHARED)


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: if `holds`, `verdict` on each of `strategies`, because of `text`.

    `text` may name the figures of `wording.figures`, all of them counted or measured in the pool;
    it holds no number of its own. `source` is where the fact is written down.
    """

    strategies: tuple[Strategy, ...]
    word: str
    verdict: Verdict
    holds: Callable[[PoolFacts], bool]
    text: str
    source: str
