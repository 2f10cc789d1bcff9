"""What one node pool's cards should be shared by, and why: the answer of the advice rules."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Strategy(StrEnum):
    """Ways to share a card, hardest separation first."""

    WHOLE = "whole"
    MIG = "mig"
    MEMORY_LIMITED = "memory-limited"  # HAMi, Volcano vGPU, KAI with its isolator
    MPS = "mps"
    TIME_SLICING = "time-slicing"


class Verdict(StrEnum):
    """What is said of a strategy, the word that wins over all others first."""

    IMPOSSIBLE = "impossible"
    UNSAFE = "unsafe"
    NO_ADVICE = "no-advice"
    POSSIBLE = "possible"
    SUITS = "suits"


@dataclass(frozen=True, slots=True)
class Reason:
    """One rule that holds. `word` is fixed and fit for a label, `text` is for people."""

    verdict: Verdict
    word: str
    text: str
    source: str  # where the fact behind the rule is written down


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyAdvice:
    """The verdict on one strategy. `reasons` has at least one; the first one decided."""

    strategy: Strategy
    verdict: Verdict
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolAdvice:
    """One pool of cards of one model. `pool` is "" for nodes that no label puts into one.

    `namespaces` are those whose pods hold a part of it, `in_use` the ways in which its cards are
    shared now, in the words of model.snapshot.
    `strategies` holds each strategy once, in the order of `Strategy`.
    """

    pool: str
    platform: str
    model: str
    nodes: tuple[str, ...]
    cards: int
    cards_measured: int
    tenants: int
    namespaces: tuple[str, ...]
    in_use: tuple[str, ...]
    strategies: tuple[StrategyAdvice, ...]
