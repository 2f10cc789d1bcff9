"""A counter that reads 0 is no proof of idleness."""

from __future__ import annotations

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Pod
from gpuatlas.model.pages import HostReading, InstanceReading, Tenant
from gpuatlas.model.readings import Unknown, value_of
from gpuatlas.model.snapshot import CardState, NodeSnapshot
from gpuatlas.model.units import MIB
from gpuatlas_harness.observed import (
    a_container,
    a_container_reading,
    a_dcgm_page,
    a_device,
    a_monitor_page,
    a_node,
    a_pod,
    a_promise,
    a_reading,
    a_registration,
    observations,
    uuid,
)

STUCK = {"PROF_SM_ACTIVE": 0.0, "PROF_GR_ENGINE_ACTIVE": 0.0}
UNSEEN = "it draws 187 W, for work that no counter shows: export DCGM_FI_DEV_GPU_UTIL"


def joined(fields: dict[str, float], *pods: Pod, **more: object) -> NodeSnapshot:
    page = a_dcgm_page(a_reading(1, fields=fields))
    return Joiner().build(observations([a_node()], pods, dcgm=(page,), **more)).nodes["gpu-a"]


@pytest.mark.parametrize(
    "limits",
    [
        {"DEV_POWER_MGMT_LIMIT_MIN": 100.0},
        {"DEV_POWER_MGMT_LIMIT_DEF": 300.0},
        {"DEV_ENFORCED_POWER_LIMIT": 300.0},
    ],
)
@pytest.mark.parametrize("pods", [(), (a_pod(),)], ids=["no tenant", "a tenant"])
def test_counters_at_zero_beside_the_power_of_work_are_not_believed(
    limits: dict[str, float], pods: tuple[Pod, ...]
) -> None:
    (card,) = joined(STUCK | {"DEV_POWER_USAGE": 187.4} | limits, *pods).cards
    assert card.compute_utilization == Unknown(UNSEEN)
    assert (card.state, card.state_reason) == (CardState.UNKNOWN, UNSEEN)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"DEV_POWER_USAGE": 62.0, "DEV_POWER_MGMT_LIMIT_MIN": 100.0}, id="idle power"),
        pytest.param({"DEV_POWER_USAGE": 187.0}, id="nothing to compare the power with"),
        pytest.param({"DEV_POWER_MGMT_LIMIT_MIN": 100.0}, id="no power"),
        pytest.param(
            {"DEV_POWER_USAGE": 187.0, "DEV_POWER_MGMT_LIMIT_MIN": 100.0, "DEV_GPU_UTIL": 0.0},
            id="the driver agrees",
        ),
    ],
)
def test_without_a_contradiction_zero_is_zero(fields: dict[str, float]) -> None:
    (card,) = joined(STUCK | fields).cards
    assert (value_of(card.compute_utilization), card.state) == (0.0, CardState.FREE)


def test_the_monitor_of_the_layer_can_speak_where_the_counters_are_stuck() -> None:
    monitor = a_monitor_page({}, {uuid(1): HostReading(used_bytes=MIB, utilization=0.4)})
    fields = STUCK | {"DEV_POWER_USAGE": 187.4, "DEV_POWER_MGMT_LIMIT_MIN": 100.0}
    (card,) = joined(fields, monitors=(monitor,)).cards
    assert (value_of(card.compute_utilization), card.state) == (0.4, CardState.WORKING)


@pytest.mark.parametrize(("watts", "expected"), [(60.0, 0.0), (187.0, None)])
def test_instances_at_zero_are_believed_as_far_as_their_card(
    watts: float, expected: float | None
) -> None:
    instance = InstanceReading(
        instance="9",
        profile="1g.10gb",
        fields={"PROF_GR_ENGINE_ACTIVE": 0.0},
        tenants=frozenset({Tenant("team-a", "app-0", "main")}),
    )
    fields = {"DEV_POWER_USAGE": watts, "DEV_POWER_MGMT_LIMIT_MIN": 100.0}
    page = a_dcgm_page(a_reading(1, model="NVIDIA A100", instances=(instance,), fields=fields))
    pod = a_pod(containers=(a_container(limits={"nvidia.com/mig-1g.10gb": 1}),))
    node = Joiner().build(observations([a_node()], [pod], dcgm=(page,))).nodes["gpu-a"]
    assert value_of(node.cards[0].compute_utilization) == expected
    assert [value_of(a.compute_utilization) for a in node.allocations] == [expected]


@pytest.mark.parametrize(
    ("cores", "of_card", "expected"),
    [
        pytest.param(25, 40.0, 0.0, id="under a limit HAMi-core measures"),
        pytest.param(None, 40.0, None, id="without a limit it does not"),
        pytest.param(100, 40.0, None, id="a limit of everything is none"),
        pytest.param(None, 0.0, 0.0, id="nothing runs on the card"),
    ],
)
def test_a_zero_of_hami_without_a_compute_limit_says_nothing(
    cores: int | None, of_card: float, expected: float | None
) -> None:
    node = a_node("gpu-a", a_registration(a_device(1)), capacity={"nvidia.com/gpu": 10})
    pod = a_pod("app", "gpu-a", a_promise(uuid(1), 1_000, cores))
    key = (Tenant("team-a", "app", "main"), uuid(1))
    monitor = a_monitor_page({key: a_container_reading(500, utilization=0.0)})
    page = a_dcgm_page(a_reading(1, DEV_GPU_UTIL=of_card))
    snapshot = Joiner().build(observations([node], [pod], dcgm=(page,), monitors=(monitor,)))
    (allocation,) = snapshot.nodes["gpu-a"].allocations
    assert value_of(allocation.compute_utilization) == expected
