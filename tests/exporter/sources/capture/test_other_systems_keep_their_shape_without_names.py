"""Everything but the names, and which name leads to which object, whatever the names are."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.sources.capture.anonymise import anonymise
from gpuatlas.sources.capture.contents import Capture, RawObject
from gpuatlas.sources.capture.trimming import trim_capture
from gpuatlas_harness.anonymised import KEY
from gpuatlas_harness.other_systems import NOW, Object, seen, shape

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
