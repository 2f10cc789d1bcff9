"""dcgm-exporter's values per pod belong to a container only where the pod has no other."""

from __future__ import annotations

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.pages import Tenant
from gpuatlas.model.readings import Unknown, value_of
from gpuatlas.model.units import MIB
from gpuatlas_harness.observed import (
    a_container,
    a_dcgm_page,
    a_node,
    a_pod,
    a_reading,
    observations,
)

LABELS = {"nvidia.com/gpu.sharing-strategy": "time-slicing", "nvidia.com/gpu.replicas": "4"}


@pytest.mark.parametrize("named", ["", "a"])
def test_two_containers_of_a_pod_do_not_double_its_memory(named: str) -> None:
    fields = {Tenant("team-a", "app", named): {"DEV_FB_USED": 5_000.0, "DEV_GPU_UTIL": 40.0}}
    page = a_dcgm_page(a_reading(1, tenant_fields=fields, DEV_FB_USED=9_000.0))
    node = a_node(capacity={"nvidia.com/gpu": 4}, labels=LABELS)
    pods = [
        a_pod("app", containers=(a_container("a"), a_container("b"))),
        a_pod("other"),
    ]
    allocations = (
        Joiner().build(observations([node], pods, dcgm=(page,))).nodes["gpu-a"].allocations
    )
    of_app = [a for a in allocations if a.pod == "app"]
    assert len(of_app) == 2
    assert all(isinstance(a.memory_resident, Unknown) for a in of_app)
    assert all(isinstance(a.compute_utilization, Unknown) for a in of_app)


def test_the_only_container_has_the_values_of_its_pod() -> None:
    fields = {Tenant("team-a", "app", ""): {"DEV_FB_USED": 5_000.0}}
    page = a_dcgm_page(a_reading(1, tenant_fields=fields, DEV_FB_USED=9_000.0))
    node = a_node(capacity={"nvidia.com/gpu": 4}, labels=LABELS)
    snapshot = Joiner().build(observations([node], [a_pod("app")], dcgm=(page,)))
    (allocation,) = snapshot.nodes["gpu-a"].allocations
    assert value_of(allocation.memory_resident) == 5_000 * MIB
