"""All objects of the cluster, by resource, as an API server holds them.

`metadata.resourceVersion` is missing: it tells of the server's history, and an instant has none.
"""

from __future__ import annotations

from collections.abc import Mapping

from gpuatlas.demo.state import World
from gpuatlas.demo.wire.addresses import Addresses, default_addresses
from gpuatlas.demo.wire.nodes import node_documents
from gpuatlas.demo.wire.objects import Document
from gpuatlas.demo.wire.owners import job_documents, replica_set_documents
from gpuatlas.demo.wire.pods import pod_documents
from gpuatlas.demo.wire.system_pod_documents import (
    system_pod_documents,
    system_replica_set_documents,
)
from gpuatlas.demo.wire.system_pods import system_pods

# Resource ("pods") → its objects by namespace and name.
Documents = Mapping[str, list[Document]]


def documents(world: World, addresses: Addresses | None = None) -> Documents:
    """Nodes, pods, ReplicaSets and jobs. Without `addresses` exporters have in-cluster ones."""
    system = system_pods(world, addresses or default_addresses(world))
    return {
        "nodes": _in_order(node_documents(world)),
        "pods": _in_order(pod_documents(world) + system_pod_documents(system, world)),
        "replicasets": _in_order(
            replica_set_documents(world) + system_replica_set_documents(system, world)
        ),
        "jobs": _in_order(job_documents(world)),
    }


def _in_order(objects: list[Document]) -> list[Document]:
    """As etcd keeps them: by namespace and name."""
    return sorted(
        objects,
        key=lambda document: (
            document["metadata"].get("namespace", ""),
            document["metadata"]["name"],
        ),
    )
