from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpuatlas.sources.capture.contents import Capture, RawObject, RawPage, Silence
from gpuatlas.sources.capture.projection import Captured, project_capture
from gpuatlas.sources.capture.reader import read_capture

CAPTURES = Path(__file__).parents[3] / "fixtures" / "captures"
NOW = 1_787_307_072.0


def raw(kind: str, name: str, api_version: str = "v1", **fields: Any) -> RawObject:
    metadata = {"name": name, **fields.pop("metadata", {})}
    body = {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}
    return RawObject(body=body, where=f"objects/x.yaml:{name}")


def a_node(name: str) -> RawObject:
    return raw("Node", name, status={"capacity": {"nvidia.com/gpu": "1"}})


def an_exporter(name: str, node: str) -> RawObject:
    return raw(
        "Pod",
        name,
        metadata={"namespace": "gpu-operator", "labels": {"app": "nvidia-dcgm-exporter"}},
        spec={"nodeName": node, "containers": [{"name": "nvidia-dcgm-exporter"}]},
        status={"phase": "Running", "podIP": "10.0.0.9"},
    )


def dcgm(name: str, host: str = "", card: str = "GPU-1") -> RawPage:
    label = f',Hostname="{host}"' if host else ""
    text = f'DCGM_FI_DEV_FB_USED{{gpu="0",UUID="{card}",modelName="T4"{label}}} 7\n'
    return RawPage(source="dcgm", name=name, body=text.encode())


def project(*objects: RawObject, pages: tuple[RawPage, ...] = (), **more: Any) -> Captured:
    return project_capture(Capture(objects=objects, pages=pages, **more), now=NOW)


def test_a_whole_capture_has_every_part() -> None:
    seen = project_capture(read_capture(CAPTURES / "hami-a10g"), now=0.0)

    observations = seen.observations
    assert observations.now == NOW
    assert list(observations.nodes) == ["a10g-1"]
    assert len(observations.pods) == 10
    assert len(observations.owners) == 3
    assert [(p.node, len(p.cards)) for p in observations.dcgm] == [("a10g-1", 2)]
    assert [(p.node, p.version) for p in observations.monitors] == [("a10g-1", "v2.9.0")]
    assert [len(p.devices) for p in observations.schedulers] == [2]
    assert observations.silent == {}
    assert {s.source: s.up for s in seen.statuses} == {
        "kubernetes-nodes": True,
        "kubernetes-pods": True,
        "kubernetes-replicasets": True,
        "kubernetes-jobs": True,
        "dcgm": True,
        "hami-monitor": True,
        "hami-scheduler": True,
    }
    assert seen.remarks == ()


def test_without_a_clock_it_is_now() -> None:
    assert project(a_node("gpu-a")).observations.now == NOW


def test_a_page_is_about_the_node_in_its_name_whatever_its_host_label_says() -> None:
    seen = project(a_node("gpu-a"), pages=(dcgm("gpu-a", host="dcgm-exporter-x1"),))

    assert [page.node for page in seen.observations.dcgm] == ["gpu-a"]
    assert list(seen.observations.nodes) == ["gpu-a"]


def test_a_second_page_of_a_node_is_about_it_too() -> None:
    seen = project(
        a_node("gpu-a"),
        pages=(dcgm("gpu-a"), dcgm("gpu-a_exporter-2", card="GPU-2")),
    )

    assert [page.node for page in seen.observations.dcgm] == ["gpu-a", "gpu-a"]


@pytest.mark.parametrize(
    ("page", "node"),
    [
        pytest.param(dcgm("scrape", host="gpu-x"), "gpu-x", id="its host"),
        pytest.param(dcgm("gpu-y"), "gpu-y", id="its name, where no label names a host"),
        pytest.param(
            RawPage(
                source="hami-monitor",
                name="gpu-z",
                body=b'hami_host_gpu_memory_used_bytes{device_uuid="GPU-1"} 1e9\n',
            ),
            "gpu-z",
            id="a monitor has no node label",
        ),
        pytest.param(
            RawPage(
                source="hami-scheduler",
                name="hami_scheduler-0",
                body=b'hami_gpu_memory_limit_bytes{device_uuid="GPU-1",node="gpu-b"} 1e9\n',
            ),
            "gpu-b",
            id="a scheduler names the nodes",
        ),
    ],
)
def test_a_lone_page_brings_the_node_that_it_is_about(page: RawPage, node: str) -> None:
    nodes = project(pages=(page,)).observations.nodes

    assert {name: (n.capacity, n.registrations) for name, n in nodes.items()} == {node: ({}, ())}


def test_an_exporters_pod_name_is_no_node() -> None:
    seen = project(
        a_node("gpu-a"), an_exporter("exporter-x1", "gpu-a"), pages=(dcgm("s", "exporter-x1"),)
    )

    assert list(seen.observations.nodes) == ["gpu-a"]


def test_an_endpoint_without_a_page_is_silent_for_a_reason() -> None:
    seen = project(a_node("gpu-a"), an_exporter("exporter-x1", "gpu-a"))

    assert seen.observations.silent["dcgm", "gpu-a"] == "the capture holds no page of it"
    status = next(s for s in seen.statuses if s.source == "dcgm")
    assert (status.up, status.targets["down"]) == (False, 1)


def test_a_recorded_failure_is_the_reason() -> None:
    silence = Silence(source="dcgm", name="gpu-a", reason="HTTP 500")
    seen = project(a_node("gpu-a"), an_exporter("exporter-x1", "gpu-a"), silences=(silence,))

    assert seen.observations.silent["dcgm", "gpu-a"] == "HTTP 500"


def test_a_page_of_something_else_is_silent_for_a_reason() -> None:
    page = RawPage(source="dcgm", name="gpu-a", body=b"<html>log in</html>\n")
    seen = project(a_node("gpu-a"), pages=(page,))

    assert seen.observations.dcgm == ()
    assert "pages/dcgm/gpu-a.prom holds no metrics" in seen.observations.silent["dcgm", "gpu-a"]


def test_refused_lines_are_counted() -> None:
    page = dcgm("gpu-a")
    broken = RawPage(source="dcgm", name="gpu-a", body=page.body + b"DCGM_FI_DEV_FB_USED{x 1\n")
    seen = project(a_node("gpu-a"), pages=(broken,))

    status = next(s for s in seen.statuses if s.source == "dcgm")
    assert status.rejected == {"bad-line": 1}
    assert len(seen.observations.dcgm) == 1


def test_a_pod_without_a_namespace_is_in_default() -> None:
    pod = raw(
        "Pod",
        "p",
        spec={"containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": 1}}}]},
    )

    (found,) = project(pod).observations.pods.values()
    assert found.namespace == "default"


def test_a_bad_object_costs_itself_only() -> None:
    nameless = RawObject(
        body={"apiVersion": "v1", "kind": "Node", "metadata": {}}, where="objects/x.yaml:7"
    )
    seen = project(nameless, a_node("gpu-a"))

    assert list(seen.observations.nodes) == ["gpu-a"]
    assert seen.remarks == ("objects/x.yaml:7: left out: an object without metadata.name",)
    status = next(s for s in seen.statuses if s.source == "kubernetes-nodes")
    assert status.rejected == {"no-name": 1}


def test_of_two_with_the_same_identity_the_first_counts() -> None:
    seen = project(a_node("gpu-a"), a_node("gpu-a"))

    assert list(seen.observations.nodes) == ["gpu-a"]
    assert seen.remarks == ("objects/x.yaml:gpu-a: left out: Node gpu-a was there before",)


def test_other_kinds_are_counted_and_passed_over() -> None:
    seen = project(a_node("gpu-a"), raw("ConfigMap", "x"), raw("ConfigMap", "y"))

    assert seen.remarks == ("2 of kind ConfigMap not read",)


def test_the_same_kind_of_another_group_is_another_kind() -> None:
    seen = project(a_node("gpu-a"), raw("Job", "x", "batch.volcano.sh/v1alpha1"))

    assert seen.observations.owners == {}
    assert seen.remarks == ("1 of kind Job not read",)


def test_claims_that_pods_use_and_nobody_captured_are_not_read() -> None:
    """A refusal leaves no trace in a folder: the devices must not look free for it."""
    device = {"name": "gpu-0", "attributes": {"type": {"string": "gpu"}}}
    slices = raw(
        "ResourceSlice",
        "gpu-1",
        "resource.k8s.io/v1",
        spec={
            "driver": "gpu.nvidia.com",
            "nodeName": "gpu-1",
            "pool": {"name": "gpu-1", "generation": 1, "resourceSliceCount": 1},
            "devices": [device],
        },
    )
    claiming = {"resourceClaims": [{"name": "gpu", "resourceClaimName": "mine"}]}
    containers = [{"name": "main", "resources": {"claims": [{"name": "gpu"}]}}]
    pod = raw("Pod", "p", spec={"nodeName": "gpu-1", "containers": containers, **claiming})
    plain = raw("Pod", "q", spec={"nodeName": "gpu-1", "containers": [{"name": "main"}]})

    key = ("kubernetes-resourceclaims.resource.k8s.io", "")
    assert project(slices, pod).observations.silent[key]
    assert key not in project(slices, plain).observations.silent
    assert key not in project(pod).observations.silent
