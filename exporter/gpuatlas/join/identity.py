"""From a pod to the workload that owns it: up the controller references (facts/k8s.md 2.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas.model.objects import Owner, OwnerLink, Pod
from gpuatlas.model.snapshot import WorkloadId

# Longer chains are cycles or damage.
_MAX_DEPTH: Final = 10
_HASH_LABEL: Final = "pod-template-hash"


def _climb(owner: Owner, owners: Mapping[str, OwnerLink]) -> Owner:
    """The highest owner that can be read; stops at a missing object, a cycle or the depth limit."""
    seen = {owner.uid}
    for _ in range(_MAX_DEPTH):
        link = owners.get(owner.uid)
        if link is None or link.controller is None or link.controller.uid in seen:
            return owner
        owner = link.controller
        seen.add(owner.uid)
    return owner


def _deployment_of(owner: Owner, pod: Pod) -> str:
    """The Deployment's name from the ReplicaSet's, where the ReplicaSet itself cannot be read."""
    suffix = f"-{pod.labels.get(_HASH_LABEL, '')}"
    named = owner.kind == "ReplicaSet" and owner.api_group == "apps" and len(suffix) > 1
    return owner.name.removesuffix(suffix) if named and owner.name.endswith(suffix) else ""


def workload_of(pod: Pod, owners: Mapping[str, OwnerLink]) -> WorkloadId:
    """The top-level object that owns the pod; the pod itself where nothing does.

    A static pod's owner is its Node, which is no workload.
    """
    first = pod.controller
    if first is None or (first.kind == "Node" and first.api_group == ""):
        return WorkloadId(namespace=pod.namespace, api_group="", kind="Pod", name=pod.name)
    owner = _climb(first, owners)
    deployment = _deployment_of(owner, pod) if owner.uid not in owners else ""
    if deployment:
        return WorkloadId(
            namespace=pod.namespace, api_group="apps", kind="Deployment", name=deployment
        )
    return WorkloadId(
        namespace=pod.namespace, api_group=owner.api_group, kind=owner.kind, name=owner.name
    )
