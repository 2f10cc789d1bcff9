"""All objects of the cluster, by resource, as an API server holds them.

`metadata.resourceVersion` is missing: it tells of the server's history, and an instant has none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from gpuatlas.demo.state import World
from gpuatlas.demo.wire import kai, kueue, volcano
from gpuatlas.demo.wire.addresses import Addresses, default_addresses
from gpuatlas.demo.wire.controller_documents import controller_documents
from gpuatlas.demo.wire.dra_claims import claim_documents
from gpuatlas.demo.wire.dra_slices import slice_documents
from gpuatlas.demo.wire.hami_config import hami_config_documents
from gpuatlas.demo.wire.hami_services import service_documents
from gpuatlas.demo.wire.hami_webhook import webhook_documents
from gpuatlas.demo.wire.leases import lease_documents
from gpuatlas.demo.wire.licence import licence_documents
from gpuatlas.demo.wire.nodes import node_documents
from gpuatlas.demo.wire.objects import Document
from gpuatlas.demo.wire.operator_objects import operator_documents
from gpuatlas.demo.wire.owners import job_documents, replica_set_documents
from gpuatlas.demo.wire.pods import pod_documents
from gpuatlas.demo.wire.reservations import reservation_documents
from gpuatlas.demo.wire.system_pod_documents import system_pod_documents
from gpuatlas.demo.wire.system_pods import system_pods
from gpuatlas.demo.wire.volcano_config import volcano_config_documents

# Resource ("pods") → its objects by namespace and name.
Documents = Mapping[str, list[Document]]

_OTHERS: Final[Mapping[str, Callable[[World], list[Document]]]] = {
    "resourceslices.resource.k8s.io": slice_documents,
    "resourceclaims.resource.k8s.io": claim_documents,
    "workloads.kueue.x-k8s.io": kueue.workload_documents,
    "localqueues.kueue.x-k8s.io": kueue.local_queue_documents,
    "clusterqueues.kueue.x-k8s.io": kueue.cluster_queue_documents,
    "podgroups.scheduling.volcano.sh": volcano.pod_group_documents,
    "queues.scheduling.volcano.sh": volcano.queue_documents,
    "podgroups.scheduling.run.ai": kai.pod_group_documents,
    "queues.scheduling.run.ai": kai.queue_documents,
    "bindrequests.scheduling.run.ai": kai.bind_request_documents,
    "mutatingwebhookconfigurations.admissionregistration.k8s.io": webhook_documents,
}


def documents(world: World, addresses: Addresses | None = None) -> Documents:
    """All objects that the API serves. Without `addresses` exporters have in-cluster ones."""
    addresses = addresses or default_addresses(world)
    system = system_pods(world, addresses)
    parts: list[Documents] = [
        {
            "nodes": node_documents(world),
            "pods": pod_documents(world, addresses),
            "replicasets": replica_set_documents(world),
            "jobs": job_documents(world),
        },
        {
            "pods": system_pod_documents(system, world) + reservation_documents(world),
            "leases.coordination.k8s.io": lease_documents(system, world),
            "configmaps": [
                *hami_config_documents(world),
                *volcano_config_documents(world),
                *licence_documents(world),
            ],
        },
        controller_documents(system, world),
        service_documents(system, world),
        operator_documents(world),
        {key: write(world) for key, write in _OTHERS.items()},
    ]
    keys = dict.fromkeys(key for part in parts for key in part)
    return {key: _in_order([d for part in parts for d in part.get(key, ())]) for key in keys}


def _in_order(objects: list[Document]) -> list[Document]:
    """As etcd keeps them: by namespace and name."""
    return sorted(
        objects,
        key=lambda document: (
            document["metadata"].get("namespace", ""),
            document["metadata"]["name"],
        ),
    )
