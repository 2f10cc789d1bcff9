"""A node that is gone still has its annotations: its cards are not there to be taken."""

from __future__ import annotations

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.snapshot import CardState
from gpuatlas_harness.observed import (
    a_dcgm_page,
    a_device,
    a_node,
    a_reading,
    a_registration,
    observations,
)

GONE = "node gpu-a is not ready and no page shows the card"


@pytest.mark.parametrize(
    ("ready", "shown", "state"),
    [
        (False, False, (CardState.UNKNOWN, GONE)),
        (False, True, (CardState.FREE, "")),
        (True, False, (CardState.FREE, "")),
    ],
)
def test_only_a_node_that_answers_has_free_cards(
    *, ready: bool, shown: bool, state: tuple[CardState, str]
) -> None:
    node = a_node("gpu-a", a_registration(a_device(1)), ready=ready)
    pages = (a_dcgm_page(a_reading(1, DEV_GPU_UTIL=0.0)),) if shown else ()
    (card,) = Joiner().build(observations([node], dcgm=pages)).nodes["gpu-a"].cards
    assert (card.state, card.state_reason) == state
