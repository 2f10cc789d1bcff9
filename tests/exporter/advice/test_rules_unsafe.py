"""What would hurt those who run there: each row at least once, with its whole text."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from gpuatlas.advice.rule import LIMITED, MIG, MPS, SLICING, UNSAFE
from gpuatlas.advice.rules_unsafe import RULES
from gpuatlas.model.snapshot import Sharing, Snapshot
from gpuatlas_harness.advised import (
    BATCH,
    BIG,
    OTHER_TEAM,
    TRITON,
    VLLM,
    WIDE,
    Case,
    rows,
    sharing,
    shown,
)
from gpuatlas_harness.pooled import PodOf, a_pool, in_another


def half_kai(pods: list[PodOf]) -> Snapshot:
    """Two cards that KAI shares and, on another node of the pool, two whole ones."""
    (node,) = a_pool(pods, card=sharing(Sharing.KAI)).nodes.values()
    return in_another(a_pool(pods), replace(node, name="kai-1"))


CASES: Final = (
    Case(
        "serving-without-isolation",
        a_pool([VLLM, TRITON, PodOf(kind="InferenceService", cards=(0,))]),
        (SLICING,),
        UNSAFE,
        "nothing keeps a neighbour from taking the memory or the time of a pod that must answer in "
        "time: 3 serving pods (triton, vllm)",
    ),
    Case(
        "memory-taken-ahead",
        a_pool([VLLM, BATCH]),
        (SLICING,),
        UNSAFE,
        "nothing limits memory, and the first pod that takes it ahead leaves none: 1 pod (vllm)",
    ),
    Case(
        "crash-coupling",
        a_pool([BATCH, OTHER_TEAM]),
        (MPS,),
        UNSAFE,
        "a fault of one pod ends all pods on its card, and they are 2 workloads of 2 namespaces",
    ),
    Case(
        "shares-are-not-cards",
        a_pool([WIDE, BATCH]),
        (MPS, SLICING),
        UNSAFE,
        "two shares may be of one card, and give no more compute than one: 1 pod with several "
        "cards",
    ),
    Case(
        "no-two-fit",
        a_pool([BIG, BIG]),
        (MPS, SLICING),
        UNSAFE,
        "no two pods fit on a card: the two smallest need 120,000 MiB, it has 81,920 MiB",
    ),
    Case(
        "no-instance-fits",
        a_pool([BIG, BIG]),
        (MIG,),
        UNSAFE,
        "no pod could take an instance that leaves room for another: they need 60,000 MiB or more "
        "where a card has 81,920 MiB",
    ),
    Case(
        "kai-without-isolation",
        half_kai([BATCH, BATCH, BATCH]),
        (LIMITED,),
        UNSAFE,
        "KAI's fractions, by which 2 of 4 cards are shared, are book-keeping: unless its "
        "isolator runs, which the API does not tell, each pod on them can take all memory",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_rule_decides_and_says(case: Case) -> None:
    assert case.said() == case.expected


def test_no_row_is_without_a_case() -> None:
    assert shown(CASES) == rows(RULES)
