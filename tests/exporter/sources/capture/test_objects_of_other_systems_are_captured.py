"""Claims, queues and groups in captures: kept and written."""

from __future__ import annotations

from pathlib import Path

from gpuatlas.sources.capture.contents import Capture, RawObject
from gpuatlas.sources.capture.projection import project_capture
from gpuatlas.sources.capture.reader import read_capture
from gpuatlas.sources.capture.trimming import trim_capture
from gpuatlas.sources.capture.writer import write_capture
from gpuatlas_harness.other_systems import NOW, Object, recorded, seen


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
