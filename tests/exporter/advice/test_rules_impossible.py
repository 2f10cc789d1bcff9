"""What cannot be: each row at least once, with its whole text."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from gpuatlas.advice.rule import IMPOSSIBLE, MIG, MPS, SLICING
from gpuatlas.advice.rules_impossible import RULES
from gpuatlas.model.snapshot import Sharing
from gpuatlas_harness.advised import BATCH, WIDE, Case, of, rows, sharing, shown
from gpuatlas_harness.pooled import H100, T4, a_pool

CASES: Final = (
    Case(
        "not-nvidia",
        a_pool([BATCH, BATCH], card=of("Ascend910B3", vendor="ascend")),
        (MIG, MPS, SLICING),
        IMPOSSIBLE,
        "it is made for NVIDIA cards, and these are of ascend",
    ),
    Case(
        "model-without-mig",
        a_pool([BATCH, BATCH], card=of(T4)),
        (MIG,),
        IMPOSSIBLE,
        "Tesla T4 has no MIG",
    ),
    Case(
        "driver-too-old",
        a_pool([BATCH, BATCH], card=of(H100), driver_version="510.47.03"),
        (MIG,),
        IMPOSSIBLE,
        "the driver 510.47.03 is older than MIG on NVIDIA H100 80GB HBM3",
    ),
    Case(
        "not-on-mig",
        a_pool([BATCH, BATCH], card=sharing(Sharing.MIG)),
        (MPS,),
        IMPOSSIBLE,
        "the device plugin offers no MPS on MIG instances, and cards of this pool are divided by "
        "MIG",
    ),
    Case(
        "too-many-clients",
        a_pool([replace(BATCH, cards=(0,))] * 49),
        (MPS,),
        IMPOSSIBLE,
        "the fullest card has 49 pods: more than MPS admits",
    ),
    Case(
        "gke-one-share",
        a_pool([WIDE], platform="gke"),
        (MPS, SLICING),
        IMPOSSIBLE,
        "GKE refuses a container that asks for more than one share, as these would: 1 pod with "
        "several cards",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_rule_decides_and_says(case: Case) -> None:
    assert case.said() == case.expected


def test_no_row_is_without_a_case() -> None:
    assert shown(CASES) == rows(RULES)
