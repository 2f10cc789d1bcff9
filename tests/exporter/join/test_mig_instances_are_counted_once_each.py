"""Every MIG instance that a container asked for is one holding, or the sums are unknown."""

from __future__ import annotations

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Container
from gpuatlas.model.pages import InstanceReading, Tenant
from gpuatlas.model.readings import Unknown, value_of
from gpuatlas.model.snapshot import NodeSnapshot
from gpuatlas.model.units import MIB
from gpuatlas_harness.observed import (
    a_container,
    a_dcgm_page,
    a_node,
    a_pod,
    a_reading,
    observations,
)

SMALL, LARGE = "nvidia.com/mig-1g.5gb", "nvidia.com/mig-3g.20gb"


def an_instance(number: int, profile: str, mib: int, container: str) -> InstanceReading:
    return InstanceReading(
        instance=str(number),
        profile=profile,
        fields={"DEV_FB_USED": 100, "DEV_FB_FREE": mib - 100, "DEV_FB_RESERVED": 0},
        tenants=frozenset({Tenant("team-a", "app", container)}),
    )


def joined(containers: tuple[Container, ...], *instances: InstanceReading) -> NodeSnapshot:
    node = a_node(capacity={SMALL: 4, LARGE: 1}, labels={"nvidia.com/mig.strategy": "mixed"})
    page = a_dcgm_page(a_reading(1, model="NVIDIA A100-SXM4-40GB", instances=instances))
    pod = a_pod("app", containers=containers)
    return Joiner().build(observations([node], [pod], dcgm=(page,))).nodes["gpu-a"]


def test_two_profiles_of_one_container_are_two_instances() -> None:
    container = a_container(limits={SMALL: 1, LARGE: 1})
    node = joined(
        (container,),
        an_instance(1, "1g.5gb", 5_000, "main"),
        an_instance(2, "3g.20gb", 20_000, "main"),
    )
    (card,) = node.cards
    assert value_of(card.memory.allocated) == 25_000 * MIB
    assert value_of(card.compute_allocated) == pytest.approx(4 / 7, abs=1e-6)
    assert [a.partition for a in node.allocations] == ["gi-1,gi-2"]


def test_an_instance_that_no_page_names_makes_the_sum_unknown() -> None:
    container = a_container(limits={SMALL: 2})
    (card,) = joined((container,), an_instance(1, "1g.5gb", 5_000, "main")).cards
    assert isinstance(card.memory.allocated, Unknown)
    assert isinstance(card.tenants, Unknown)


def test_a_label_without_a_container_is_not_given_to_each_of_several() -> None:
    containers = (a_container("a", {SMALL: 1}), a_container("b", {LARGE: 1}))
    (card,) = joined(
        containers, an_instance(1, "1g.5gb", 5_000, ""), an_instance(2, "3g.20gb", 20_000, "")
    ).cards
    assert isinstance(card.memory.allocated, Unknown)


def test_a_label_without_a_container_speaks_for_the_only_one_that_asks() -> None:
    containers = (a_container("a", {SMALL: 1}), a_container("proxy", {}))
    node = joined(containers, an_instance(1, "1g.5gb", 5_000, ""))
    assert value_of(node.cards[0].memory.allocated) == 5_000 * MIB
    assert [a.container for a in node.allocations] == ["a"]
