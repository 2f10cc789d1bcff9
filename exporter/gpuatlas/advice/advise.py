"""From a snapshot to the advice on each of its pools. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from gpuatlas.advice.facts import PoolFacts, facts_of
from gpuatlas.advice.pools import Pool, pools_of
from gpuatlas.advice.rules import RULES
from gpuatlas.advice.tenants import Owners
from gpuatlas.advice.wording import figures
from gpuatlas.model.advice import PoolAdvice, Reason, Strategy, StrategyAdvice, Verdict
from gpuatlas.model.snapshot import Snapshot

# How long a look must be before a pool is changed by it (DESIGN 7: at least 7 days).
LOOK_DAYS: Final = 7

_GRAVEST_FIRST: Final = tuple(Verdict)
# What is good about a strategy is told beside what to think of, never beside what forbids it.
_ALSO_TOLD: Final[Mapping[Verdict, frozenset[Verdict]]] = {
    Verdict.POSSIBLE: frozenset({Verdict.SUITS}),
}
_NEUTRAL: Final = Reason(
    Verdict.POSSIBLE, "nothing-against", "nothing speaks for it or against it", "the snapshot"
)


def advise(snapshot: Snapshot) -> tuple[PoolAdvice, ...]:
    """The advice on each pool, by name, platform and model.

    It judges this instant alone: whoever shows it says so, and that `LOOK_DAYS` are needed.
    """
    nodes = (snapshot.nodes[name] for name in sorted(snapshot.nodes))
    owners = Owners(snapshot)
    return tuple(_pool_advice(pool, owners) for pool in pools_of(nodes))


def judge(facts: PoolFacts) -> tuple[StrategyAdvice, ...]:
    """The verdict on every strategy, by the table of rules."""
    said = figures(facts)
    return tuple(_judged(strategy, list(_held(strategy, facts, said))) for strategy in Strategy)


def _pool_advice(pool: Pool, owners: Owners) -> PoolAdvice:
    facts = facts_of(pool, owners)
    return PoolAdvice(
        pool=pool.key.pool,
        platform=pool.key.platform,
        model=facts.model,
        nodes=tuple(sorted(pool.nodes)),
        cards=len(facts.cards),
        cards_measured=facts.measured,
        tenants=len(facts.tenants),
        namespaces=tuple(sorted({tenant.namespace for tenant in facts.tenants})),
        in_use=tuple(sorted(str(sharing) for sharing in facts.in_use)),
        strategies=judge(facts),
    )


def _held(strategy: Strategy, facts: PoolFacts, said: Mapping[str, str]) -> Iterator[Reason]:
    for rule in RULES:
        if strategy in rule.strategies and rule.holds(facts):
            yield Reason(rule.verdict, rule.word, rule.text.format_map(said), rule.source)


def _judged(strategy: Strategy, held: list[Reason]) -> StrategyAdvice:
    found = held or [_NEUTRAL]
    verdict = min((reason.verdict for reason in found), key=_GRAVEST_FIRST.index)
    told = {verdict, *_ALSO_TOLD.get(verdict, ())}
    reasons = [reason for reason in found if reason.verdict in told]
    reasons.sort(key=lambda reason: _GRAVEST_FIRST.index(reason.verdict))
    return StrategyAdvice(strategy=strategy, verdict=verdict, reasons=tuple(reasons))
