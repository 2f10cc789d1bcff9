"""The state of a card and the signal it was decided by."""

from __future__ import annotations

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Node
from gpuatlas.model.readings import Known, Unknown
from gpuatlas.model.snapshot import Card, CardState
from gpuatlas_harness.observed import (
    a_dcgm_page,
    a_device,
    a_node,
    a_pod,
    a_reading,
    a_registration,
    observations,
)

HW_THERMAL, SW_POWER_CAP, GPU_IDLE = 64.0, 4.0, 1.0


def card(fields: dict[str, float], node: Node | None = None, *, tenant: bool = True) -> Card:
    pods = [a_pod()] if tenant else []
    page = a_dcgm_page(a_reading(1, fields=fields))
    obs = observations([node or a_node()], pods, dcgm=(page,))
    return Joiner().build(obs).nodes["gpu-a"].cards[0]


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({"DEV_GPU_UTIL": 83}, CardState.WORKING),
        ({"DEV_GPU_UTIL": 1}, CardState.WORKING),
        ({"DEV_GPU_UTIL": 0}, CardState.IDLE),
        ({"DEV_GPU_UTIL": 83, "DEV_CLOCKS_EVENT_REASONS": HW_THERMAL}, CardState.SLOWED),
        ({"DEV_GPU_UTIL": 83, "DEV_CLOCKS_EVENT_REASONS": SW_POWER_CAP}, CardState.WORKING),
        ({"DEV_GPU_UTIL": 0, "DEV_CLOCKS_EVENT_REASONS": GPU_IDLE}, CardState.IDLE),
        ({"DEV_GPU_UTIL": 83, "DEV_GET_GPU_RECOVERY_ACTION": 1}, CardState.FAILED),
        ({"DEV_GPU_UTIL": 83, "DEV_ROW_REMAP_FAILURE": 1}, CardState.FAILED),
        ({"DEV_GPU_UTIL": 0, "DEV_MEMORY_UNREPAIRABLE_FLAG": 1}, CardState.FAILED),
        ({}, CardState.UNKNOWN),
    ],
)
def test_state_of_a_card_with_a_tenant(fields: dict[str, float], state: CardState) -> None:
    assert card(fields).state is state


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({"DEV_GPU_UTIL": 0, "DEV_FB_USED": 3}, CardState.FREE),
        ({}, CardState.FREE),
        ({"DEV_GPU_UTIL": 40}, CardState.WORKING),
        ({"DEV_GPU_UTIL": 0, "DEV_FB_USED": 20_000}, CardState.IDLE),
    ],
)
def test_state_of_a_card_without_a_tenant(fields: dict[str, float], state: CardState) -> None:
    """Work or memory that no tenant explains is shown, not called free."""
    assert card(fields, tenant=False).state is state


def test_a_card_registered_unhealthy_has_failed_even_when_it_is_silent() -> None:
    node = a_node("gpu-a", a_registration(a_device(healthy=False)))
    found = card({}, node, tenant=False)
    assert found.state is CardState.FAILED
    assert found.state_reason == "the hami device plugin registered it as unhealthy"


@pytest.mark.parametrize(
    ("fields", "ratio", "source"),
    [
        (
            {"PROF_SM_ACTIVE": 0.3, "PROF_GR_ENGINE_ACTIVE": 0.9, "DEV_GPU_UTIL": 95},
            0.3,
            "DCGM_FI_PROF_SM_ACTIVE",
        ),
        (
            {"PROF_GR_ENGINE_ACTIVE": 0.9, "DEV_GPU_UTIL": 95},
            0.9,
            "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
        ),
        ({"DEV_GPU_UTIL": 95}, 0.95, "DCGM_FI_DEV_GPU_UTIL"),
        ({"PROF_SM_ACTIVE": 0.0, "DEV_GPU_UTIL": 95}, 0.95, "DCGM_FI_DEV_GPU_UTIL"),
        ({"PROF_SM_ACTIVE": 0.0, "DEV_GPU_UTIL": 2}, 0.0, "DCGM_FI_PROF_SM_ACTIVE"),
    ],
)
def test_the_best_signal_that_can_be_believed_is_used(
    fields: dict[str, float], ratio: float, source: str
) -> None:
    found = card(fields).compute_utilization
    assert isinstance(found, Known)
    assert (found.value, found.source) == (ratio, source)


def test_no_signal_says_why() -> None:
    obs = observations(
        [a_node("gpu-a", a_registration(a_device()))],
        silent={("dcgm", "gpu-a"): "HTTP 500 from 10.0.0.7:9400"},
    )
    found = Joiner().build(obs).nodes["gpu-a"].cards[0]
    assert found.compute_utilization == Unknown("HTTP 500 from 10.0.0.7:9400")
    assert found.memory.physical == Unknown("HTTP 500 from 10.0.0.7:9400")


def test_where_no_pods_were_read_no_card_is_free() -> None:
    page = a_dcgm_page(a_reading(1, DEV_GPU_UTIL=0, DEV_FB_USED=3))
    silent = {("kubernetes-pods", ""): "the capture holds no pods"}
    obs = observations([a_node()], dcgm=(page,), silent=silent)
    found = Joiner().build(obs).nodes["gpu-a"].cards[0]
    assert found.state is CardState.UNKNOWN
    assert found.tenants == Unknown("the capture holds no pods")
    assert found.memory.allocated == Unknown("the capture holds no pods")
