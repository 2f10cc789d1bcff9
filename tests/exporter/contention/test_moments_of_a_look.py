from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gpuatlas.contention.moments import MomentMemory, moments_of
from gpuatlas.contention.tenancy import pods_on_shared_cards, shared_cards
from gpuatlas.model.contention import CardMoment, TenantMoment
from gpuatlas.model.pages import InstanceReading
from gpuatlas.model.readings import Known, Reading, value_of
from gpuatlas.model.services import ServiceReading
from gpuatlas.model.snapshot import Allocation, PartitionKind, Sharing, Snapshot
from gpuatlas_harness import build
from gpuatlas_harness.observed import a_dcgm_page, a_reading, observations, uuid

AT = 1_800_000_000.0
CARD = uuid(1)
UNMEASURED = build.UNMEASURED


def held(
    pod: str, share: float | None = None, promised: float | None = None, **fields: Any
) -> Allocation:
    given: dict[str, Any] = {
        "card": CARD,
        "pod": pod,
        "compute_utilization": UNMEASURED if share is None else build.known(share),
        "compute_reserved": UNMEASURED if promised is None else build.known(promised),
        "idle_seconds": UNMEASURED,
        "isolated": (),
        "priority": UNMEASURED,
    }
    return build.an_allocation(**(given | fields))


def a_snapshot(
    *allocations: Allocation, owners: Mapping[str, str] | None = None, **card: Any
) -> Snapshot:
    """One card; each pod is its own workload unless `owners` names one."""
    pods = {a.pod: (owners or {}).get(a.pod, a.pod) for a in allocations}
    return build.a_snapshot(
        [build.a_node(cards=(build.a_card(id=CARD, **card),), allocations=allocations)],
        [
            build.a_namespace(
                pods=tuple(
                    build.a_pod_workload(pod=pod, workload=build.a_workload_id(name=name))
                    for pod, name in pods.items()
                )
            )
        ],
    )


def look(
    snapshot: Snapshot,
    *readings: ServiceReading,
    fields: Mapping[str, float] | None = None,
    instances: tuple[InstanceReading, ...] = (),
    memory: MomentMemory | None = None,
    at: float = AT,
) -> tuple[tuple[CardMoment, ...], MomentMemory]:
    memory = memory or MomentMemory()
    page = a_dcgm_page(a_reading(1, fields=fields, instances=instances), at=at)
    shared = shared_cards(snapshot, before=memory.shared_at)
    return moments_of(observations([], dcgm=(page,)), shared, readings, memory, at=at)


def tenants(snapshot: Snapshot, *readings: ServiceReading) -> dict[str, TenantMoment]:
    ((moment,), _) = look(snapshot, *readings)
    return {tenant.workload.name: tenant for tenant in moment.tenants}


def a_service(pod: str = "chat-0", at: float = AT, **values: Any) -> ServiceReading:
    given: dict[str, Any] = {"waiting": 0.0, "running": 3.0}
    return ServiceReading(namespace="team-a", pod=pod, runtime="vllm", at=at, **(given | values))


def number(reading: Reading[float]) -> float | None:
    return value_of(reading)


def test_a_card_with_two_workloads_has_a_moment() -> None:
    snapshot = a_snapshot(held("chat-0", 0.6), held("train-0", 0.35))
    ((moment,), _) = look(snapshot, fields={"PROF_SM_ACTIVE": 0.95})
    assert (moment.node, moment.card, moment.index, moment.at) == ("gpu-a", CARD, "0", AT)
    assert (moment.saturated, moment.hardware, moment.instance) == (frozenset({"compute"}), "", "")
    assert [(t.workload.name, number(t.share), t.active) for t in moment.tenants] == [
        ("chat-0", 0.6, True),
        ("train-0", 0.35, True),
    ]


def test_pods_of_one_workload_are_one_tenant_and_share_with_nobody() -> None:
    owners = {"chat-0": "chat", "chat-1": "chat"}
    snapshot = a_snapshot(held("chat-0", 0.2), held("chat-1", 0.3), owners=owners)
    assert look(snapshot)[0] == ()
    both = a_snapshot(held("chat-0", 0.2), held("chat-1", 0.3), held("train-0", 0.1), owners=owners)
    assert number(tenants(both)["chat"].share) == 0.5


def test_a_pod_without_a_workload_stands_for_itself() -> None:
    snapshot = build.a_snapshot(
        [build.a_node(cards=(build.a_card(id=CARD),), allocations=(held("a"), held("b")))]
    )
    ((moment,), _) = look(snapshot)
    assert [(t.workload.kind, t.workload.name) for t in moment.tenants] == [
        ("Pod", "a"),
        ("Pod", "b"),
    ]


def test_a_card_that_was_shared_is_looked_at_for_another_day() -> None:
    both = a_snapshot(held("chat-0", 0.6), held("train-0", 0.3))
    alone = a_snapshot(held("chat-0", 0.6))
    assert look(alone)[0] == ()
    _, memory = look(both)
    ((moment,), memory) = look(alone, memory=memory, at=AT + 3600)
    assert [t.workload.name for t in moment.tenants] == ["chat-0"]
    moments, memory = look(alone, memory=memory, at=AT + 86_401)
    assert moments != ()
    assert look(alone, memory=memory, at=AT + 86_500)[0] == ()


def test_entitlements_are_equal_parts_where_nobody_promised() -> None:
    found = tenants(a_snapshot(held("a"), held("b"), held("c"), held("d")))
    assert {number(t.entitlement) for t in found.values()} == {0.25}


@pytest.mark.parametrize(
    ("promises", "entitled"),
    [
        ((0.3, 0.5), (0.3, 0.5)),
        ((0.3, None), (0.3, 0.7)),
        ((0.3, None, None), (0.3, 0.35, 0.35)),
        ((0.0, 0.4), (0.6, 0.4)),  # no cores asked for is no promise of none
        ((1.0, 1.0), (0.5, 0.5)),  # more than the card is scaled down to it
        ((0.9, 0.3, None), (0.75, 0.25, 0.0)),
    ],
)
def test_entitlements_by_promises(
    promises: tuple[float | None, ...], entitled: tuple[float, ...]
) -> None:
    allocations = [held(f"pod-{n}", promised=p) for n, p in enumerate(promises)]
    found = tenants(a_snapshot(*allocations))
    assert [number(t.entitlement) for t in found.values()] == pytest.approx(entitled)


@pytest.mark.parametrize(
    ("share", "running", "idle", "active"),
    [
        (0.02, None, None, True),
        (0.01, None, None, False),
        (None, None, None, None),
        (None, 1.0, None, True),
        (None, 0.0, None, False),
        (None, None, 5.0, True),
        (None, None, 900.0, None),  # CUDA graphs leave no trace in the last kernel
        (0.0, None, 5.0, False),
    ],
)
def test_who_is_at_work(
    *, share: float | None, running: float | None, idle: float | None, active: bool | None
) -> None:
    seconds = UNMEASURED if idle is None else build.known(idle)
    snapshot = a_snapshot(held("chat-0", share, idle_seconds=seconds), held("train-0", 0.3))
    readings = [] if running is None else [a_service(running=running)]
    assert tenants(snapshot, *readings)["chat-0"].active is active


def test_the_service_of_a_tenant() -> None:
    snapshot = a_snapshot(held("chat-0"), held("train-0", 0.3))
    first = a_service(at=AT - 30, tokens_total=0.0, waiting=1.0)
    _, memory = look(snapshot, first, at=AT - 30)
    second = a_service(tokens_total=900.0, waiting=2.0)
    ((moment,), _) = look(snapshot, second, memory=memory)
    chat = moment.tenants[0]
    assert (chat.waiting, chat.running, chat.rate, chat.speed) == (2.0, 3.0, 30.0, 10.0)


def test_servers_of_one_workload_on_one_card_are_added() -> None:
    owners = {"chat-0": "chat", "chat-1": "chat"}
    snapshot = a_snapshot(held("chat-0"), held("chat-1"), held("train-0", 0.3), owners=owners)
    found = tenants(snapshot, a_service("chat-0"), a_service("chat-1", waiting=4.0))
    assert (found["chat"].running, found["chat"].waiting) == (6.0, 4.0)


def test_a_server_that_was_not_read_for_long_has_no_signal() -> None:
    snapshot = a_snapshot(held("chat-0"), held("train-0", 0.3))
    assert tenants(snapshot, a_service(at=AT - 180))["chat-0"].running == 3.0
    assert tenants(snapshot, a_service(at=AT - 181))["chat-0"].running is None


@pytest.mark.parametrize(
    ("share", "sharing", "isolated", "expected"),
    [
        (0.29, Sharing.HAMI, (), True),
        (0.28, Sharing.HAMI, (), False),
        (0.31, Sharing.HAMI, (), True),
        (0.40, Sharing.HAMI, (), False),  # far beyond it: nothing limits it
        (0.29, Sharing.HAMI, (("compute", False),), False),
        (0.29, Sharing.KAI, (), False),  # shares of compute are not enforced there
        (0.29, Sharing.MPS, (), True),
    ],
)
def test_a_tenant_at_its_own_limit(
    *, share: float, sharing: Sharing, isolated: tuple[tuple[str, bool], ...], expected: bool
) -> None:
    own = held("chat-0", share, promised=0.3, isolated=isolated)
    snapshot = a_snapshot(own, held("train-0", 0.3), sharing=sharing)
    assert tenants(snapshot)["chat-0"].at_own_limit is expected


@pytest.mark.parametrize(("used", "expected"), [(0.98, True), (0.97, False)])
def test_a_full_cache_is_a_limit_of_its_own(*, used: float, expected: bool) -> None:
    snapshot = a_snapshot(held("chat-0", 0.3), held("train-0", 0.3))
    assert tenants(snapshot, a_service(cache_used=used))["chat-0"].at_own_limit is expected


@pytest.mark.parametrize(
    ("priority", "other", "share", "expected"),
    [
        (1, 0, 0.0, True),
        (1, 0, None, True),
        (1, 0, 0.4, False),  # it works: nothing holds it
        (1, 1, 0.0, False),
        (0, 1, 0.0, False),
        (None, 0, 0.0, True),  # 1 where the pod names none
    ],
)
def test_who_is_held_for_a_higher_priority(
    *, priority: int | None, other: int, share: float | None, expected: bool
) -> None:
    own = UNMEASURED if priority is None else build.known(priority)
    snapshot = a_snapshot(
        held("chat-0", share, priority=own), held("train-0", 0.5, priority=build.known(other))
    )
    assert tenants(snapshot)["chat-0"].held is expected


def test_only_hami_holds_pods_back() -> None:
    snapshot = a_snapshot(
        held("chat-0", 0.0),
        held("train-0", 0.5, priority=build.known(0)),
        sharing=Sharing.TIME_SLICING,
    )
    assert not tenants(snapshot)["chat-0"].held


def test_tenants_of_different_mig_instances_share_nothing() -> None:
    parts = tuple(
        build.a_partition(id=f"gi-{n}", kind=PartitionKind.MIG, profile="3g.40gb") for n in (1, 2)
    )
    snapshot = a_snapshot(
        held("a", 0.2, 3 / 7, partition="gi-1"),
        held("b", 0.2, 3 / 7, partition="gi-2"),
        held("c", 0.1, 3 / 7, partition="gi-2"),
        partitions=parts,
        sharing=Sharing.MIG,
    )
    instances = tuple(
        InstanceReading(
            instance=str(n),
            profile="3g.40gb",
            fields={"PROF_GR_ENGINE_ACTIVE": busy},
            tenants=frozenset(),
        )
        for n, busy in ((1, 0.2), (2, 0.93))
    )
    ((moment,), _) = look(snapshot, instances=instances)
    assert (moment.instance, moment.saturated) == ("gi-2", frozenset({"compute"}))
    assert [t.workload.name for t in moment.tenants] == ["b", "c"]
    assert [number(t.entitlement) for t in moment.tenants] == pytest.approx([3 / 14, 3 / 14])


def test_an_error_of_the_card_is_told_by_two_looks() -> None:
    snapshot = a_snapshot(held("a", 0.5), held("b", 0.4))
    _, memory = look(snapshot, fields={"DEV_XID_ERRORS": 0})
    ((moment,), _) = look(snapshot, fields={"DEV_XID_ERRORS": 31}, memory=memory, at=AT + 30)
    assert moment.hardware == "XID 31 0 s ago"


def test_a_card_without_a_page_is_judged_by_what_the_join_knows() -> None:
    snapshot = a_snapshot(
        held("a", 0.5),
        held("b", 0.4),
        compute_utilization=Known(0.99, AT, "hami_host_gpu_utilization_ratio"),
        memory=build.a_memory(resident=UNMEASURED),
    )
    shared = shared_cards(snapshot)
    (moment,), _ = moments_of(observations([]), shared, (), MomentMemory(), at=AT)
    assert moment.saturated == frozenset({"kernels"})


def test_only_the_cards_of_our_nodes() -> None:
    snapshot = a_snapshot(held("a"), held("b"))
    assert list(shared_cards(snapshot, lambda node: node != "gpu-a")) == []
    (card,) = shared_cards(snapshot, lambda node: node == "gpu-a")
    assert pods_on_shared_cards([card]) == {("team-a", "a"), ("team-a", "b")}
