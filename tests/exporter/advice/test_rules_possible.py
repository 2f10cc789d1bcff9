"""What to think of before: each row at least once, with its whole text."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from gpuatlas.advice.rule import LIMITED, MIG, MPS, POSSIBLE, SHARED, SLICING, WHOLE
from gpuatlas.advice.rules_possible import RULES
from gpuatlas.model.units import MIB
from gpuatlas_harness import build
from gpuatlas_harness.advised import BATCH, BIG, OTHER_TEAM, WIDE, Case, of, rows, shown, working
from gpuatlas_harness.pooled import H100, a_pool

CASES: Final = (
    Case(
        "busy",
        a_pool([BATCH, BATCH], card=working(0.7)),
        (LIMITED, MPS, SLICING),
        POSSIBLE,
        "2 of 2 held cards work too much to be shared without slowing somebody",
    ),
    Case(
        "room-left",
        a_pool([BATCH, BATCH], card=working(0.3)),
        (WHOLE,),
        POSSIBLE,
        "two pods would fit on a card: the two smallest need 4,000 MiB, it has 81,920 MiB; working "
        "little: 0 of 2 held cards",
    ),
    Case(
        "no-two-fit",
        a_pool([BIG, BIG]),
        (LIMITED,),
        POSSIBLE,
        "nothing to gain: the two smallest pods need 120,000 MiB, a card has 81,920 MiB",
    ),
    Case(
        "soft-limits",
        a_pool([BATCH, OTHER_TEAM]),
        (LIMITED,),
        POSSIBLE,
        "its limits are kept by a library in the container and not by the card, and faults are not "
        "kept apart: only for teams that trust one another, here 2 namespaces",
    ),
    Case(
        "promised-beyond-memory",
        a_pool(
            [BATCH, BATCH],
            card={"memory": build.a_memory(overcommitted=build.known(MIB))},
        ),
        (LIMITED,),
        POSSIBLE,
        "promised beyond their memory: 2 cards; the layer moves nothing to host memory, so pods "
        "that use what they were promised run out of it",
    ),
    Case(
        "aks-new-pool",
        a_pool([BATCH, BATCH], platform="aks"),
        (MIG,),
        POSSIBLE,
        "AKS sets the profile when a pool is created, one for all its cards: it takes a new pool",
    ),
    Case(
        "several-cards",
        a_pool([WIDE, BATCH, replace(BATCH, cards=(1,))]),
        (MIG,),
        POSSIBLE,
        "an instance is a part of one card, so some must stay whole: 1 pod with several cards",
    ),
    Case(
        "some-stay-whole",
        a_pool([BIG, BATCH]),
        (MIG,),
        POSSIBLE,
        "1 of 2 pods need more than any instance that leaves room for another, so their cards must "
        "stay whole",
    ),
    Case(
        "sizes-not-on-record",
        a_pool([BATCH, BATCH]),
        (MIG,),
        POSSIBLE,
        "the size of a large enough instance is not on record: compare what `nvidia-smi mig -lgip` "
        "lists with 2,000 MiB and 10% of a card's compute",
    ),
    Case(
        "compute-use-unknown",
        a_pool([replace(BATCH, compute=None, cards=(0,))] * 2, card=of(H100)),
        (MIG,),
        POSSIBLE,
        "an instance is a share of compute too, and use of compute is known of 0 of 2 pods that "
        "could share",
    ),
    Case(
        "static-profiles",
        a_pool([BATCH, replace(BATCH, mib=12_000)], card=of(H100)),
        (MIG,),
        POSSIBLE,
        "pods differ, the layout stays as it was cut: the smallest fits 1g.10gb, the largest "
        "2g.20gb; cutting anew stops 2 pods",
    ),
    Case(
        "too-few-instances",
        a_pool([replace(BATCH, mib=12_000, cards=(0,))] * 4, card=of(H100)),
        (MIG,),
        POSSIBLE,
        "the fullest card has 4 pods: more than it has instances of 2g.20gb",
    ),
    Case(
        "crash-coupling",
        a_pool([BATCH, replace(BATCH, workload="tune")]),
        (MPS,),
        POSSIBLE,
        "a fault of one pod ends all pods on its card, and they are 2 workloads of 1 namespace",
    ),
    Case(
        "gang-on-one-card",
        a_pool([replace(BATCH, gang=2)] * 2),
        SHARED,
        POSSIBLE,
        "nothing keeps pods of one gang off one card, where they gain nothing and NCCL refuses "
        "to run two ranks: of gangs are 2 pods",
    ),
    Case(
        "nothing-limits-memory",
        a_pool([BATCH, OTHER_TEAM]),
        (SLICING,),
        POSSIBLE,
        "they can wait for one another, but nothing limits memory: one pod can end those of 2 "
        "namespaces",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_rule_decides_and_says(case: Case) -> None:
    assert case.said() == case.expected


def test_no_row_is_without_a_case() -> None:
    assert shown(CASES) == rows(RULES)
