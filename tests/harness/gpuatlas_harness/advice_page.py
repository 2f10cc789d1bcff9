"""Advice for two pools of nodes."""

from __future__ import annotations

from gpuatlas.model.advice import PoolAdvice, Reason, Strategy, StrategyAdvice, Verdict


def some_advice() -> tuple[PoolAdvice, ...]:
    """A pool with two verdicts, and one of which nothing can be said."""
    return (
        _a_pool("inference", "NVIDIA A10G", ("suits", "limits-memory"), ("unsafe", "crash")),
        _a_pool("", "", ("no-advice", "no-card-named"), ("no-advice", "no-card-named")),
    )


def _a_pool(pool: str, model: str, *said: tuple[str, str]) -> PoolAdvice:
    strategies = (Strategy.MEMORY_LIMITED, Strategy.MPS)
    return PoolAdvice(
        pool=pool,
        platform="eks",
        model=model,
        nodes=("gpu-a",),
        cards=1,
        cards_measured=1,
        tenants=1,
        namespaces=("team-a",),
        in_use=("hami",),
        strategies=tuple(
            StrategyAdvice(
                strategy=strategy,
                verdict=Verdict(verdict),
                reasons=(Reason(Verdict(verdict), word, "a text", "a source"),),
            )
            for strategy, (verdict, word) in zip(strategies, said, strict=True)
        ),
    )
