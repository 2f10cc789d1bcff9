"""Recorded objects of other systems as a capture, and the shape of what is read of a capture."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from gpuatlas.model.claims import Claim, ResourceSlice
from gpuatlas.model.objects import Pod
from gpuatlas.model.observations import Observations
from gpuatlas.model.placement import PlacementObjects
from gpuatlas.sources.capture.contents import Capture, RawObject
from gpuatlas.sources.capture.projection import project_capture

Object = dict[str, Any]
FIXTURES = Path(__file__).parents[2] / "fixtures"
POD_OBJECTS = Path(__file__).parents[2] / "exporter" / "sources" / "kubernetes" / "objects"
NOW = 1_800_000_000.0


def documents(path: Path) -> Iterator[Object]:
    for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
        yield from document if isinstance(document, list) else [document]


def recorded() -> Capture:
    """All recorded objects of other systems, and pods that use such objects."""
    paths = [
        *sorted((FIXTURES / "placement").glob("*/*.yaml")),
        *sorted((FIXTURES / "dra").glob("*/*.yaml")),
    ]
    objects = [RawObject(body=body, where=p.name) for p in paths for body in documents(p)]
    pods = documents(POD_OBJECTS / "pods_of_other_systems.yaml")
    typed = ({"apiVersion": "v1", "kind": "Pod", **pod} for pod in pods)
    return Capture(clock=NOW, objects=(*objects, *(RawObject(body=b, where="") for b in typed)))


def seen(capture: Capture) -> Observations:
    return project_capture(capture, now=NOW).observations


def shape(found: Observations) -> dict[str, list[str]]:
    """All that does not change with names, and which name leads to which object."""
    pods = {pod.key: pod for pod in found.pods.values()}
    claims = {(c.namespace, c.name): c for c in found.claims.values()}
    devices = {d.key for s in found.slices.values() for d in s.devices}
    return {
        "slices": _sorted(slice_shape(s) for s in found.slices.values()),
        "claims": _sorted(
            (
                claim_shape(claim),
                [result.key in devices for result in claim.results],
                [(claim.namespace, c.name) in pods for c in claim.reserved_for],
            )
            for claim in found.claims.values()
        ),
        "pods": _sorted(pod_shape(pod, found, claims) for pod in pods.values()),
        **placement_shape(found.placement, pods),
    }


def _sorted(values: Any) -> list[str]:
    return sorted(map(str, values))


def slice_shape(found: ResourceSlice) -> object:
    return (
        (found.driver, found.generation, found.slice_count, len(found.rejections)),
        [
            (
                (d.name, d.kind, d.vendor, d.profile, d.model, d.memory_bytes, d.cores, d.slots),
                (bool(d.uuid), len(d.uuid), bool(d.parent_uuid), d.pci_bus_id, d.allows_multiple),
                (d.driver_version, d.cuda_version, d.pool == d.node),
                [(t.effect, t.key.startswith(d.driver) and t) for t in d.taints],
                sum(d.card == other.card for other in found.devices),
            )
            for d in found.devices
        ],
    )


def claim_shape(claim: Claim) -> object:
    mains = {request.name for request in claim.requests}
    return (
        (claim.extended_resource, claim.sharing, len(claim.rejections)),
        [(r.count, r.admin, r.device_class.endswith("nvidia.com")) for r in claim.requests],
        [
            (r.driver, r.device, r.admin, r.memory_bytes, r.cores, r.sharing, r.request in mains)
            for r in claim.results
        ],
        [consumer.resource for consumer in claim.reserved_for],
    )


def pod_shape(pod: Pod, found: Observations, claims: dict[tuple[str, str], Claim]) -> object:
    own = {claim.name: claims.get((pod.namespace, claim.claim)) for claim in pod.claims}
    requests = [
        (name in own, request in {r.name for r in claim.requests} if claim else None)
        for container in pod.containers
        for name, request in container.claims
        for claim in [own.get(name)]
    ]
    groups = {(g.namespace, g.name) for g in found.placement.groups.values()}
    reserved = {p.reservation.group for p in found.pods.values() if p.reservation}
    scheduling = pod.scheduling
    return (
        (pod.runtime, scheduling.cause, len(scheduling.gates), scheduling.placeholder),
        ([claim is not None for claim in own.values()], requests),
        ((pod.namespace, scheduling.native_group) in groups, bool(scheduling.native_workload)),
        [(gang.system, gang.minimum) for gang in scheduling.gangs],
        (pod.namespace, pod.annotations.get("pod-group-name", "")) in groups,
        pod.fraction
        and (pod.fraction.portion, [group in reserved for group in pod.fraction.groups]),
        pod.reservation and bool(pod.reservation.card),
        [
            (e.resource, any(c.name == e.container for c in pod.containers))
            for e in pod.extended_requests
        ],
        [(r.source, r.reason) for r in pod.rejections],
    )


def placement_shape(found: PlacementObjects, pods: dict[tuple[str, str], Pod]) -> dict[str, Any]:
    queues = {(q.kind, q.namespace, q.name) for q in found.queues.values()}
    names = {(q.kind, q.name) for q in found.queues.values()}
    labels = ("kueue.x-k8s.io/queue-name", "kai.scheduler/queue")
    return {
        "workloads": _sorted(
            (
                (w.waiting.reason, w.waiting_since, w.owner and (w.owner.api_group, w.owner.kind)),
                ("LocalQueue", w.namespace, w.queue) in queues,
                ("ClusterQueue", "", w.cluster_queue) in queues,
                [(s.count, s.minimum, sorted(s.limits.items())) for s in w.pod_sets],
            )
            for w in found.workloads.values()
        ),
        "queues": _sorted(
            (q.kind, q.open, bool(q.parent), ("ClusterQueue", q.parent) in names)
            for q in found.queues.values()
        ),
        "groups": _sorted(
            (
                (g.system, g.minimum, g.waiting.reason),
                [kind for kind in ("VolcanoQueue", "KaiQueue") if (kind, g.queue) in names],
                g.top_owner and (g.top_owner.api_group, g.top_owner.kind, bool(g.top_owner.uid)),
            )
            for g in found.groups.values()
        ),
        "templates": _sorted(
            sorted(map(str, t.minimums.values())) for t in found.templates.values()
        ),
        "binds": _sorted(
            (b.phase, b.resource_type, len(b.groups), (b.namespace, b.pod) in pods)
            for b in found.binds.values()
        ),
        "queue labels": _sorted(
            (key, sorted(kind for kind, name in names if name == pod.labels[key]))
            for pod in pods.values()
            for key in labels
            if key in pod.labels
        ),
    }
