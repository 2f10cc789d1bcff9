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
from gpuatlas.model.snapshot import Allocation
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
        "state": progress_of(workload),
        "runtime": workload.runtime,
        "scheduler": workload.scheduler,
        "queue": workload.queue,
        "queue_kind": workload.queue_kind,
        "gang": workload.gang,
        "gang_min_members": workload.gang_min_members,
        "pods": dict(workload.pods),
        "pod_names": list(workload.pod_names),
        "cards_requested": dict(workload.cards_requested),
        "waiting_seconds": dict(workload.waiting),
        "cards": [_card(allocation) for allocation in allocations],
        **measured(
            {
                "memory.reserved_bytes": memory_reserved(allocations),
                "memory.used_bytes": memory_used(allocations),
                "compute.reserved_cards": compute_reserved(allocations),
                "compute.used_cards": compute_used(allocations),
            }
        ),
    }


def _card(allocation: Allocation) -> dict[str, Any]:
    return {
        "pod": allocation.pod,
        "container": allocation.container,
        "node": allocation.node,
        "card": allocation.card or None,
        "index": allocation.index,
        "partition": allocation.partition,
    }
