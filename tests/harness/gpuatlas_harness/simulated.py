"""The simulator's objects on a real API server: the same cluster, behind a real server's rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from gpuatlas.demo.server import SimulatedCluster

from . import crds
from .http import loopback_session
from .kube import KubeServer

Object = dict[str, Any]

# An evening on which the built-in scenario shows every state of a card.
EVENING: Final = 1_793_293_200.0  # 2026-10-29T17:00:00Z
# What only the server may set.
_SERVER_FIELDS: Final = (
    "uid",
    "resourceVersion",
    "managedFields",
    "creationTimestamp",
    "generation",
    "generateName",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
)
# Owners of which the server wants a whole spec: theirs is the same as a ReplicaSet's or a Job's.
_WITH_SELECTOR: Final = frozenset(
    ("apps/v1", kind) for kind in ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")
)
_JOB: Final = ("batch/v1", "Job")
# Kubernetes' own groups with a dot in the name. EndpointSlices stay away: no real server takes one
# that leads to loopback, where the simulator listens.
_OWN_GROUPS: Final = frozenset(
    {"admissionregistration.k8s.io", "coordination.k8s.io", "resource.k8s.io"}
)
# From its creation on, the server would call it for each pod.
_WEBHOOKS: Final = "MutatingWebhookConfiguration"
_ADDRESSES: Final = ("clusterIP", "clusterIPs")  # out of a range of the server's own
# Only in such a namespace may a claim look at cards that others hold.
_ADMIN_LABEL: Final = "resource.kubernetes.io/admin-access"


def objects_of(cluster: SimulatedCluster) -> Iterator[Object]:
    """Every object that the simulator's API lists, by API group and kind."""
    with loopback_session() as session:

        def get(path: str) -> Any:
            return session.get(f"{cluster.api_url}{path}", timeout=30).json()

        groups = get("/apis")["groups"]
        versions = [v["groupVersion"] for group in groups for v in group["versions"]]
        for root in ("/api/v1", *(f"/apis/{version}" for version in versions)):
            for resource in get(root)["resources"]:
                answer = get(f"{root}/{resource['name']}")
                for item in answer["items"]:
                    yield {"apiVersion": answer["apiVersion"], "kind": resource["kind"], **item}


def load(cluster: SimulatedCluster, kube: KubeServer) -> None:
    """Copy the simulated cluster to a real API server, on which it defines the kinds of `crds`.

    The server gives each object a uid of its own, so what names uids is rewritten. Objects of
    kinds that nobody defined (those of which only the name is ever read) stay away.
    """
    crds.install(kube)
    copied = [item for item in objects_of(cluster) if _is_served(item)]
    kube.apply([_namespace(name) for name in _watched_over(copied)])
    uids: dict[str, str] = {}
    last = [item for item in copied if item["kind"] == _WEBHOOKS]
    for item in (*_owners_first([i for i in copied if i not in last]), *last):
        simulated = item["metadata"]["uid"]
        (stored,) = kube.apply([_for_server(item, uids)])
        uids[simulated] = stored["metadata"]["uid"]


def _is_served(item: Object) -> bool:
    group, _, version = item["apiVersion"].rpartition("/")
    if group not in crds.GROUPS:
        return not group or "." not in group or group in _OWN_GROUPS
    return any(
        item["kind"] == definition["spec"]["names"]["kind"]
        and version in [v["name"] for v in definition["spec"]["versions"] if v["served"]]
        for definition in crds.definitions(group)
    )


def _watched_over(items: Iterable[Object]) -> Iterator[str]:
    """The namespaces of claims for administrators."""
    for item in items:
        if item["kind"] == "ResourceClaim":
            requests = item["spec"]["devices"]["requests"]
            if any(request["exactly"].get("adminAccess") for request in requests):
                yield item["metadata"]["namespace"]


def _namespace(name: str) -> Object:
    metadata = {"name": name, "labels": {_ADMIN_LABEL: "true"}}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def _owners_first(items: list[Object]) -> Iterator[Object]:
    """The same objects, each one behind those that it names the uids of."""
    left = {item["metadata"]["uid"]: item for item in items}
    while left:
        ready = [uid for uid, item in left.items() if not left.keys() & set(_named_uids(item))]
        if not ready:
            message = f"objects own each other in a circle: {sorted(left)}"
            raise ValueError(message)
        for uid in ready:
            yield left.pop(uid)


def _named_uids(item: Object) -> Iterator[str]:
    for reference in _references(item):
        yield reference["uid"]


def _references(item: Object) -> list[Object]:
    """The parts of an object that name another one with its uid."""
    owners: list[Object] = item["metadata"].get("ownerReferences", [])
    users: list[Object] = item.get("status", {}).get("reservedFor", [])
    return owners + users


def _for_server(item: Object, uids: Mapping[str, str]) -> Object:
    for reference in _references(item):
        reference["uid"] = uids.get(reference["uid"], reference["uid"])
    metadata = {k: v for k, v in item["metadata"].items() if k not in _SERVER_FIELDS}
    kind = (item["apiVersion"], item["kind"])
    if (kind in _WITH_SELECTOR or kind == _JOB) and not _is_whole(item):
        return {**_owner_spec(item, has_selector=kind != _JOB), "metadata": metadata}
    if item["kind"] == "Service" and item["apiVersion"] == "v1":
        spec = {k: v for k, v in item["spec"].items() if k not in _ADDRESSES}
        return {**item, "metadata": metadata, "spec": spec}
    return {**item, "metadata": metadata}


def _is_whole(item: Object) -> bool:
    """Whether an owner says what its pods are made of."""
    template = item["spec"].get("template", {})
    return bool(template.get("spec", {}).get("containers"))


def _owner_spec(item: Object, *, has_selector: bool) -> Object:
    """An owner that a real server accepts: only its metadata is ever read."""
    labels = {"owner": item["metadata"]["name"]}
    pod: Object = {
        "containers": [{"name": "main", "image": "registry.example/none:1"}],
        "restartPolicy": "Always" if has_selector else "Never",
    }
    spec: Object = {"template": {"metadata": {"labels": labels}, "spec": pod}}
    if has_selector:
        spec["selector"] = {"matchLabels": labels}
    if item["kind"] == "StatefulSet":
        spec["serviceName"] = item["metadata"]["name"]
    return {"apiVersion": item["apiVersion"], "kind": item["kind"], "spec": spec}
