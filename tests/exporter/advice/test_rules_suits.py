"""What speaks for a strategy: each row at least once, with its whole text."""

from __future__ import annotations

from typing import Final

import pytest

from gpuatlas.advice.rule import LIMITED, MIG, MPS, SLICING, SUITS, WHOLE
from gpuatlas.advice.rules_suits import RULES
from gpuatlas_harness.advised import BATCH, BIG, NOTEBOOK, WIDE, Case, of, rows, shown, working
from gpuatlas_harness.pooled import H100, a_pool

CASES: Final = (
    Case(
        "several-cards",
        a_pool([WIDE]),
        (WHOLE,),
        SUITS,
        "whole cards are what some need: 1 pod with several cards",
    ),
    Case(
        "no-two-fit",
        a_pool([BIG, BIG]),
        (WHOLE,),
        SUITS,
        "no two pods fit on a card: the two smallest need 120,000 MiB, it has 81,920 MiB",
    ),
    Case(
        "busy-alone",
        a_pool([BATCH, BATCH], card=working(0.9)),
        (WHOLE,),
        SUITS,
        "2 of 2 held cards are kept busy by one pod each",
    ),
    Case(
        "fits-instances",
        a_pool([BATCH, BATCH], card=of(H100)),
        (MIG,),
        SUITS,
        "memory and faults are kept apart by the card, and 2 of 2 pods fit 1g.10gb: the largest of "
        "them needs 2,000 MiB and 10% of a card's compute",
    ),
    Case(
        "limits-memory",
        a_pool([BATCH, BATCH]),
        (LIMITED,),
        SUITS,
        "pods fit together, each within its limit: the two smallest need 4,000 MiB, a card has "
        "81,920 MiB",
    ),
    Case(
        "one-workload",
        a_pool([BATCH, BATCH]),
        (MPS,),
        SUITS,
        "a fault ends only pods of the same workload, and they fit together: the two smallest need "
        "4,000 MiB, a card has 81,920 MiB",
    ),
    Case(
        "interactive",
        a_pool([NOTEBOOK, NOTEBOOK]),
        (SLICING,),
        SUITS,
        "sessions can wait for one another, and they fit together: the two smallest need 4,000 "
        "MiB, a card has 81,920 MiB; 2 interactive pods (jupyter)",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_rule_decides_and_says(case: Case) -> None:
    assert case.said() == case.expected


def test_no_row_is_without_a_case() -> None:
    assert shown(CASES) == rows(RULES)
