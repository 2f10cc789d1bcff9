"""The most tenants of a MIG card: its instances, times their replicas."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.pages import InstanceReading
from gpuatlas.model.readings import value_of
from gpuatlas_harness.observed import a_dcgm_page, a_node, a_reading, observations

SLICED = {"nvidia.com/gpu.sharing-strategy": "time-slicing"}


def an_instance(number: int) -> InstanceReading:
    return InstanceReading(instance=str(number), profile="1g.10gb", fields={}, tenants=frozenset())


@pytest.mark.parametrize(
    ("instances", "labels", "limit"),
    [
        pytest.param(3, {}, 3, id="instances"),
        pytest.param(0, {}, 7, id="no page lists them: as many as the card can have"),
        pytest.param(3, SLICED | {"nvidia.com/gpu.replicas": "4"}, 12, id="replicated"),
        pytest.param(3, SLICED, None, id="replicated, and no label says how often"),
    ],
)
def test_the_limit_counts_instances_and_replicas(
    instances: int, labels: Mapping[str, str], limit: int | None
) -> None:
    node = a_node(labels={"nvidia.com/mig.strategy": "single", **labels})
    reading = a_reading(
        1, model="NVIDIA A100", instances=tuple(an_instance(n) for n in range(instances))
    )
    snapshot = Joiner().build(observations([node], dcgm=(a_dcgm_page(reading),)))
    (card,) = snapshot.nodes["gpu-a"].cards
    assert value_of(card.tenants_limit) == limit
