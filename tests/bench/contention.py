"""Contention: how often the true aggressor is named, and how often nobody where nobody is to blame.

Generated histories of shared cards whose truth is known (tests/harness, truth/contention_*), ten
hours each, are played to the analysis as it runs in `serve`. Goals: the aggressor first in 90 % of
the episodes in which grade 3 can be reached, nobody named in 99 % of those without a neighbour.
Prints a table, and what a look costs with very many shared cards.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

from gpuatlas.contention.observe import ContentionState, observe
from gpuatlas.model.contention import CardMoment, TenantMoment
from gpuatlas.model.readings import Known
from gpuatlas_harness.truth.contention_episodes import hash_of, history, workload
from gpuatlas_harness.truth.contention_kinds import INDISTINGUISHABLE, KINDS, Cause, Kind
from gpuatlas_harness.truth.contention_score import Judged, judged, score

SEED = 7
GOAL_FIRST, GOAL_NOBODY = 0.9, 0.99
MINUTE = 60.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=10, help="of each kind")
    parser.add_argument("--cards", type=int, default=2000, help="shared cards of the cost")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    orders = [(kind, n) for kind in (*KINDS, INDISTINGUISHABLE) for n in range(options.histories)]
    with ProcessPoolExecutor(options.processes) as pool:
        found = list(pool.map(_of, *zip(*orders, strict=True)))
    by_kind: dict[str, list[Judged]] = {}
    for (kind, _), episodes in zip(orders, found, strict=True):
        by_kind.setdefault(kind.name, []).extend(episodes)
    _print_kinds(by_kind)
    reached = _print_goals([e for k in KINDS for e in by_kind[k.name]])
    _print_cost(options.cards)
    return 0 if reached else 1


def _of(kind: Kind, number: int) -> list[Judged]:
    return list(judged(history(kind, seed=hash_of(SEED, kind.name, number))))


def _print_kinds(by_kind: dict[str, list[Judged]]) -> None:
    print(f"{'history':56}{'episodes':>9}{'due':>6}{'first':>7}{'named':>7}{'found':>7}")
    for name, episodes in by_kind.items():
        figures = score(episodes)
        named = sum(bool(e.named) for e in episodes)
        true = sum(e.true_seconds for e in episodes)
        slowed = sum(e.slowed for e in episodes)
        share = f"{100 * slowed / true:.0f} %" if true else "-"
        neighbour = any(e.cause is Cause.NEIGHBOUR for e in episodes)
        first = figures.hits if neighbour else "-"
        due = figures.due if neighbour else "-"
        print(f"{name:56}{len(episodes):9}{due:>6}{first:>7}{named:7}{share:>7}")
    print(
        "due: grade 3 could be reached; first: the true aggressor came first; named: somebody\n"
        "has grade 3 or 4; found: minutes counted as slowed, of those that were. The last line is\n"
        "of a kind that nothing measured tells from an aggressor for certain; it is in no goal.\n"
    )


def _print_goals(episodes: Sequence[Judged]) -> bool:
    figures = score(episodes)
    print(
        f"aggressor first    {100 * figures.ranked_first:6.1f} % of {figures.due} episodes "
        f"(goal {100 * GOAL_FIRST:.0f} %)"
    )
    print(
        f"nobody named       {100 * figures.nobody_named:6.1f} % of {figures.without} episodes "
        f"(goal {100 * GOAL_NOBODY:.0f} %)"
    )
    print(f"somebody else named{figures.wrong:5} times beside a true aggressor\n")
    return figures.ranked_first >= GOAL_FIRST and figures.nobody_named >= GOAL_NOBODY


def _print_cost(cards: int) -> None:
    moments = [_a_moment(number) for number in range(cards)]
    state, at, spent = ContentionState(), 0.0, []
    for _ in range(6):
        at += MINUTE
        began = time.perf_counter()
        state = observe(state, moments, at)
        spent.append(time.perf_counter() - began)
    print(f"a minute of {cards} cards with 4 tenants each takes {max(spent):.2f} s")


def _a_moment(number: int) -> CardMoment:
    tenants = tuple(
        TenantMoment(
            workload=workload(f"w{number}-{n}"),
            share=Known(0.24, 0.0, "bench"),
            entitlement=Known(0.25, 0.0, "bench"),
            active=True,
        )
        for n in range(4)
    )
    return CardMoment(
        node=f"n{number // 8}",
        card=f"GPU-{number}",
        index=str(number % 8),
        at=0.0,
        saturated=frozenset({"compute"}),
        hardware="",
        tenants=tenants,
    )


if __name__ == "__main__":
    sys.exit(main())
