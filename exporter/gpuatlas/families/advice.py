"""Metrics of the advice on how a node pool's cards should be shared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpuatlas.families.spec import Family, Kind, Series, Stability
from gpuatlas.model.advice import PoolAdvice


def _info(advice: PoolAdvice) -> Iterator[Series]:
    for judged in advice.strategies:
        of = (advice.pool, advice.platform, advice.model)
        yield (*of, judged.strategy, judged.verdict, judged.reasons[0].word), 1


FAMILIES: Final[tuple[Family[PoolAdvice], ...]] = (
    Family(
        name="gpuatlas_pool_strategy_advice_info",
        kind=Kind.INFO,
        help="Whether a way of sharing suits the cards of one model in a node pool, "
        "by what runs there at this instant, and the word of the rule that decided.",
        labels=("pool", "platform", "model", "strategy", "verdict", "reason"),
        samples=_info,
        stability=Stability.EXPERIMENTAL,
    ),
)
