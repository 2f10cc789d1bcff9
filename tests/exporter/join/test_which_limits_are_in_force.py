"""The limit that the layer's monitor publishes, and what is certain of isolation."""

from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Container, DeviceStatus, Pod
from gpuatlas.model.pages import ContainerReading, Tenant
from gpuatlas.model.readings import Known, Unknown
from gpuatlas.model.snapshot import Allocation
from gpuatlas.model.units import MIB
from gpuatlas_harness.claimed import a_fraction_pod, a_reservation_pod
from gpuatlas_harness.observed import (
    NOW,
    a_container,
    a_device,
    a_monitor_page,
    a_node,
    a_pod,
    a_promise,
    a_registration,
    observations,
    uuid,
)

MIG_UUID = "MIG-00000000-0000-4000-8000-0000000000c0"


def a_limit(limit_bytes: int | None) -> ContainerReading:
    return ContainerReading(
        used_bytes=0, limit_bytes=limit_bytes, utilization=None, idle_seconds=None
    )


def shared(
    *containers: Container,
    limits: dict[str, int | None] | None = None,
    layer: str = "hami",
    **promise: Any,
) -> Allocation:
    """The one allocation of a pod with a soft share of a card."""
    node = a_node(
        "gpu-a",
        a_registration(a_device(1), layer=layer),
        capacity={"nvidia.com/gpu": 10, "volcano.sh/vgpu-number": 10},
    )
    pod = a_pod(
        "chat-0",
        "gpu-a",
        a_promise(uuid(1), 12_000, 30, layer=layer, **promise),
        containers=containers or (a_container(),),
    )
    pages = () if limits is None else (a_page(limits),)
    return the_allocation(Joiner().build(observations([node], [pod], monitors=pages)))


def a_page(limits: dict[str, int | None]) -> Any:
    readings = {(Tenant("team-a", "chat-0", c), uuid(1)): a_limit(b) for c, b in limits.items()}
    return a_monitor_page(readings)


def the_allocation(snapshot: Any) -> Allocation:
    (allocation,) = snapshot.allocations()
    assert isinstance(allocation, Allocation)
    return allocation


def switched(**env: str) -> Container:
    return a_container(env=env)


def test_a_published_limit_is_in_force_for_memory_and_says_nothing_of_compute() -> None:
    allocation = shared(limits={"main": 12_000 * MIB})
    assert allocation.memory_limit == Known(12_000 * MIB, NOW, "hami_vgpu_memory_limit_bytes")
    assert allocation.isolated == (("memory", True),)


def test_a_limit_of_zero_is_none_in_force() -> None:
    allocation = shared(limits={"main": 0})
    assert allocation.memory_limit == Known(0, NOW, "hami_vgpu_memory_limit_bytes")
    assert allocation.isolated == (("memory", False),)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (None, "no HAMi monitor page for this node"),
        ({"main": None}, "the sharing layer publishes no memory limit of it"),
        ({"other": 7}, "the container has not opened the card yet"),
    ],
)
def test_without_a_published_limit_nobody_knows(
    limits: dict[str, int | None] | None, reason: str
) -> None:
    allocation = shared(limits=limits)
    assert allocation.memory_limit == Unknown(reason)
    assert allocation.isolated == ()


def test_of_several_containers_one_without_a_limit_can_take_all() -> None:
    """The record does not say which container it is for, so the pod's readings count together."""
    two = (a_container("main"), a_container("side", limits={}))
    both = shared(*two, limits={"main": 5, "side": 7}, container="")
    assert both.memory_limit == Known(12, NOW, "hami_vgpu_memory_limit_bytes")
    one = shared(*two, limits={"main": 5, "side": 0}, container="")
    assert one.memory_limit == Known(0, NOW, "hami_vgpu_memory_limit_bytes")
    assert one.isolated == (("memory", False),)


@pytest.mark.parametrize("value", ["1", "t", "T", "TRUE", "true", "True"])
def test_a_container_that_switches_the_library_off_has_no_limit(value: str) -> None:
    allocation = shared(switched(CUDA_DISABLE_CONTROL=value))
    assert allocation.isolated == (("memory", False), ("compute", False))


def test_the_switch_counts_more_than_a_limit_that_is_still_published() -> None:
    allocation = shared(switched(CUDA_DISABLE_CONTROL="true"), limits={"main": 5})
    assert allocation.isolated == (("memory", False), ("compute", False))


@pytest.mark.parametrize("value", ["", "0", "false", "yes", "tRUE", " true"])
def test_what_go_does_not_take_for_true_switches_nothing_off(value: str) -> None:
    assert shared(switched(CUDA_DISABLE_CONTROL=value)).isolated == ()


@pytest.mark.parametrize("value", ["", "false", "true"])
def test_volcano_goes_by_the_switchs_presence(value: str) -> None:
    allocation = shared(switched(CUDA_DISABLE_CONTROL=value), layer="volcano")
    assert allocation.isolated == (("memory", False), ("compute", False))


@pytest.mark.parametrize(
    ("value", "isolated"),
    [
        ("disable", (("compute", False),)),
        ("DISABLE", (("compute", False),)),
        ("force", ()),
        ("default", ()),
    ],
)
def test_the_policy_for_compute(value: str, isolated: tuple[Any, ...]) -> None:
    assert shared(switched(GPU_CORE_UTILIZATION_POLICY=value)).isolated == isolated


def test_the_switch_of_another_container_is_not_this_ones() -> None:
    other = a_container("side", limits={}, env={"CUDA_DISABLE_CONTROL": "true"})
    assert shared(a_container(), other).isolated == ()


def test_a_whole_card_has_no_limit_to_switch_off() -> None:
    pod = a_pod(containers=(switched(CUDA_DISABLE_CONTROL="true"),))
    allocation = the_allocation(Joiner().build(observations([a_node()], [pod])))
    assert allocation.isolated == ()


def on_mig(pod: Pod, labels: dict[str, str]) -> Allocation:
    node = a_node(labels=labels, capacity={"nvidia.com/mig-1g.10gb": 7})
    return the_allocation(Joiner().build(observations([node], [pod])))


def a_mig_pod() -> Pod:
    container = a_container(limits={"nvidia.com/mig-1g.10gb": 1})
    status = DeviceStatus(
        container="main", resource="nvidia.com/mig-1g.10gb", device=MIG_UUID, health="Healthy"
    )
    return a_pod(containers=(container,), devices=(status,))


def test_a_mig_instance_is_a_limit_in_hardware_also_where_nobody_names_the_card() -> None:
    allocation = on_mig(a_mig_pod(), {})
    assert allocation.isolated == (("memory", True), ("compute", True))


@pytest.mark.parametrize("strategy", ["time-slicing", "mps"])
def test_an_instance_that_the_plugin_hands_out_several_times_is_not(strategy: str) -> None:
    assert on_mig(a_mig_pod(), {"nvidia.com/gpu.sharing-strategy": strategy}).isolated == ()


def test_kais_monitor_is_believed_although_kai_registers_no_card() -> None:
    pods = [a_reservation_pod("g", uuid(1)), a_fraction_pod("half", "g", portion=0.5)]
    readings = {(Tenant("team-a", "half", "main"), uuid(1)): a_limit(5 * MIB)}
    obs = observations([a_node()], pods, monitors=(a_monitor_page(readings),))
    allocation = the_allocation(Joiner().build(obs))
    assert allocation.memory_limit == Known(5 * MIB, NOW, "hami_vgpu_memory_limit_bytes")
    assert allocation.isolated == (("memory", True),)
