"""Snapshots for tests: `a_card(...)` and its like, with every reading known unless told otherwise.

Names and UUIDs are invented. What a test is about, it passes by keyword; the rest is filled in.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeVar

from gpuatlas.model.readings import Known, Unknown
from gpuatlas.model.snapshot import (
    Allocation,
    Card,
    CardMemory,
    CardState,
    Evidence,
    NamespaceSnapshot,
    NodeSnapshot,
    Partition,
    PartitionKind,
    PodWorkload,
    Sharing,
    Snapshot,
    Workload,
    WorkloadId,
)
from gpuatlas.model.status import SourceStatus
from gpuatlas.model.units import MIB

T = TypeVar("T")

NOW: Final = 1_790_000_000.0
UNMEASURED: Final = Unknown("nobody measured it")


def known(value: T, source: str = "test") -> Known[T]:
    return Known(value, NOW, source)


def a_memory(**readings: Any) -> CardMemory:
    """An A10G with four tenants promised 29,000 MiB: 5,972 MiB beyond the card."""
    defaults: dict[str, Any] = {
        "physical": known(23_028 * MIB, "DCGM_FI_DEV_FB_TOTAL"),
        "schedulable": known(46_056 * MIB, "hami.io/node-nvidia-register"),
        "allocated": known(29_000 * MIB, "hami.io/vgpu-devices-allocated"),
        "overcommitted": known(5_972 * MIB),
        "resident": known(17_000 * MIB, "DCGM_FI_DEV_FB_USED"),
        "counted": known(20_500 * MIB, "hami_vgpu_memory_used_bytes"),
        "offloaded": known(3_500 * MIB),
    }
    return CardMemory(**(defaults | readings))


def no_memory() -> CardMemory:
    return CardMemory(
        physical=UNMEASURED,
        schedulable=UNMEASURED,
        allocated=UNMEASURED,
        overcommitted=UNMEASURED,
        resident=UNMEASURED,
        counted=UNMEASURED,
        offloaded=UNMEASURED,
    )


def a_partition(**fields: Any) -> Partition:
    defaults: dict[str, Any] = {
        "id": "vgpu",
        "kind": PartitionKind.VGPU,
        "profile": "",
        "memory_physical": UNMEASURED,
    }
    return Partition(**(defaults | fields))


def a_card(**fields: Any) -> Card:
    defaults: dict[str, Any] = {
        "node": "gpu-a",
        "id": "GPU-00000000-0000-4000-8000-00000000000a",
        "index": "0",
        "vendor": "nvidia",
        "model": "NVIDIA A10G",
        "sharing": Sharing.HAMI,
        "pci_bus_id": "00000000:00:1E.0",
        "memory": a_memory(),
        "compute_allocated": known(0.75),
        "compute_utilization": known(0.625, "DCGM_FI_PROF_GR_ENGINE_ACTIVE"),
        "tenants": known(4),
        "tenants_limit": known(10),
        "state": CardState.WORKING,
        "state_reason": "",
        "partitions": (a_partition(),),
    }
    return Card(**(defaults | fields))


def an_unread_card(**fields: Any) -> Card:
    """A card of which nothing is known but that it is there."""
    defaults: dict[str, Any] = {
        "pci_bus_id": "",
        "memory": no_memory(),
        "compute_allocated": UNMEASURED,
        "compute_utilization": UNMEASURED,
        "tenants": UNMEASURED,
        "tenants_limit": UNMEASURED,
        "state": CardState.UNKNOWN,
        "state_reason": "no signal",
        "partitions": (),
    }
    return a_card(**(defaults | fields))


def an_allocation(**fields: Any) -> Allocation:
    defaults: dict[str, Any] = {
        "node": "gpu-a",
        "card": "GPU-00000000-0000-4000-8000-00000000000a",
        "index": "0",
        "namespace": "team-a",
        "pod": "chat-0",
        "container": "server",
        "partition": "vgpu",
        "evidence": Evidence.ANNOTATION,
        "reason": "",
        "memory_reserved": known(12_000 * MIB),
        "memory_resident": known(9_000 * MIB),
        "memory_counted": known(11_500 * MIB),
        "compute_reserved": known(0.3),
        "compute_utilization": known(0.25),
        "priority": known(1),
        "idle_seconds": known(12.5),
        "memory_limit": known(12_000 * MIB),
        "isolated": (("memory", True), ("compute", False)),
    }
    return Allocation(**(defaults | fields))


def an_unplaced_allocation(**fields: Any) -> Allocation:
    """An allocation whose card nobody can know and of which nothing is measured."""
    defaults: dict[str, Any] = {
        "card": "",
        "index": "",
        "partition": "",
        "evidence": Evidence.UNKNOWN,
        "reason": "the node has several cards and no source names the one",
        "memory_reserved": UNMEASURED,
        "memory_resident": UNMEASURED,
        "memory_counted": UNMEASURED,
        "compute_reserved": UNMEASURED,
        "compute_utilization": UNMEASURED,
        "priority": UNMEASURED,
        "idle_seconds": UNMEASURED,
        "memory_limit": UNMEASURED,
        "isolated": (),
    }
    return an_allocation(**(defaults | fields))


def a_node(**fields: Any) -> NodeSnapshot:
    defaults: dict[str, Any] = {
        "name": "gpu-a",
        "pool": "inference",
        "platform": "eks",
        "driver_version": "550.90.07",
        "cuda_version": "12.4",
        "sharing": "hami",
        "sharing_ready": known(True),  # noqa: FBT003
        "card_count": known(1),
        "cards": (a_card(),),
        "allocations": (an_allocation(),),
    }
    return NodeSnapshot(**(defaults | fields))


def a_workload_id(**fields: Any) -> WorkloadId:
    defaults: dict[str, Any] = {
        "namespace": "team-a",
        "api_group": "apps",
        "kind": "StatefulSet",
        "name": "chat",
    }
    return WorkloadId(**(defaults | fields))


def a_workload(**fields: Any) -> Workload:
    defaults: dict[str, Any] = {
        "id": a_workload_id(),
        "runtime": "vllm",
        "scheduler": "hami",
        "queue": "prod",
        "queue_kind": "LocalQueue",
        "gang": "chat-gang",
        "pods": {"Running": 4, "Pending": 1},
        "cards_requested": {"nvidia.com/gpu": 5},
        "waiting": {"Unschedulable": 90.5},
        "gang_min_members": 4,
        "pod_names": ("chat-0",),
        "memory_ahead": 0.9,
        "memory_ahead_setting": "--gpu-memory-utilization",
        "revisions": ("5d8f7c9b64",),
        "restarts": 2,
    }
    return Workload(**(defaults | fields))


def a_pod_workload(**fields: Any) -> PodWorkload:
    defaults: dict[str, Any] = {
        "namespace": "team-a",
        "pod": "chat-0",
        "node": "gpu-a",
        "workload": a_workload_id(),
    }
    return PodWorkload(**(defaults | fields))


def a_namespace(**fields: Any) -> NamespaceSnapshot:
    defaults: dict[str, Any] = {
        "name": "team-a",
        "workloads": (a_workload(),),
        "pods": (a_pod_workload(),),
    }
    return NamespaceSnapshot(**(defaults | fields))


def a_snapshot(
    nodes: Iterable[NodeSnapshot] = (), namespaces: Iterable[NamespaceSnapshot] = ()
) -> Snapshot:
    return Snapshot(
        at=NOW,
        nodes={node.name: node for node in nodes},
        namespaces={namespace.name: namespace for namespace in namespaces},
    )


def a_source(**fields: Any) -> SourceStatus:
    defaults: dict[str, Any] = {
        "source": "dcgm",
        "up": True,
        "last_success_at": NOW,
        "read_seconds": 0.25,
        "error": "",
        "targets": {"up": 2, "down": 1, "stale": 0},
        "rejected": {"out-of-range": 3},
    }
    return SourceStatus(**(defaults | fields))
