"""`gpuatlas workloads --output json`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from gpuatlas.cli.documents.values import API_VERSION, measured, sources, timestamp
from gpuatlas.cli.selection import WorkloadView
from gpuatlas.cli.usage import (
    compute_reserved,
    compute_used,
    memory_reserved,
    memory_used,
    progress_of,
)
from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.snapshot import Allocation, Workload
from gpuatlas.model.status import SourceStatus


def workloads_document(
    views: Sequence[WorkloadView], statuses: Sequence[SourceStatus], at: float
) -> dict[str, Any]:
    """The whole document."""
    states = Counter(str(progress_of(view.workload)) for view in views)
    return {
        "apiVersion": API_VERSION,
        "kind": "Workloads",
        "at": timestamp(at),
        "workloads": [_workload(view) for view in views],
        "summary": {"workloads": len(views), "states": dict(sorted(states.items()))},
        "sources": sources(statuses),
    }


def _workload(view: WorkloadView) -> dict[str, Any]:
    workload, allocations = view.workload, view.allocations
    identity = workload.id
    return {
        "namespace": identity.namespace,
        "api_group": identity.api_group,
        "kind": identity.kind,
        "name": identity.name,
        "identity": workload.source,
        "state": progress_of(workload),
        "runtime": workload.runtime,
        "runtime_evidence": workload.runtime_evidence,
        "memory_ahead_setting": workload.memory_ahead_setting,
        "scheduler": workload.scheduler,
        "queue": workload.queue,
        "queue_kind": workload.queue_kind,
        "local_queue": workload.local_queue,
        "gang": workload.gang,
        "gang_system": workload.gang_system,
        "gang_min_members": workload.gang_min_members,
        "gangs": workload.gangs,
        "pods": dict(workload.pods),
        "pod_names": list(workload.pod_names),
        "held_pods": workload.held_pods,
        "placeholder_pods": workload.placeholders,
        "cards_requested": dict(workload.cards_requested),
        "waiting_seconds": dict(workload.waiting),
        "waiting_texts": {
            reason: workload.waiting_texts.get(reason, "") for reason in workload.reasons
        },
        "cards": [_card(allocation) for allocation in allocations],
        **measured(
            {
                "memory.reserved_bytes": memory_reserved(allocations),
                "memory.used_bytes": memory_used(allocations),
                "compute.reserved_cards": compute_reserved(allocations),
                "compute.used_cards": compute_used(allocations),
                "memory_ahead_ratio": _memory_ahead(workload),
            }
        ),
    }


def _memory_ahead(workload: Workload) -> Reading[float]:
    if workload.memory_ahead is not None:
        return Known(workload.memory_ahead, 0.0, workload.memory_ahead_setting)
    if workload.memory_ahead_setting:
        return Unknown(
            f"{workload.memory_ahead_setting} stands in the spec without a readable share"
        )
    return Unknown("the spec does not say what the runtime takes at start")


def _card(allocation: Allocation) -> dict[str, Any]:
    return {
        "pod": allocation.pod,
        "container": allocation.container,
        "node": allocation.node,
        "card": allocation.card or None,
        "index": allocation.index,
        "partition": allocation.partition,
    }
