"""Snapshots of one node pool for the advice: cards by number, pods by what they do and need.

A pod's name is its position; without a word it runs in namespace team-a, belongs to a workload of
its own and holds all of the card of the same number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpuatlas.model.snapshot import (
    Allocation,
    Card,
    Evidence,
    NamespaceSnapshot,
    NodeSnapshot,
    Partition,
    PodWorkload,
    Sharing,
    Snapshot,
    WorkloadId,
)
from gpuatlas.model.units import MIB
from gpuatlas_harness import build

A100: Final = "NVIDIA A100-SXM4-80GB"
H100: Final = "NVIDIA H100 80GB HBM3"
T4: Final = "Tesla T4"


@dataclass(frozen=True, kw_only=True)
class PodOf:
    """One pod. `mib` is its memory on each card, None for not measured; a card "" is nameless."""

    cards: Sequence[int | str] = ()
    mib: int | None = 2_000
    compute: float | None = 0.1
    namespace: str = "team-a"
    workload: str = ""
    kind: str = "Deployment"
    runtime: str = "unknown"
    memory_ahead: float | None = None
    memory_ahead_setting: str = ""
    partition: str = "whole"
    reserved_mib: int | None = None
    gang: int | None = None


def a_pool(
    pods: Sequence[PodOf] = (),
    *,
    cards: int = 2,
    card: Mapping[str, Any] | None = None,
    unmeasured: int = 0,
    partitions: Sequence[Partition] = (),
    **node: Any,
) -> Snapshot:
    """One node with cards of 81,920 MiB; the last `unmeasured` ones have no driver metrics."""
    placed = [(str(number), pod, pod.cards or (number,)) for number, pod in enumerate(pods)]
    counted = Counter(index for _, _, held in placed for index in {str(i) for i in held})
    built = [
        _card(index, counted[str(index)], partitions, card or {}, read=index < cards - unmeasured)
        for index in range(cards)
    ]
    held = [a for name, pod, indexes in placed for a in _allocations(name, pod, indexes)]
    fields: dict[str, Any] = {
        "pool": "main",
        "platform": "",
        "sharing": "plain",
        "card_count": build.known(cards),
        "cards": tuple(built),
        "allocations": tuple(held),
    }
    names = sorted({pod.namespace for pod in pods})
    spaces = [
        _namespace(name, [(n, p) for n, p, _ in placed if p.namespace == name]) for name in names
    ]
    return build.a_snapshot([build.a_node(**(fields | node))], spaces)


def in_another(snapshot: Snapshot, *nodes: NodeSnapshot) -> Snapshot:
    """The same with more nodes."""
    return Snapshot(
        at=snapshot.at,
        nodes={**snapshot.nodes, **{node.name: node for node in nodes}},
        namespaces=snapshot.namespaces,
    )


def card_id(index: int | str) -> str:
    return f"GPU-00000000-0000-4000-8000-{int(index):012d}"


def _card(
    index: int,
    tenants: int,
    partitions: Sequence[Partition],
    fields: Mapping[str, Any],
    *,
    read: bool,
) -> Card:
    physical = fields.get("physical_mib", 81_920) * MIB
    defaults: dict[str, Any] = {
        "id": card_id(index),
        "index": str(index),
        "model": A100,
        "sharing": Sharing.PLAIN,
        "memory": build.a_memory(
            physical=build.known(physical), overcommitted=build.known(0), resident=build.known(MIB)
        ),
        "compute_utilization": build.known(0.1),
        "tenants": build.known(tenants),
        "partitions": tuple(partitions),
    }
    if not read:
        unread = {"memory": build.no_memory(), "compute_utilization": build.UNMEASURED}
        return build.a_card(**(defaults | unread))
    return build.a_card(**(defaults | {k: v for k, v in fields.items() if k != "physical_mib"}))


def _allocations(name: str, pod: PodOf, indexes: Sequence[int | str]) -> list[Allocation]:
    measured = build.UNMEASURED if pod.mib is None else build.known(pod.mib * MIB)
    return [
        build.an_allocation(
            card=card_id(index) if index != "" else "",
            index=str(index),
            namespace=pod.namespace,
            pod=name,
            partition=pod.partition,
            evidence=Evidence.POD_STATUS if index != "" else Evidence.UNKNOWN,
            memory_reserved=build.UNMEASURED
            if pod.reserved_mib is None
            else build.known(pod.reserved_mib * MIB),
            memory_resident=measured,
            memory_counted=build.UNMEASURED,
            compute_utilization=build.UNMEASURED
            if pod.compute is None
            else build.known(pod.compute),
        )
        for index in indexes
    ]


def _namespace(name: str, pods: Sequence[tuple[str, PodOf]]) -> NamespaceSnapshot:
    workloads: dict[WorkloadId, Any] = {}
    members = []
    for pod_name, pod in pods:
        identity = WorkloadId(
            namespace=name, api_group="", kind=pod.kind, name=pod.workload or f"w-{pod_name}"
        )
        workloads[identity] = build.a_workload(
            id=identity,
            runtime=pod.runtime,
            memory_ahead=pod.memory_ahead,
            memory_ahead_setting=pod.memory_ahead_setting,
            gang_min_members=pod.gang,
        )
        members.append(PodWorkload(namespace=name, pod=pod_name, node="gpu-a", workload=identity))
    return NamespaceSnapshot(name=name, workloads=tuple(workloads.values()), pods=tuple(members))
