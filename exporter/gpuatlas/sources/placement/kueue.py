"""Kueue: Workload, LocalQueue and ClusterQueue of v1beta1 and v1beta2. Pure.

The fields that are read are the same in both versions, except the cohort's. Facts: facts/k8s.md
3.2; reasons: the constants of apis/kueue/v1beta2 and the generic ones of older releases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from gpuatlas.model.objects import Owner
from gpuatlas.model.placement import PodSet, Queue, QueuedWorkload, Waiting
from gpuatlas.model.rejections import Rejection
from gpuatlas.sources.kubernetes.containers import read_containers
from gpuatlas.sources.kubernetes.metadata import Metadata, api_group, read_metadata
from gpuatlas.sources.kubernetes.resources import is_extended
from gpuatlas.sources.kubernetes.shape import fields, items, shared, text
from gpuatlas.sources.placement.raw import (
    filled,
    holds,
    present,
    read_conditions,
    read_count,
    scalar,
    since,
    trim_conditions,
    trim_metadata,
    waiting,
)

_GROUP: Final = "kueue.x-k8s.io"
_CONDITIONS: Final = ("QuotaReserved", "Admitted", "Evicted", "Finished")
_NOT_RESERVED: Final = frozenset(
    {
        "NoMatchingFlavor",
        "WaitingForQuota",
        "ExceedsMaxQuota",
        "TopologyPlacementFailed",
        "WaitingForPreemptedWorkloads",
        "Misconfigured",
        "Suspended",
        "PendingEvaluation",
        "WaitingForPodsReady",
        "Pending",
        "Inadmissible",
        "OnHold",
        "Waiting",
        "AdmissionGated",
    }
)
_NOT_ADMITTED: Final = frozenset(
    {"NoReservation", "UnsatisfiedAdmissionChecks", "PendingDelayedTopologyRequests"}
)
_STOPPED: Final = frozenset({"Hold", "HoldAndDrain"})
# A Workload has 8 pod sets at most (18 in the newest schema).
_MAX_POD_SETS: Final = 32


def project_workload(raw: object) -> QueuedWorkload | None:
    """A Workload that is not finished; None for the others and for variants of another Workload.

    Raises:
        MalformedError: it cannot be identified, or a number of pods is none.
    """
    metadata = read_metadata(raw)
    spec, status = fields(fields(raw).get("spec")), fields(fields(raw).get("status"))
    conditions = read_conditions(status.get("conditions"), _CONDITIONS)
    owner = _owner(metadata, raw)
    if holds(conditions.get("Finished")) or _is_variant(owner):
        return None
    pod_sets, refused = _pod_sets(spec, f"workload {metadata.namespace}/{metadata.name}")
    return QueuedWorkload(
        uid=metadata.uid,
        namespace=metadata.namespace,
        name=metadata.name,
        owner=owner,
        queue=shared(text(spec.get("queueName"))),
        cluster_queue=shared(text(fields(status.get("admission")).get("clusterQueue"))),
        pod_sets=pod_sets,
        waiting=_waiting(spec, conditions),
        waiting_since=_waiting_since(metadata, conditions.get("Evicted")),
        rejections=refused,
    )


def _owner(metadata: Metadata, raw: object) -> Owner | None:
    """The job. Kueue makes it the controller, but not where pods exist before the Workload does."""
    if metadata.controller is not None:
        return metadata.controller
    owners = items(fields(fields(raw).get("metadata")).get("ownerReferences"))
    if len(owners) != 1:
        return None
    owner = fields(owners[0])
    if not text(owner.get("name")):
        return None
    return Owner(
        api_group=shared(api_group(text(owner.get("apiVersion")))),
        kind=shared(text(owner.get("kind"))),
        name=text(owner.get("name")),
        uid=text(owner.get("uid")),
    )


def _is_variant(owner: Owner | None) -> bool:
    return owner is not None and (owner.api_group, owner.kind) == (_GROUP, "Workload")


def _waiting(spec: Mapping[str, object], conditions: Mapping[str, Mapping[str, object]]) -> Waiting:
    reserved, admitted = conditions.get("QuotaReserved"), conditions.get("Admitted")
    if spec.get("active") is False:
        said = conditions.get("Evicted") or reserved or {}
        return waiting("KueueDeactivated", said.get("message"))
    if holds(reserved):
        if holds(admitted):
            return Waiting()
        return _reason(admitted, _NOT_ADMITTED, otherwise="NotAdmitted")
    return _reason(reserved, _NOT_RESERVED, otherwise="Pending")


def _reason(
    condition: Mapping[str, object] | None, known: frozenset[str], *, otherwise: str
) -> Waiting:
    said = condition or {}
    reason = text(said.get("reason"))
    return waiting(f"Kueue{reason if reason in known else otherwise}", said.get("message"))


def _waiting_since(metadata: Metadata, evicted: Mapping[str, object] | None) -> float:
    return max(metadata.created_at, since(evicted) if holds(evicted) else 0.0)


def _pod_sets(
    spec: Mapping[str, object], where: str
) -> tuple[tuple[PodSet, ...], tuple[Rejection, ...]]:
    found: list[PodSet] = []
    refused: list[Rejection] = []
    for raw in map(fields, items(spec.get("podSets"))[:_MAX_POD_SETS]):
        limits, problems = _limits(raw, where)
        refused += problems
        found.append(
            PodSet(
                name=shared(text(raw.get("name"))),
                count=read_count(raw.get("count"), f"{where} podSets[].count") or 0,
                minimum=read_count(raw.get("minCount"), f"{where} podSets[].minCount"),
                limits=limits,
            )
        )
    return tuple(found), tuple(refused)


def _limits(
    pod_set: Mapping[str, object], where: str
) -> tuple[dict[str, int], tuple[Rejection, ...]]:
    """What one pod asks for: the larger of its init containers and the sum of the others."""
    spec = fields(fields(pod_set.get("template")).get("spec"))
    containers, refused = read_containers(spec, where)
    init: Counter[str] = Counter()
    main: Counter[str] = Counter()
    for container in containers:
        if container.kind == "init":
            init |= Counter(container.limits)
        else:
            main.update(container.limits)
    return dict(sorted((main | init).items())), tuple(refused)


def trim_workload(raw: object) -> dict[str, object]:
    """The fields of a Workload that `project_workload` reads."""
    spec, status = fields(fields(raw).get("spec")), fields(fields(raw).get("status"))
    queue = text(fields(status.get("admission")).get("clusterQueue"))
    return filled(
        metadata=trim_metadata(raw),
        spec=filled(
            queueName=text(spec.get("queueName")),
            podSets=[_trim_pod_set(s) for s in map(fields, items(spec.get("podSets")))],
        )
        | ({"active": False} if spec.get("active") is False else {}),
        status=filled(
            conditions=trim_conditions(status.get("conditions"), _CONDITIONS),
            admission=filled(clusterQueue=queue),
        ),
    )


def _trim_pod_set(pod_set: Mapping[str, object]) -> dict[str, object]:
    spec = fields(fields(pod_set.get("template")).get("spec"))
    lists = {
        name: [_trim_container(c) for c in map(fields, items(spec.get(name)))]
        for name in ("initContainers", "containers")
    }
    return filled(name=text(pod_set.get("name")), template=filled(spec=filled(**lists))) | present(
        pod_set, "count", "minCount"
    )


def _trim_container(container: Mapping[str, object]) -> dict[str, object]:
    resources = fields(container.get("resources"))
    amounts = {
        name: {
            resource: scalar(quantity)
            for resource, quantity in fields(resources.get(name)).items()
            if isinstance(resource, str) and is_extended(resource)
        }
        for name in ("limits", "requests")
    }
    return filled(
        name=text(container.get("name")),
        restartPolicy=text(container.get("restartPolicy")),
        resources=filled(**amounts),
    )


def project_local_queue(raw: object) -> Queue:
    """A LocalQueue; `parent` is its ClusterQueue.

    Raises:
        MalformedError: it cannot be identified.
    """
    return _queue(raw, "LocalQueue", "clusterQueue")


def project_cluster_queue(raw: object) -> Queue:
    """A ClusterQueue; `parent` is its cohort.

    Raises:
        MalformedError: it cannot be identified.
    """
    return _queue(raw, "ClusterQueue", "cohortName", "cohort")


def _queue(raw: object, kind: str, *parents: str) -> Queue:
    metadata = read_metadata(raw)
    spec = fields(fields(raw).get("spec"))
    parent = next((found for name in parents if (found := text(spec.get(name)))), "")
    return Queue(
        kind=kind,
        uid=metadata.uid,
        namespace=metadata.namespace,
        name=metadata.name,
        parent=shared(parent),
        open=text(spec.get("stopPolicy")) not in _STOPPED,
    )


def trim_queue(raw: object) -> dict[str, object]:
    """The fields of a LocalQueue or a ClusterQueue that are read."""
    spec = fields(fields(raw).get("spec"))
    names = ("clusterQueue", "cohortName", "cohort", "stopPolicy")
    return filled(
        metadata=trim_metadata(raw),
        spec=filled(**{name: text(spec.get(name)) for name in names}),
    )
