"""The simulator's objects on a real API server: the same cluster, behind a real server's rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuatlas.demo.server import SimulatedCluster

from .http import loopback_session
from .kube import KubeServer

Object = dict[str, Any]

# An evening on which the built-in scenario shows every state of a card.
EVENING: Final = 1_793_293_200.0  # 2026-10-29T17:00:00Z
PATHS: Final = (
    "/api/v1/nodes",
    "/apis/apps/v1/replicasets",
    "/apis/batch/v1/jobs",
    "/api/v1/pods",
)
# What only the server may set.
_SERVER_FIELDS: Final = (
    "uid",
    "resourceVersion",
    "managedFields",
    "creationTimestamp",
    "generation",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
)


def objects_of(cluster: SimulatedCluster) -> Iterator[Object]:
    """Every object that the exporter reads, as the simulator's API lists it; owners first."""
    with loopback_session() as session:
        for path in PATHS:
            answer = session.get(f"{cluster.api_url}{path}", timeout=30).json()
            kind = answer["kind"].removesuffix("List")
            for item in answer["items"]:
                yield {"apiVersion": answer["apiVersion"], "kind": kind, **item}


def load(cluster: SimulatedCluster, kube: KubeServer) -> None:
    """Copy the simulated cluster to a real API server.

    The server gives each object a uid of its own, so references to owners are rewritten.
    """
    uids: dict[str, str] = {}
    for item in objects_of(cluster):
        simulated = item["metadata"]["uid"]
        (stored,) = kube.apply([_for_server(item, uids)])
        uids[simulated] = stored["metadata"]["uid"]


def _for_server(item: Object, uids: Mapping[str, str]) -> Object:
    metadata = {k: v for k, v in item["metadata"].items() if k not in _SERVER_FIELDS}
    for owner in metadata.get("ownerReferences", ()):
        owner["uid"] = uids.get(owner["uid"], owner["uid"])
    if item["kind"] in {"ReplicaSet", "Job"}:
        return {**_owner_spec(item), "metadata": metadata}
    return {**item, "metadata": metadata}


def _owner_spec(item: Object) -> Object:
    """An owner that a real server accepts: only its metadata is ever read."""
    labels = {"owner": item["metadata"]["name"]}
    pod: Object = {
        "containers": [{"name": "main", "image": "registry.example/none:1"}],
        "restartPolicy": "Always" if item["kind"] == "ReplicaSet" else "Never",
    }
    spec: Object = {"template": {"metadata": {"labels": labels}, "spec": pod}}
    if item["kind"] == "ReplicaSet":
        spec["selector"] = {"matchLabels": labels}
    return {"apiVersion": item["apiVersion"], "kind": item["kind"], "spec": spec}
