"""`gpuatlas advise --output json`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuatlas.advice.advise import LOOK_DAYS
from gpuatlas.cli.documents.values import API_VERSION, sources, timestamp
from gpuatlas.model.advice import PoolAdvice, StrategyAdvice
from gpuatlas.model.status import SourceStatus


def advice_document(
    pools: Sequence[PoolAdvice], statuses: Sequence[SourceStatus], at: float
) -> dict[str, Any]:
    """The whole document."""
    return {
        "apiVersion": API_VERSION,
        "kind": "Advice",
        "at": timestamp(at),
        "basis": {"kind": "instant", "needed_days": LOOK_DAYS},
        "pools": [_pool(advice) for advice in pools],
        "sources": sources(statuses),
    }


def _pool(advice: PoolAdvice) -> dict[str, Any]:
    return {
        "pool": advice.pool,
        "platform": advice.platform,
        "model": advice.model,
        "nodes": list(advice.nodes),
        "cards": advice.cards,
        "cards_measured": advice.cards_measured,
        "tenants": advice.tenants,
        "namespaces": list(advice.namespaces),
        "in_use": list(advice.in_use),
        "strategies": [_strategy(judged) for judged in advice.strategies],
    }


def _strategy(judged: StrategyAdvice) -> dict[str, Any]:
    return {
        "strategy": judged.strategy,
        "verdict": judged.verdict,
        "reasons": [{"verdict": r.verdict, "word": r.word, "text": r.text} for r in judged.reasons],
    }
