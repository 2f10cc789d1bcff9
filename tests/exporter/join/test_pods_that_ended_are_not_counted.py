"""A monitor shows a container while its region file is there, also when its pod has ended."""

from __future__ import annotations

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.pages import Tenant
from gpuatlas.model.readings import value_of
from gpuatlas.model.units import MIB
from gpuatlas_harness.observed import (
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


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_pod_that_ended_adds_nothing_to_counted_and_offloaded(phase: str) -> None:
    node = a_node("gpu-a", a_registration(a_device(1)), capacity={"nvidia.com/gpu": 10})
    pods = [
        a_pod("live", "gpu-a", a_promise(uuid(1), 1_000)),
        a_pod("done", "gpu-a", a_promise(uuid(1), 9_000), phase=phase),
    ]
    monitor = a_monitor_page(
        {
            (Tenant("team-a", "live", "main"), uuid(1)): a_container_reading(500),
            (Tenant("team-a", "done", "main"), uuid(1)): a_container_reading(9_000),
        }
    )
    page = a_dcgm_page(a_reading(1, DEV_FB_USED=600.0))
    snapshot = Joiner().build(observations([node], pods, dcgm=(page,), monitors=(monitor,)))
    (card,) = snapshot.nodes["gpu-a"].cards
    assert value_of(card.memory.counted) == 500 * MIB
    assert value_of(card.memory.offloaded) == 0
