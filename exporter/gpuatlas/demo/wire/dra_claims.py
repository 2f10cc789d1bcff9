"""ResourceClaims, and what a pod says of those it has (facts/k8s.md 1.11).

Claims come from a pod's template, from a request of `nvidia.com/gpu` that DRA serves (KEP-5004),
from hands (two pods may share one, or none use it), or look at all cards for an administrator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gpuatlas.demo.randomness import name_suffix, uuid
from gpuatlas.demo.runtimes import RUNTIMES
from gpuatlas.demo.scenario import ADMIN, EXTENDED, FROM_TEMPLATE, ClaimSpec
from gpuatlas.demo.state import NodeState, PodState, World
from gpuatlas.demo.wire.dra_slices import DRIVER, device_name
from gpuatlas.demo.wire.objects import Document, metadata, owner, timestamp

_API: Final = "resource.k8s.io/v1"
_NAME: Final = "gpu"  # what pods call their claim
_RESOURCE: Final = "nvidia.com/gpu"
_TEMPLATES: Final = (FROM_TEMPLATE, ADMIN)


def pod_spec_claims(pod: PodState) -> list[Document]:
    """`spec.resourceClaims`; a pod with an extended resource has none."""
    claim = pod.workload.claim
    if claim in {"", EXTENDED}:
        return []
    if claim in _TEMPLATES:
        return [{"name": _NAME, "resourceClaimTemplateName": f"{pod.workload.name}-{_NAME}"}]
    return [{"name": _NAME, "resourceClaimName": claim}]


def container_claims(pod: PodState) -> list[Document]:
    """`resources.claims` of the container that works on the cards."""
    return [{"name": claim["name"]} for claim in pod_spec_claims(pod)]


def status_claims(pod: PodState) -> Document:
    """The part of the status that names claims which were made for the pod."""
    claim = pod.workload.claim
    if claim in _TEMPLATES:
        entry = {"name": _NAME, "resourceClaimName": _generated(pod)}
        return {"resourceClaimStatuses": [entry]}
    if claim != EXTENDED:
        return {}
    mapping = {
        "containerName": pod.container,
        "resourceName": _RESOURCE,
        "requestName": _extended_request(pod),
    }
    return {
        "extendedResourceClaimStatus": {
            "resourceClaimName": _generated(pod),
            "requestMappings": [mapping],
        }
    }


def _extended_request(pod: PodState) -> str:
    """The container is counted from the first init container."""
    return f"container-{int(RUNTIMES[pod.workload.runtime].downloads)}-request-0"


def _stem(pod: PodState) -> str:
    return f"{pod.name}-{'extended-resources' if pod.workload.claim == EXTENDED else _NAME}-"


def _generated(pod: PodState) -> str:
    return f"{_stem(pod)}{name_suffix(5, 'claim', pod.uid)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Claim:
    """One claim in the making: request, results and users are what differs."""

    request: str
    count: int
    devices: tuple[str, ...]
    pool: str
    users: tuple[PodState, ...]
    since: float
    instance: bool = False
    admin: bool = False
    shared: bool = False

    @property
    def spec(self) -> Document:
        asked: Document = {
            "deviceClassName": "mig.nvidia.com" if self.instance else DRIVER,
            "allocationMode": "All" if self.admin else "ExactCount",
        }
        asked |= {"adminAccess": True} if self.admin else {"count": self.count}
        devices: Document = {"requests": [{"name": self.request, "exactly": asked}]}
        if self.shared:
            devices["config"] = [_time_slicing()]
        return {"devices": devices}

    @property
    def status(self) -> Document:
        results = [
            {"request": self.request, "driver": DRIVER, "pool": self.pool, "device": device}
            | ({"adminAccess": True} if self.admin else {})
            for device in self.devices
        ]
        devices: Document = {"results": results}
        if self.shared:
            devices["config"] = [_time_slicing() | {"source": "FromClaim"}]
        on_node = {"key": "metadata.name", "operator": "In", "values": [self.pool]}
        status: Document = {
            "allocation": {
                "allocationTimestamp": timestamp(self.since),
                "devices": devices,
                "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [on_node]}]},
            }
        }
        if self.users:
            status["reservedFor"] = [
                {"resource": "pods", "name": pod.name, "uid": pod.uid} for pod in self.users
            ]
        return status


def _time_slicing() -> Document:
    parameters = {
        "apiVersion": "resource.nvidia.com/v1beta1",
        "kind": "GpuConfig",
        "sharing": {"strategy": "TimeSlicing", "timeSlicingConfig": {"interval": "Default"}},
    }
    return {"opaque": {"driver": DRIVER, "parameters": parameters}}


def claim_documents(world: World) -> list[Document]:
    """All claims; one that was made for a pod goes when the pod has finished."""
    made = [
        _made_for(pod, world)
        for pod in world.pods
        if pod.workload.claim in {*_TEMPLATES, EXTENDED} and pod.place and pod.finished_at is None
    ]
    return made + [_by_hand(claim, world) for claim in world.scenario.claims]


def _made_for(pod: PodState, world: World) -> Document:
    place = pod.place
    if place is None:
        msg = f"{pod.name} has no place"
        raise ValueError(msg)
    node, extended = world.node(place.node), pod.workload.claim == EXTENDED
    claim = _Claim(
        request=_extended_request(pod) if extended else _NAME,
        count=len(place.cards),
        devices=_devices(node, place.cards, place.slot, admin=pod.workload.watches),
        pool=place.node,
        users=(pod,),
        since=pod.created_at,
        instance=place.slot is not None,
        admin=pod.workload.watches,
    )
    mark = "extended-resource-claim" if extended else "pod-claim-name"
    head = metadata(
        _generated(pod),
        uuid("claim", pod.uid),
        pod.created_at,
        namespace=pod.workload.namespace,
        annotations={f"resource.kubernetes.io/{mark}": "true" if extended else _NAME},
        controller=owner("v1", "Pod", pod.name, pod.uid),
        manager="kube-scheduler" if extended else "kube-controller-manager",
    )
    return _document(head | {"generateName": _stem(pod)}, claim)


def _devices(
    node: NodeState, cards: tuple[int, ...], slot: int | None, *, admin: bool
) -> tuple[str, ...]:
    """The class `gpu.nvidia.com` has whole cards only, so an onlooker gets no instances."""
    found = (node.cards[index] for index in cards)
    return tuple(device_name(card, slot) for card in found if not (admin and card.instances))


def _by_hand(spec: ClaimSpec, world: World) -> Document:
    users = tuple(
        pod
        for pod in world.pods
        if (pod.workload.namespace, pod.workload.claim) == (spec.namespace, spec.name)
        and pod.finished_at is None
    )
    since = world.scenario.since
    claim = _Claim(
        request=_NAME,
        count=1,
        devices=_devices(world.node(spec.node), (spec.card,), spec.slot, admin=False),
        pool=spec.node,
        users=users,
        since=since,
        instance=spec.slot is not None,
        shared=_is_shared(spec, world),
    )
    head = metadata(
        spec.name,
        uuid("claim", world.seed, spec.namespace, spec.name),
        since,
        namespace=spec.namespace,
        manager="kubectl",
    )
    return _document(head, claim)


def _is_shared(spec: ClaimSpec, world: World) -> bool:
    """Whether several pods were meant to use it: a claim cannot be changed afterwards."""
    named = [
        workload
        for workload in world.scenario.workloads
        if (workload.namespace, workload.claim) == (spec.namespace, spec.name)
    ]
    return sum(len(workload.places) for workload in named) > 1


def _document(head: Document, claim: _Claim) -> Document:
    return {
        "kind": "ResourceClaim",
        "apiVersion": _API,
        "metadata": head,
        "spec": claim.spec,
        "status": claim.status,
    }
