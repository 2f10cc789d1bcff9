from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpuatlas.model.devices import Registration
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.units import MIB
from gpuatlas.sources.hami.annotations import read_node


def read(
    capacity: Mapping[str, int], annotations: Mapping[str, str] | None = None
) -> tuple[tuple[Registration, ...], tuple[Rejection, ...]]:
    return read_node("n", annotations or {}, capacity)


@pytest.mark.parametrize(
    "capacity",
    [{}, {"cambricon.com/mlu.smlu.vcore": 0}, {"nvidia.com/gpu": 8}, {"cambricon.com/vmlu": 4}],
)
def test_nothing_is_made_up_without_the_resource(capacity: dict[str, int]) -> None:
    assert read(capacity) == ((), ())


def test_a_started_card_is_a_card_and_shares_are_rounded_down_to_a_mib() -> None:
    (registration,), _ = read(
        {"cambricon.com/mlu.smlu.vcore": 250, "cambricon.com/mlu.smlu.vmemory": 77}
    )
    # 77 * 256 * 100 // 250 = 7884 MiB
    assert [(d.card, d.memory_bytes) for d in registration.devices] == [
        ("n-cambricon-mlu-0", 7884 * MIB),
        ("n-cambricon-mlu-1", 7884 * MIB),
        ("n-cambricon-mlu-2", 7884 * MIB),
    ]
    assert registration.handshake is None


def test_memory_is_unknown_when_the_node_does_not_state_it() -> None:
    (registration,), _ = read({"mthreads.com/sgpu-core": 16})
    assert [d.memory_bytes for d in registration.devices] == [None]


def test_neuroncores_are_unknown_when_the_node_does_not_state_them() -> None:
    (registration,), _ = read({"aws.amazon.com/neuron": 1})
    assert [(d.slots, d.cores) for d in registration.devices] == [(0, None)]


def test_cards_that_registered_themselves_are_not_made_up_again() -> None:
    capacity = {"amd.com/gpu": 8}
    annotations = {"hami.io/node-amd-register": '[{"id":"amd-1","devmem":1,"health":true}]'}
    (registration,), _ = read(capacity, annotations)
    assert registration.source == "hami.io/node-amd-register"


def test_an_unreadable_registration_is_no_reason_to_make_cards_up() -> None:
    registrations, (rejection,) = read({"amd.com/gpu": 8}, {"hami.io/node-amd-register": "{"})
    assert registrations == ()
    assert rejection.reason == "not-json"


def test_one_vendors_cards_are_made_up_once() -> None:
    (registration,), _ = read({"enflame.com/gcu-count": 2, "enflame.com/gcu": 2})
    assert (registration.source, len(registration.devices)) == ("enflame.com/gcu-count", 2)


def test_cards_of_several_vendors_stand_side_by_side() -> None:
    registrations, _ = read({"metax-tech.com/gpu": 1, "amd.com/gpu": 1})
    assert [r.vendor for r in registrations] == ["amd", "metax"]


@pytest.mark.parametrize(
    ("capacity", "where"),
    [
        ({"amd.com/gpu": 1025}, "node n capacity amd.com/gpu"),
        ({"amd.com/gpu": -1}, "node n capacity amd.com/gpu"),
        (
            {"mthreads.com/sgpu-core": 16, "mthreads.com/sgpu-memory": 10**15},
            "node n capacity mthreads.com/sgpu-core",
        ),
        (
            {"aws.amazon.com/neuron": 1, "aws.amazon.com/neuroncore": 10**9},
            "node n capacity aws.amazon.com/neuron",
        ),
    ],
)
def test_an_absurd_capacity_is_refused(capacity: dict[str, int], where: str) -> None:
    registrations, (rejection,) = read(capacity)
    assert registrations == ()
    assert (rejection.reason, rejection.where) == ("out-of-range", where)


def test_a_node_name_that_cannot_be_part_of_a_card_id_is_refused() -> None:
    registrations, (rejection,) = read_node("n" * 130, {}, {"amd.com/gpu": 1})
    assert registrations == ()
    assert rejection.reason == "bad-text"
