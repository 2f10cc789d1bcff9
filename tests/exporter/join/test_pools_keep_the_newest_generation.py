from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.join.dra_pools import build_pools, index_devices, physical_cards
from gpuatlas.model.claims import DeviceKind, DraDevice, ResourceSlice
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.units import MIB
from gpuatlas.sources.dra.project import project_slice

LoadSlices = Callable[[str], list[dict[str, Any]]]


def projected(raws: list[dict[str, Any]]) -> list[ResourceSlice]:
    found = [project_slice(raw) for raw in raws]
    return [slice_ for slice_ in found if slice_ is not None]


def device(name: str, kind: DeviceKind = DeviceKind.GPU, **more: Any) -> DraDevice:
    fields = {"driver": "gpu.nvidia.com", "pool": "n", "node": "n", "vendor": "nvidia", **more}
    return DraDevice(name=name, kind=kind, **fields)


def slice_of(name: str, generation: int, count: int, *devices: DraDevice) -> ResourceSlice:
    return ResourceSlice(
        uid=name,
        name=name,
        driver="gpu.nvidia.com",
        pool="n",
        generation=generation,
        slice_count=count,
        devices=devices,
    )


def test_only_the_newest_generation_counts(dra_slices: LoadSlices) -> None:
    slices = projected(dra_slices("nvidia-v25.8.1"))
    assert [found.generation for found in slices] == [3, 2]
    pools = build_pools(slices)
    assert list(pools) == [("gpu.nvidia.com", "plain-a")]
    pool = pools["gpu.nvidia.com", "plain-a"]
    assert (pool.generation, pool.complete) == (3, True)
    assert {name: found.uuid for name, found in pool.devices.items()} == {
        "gpu-0": "GPU-b0000000-0000-4000-8000-000000000001",
        "gpu-1": "GPU-b0000000-0000-4000-8000-000000000002",
    }


def test_a_slice_of_counters_counts_towards_completeness(dra_slices: LoadSlices) -> None:
    slices = projected(dra_slices("nvidia-v25.12.0"))
    whole = build_pools(slices)["gpu.nvidia.com", "dynmig-a"]
    part = build_pools(slices[1:])["gpu.nvidia.com", "dynmig-a"]
    assert (whole.complete, part.complete) == (True, False)
    assert whole.devices == part.devices


@pytest.mark.parametrize(
    ("slices", "complete"),
    [
        pytest.param([slice_of("a", 1, 1)], True, id="all there"),
        pytest.param([slice_of("a", 1, 2)], False, id="one missing"),
        pytest.param([slice_of("a", 1, 1), slice_of("b", 1, 1)], False, id="one too many"),
        pytest.param([slice_of("a", 1, 2), slice_of("b", 1, 3)], False, id="they disagree"),
        pytest.param(
            [slice_of("a", 1, 2), slice_of("b", 1, 2), slice_of("c", 2, 2)],
            False,
            id="the next generation has begun",
        ),
        pytest.param([slice_of("a", 2, 1), slice_of("b", 1, 9)], True, id="old ones do not count"),
    ],
)
def test_a_pool_is_complete_when_all_its_slices_are_there(
    slices: list[ResourceSlice], *, complete: bool
) -> None:
    assert build_pools(slices)["gpu.nvidia.com", "n"].complete is complete


def test_a_name_that_two_slices_use_is_reported_and_the_first_stands() -> None:
    first, second = device("gpu-0", uuid="GPU-1"), device("gpu-0", uuid="GPU-2")
    slices = [slice_of("b", 1, 2, second), slice_of("a", 1, 2, first)]
    for order in (slices, slices[::-1]):
        pool = build_pools(order)["gpu.nvidia.com", "n"]
        assert pool.devices == {"gpu-0": first}
        assert pool.rejections == (
            Rejection(
                "dra",
                "duplicate",
                "pool gpu.nvidia.com/n",
                "gpu-0 is in slice b and was there before",
            ),
        )


def test_a_pool_repeats_what_was_refused_in_its_newest_slices() -> None:
    old, new = Rejection("dra", "bad-text", "old", ""), Rejection("dra", "bad-text", "new", "")
    slices = [
        replace(slice_of("a", 1, 1), rejections=(old,)),
        replace(slice_of("b", 2, 1), rejections=(new,)),
    ]
    assert build_pools(slices)["gpu.nvidia.com", "n"].rejections == (new,)


def test_devices_are_found_by_driver_pool_and_name(dra_slices: LoadSlices) -> None:
    slices = projected(dra_slices("nvidia-v25.8.1") + dra_slices("nvidia-v25.3.2"))
    index = index_devices(build_pools(slices))
    assert len(index) == 5
    key = ("gpu.nvidia.com", "plain-a", "gpu-0")
    assert index[key].uuid == "GPU-b0000000-0000-4000-8000-000000000001"  # type: ignore[index]
    other = ("gpu.nvidia.com", "mig-a", "gpu-0")
    assert index[other].uuid == "GPU-a0000000-0000-4000-8000-000000000001"  # type: ignore[index]


def test_a_whole_card_and_its_mig_devices_are_one_card(dra_slices: LoadSlices) -> None:
    pool = build_pools(projected(dra_slices("nvidia-v25.3.2")))["gpu.nvidia.com", "mig-a"]
    (card,) = pool.cards
    assert (card.node, card.id) == ("mig-a", "GPU-a0000000-0000-4000-8000-000000000001")
    assert card.whole is pool.devices["gpu-0"]
    assert [part.profile for part in card.others] == ["1g.10gb", "3g.40gb"]
    assert card.memory_bytes == 81920 * MIB


def test_all_that_a_card_could_be_cut_into_is_one_card(dra_slices: LoadSlices) -> None:
    pool = build_pools(projected(dra_slices("nvidia-v25.12.0")))["gpu.nvidia.com", "dynmig-a"]
    (card,) = pool.cards
    assert card.memory_bytes is None
    assert [part.is_possibility for part in card.others] == [True, True]


def test_a_cards_passthrough_form_is_no_second_card(dra_slices: LoadSlices) -> None:
    pool = build_pools(projected(dra_slices("nvidia-2026-08")))["gpu.nvidia.com", "new-a"]
    assert [(card.id, len(card.others)) for card in pool.cards] == [
        ("GPU-d0000000-0000-4000-8000-000000000001", 1),
        ("gpu.nvidia.com/new-a/gpu-vfio-1", 1),
    ]
    assert pool.cards[0].others[0].name == "gpu-vfio-0"
    assert pool.cards[1].whole is None


def test_partitions_without_a_whole_are_one_card_of_unknown_size(dra_slices: LoadSlices) -> None:
    pool = build_pools(projected(dra_slices("amd-2025-10")))["gpu.amd.com", "amd-a"]
    assert [(card.id, card.memory_bytes, len(card.others)) for card in pool.cards] == [
        ("17293822569102704640", None, 2),
        ("9246812345678901234", 196592 * MIB, 0),
        ("gpu.amd.com/amd-a/gpu-4-131", None, 0),
    ]


def test_the_same_pci_address_on_another_node_is_another_card() -> None:
    whole = device("gpu-0", uuid="GPU-1", pci_bus_id="0000:1B:00.0")
    near = device("gpu-vfio-0", DeviceKind.VFIO, pci_bus_id="0000:1b:00.0")
    far = replace(near, node="m", pool="m")
    cards = physical_cards([far, near, whole])
    assert [(card.node, card.id) for card in cards] == [
        ("m", "gpu.nvidia.com/m/gpu-vfio-0"),
        ("n", "GPU-1"),
    ]


names = st.sampled_from(["gpu-0", "gpu-1", "gpu-0-mig-19-0"])
some_devices = st.builds(
    device,
    names,
    st.sampled_from(list(DeviceKind)),
    uuid=st.sampled_from(["", "GPU-1", "GPU-2"]),
    parent_uuid=st.sampled_from(["", "GPU-1"]),
    pci_bus_id=st.sampled_from(["", "0000:1b:00.0"]),
)
some_slices = st.lists(
    st.builds(
        lambda name, generation, count, devices: slice_of(name, generation, count, *devices),
        st.text("abcd", min_size=1, max_size=2),
        st.integers(0, 3),
        st.integers(1, 3),
        st.lists(some_devices, max_size=3),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda found: found.name,
)


@settings(deadline=None, max_examples=100)
@given(some_slices)
def test_the_order_of_slices_does_not_matter_and_every_device_is_in_one_card(
    slices: list[ResourceSlice],
) -> None:
    pools = build_pools(slices)
    assert all(build_pools(order) == pools for order in permutations(slices))
    pool = pools["gpu.nvidia.com", "n"]
    newest = max(found.generation for found in slices)
    published = {d.name for s in slices if s.generation == newest for d in s.devices}
    assert pool.devices.keys() == published
    grouped = [d for card in pool.cards for d in (card.whole, *card.others) if d is not None]
    assert sorted(d.name for d in grouped) == sorted(published)
