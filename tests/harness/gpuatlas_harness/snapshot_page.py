"""A snapshot in which every metric of it has something to say."""

from __future__ import annotations

from typing import Final

from gpuatlas.model.snapshot import (
    Allocation,
    CardState,
    Evidence,
    EvidenceConflict,
    IdleClaim,
    NodeSnapshot,
    PartitionKind,
    Sharing,
    Snapshot,
)
from gpuatlas.model.units import MIB

from . import build

H100: Final = "GPU-00000000-0000-4000-8000-0000000000b0"
_H100_TWIN: Final = "GPU-00000000-0000-4000-8000-0000000000b1"


def a_whole_snapshot() -> Snapshot:
    """Two nodes: an overcommitted A10G under HAMi, and two H100 of which one has MIG."""
    team = build.a_namespace()
    lone = build.a_workload_id(namespace="research", api_group="", kind="Pod", name="probe-x7k2p")
    research = build.a_namespace(
        name="research",
        workloads=(
            build.a_workload(
                id=lone,
                runtime="",
                scheduler="default",
                queue="",
                queue_kind="",
                gang="",
                pods={"Pending": 1},
                cards_requested={"nvidia.com/mig-1g.10gb": 1, "nvidia.com/gpu": 2},
                waiting={},
                gang_min_members=None,
                memory_ahead=None,
                revisions=(),
                restarts=0,
                run_group="probe",
            ),
        ),
        pods=(
            build.a_pod_workload(namespace="research", pod="probe-x7k2p", node="", workload=lone),
        ),
    )
    return build.a_snapshot([_h100_node(), _a10g_node()], [research, team])


def _a10g_node() -> NodeSnapshot:
    promises = {"chat-0": 12_000, "chat-1": 8_000, "chat-2": 6_000, "chat-3": 3_000}
    return build.a_node(
        allocations=tuple(
            build.an_allocation(
                pod=pod,
                memory_reserved=build.known(size * MIB),
                memory_resident=build.UNMEASURED,
                compute_reserved=build.known(0.25),
                priority=build.known(int(pod == "chat-3")),
                memory_limit=build.known(size * MIB if pod != "chat-3" else 0),
                isolated=(("memory", pod != "chat-3"),),
            )
            for pod, size in promises.items()
        )
    )


def _h100_node() -> NodeSnapshot:
    instances = tuple(
        build.a_partition(
            id=f"MIG-00000000-0000-4000-8000-0000000000c{number}",
            kind=PartitionKind.MIG,
            profile="1g.10gb",
            memory_physical=memory,
        )
        for number, memory in enumerate((build.known(9_856 * MIB), build.UNMEASURED))
    )
    mig = build.a_card(
        node="gpu-b",
        id=H100,
        model="NVIDIA H100 80GB HBM3",
        sharing=Sharing.MIG,
        memory=build.a_memory(
            physical=build.known(81_559 * MIB, "DCGM_FI_DEV_FB_TOTAL"),
            schedulable=build.UNMEASURED,
            allocated=build.known(9_856 * MIB),
            overcommitted=build.known(0),
            resident=build.known(0, "DCGM_FI_DEV_FB_USED"),
            counted=build.UNMEASURED,
            offloaded=build.UNMEASURED,
        ),
        compute_allocated=build.known(1 / 7),
        compute_utilization=build.known(0.0, "DCGM_FI_PROF_GR_ENGINE_ACTIVE"),
        tenants=build.known(1),
        tenants_limit=build.known(7),
        state=CardState.IDLE,
        partitions=instances,
    )
    unread = build.an_unread_card(
        node="gpu-b",
        id=_H100_TWIN,
        index="1",
        model="NVIDIA H100 80GB HBM3",
        sharing=Sharing.PLAIN,
        idle_claims=(IdleClaim("research", "spare"),),
    )
    return build.a_node(
        name="gpu-b",
        pool="",
        platform="",
        cuda_version="",
        sharing="mig,plain",
        sharing_ready=build.UNMEASURED,
        card_count=build.known(2),
        cards=(mig, unread),
        allocations=(_mig_allocation(instances[0].id), _unplaced_allocation()),
        mig_instances={"1g.10gb": 2},
    )


def _mig_allocation(partition: str) -> Allocation:
    return build.an_allocation(
        node="gpu-b",
        card=H100,
        pod="tuner",
        container="main",
        partition=partition,
        evidence=Evidence.POD_STATUS,
        conflicts=(EvidenceConflict(_H100_TWIN, Evidence.DCGM),),
        memory_reserved=build.known(9_856 * MIB),
        memory_resident=build.known(0),
        memory_counted=build.UNMEASURED,
        compute_reserved=build.UNMEASURED,
        compute_utilization=build.known(0.0),
        priority=build.UNMEASURED,
        idle_seconds=build.UNMEASURED,
        memory_limit=build.UNMEASURED,
        isolated=(("memory", True), ("compute", True)),
    )


def _unplaced_allocation() -> Allocation:
    return build.an_unplaced_allocation(node="gpu-b", pod="batch", container="main")
