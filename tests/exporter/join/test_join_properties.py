"""Whatever the sources say, the snapshot holds no impossible number and no series twice."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.claims import Claim, DeviceKind, DraDevice
from gpuatlas.model.objects import DeviceStatus, Node, Pod
from gpuatlas.model.observations import Observations
from gpuatlas.model.pages import CardReading, ContainerReading, InstanceReading, Tenant
from gpuatlas.model.readings import Known
from gpuatlas.model.snapshot import Evidence, NodeSnapshot
from gpuatlas_harness.claimed import (
    a_claim,
    a_dra_device,
    a_fraction_pod,
    a_reservation_pod,
    a_result,
    a_slice,
    of,
)
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

NODES = ("gpu-a", "gpu-b")
CARDS = st.integers(1, 4)
FIELDS = st.dictionaries(
    st.sampled_from(
        [
            "DEV_FB_USED",
            "DEV_FB_FREE",
            "DEV_FB_RESERVED",
            "DEV_FB_TOTAL",
            "DEV_GPU_UTIL",
            "PROF_SM_ACTIVE",
            "DEV_CLOCKS_EVENT_REASONS",
            "DEV_GET_GPU_RECOVERY_ACTION",
        ]
    ),
    st.floats(0, 100_000),
)
TENANTS = st.builds(
    Tenant,
    st.just("team-a"),
    st.sampled_from(["p0", "p1", "p2"]),
    st.sampled_from(["main", "side", ""]),
)
INSTANCES = st.builds(
    InstanceReading,
    instance=st.sampled_from(["1", "2", "9"]),
    profile=st.sampled_from(["1g.10gb", "3g.40gb", "odd"]),
    fields=FIELDS,
    tenants=st.frozensets(TENANTS, max_size=2),
)


@st.composite
def readings(draw: st.DrawFn) -> CardReading:
    instances = draw(st.lists(INSTANCES, max_size=2, unique_by=lambda i: i.instance))
    return a_reading(
        draw(CARDS),
        *draw(st.lists(TENANTS, max_size=2)),
        instances=tuple(instances),
        fields=draw(FIELDS),
        model=draw(st.sampled_from(["NVIDIA A10G", "NVIDIA A30", ""])),
    )


@st.composite
def nodes(draw: st.DrawFn, name: str) -> Node:
    numbers = draw(st.sets(CARDS, max_size=3))
    registered = [a_registration(*(a_device(n) for n in sorted(numbers)))] if numbers else []
    labels = draw(
        st.dictionaries(
            st.sampled_from(
                ["nvidia.com/gpu.memory", "nvidia.com/gpu.replicas", "nvidia.com/gpu.count"]
            ),
            st.sampled_from(["1", "4", "81920", "x", ""]),
        )
    )
    return a_node(name, *registered, labels=labels)


KINDS = st.sampled_from([DeviceKind.GPU, DeviceKind.HAMI_GPU, DeviceKind.MIG, DeviceKind.VFIO])


@st.composite
def dra_devices(draw: st.DrawFn, node: str) -> DraDevice:
    number = draw(CARDS)
    kind = draw(KINDS)
    changes: dict[str, Any] = {"kind": kind, "name": draw(st.sampled_from(["gpu-0", "gpu-1", "m"]))}
    if kind is DeviceKind.MIG:
        changes |= {"uuid": draw(st.sampled_from(["", "MIG-1"])), "parent_uuid": uuid(number)}
        changes |= {"profile": draw(st.sampled_from(["1g.10gb", "odd"]))}
    if kind is DeviceKind.VFIO:
        changes |= {"uuid": ""}
    return a_dra_device(
        number,
        draw(st.sampled_from([node, ""])),
        pool=node,
        memory_bytes=draw(st.none() | st.integers(0, 10**11)),
        cores=draw(st.none() | st.integers(1, 100)),
        allows_multiple=draw(st.booleans()),
        **changes,
    )


@st.composite
def claims(draw: st.DrawFn, number: int, devices: list[DraDevice]) -> Claim:
    results = [
        a_result(
            draw(st.sampled_from(devices)),
            memory_bytes=draw(st.none() | st.integers(0, 10**11)),
            cores=draw(st.none() | st.integers(1, 100)),
            sharing=draw(st.sampled_from(["", "mps", "time-slicing"])),
            admin=draw(st.booleans()),
        )
        for _ in range(draw(st.integers(0, 2)))
    ]
    users = draw(st.lists(st.sampled_from(["p0", "p1", "p2", "gone"]), max_size=2, unique=True))
    return a_claim(f"c{number}", *results, pods=tuple(users))


@st.composite
def dra(draw: st.DrawFn) -> dict[str, Any]:
    devices = [draw(dra_devices(name)) for name in NODES for _ in range(draw(st.integers(0, 2)))]
    slices = [
        a_slice(*(d for d in devices if d.pool == name))
        for name in NODES
        if any(d.pool == name for d in devices)
    ]
    made = [draw(claims(n, devices)) for n in range(draw(st.integers(0, 2)))] if devices else []
    return of(*slices, *made)


GROUPS = st.sampled_from(["g", "h"])


@st.composite
def kai_pods(draw: st.DrawFn) -> list[Pod]:
    pods = [
        a_reservation_pod(draw(GROUPS), uuid(draw(CARDS)), draw(st.sampled_from(NODES)))
        for _ in range(draw(st.integers(0, 1)))
    ]
    fractions = [
        a_fraction_pod(
            f"f{n}", draw(GROUPS), portion=draw(st.none() | st.sampled_from([0.25, 0.7, 1.0]))
        )
        for n in range(draw(st.integers(0, 2)))
    ]
    return [*pods, *fractions]


@st.composite
def statuses(draw: st.DrawFn) -> tuple[DeviceStatus, ...]:
    ids = st.sampled_from([uuid(1), f"{uuid(2)}::1", "MIG-1", "nvidia0", f"{uuid(1)}-2"])
    return tuple(
        DeviceStatus(container="main", resource="nvidia.com/gpu", device=device, health="Healthy")
        for device in draw(st.lists(ids, max_size=2))
    )


@st.composite
def pods(draw: st.DrawFn, name: str) -> Pod:
    promises = [
        a_promise(
            uuid(draw(CARDS)),
            draw(st.none() | st.integers(0, 50_000)),
            draw(st.none() | st.integers(0, 200)),
            container=draw(st.sampled_from(["main", "side", ""])),
        )
        for _ in range(draw(st.integers(0, 3)))
    ]
    resource = draw(st.sampled_from(["nvidia.com/gpu", "nvidia.com/mig-1g.10gb", "x.com/y"]))
    containers = tuple(
        a_container(container, {resource: draw(st.integers(0, 4))}, kind=kind)
        for container, kind in (("main", "main"), ("side", draw(st.sampled_from(["init", "main"]))))
    )
    return a_pod(
        name,
        draw(st.sampled_from([*NODES, "", "gone"])),
        *promises,
        containers=containers,
        devices=draw(statuses()),
        phase=draw(st.sampled_from(["Pending", "Running", "Succeeded", "Unknown"])),
    )


@st.composite
def clusters(draw: st.DrawFn) -> Observations:
    readings_of_container: dict[tuple[Tenant, str], ContainerReading] = {
        (draw(TENANTS), uuid(draw(CARDS))): a_container_reading(
            draw(st.none() | st.integers(0, 50_000)), utilization=draw(st.floats(0, 3))
        )
        for _ in range(draw(st.integers(0, 3)))
    }
    return observations(
        [draw(nodes(name)) for name in NODES],
        [*(draw(pods(f"p{i}")) for i in range(3)), *draw(kai_pods())],
        **draw(dra()),
        dcgm=tuple(
            a_dcgm_page(*draw(st.lists(readings(), max_size=3)), node=draw(st.sampled_from(NODES)))
            for _ in range(draw(st.integers(0, 2)))
        ),
        monitors=(a_monitor_page(readings_of_container, node=draw(st.sampled_from(["", *NODES]))),),
    )


def numbers_of(node: NodeSnapshot) -> Iterator[float]:
    for card in node.cards:
        memory = card.memory
        yield from (
            float(r.value)
            for r in (
                memory.physical,
                memory.schedulable,
                memory.allocated,
                memory.overcommitted,
                memory.resident,
                memory.counted,
                memory.offloaded,
                card.compute_allocated,
                card.compute_utilization,
                card.tenants,
            )
            if isinstance(r, Known)
        )
    for a in node.allocations:
        yield from (
            float(r.value)
            for r in (a.memory_reserved, a.memory_counted, a.compute_reserved, a.idle_seconds)
            if isinstance(r, Known)
        )


@settings(deadline=None, max_examples=150)
@given(clusters())
def test_no_impossible_number_and_no_allocation_twice(cluster: Observations) -> None:
    for node in Joiner().build(cluster).nodes.values():
        assert all(math.isfinite(n) and n >= 0 for n in numbers_of(node))
        keys = [(a.card, a.namespace, a.pod, a.container) for a in node.allocations]
        assert len(keys) == len(set(keys))
        cards = [c.id for c in node.cards]
        assert len(cards) == len(set(cards))
        assert {a.card for a in node.allocations} <= {*cards, ""}


@settings(deadline=None, max_examples=150)
@given(clusters())
def test_card_sums_are_the_sums_of_their_allocations(cluster: Observations) -> None:
    """Where no init container is involved, a card's promise is what its allocations add up to."""
    for node in Joiner().build(cluster).nodes.values():
        for card in node.cards:
            mine = [a for a in node.allocations if a.card == card.id]
            # What a claim holds is one promise: nobody's while idle, no single pod's while shared.
            claimed = card.idle_claims or any(a.evidence is Evidence.CLAIM for a in mine)
            if claimed or not isinstance(card.memory.allocated, Known):
                continue
            assert all(isinstance(a.memory_reserved, Known) for a in mine)
            total = sum(
                a.memory_reserved.value for a in mine if isinstance(a.memory_reserved, Known)
            )
            assert card.memory.allocated.value <= total
            if all(a.container != "side" for a in mine):
                assert card.memory.allocated.value == total


@settings(deadline=None, max_examples=60)
@given(st.lists(clusters(), min_size=2, max_size=3))
def test_the_joiners_memory_never_shows(sequence: list[Observations]) -> None:
    joiner = Joiner()
    for cluster in sequence:
        assert joiner.build(cluster) == Joiner().build(cluster)
