"""Rules that the golden page does not show."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from gpuatlas.families.catalogue import ALL_FAMILIES
from gpuatlas.families.spec import Series
from gpuatlas.model.snapshot import CardState, PartitionKind
from gpuatlas.model.units import MIB
from gpuatlas_harness import build


def samples(name: str, entity: object) -> list[Series]:
    (family,) = [family for family in ALL_FAMILIES if family.name == name]
    found: Iterable[Series] = family.samples(entity)
    return list(found)


@pytest.mark.parametrize("state", list(CardState))
def test_exactly_one_state_is_set(state: CardState) -> None:
    node = build.a_node(cards=(build.a_card(state=state),))
    found = {values[-1]: number for values, number in samples("gpuatlas_card_state", node)}
    assert found == {
        "free": 0,
        "idle": 0,
        "working": 0,
        "slowed": 0,
        "failed": 0,
        "unknown": 0,
    } | {str(state): 1}


@pytest.mark.parametrize(("ready", "number"), [(True, 1), (False, 0)])
def test_sharing_ready_is_one_or_zero(*, ready: bool, number: int) -> None:
    node = build.a_node(sharing_ready=build.known(ready))
    assert samples("gpuatlas_node_sharing_ready", node) == [(("gpu-a",), number)]


@pytest.mark.parametrize("kind", list(PartitionKind))
def test_only_hard_partitions_have_physical_memory(kind: PartitionKind) -> None:
    part = build.a_partition(id="p", kind=kind, memory_physical=build.known(MIB))
    card = build.a_card(partitions=(part,))
    found = samples("gpuatlas_partition_memory_physical_bytes", build.a_node(cards=(card,)))
    hard = kind in {PartitionKind.MIG, PartitionKind.DRA}
    assert found == ([((card.node, card.id, card.index, "p"), MIB)] if hard else [])


def test_a_measured_zero_is_a_sample() -> None:
    card = build.a_card(memory=build.a_memory(resident=build.known(0)), tenants=build.known(0))
    node = build.a_node(cards=(card,))
    labels = (card.node, card.id, card.index)
    assert samples("gpuatlas_card_memory_resident_bytes", node) == [(labels, 0)]
    assert samples("gpuatlas_card_tenants", node) == [(labels, 0)]


@pytest.mark.parametrize("up", [True, False])
def test_a_source_is_up_or_not(*, up: bool) -> None:
    assert samples("gpuatlas_source_up", build.a_source(up=up)) == [(("dcgm",), int(up))]


@pytest.mark.parametrize(
    "name",
    [
        "gpuatlas_source_up",
        "gpuatlas_source_last_success_timestamp_seconds",
        "gpuatlas_source_read_duration_seconds",
        "gpuatlas_source_targets",
    ],
)
def test_a_source_with_nothing_to_read_has_no_series(name: str) -> None:
    assert samples(name, build.a_source(up=None)) == []


def test_refusals_are_counted_even_where_nothing_is_left_to_read() -> None:
    status = build.a_source(up=None, rejected={"b": 2, "a": 1})
    assert samples("gpuatlas_source_rejected_samples_total", status) == [
        (("dcgm", "a"), 1),
        (("dcgm", "b"), 2),
    ]
