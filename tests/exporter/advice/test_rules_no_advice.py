"""What is not known well enough: each row at least once, with its whole text."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from gpuatlas.advice.rule import EVERY, LIMITED, MIG, MPS, NO_ADVICE, SHARED, SLICING
from gpuatlas.advice.rules_no_advice import RULES
from gpuatlas.model.readings import Unknown
from gpuatlas_harness.advised import BATCH, VLLM, Case, of, rows, shown
from gpuatlas_harness.pooled import PodOf, a_pool

CASES: Final = (
    Case(
        "no-card-named",
        a_pool(cards=0),
        EVERY,
        NO_ADVICE,
        "no source names a card of 1 node: run dcgm-exporter or a sharing layer there",
    ),
    Case(
        "no-driver-metrics",
        a_pool([BATCH, BATCH], unmeasured=2),
        EVERY,
        NO_ADVICE,
        "no card's memory and work are measured: nobody measured it",
    ),
    Case(
        "few-cards-seen",
        a_pool([BATCH, BATCH], cards=8, unmeasured=5),
        EVERY,
        NO_ADVICE,
        "only 3 of 8 cards on 1 node are measured; nodes that name no card: 0",
    ),
    Case("nobody-runs", a_pool(), EVERY, NO_ADVICE, "no pod holds a card now"),
    Case(
        "holders-unknown",
        a_pool(card={"tenants": Unknown("no pods were read")}),
        EVERY,
        NO_ADVICE,
        "who holds the cards is not known: no pods were read",
    ),
    Case(
        "attribution-unknown",
        a_pool([BATCH, replace(BATCH, cards=("",))]),
        EVERY,
        NO_ADVICE,
        "nothing names the cards of 1 of 2 pods",
    ),
    Case(
        "nobody-to-share-with",
        a_pool([BATCH]),
        SHARED,
        NO_ADVICE,
        "fewer than two pods could share: no more than one card is held by 1 of 1 pod",
    ),
    Case(
        "purpose-unknown",
        a_pool(
            [PodOf(workload="w"), PodOf(workload="w"), replace(BATCH, cards=(0,), workload="w")]
        ),
        (MPS, SLICING),
        NO_ADVICE,
        "what 2 of 3 pods do is not known: one may have to answer in time",
    ),
    Case(
        "memory-taken-ahead",
        a_pool([VLLM, VLLM]),
        (MIG, LIMITED, MPS),
        NO_ADVICE,
        "what they hold is a setting and not a need: 2 pods (vllm)",
    ),
    Case(
        "memory-use-unknown",
        a_pool([replace(BATCH, mib=None), BATCH]),
        SHARED,
        NO_ADVICE,
        "memory use is known of 1 of 2 pods that could share",
    ),
    Case(
        "model-not-on-record",
        a_pool([BATCH, BATCH], card=of("NVIDIA Graphics Device")),
        (MIG,),
        NO_ADVICE,
        "whether MIG can divide NVIDIA Graphics Device is not on record",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_rule_decides_and_says(case: Case) -> None:
    assert case.said() == case.expected


def test_no_row_is_without_a_case() -> None:
    assert shown(CASES) == rows(RULES)
