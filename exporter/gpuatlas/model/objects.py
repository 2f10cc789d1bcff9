"""What is kept of a Kubernetes object: the few fields that cards, tenants and workloads need.

Everything else is dropped when the object arrives (`sources.kubernetes.project`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuatlas.model.claims import Fraction, Reservation
from gpuatlas.model.devices import Promise, Registration
from gpuatlas.model.pod_spec import (
    NO_ACCESS,
    NO_SCHEDULING,
    UNKNOWN_RUNTIME,
    PodAccess,
    PodScheduling,
    Runtime,
)
from gpuatlas.model.rejections import Rejection


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A controller reference. `api_group` is "" for core; version is left out on purpose."""

    api_group: str
    kind: str
    name: str
    uid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerLink:
    """One object between a pod and its workload, read as metadata only (ReplicaSet, Job …).

    `generate_name` is the beginning that the API server made its name from, `template` the Argo
    WorkflowTemplate that it was submitted from; "" for most.
    """

    uid: str
    api_group: str
    kind: str
    namespace: str
    name: str
    controller: Owner | None
    generate_name: str = ""
    template: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """One container. `limits` holds extended resources only, as integers in the resource's unit."""

    name: str
    kind: str  # "init", "sidecar" (restartable init) or "main"
    image: str
    limits: Mapping[str, int]
    env: Mapping[str, str]  # literal values of the names in project.KEPT_ENV only
    ports: tuple[tuple[str, int], ...] = ()  # (name, number)
    claims: tuple[tuple[str, str], ...] = ()  # (claim of the pod, request of it or "" for all)


@dataclass(frozen=True, slots=True, kw_only=True)
class PodClaim:
    """A ResourceClaim that a pod uses: the pod's own name for it, and the object's name.

    `claim` is "" while the object that a template asks for does not exist.
    """

    name: str
    claim: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtendedRequest:
    """A resource limit that Kubernetes serves by a claim of its own (KEP-5004)."""

    container: str
    resource: str
    request: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceStatus:
    """One entry of `containerStatuses[].allocatedResourcesStatus[].resources[]` (KEP-4680)."""

    container: str
    resource: str
    device: str  # kubelet's device id as written: a UUID, "<UUID>::<n>", a MIG UUID …
    health: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """A pod that asks for an accelerator, holds one, or serves metrics that we read.

    With `asks` False it does none of that and is kept because it could reach cards all the same
    (`sources.kubernetes.reach`): the checks look at it, the join does not.
    """

    uid: str
    namespace: str
    name: str
    node: str  # "" while unscheduled
    phase: str  # Pending, Running, Succeeded, Failed, Unknown
    reason: str  # status.reason: "UnexpectedAdmissionError", "Evicted" … or ""
    scheduler: str
    created_at: float
    deleting: bool
    ready: bool
    ip: str
    host_network: bool
    waiting_reason: str  # reason of PodScheduled=False, else ""
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    controller: Owner | None
    containers: tuple[Container, ...]
    devices: tuple[DeviceStatus, ...] = ()
    promises: tuple[Promise, ...] = ()
    claims: tuple[PodClaim, ...] = ()
    extended_claim: str = ""  # name of the claim behind `extended_requests`
    extended_requests: tuple[ExtendedRequest, ...] = ()
    fraction: Fraction | None = None
    reservation: Reservation | None = None
    runtime: Runtime = UNKNOWN_RUNTIME
    scheduling: PodScheduling = NO_SCHEDULING
    access: PodAccess = NO_ACCESS
    message: str = ""  # status.message, cut
    started_at: float | None = None  # status.startTime
    deleting_at: float | None = None  # when its grace ends or ended
    asks: bool = True
    restarts: tuple[tuple[str, int], ...] = ()  # (container, restartCount) where it is above 0
    rejections: tuple[Rejection, ...] = ()

    @property
    def holds(self) -> bool:
        """Completed pods hold nothing; neither do pods that no node has taken."""
        return self.phase not in {"Succeeded", "Failed"} and bool(self.node)

    @property
    def key(self) -> tuple[str, str]:
        """(namespace, name): how every foreign metric names a pod."""
        return (self.namespace, self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node that has, or says that it has, accelerators."""

    uid: str
    name: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    capacity: Mapping[str, int]  # extended resources only
    allocatable: Mapping[str, int]
    ready: bool
    unschedulable: bool
    kubelet_version: str
    registrations: tuple[Registration, ...] = ()
    rejections: tuple[Rejection, ...] = field(default=())


def bare_node(name: str, *, source: str) -> Node:
    """A node of which only the name is known; `source` says what named it, and makes the uid."""
    return Node(
        uid=f"{source}/{name}",
        name=name,
        labels={},
        annotations={},
        capacity={},
        allocatable={},
        ready=True,
        unschedulable=False,
        kubelet_version="",
    )
