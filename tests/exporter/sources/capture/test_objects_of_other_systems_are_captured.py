"""Claims, queues and groups in captures: kept, written, and without names the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.claims import Claim, ResourceSlice
from gpuatlas.model.objects import Pod
from gpuatlas.model.observations import Observations
from gpuatlas.model.placement import PlacementObjects
from gpuatlas.sources.capture.anonymise import anonymise
from gpuatlas.sources.capture.contents import Capture, RawObject
from gpuatlas.sources.capture.projection import project_capture
from gpuatlas.sources.capture.reader import read_capture
from gpuatlas.sources.capture.trimming import trim_capture
from gpuatlas.sources.capture.writer import write_capture

Object = dict[str, Any]

FIXTURES = Path(__file__).parents[3] / "fixtures"
POD_OBJECTS = Path(__file__).parents[1] / "kubernetes" / "objects"
KEY = b"a key for tests"
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


def test_every_recorded_object_arrives() -> None:
    found = project_capture(recorded(), now=NOW)
    placement = found.observations.placement
    counts = {
        "workloads": len(placement.workloads),
        "queues": len(placement.queues),
        "groups": len(placement.groups),
        "templates": len(placement.templates),
        "binds": len(placement.binds),
        "pods": len(found.observations.pods),
    }
    assert counts == {
        "workloads": 6,
        "queues": 5,
        "groups": 8,
        "templates": 2,
        "binds": 1,
        "pods": 4,
    }
    assert len(found.observations.slices) > 10
    assert len(found.observations.claims) > 5
    assert [s.source for s in found.statuses if s.source.endswith("run.ai")] == [
        "kubernetes-podgroups.scheduling.run.ai",
        "kubernetes-queues.scheduling.run.ai",
        "kubernetes-bindrequests.scheduling.run.ai",
    ]


def test_a_trimmed_capture_reads_the_same_and_keeps_the_versions() -> None:
    capture = recorded()
    trimmed = trim_capture(capture)
    assert seen(trimmed) == seen(capture)
    versions = {raw.body["apiVersion"] for raw in trimmed.objects}
    assert {"resource.k8s.io/v1", "resource.k8s.io/v1beta1", "kueue.x-k8s.io/v1beta1"} <= versions


def test_a_written_capture_reads_the_same(tmp_path: Path) -> None:
    trimmed = trim_capture(recorded())
    files = write_capture(trimmed, tmp_path / "out", anonymised=False)
    assert {file.name for file in files} >= {
        "podgroups.scheduling.run.ai.yaml",
        "podgroups.scheduling.volcano.sh.yaml",
        "workloads.kueue.x-k8s.io.yaml",
        "resourceclaims.resource.k8s.io.yaml",
        "pods.yaml",
    }
    assert seen(read_capture(tmp_path / "out")) == seen(trimmed)


def test_owners_of_queued_workloads_stay() -> None:
    reference = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "name": "ray", "uid": "uid-ray"}
    metadata = {"name": "w", "namespace": "n", "uid": "uid-w", "ownerReferences": [reference]}
    workload = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload", "metadata": metadata}

    def cluster(name: str) -> Object:
        own = {"name": name, "namespace": "n", "uid": f"uid-{name}"}
        return {"apiVersion": "ray.io/v1alpha1", "kind": "RayCluster", "metadata": own}

    bodies = (workload, cluster("ray"), cluster("idle"))
    kept = trim_capture(Capture(objects=tuple(RawObject(body=b, where="") for b in bodies)))
    assert [raw.body["metadata"]["name"] for raw in kept.objects] == ["w", "ray"]
    assert kept.objects[1].body["apiVersion"] == "ray.io/v1alpha1"


def test_files_without_uids_mix_up_no_two_kinds() -> None:
    metadata = {"name": "same", "namespace": "n"}
    groups = [
        {"apiVersion": f"{group}/{version}", "kind": "PodGroup", "metadata": metadata}
        for group, version in (
            ("scheduling.volcano.sh", "v1beta1"),
            ("scheduling.run.ai", "v2alpha2"),
            ("scheduling.x-k8s.io", "v1alpha1"),
        )
    ]
    capture = Capture(objects=tuple(RawObject(body=body, where="") for body in groups))
    found = seen(capture).placement.groups.values()
    assert [group.system for group in found] == ["volcano", "kai", "coscheduling"]


def test_cluster_wide_objects_are_in_no_namespace() -> None:
    metadata = {"name": "shared", "uid": "u"}
    body = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": metadata}
    found = seen(Capture(objects=(RawObject(body=body, where=""),)))
    assert [queue.namespace for queue in found.placement.queues.values()] == [""]


# --- Without names the same: everything but the names, and which name leads to which object.


def shape(found: Observations) -> dict[str, list[str]]:
    """All that does not change with names."""
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


def text_of(capture: Capture) -> str:
    return "\n".join(json.dumps(dict(raw.body)) for raw in capture.objects)


def test_recorded_objects_keep_their_shape_without_their_names() -> None:
    capture = trim_capture(recorded())
    assert shape(seen(anonymise(capture, key=KEY))) == shape(seen(capture))


# Names that are also words of the systems, numbers, or replacements.
WORDS = st.sampled_from(
    [
        *("gpu", "default", "main", "0", "123", "a", "mig", "nvidia", "shared", "llm", "true"),
        *("node-1", "pod-1", "team-a", "queue-1", "claim-1"),
    ]
)
UUID = "GPU-0000000a-00aa-4000-8000-00000000000a"


def typed(api_version: str, kind: str, name: str, namespace: str = "", **more: Any) -> RawObject:
    metadata: Object = {"name": name, "uid": f"{kind}-{namespace}-{name}"}
    metadata |= {"namespace": namespace} if namespace else {}
    metadata |= more.pop("metadata", {})
    body = {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}
    return RawObject(body=body, where="")


@st.composite
def clusters(draw: st.DrawFn) -> Capture:
    """A pod of each system, with objects whose names are words that mean something elsewhere."""
    node, space, pod, queue, parent, group, claim, request, own = (draw(WORDS) for _ in range(9))
    alternative, device_class, container = draw(WORDS), draw(WORDS), draw(WORDS)
    given = draw(st.sampled_from([request, f"{request}/{alternative}"]))
    result = {"request": given, "driver": "gpu.nvidia.com", "pool": node, "device": "gpu-0"}
    asked: Object = {"name": request, "exactly": {"deviceClassName": device_class}}
    if "/" in given:
        option = {"name": alternative, "deviceClassName": device_class}
        asked = {"name": request, "firstAvailable": [option]}
    opaque = {
        "driver": "gpu.nvidia.com",
        "parameters": {"kind": "GpuConfig", "sharing": {"strategy": draw(WORDS | st.just("MPS"))}},
    }
    attributes = {"uuid": {"string": UUID}, "productName": {"string": "NVIDIA A10G"}}
    device: Object = {"name": "gpu-0", "attributes": attributes | {"type": {"string": "gpu"}}}
    taint = {"key": draw(WORDS | st.just("gpu.nvidia.com/xid")), "effect": "NoExecute"}
    device |= {"capacity": {"memory": {"value": "24Gi"}}, "taints": [taint]}
    message = f"0/3 nodes are available: 2 Insufficient nvidia.com/gpu, 1 {draw(WORDS)}."
    blocked = {"type": "PodScheduled", "status": "False", "message": message}
    top = f"name: {draw(WORDS)}\nuid: u-1\ngroup: ray.io\nkind: RayJob\n"
    kueue = "kueue.x-k8s.io/v1beta2"
    return Capture(
        clock=NOW,
        objects=(
            typed(
                "resource.k8s.io/v1",
                "ResourceSlice",
                f"{node}-gpu.nvidia.com-x",
                spec={
                    "driver": "gpu.nvidia.com",
                    "nodeName": node,
                    "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
                    "devices": [device],
                },
            ),
            typed(
                "resource.k8s.io/v1",
                "ResourceClaim",
                claim,
                space,
                spec={"devices": {"requests": [asked]}},
                status={
                    "allocation": {
                        "devices": {
                            "results": [result],
                            "config": [
                                {"source": "FromClaim", "requests": [request], "opaque": opaque}
                            ],
                        }
                    },
                    "reservedFor": [{"resource": "pods", "name": pod, "uid": f"Pod-{space}-{pod}"}],
                },
            ),
            typed(
                "v1",
                "Pod",
                pod,
                space,
                metadata={
                    "labels": {"kueue.x-k8s.io/queue-name": queue, "kai.scheduler/queue": queue},
                    "annotations": {"pod-group-name": group},
                },
                spec={
                    "nodeName": draw(st.sampled_from([node, ""])),
                    "resourceClaims": [{"name": own, "resourceClaimName": claim}],
                    "schedulingGroup": {"podGroupName": group},
                    "containers": [
                        {
                            "name": container,
                            "resources": {"claims": [{"name": own, "request": request}]},
                        }
                    ],
                },
                status={
                    "phase": "Pending",
                    "conditions": [blocked],
                    "extendedResourceClaimStatus": {
                        "resourceClaimName": claim,
                        "requestMappings": [
                            {
                                "containerName": container,
                                "resourceName": "nvidia.com/gpu",
                                "requestName": request,
                            }
                        ],
                    },
                },
            ),
            typed(kueue, "LocalQueue", queue, space, spec={"clusterQueue": parent}),
            typed(kueue, "ClusterQueue", parent, spec={"cohortName": draw(WORDS)}),
            typed(
                kueue,
                "Workload",
                draw(WORDS),
                space,
                spec={"queueName": queue, "podSets": [{"name": draw(WORDS), "count": 3}]},
                status={"admission": {"clusterQueue": parent}},
            ),
            typed("scheduling.run.ai/v2", "Queue", queue, spec={"parentQueue": parent}),
            typed(
                "scheduling.run.ai/v2alpha2",
                "PodGroup",
                group,
                space,
                metadata={"annotations": {"kai.scheduler/top-owner-metadata": top}},
                spec={"queue": queue, "subGroups": subgroups(draw(WORDS), draw(WORDS))},
            ),
            typed(
                "scheduling.run.ai/v1alpha2",
                "BindRequest",
                draw(WORDS),
                space,
                spec={"podName": pod, "selectedNode": node, "receivedResourceType": "Fraction"},
            ),
        ),
    )


def subgroups(parent: str, child: str) -> list[Object]:
    return [{"name": parent, "minMember": 1}, {"name": child, "minMember": 2, "parent": parent}]


@settings(deadline=None, max_examples=150)
@given(clusters())
def test_whatever_the_names_are_the_shape_stays(capture: Capture) -> None:
    trimmed = trim_capture(capture)
    assert seen(trimmed) == seen(capture)
    assert shape(seen(anonymise(trimmed, key=KEY))) == shape(seen(trimmed))


@pytest.mark.parametrize("name", ["zqname", "zq-name", "zqname.example"])
def test_no_name_is_left_anywhere(name: str) -> None:
    """The recorded objects, each text that a user chose turned into one that is easy to find."""
    kept = ("apiVersion", "kind", "type", "status", "phase", "driver", "device", "uid")
    plain = text_of(trim_capture(recorded()))
    words = {"team-a", "team-b", "team-c", "research", "pretrain", "inference", "sweep", "chat-0"}
    assert all(word in plain for word in words)
    hidden = anonymise(trim_capture(renamed(recorded(), name, kept)), key=KEY)
    assert name not in text_of(hidden)
    left = text_of(anonymise(recorded(), key=KEY))
    assert [word for word in sorted(words) if word in left] == []


def renamed(capture: Capture, name: str, kept: tuple[str, ...]) -> Capture:
    """Each name, message and label value followed by `name`."""

    def change(value: Any, field: str) -> Any:
        if isinstance(value, dict):
            device = field == "devices" and "name" in value
            return {k: v if device and k == "name" else change(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [change(item, field) for item in value]
        chosen = field in {"name", "message", "queue", "queueName", "clusterQueue", "podName"}
        return (
            f"{value}{name}" if chosen and isinstance(value, str) and field not in kept else value
        )

    return Capture(
        clock=capture.clock,
        objects=tuple(
            RawObject(body=change(dict(raw.body), ""), where="") for raw in capture.objects
        ),
    )
