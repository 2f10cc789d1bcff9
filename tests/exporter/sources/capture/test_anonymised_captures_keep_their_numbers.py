"""What is measured and counted is the same without the names, whatever the names are."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.readings import Known, Reading
from gpuatlas.model.snapshot import Allocation, Card, NodeSnapshot, Snapshot, Workload
from gpuatlas.sources.capture.anonymise import anonymise
from gpuatlas.sources.capture.contents import Capture, RawObject, RawPage, Silence
from gpuatlas.sources.capture.projection import project_capture
from gpuatlas.sources.capture.reader import read_capture
from gpuatlas.sources.capture.trimming import trim_capture
from gpuatlas_harness.anonymised import KEY, NOW, UUIDS, raw_object
from gpuatlas_harness.captured import CAPTURES


def known(reading: Reading[Any]) -> Any:
    """The value; of an unknown one only that it is: reasons quote names."""
    return reading.value if isinstance(reading, Known) else "?"


def card_numbers(card: Card) -> tuple[Any, ...]:
    memory = card.memory
    sizes = (memory.physical, memory.schedulable, memory.allocated, memory.overcommitted)
    uses = (memory.resident, memory.counted, memory.offloaded)
    others = (card.compute_allocated, card.compute_utilization, card.tenants, card.tenants_limit)
    parts = sorted((p.kind, p.profile, str(known(p.memory_physical))) for p in card.partitions)
    words = (card.vendor, card.index, card.model, card.sharing, card.state, card.pci_bus_id)
    return (*words, *map(known, (*sizes, *uses, *others)), tuple(parts))


def allocation_numbers(allocation: Allocation) -> tuple[Any, ...]:
    a = allocation
    sizes = (a.memory_reserved, a.memory_resident, a.memory_counted, a.compute_reserved)
    others = (a.compute_utilization, a.priority, a.idle_seconds)
    return (a.index, a.evidence, bool(a.card), bool(a.container), *map(known, (*sizes, *others)))


def workload_numbers(workload: Workload) -> tuple[Any, ...]:
    w = workload
    maps = (sorted(w.pods.items()), sorted(w.cards_requested.items()), sorted(w.waiting.items()))
    told = (len(w.revisions), w.restarts, bool(w.run_group))
    return (w.id.api_group, w.id.kind, w.runtime, len(w.pod_names), str(maps), told)


def node_numbers(node: NodeSnapshot) -> tuple[Any, ...]:
    return (
        node.driver_version,
        node.cuda_version,
        node.sharing,
        known(node.sharing_ready),
        known(node.card_count),
        tuple(sorted(map(card_numbers, node.cards), key=str)),
        tuple(sorted(map(allocation_numbers, node.allocations), key=str)),
        tuple(sorted((r.source, r.reason) for r in node.rejections)),
    )


def numbers(snapshot: Snapshot) -> tuple[Any, ...]:
    """Everything of a snapshot but its names and the order that they give."""
    return (
        sorted(map(node_numbers, snapshot.nodes.values()), key=str),
        sorted(
            (
                tuple(sorted(map(workload_numbers, space.workloads), key=str))
                for space in snapshot.namespaces.values()
            ),
            key=str,
        ),
    )


def joined(capture: Capture) -> tuple[Any, ...]:
    seen = project_capture(capture, now=NOW)
    refused = Counter(
        (r.source, r.reason)
        for rejections in (
            *(node.rejections for node in seen.observations.nodes.values()),
            *(pod.rejections for pod in seen.observations.pods.values()),
        )
        for r in rejections
    )
    statuses = [(s.source, s.up, dict(s.targets), dict(s.rejected)) for s in seen.statuses]
    return (numbers(Joiner().build(seen.observations)), refused, statuses)


@pytest.mark.parametrize("name", ["hami-a10g", "plain-a100", "lone-page", "lone-node"])
def test_fixtures(name: str) -> None:
    capture = trim_capture(read_capture(CAPTURES / name))

    assert joined(anonymise(capture, key=KEY)) == joined(capture)


# Names that are also words of the systems, numbers, or replacements.
COMMON = "gpu default main 0 123 node-1 node-2 a mig nvidia pod-1 team-a success llm-chat web true"
WORDS = st.sampled_from([*COMMON.split(), "10", "hami-core", "a.b.example.com"])


@st.composite
def registers(draw: st.DrawFn, node: str) -> dict[str, Any]:
    """A node as one of the layers shows it."""
    kind = draw(st.sampled_from(["json", "text", "broken", "cambricon", "ascend", "plain"]))
    annotations: dict[str, str] = {}
    capacity = {"nvidia.com/gpu": "20"}
    labels = {"kubernetes.io/hostname": node, "nvidia.com/gpu.memory": "23028"}
    if kind == "json":
        cards = [
            {"id": uuid, "index": i, "count": 10, "devmem": 34542, "devcore": 100, "health": True}
            | {"type": "NVIDIA A10G", "mode": "hami-core"}
            for i, uuid in enumerate(UUIDS[:2])
        ]
        annotations["hami.io/node-nvidia-register"] = json.dumps(cards)
    elif kind == "text":
        annotations["hami.io/node-nvidia-register"] = (
            f"{UUIDS[0]},10,34542,100,NVIDIA-Tesla T4,0,true,0,hami-core:"
        )
    elif kind == "broken":
        annotations["hami.io/node-nvidia-register"] = draw(
            st.sampled_from(['[{"id": "' + UUIDS[0], "one,two,three:", "[]", '{"a": 1}'])
        )
    elif kind == "cambricon":
        capacity = {"cambricon.com/vmlu": "2", "cambricon.com/mlu.smlu.vmemory": "64"}
    elif kind == "ascend":
        capacity = {"huawei.com/Ascend910B3": "2"}
        annotations["hami.io/node-register-Ascend910B3"] = json.dumps(
            [
                {
                    "id": "0A1B2C3D-00000001-00000000-00000000-00000000",
                    "count": 4,
                    "devmem": 65536,
                    "devcore": 20,
                    "type": "Ascend910B3",
                    "health": True,
                }
            ]
        )
    annotations["hami.io/node-handshake"] = "Requesting_2026-08-21 10:11:00"
    status = {"capacity": capacity, "allocatable": capacity}
    return raw_object("Node", node, "", labels, annotations, status=status)


@st.composite
def pods(draw: st.DrawFn, nodes: list[str]) -> dict[str, Any]:
    """A pod that holds, waits or has finished, with a promise that may be odd."""
    name, namespace, node = draw(WORDS), draw(WORDS), draw(st.sampled_from(nodes))
    owner = draw(st.none() | WORDS)
    if owner is not None:
        name = f"{owner}-7d9f8c6b5d-{name}"
    card = draw(st.sampled_from([*UUIDS[:3], f"{node}-cambricon-mlu-0", "0A1B2C3D-00000001-x"]))
    promise = draw(
        st.sampled_from(
            [
                f"{card},NVIDIA,12000,40:;",
                f"{card},MLU,256,10:;",
                f";{card},NVIDIA,1,0:{UUIDS[1]},NVIDIA,2,100:;",
                f"{card},NVIDIA,x,40:;",
                "private words",
                f"{UUIDS[0]}[1g.10gb-0],NVIDIA,9728,14:;",
            ]
        )
    )
    key = draw(st.sampled_from(["vgpu-devices-allocated", "cambricon-mlu-devices-allocated"]))
    annotations = {f"hami.io/{key}": promise, "hami.io/vgpu-node": node}
    labels = {"app": owner or name, "pod-template-hash": "7d9f8c6b5d"}
    container = {
        "name": draw(WORDS),
        "image": "registry.corp.example/ml/vllm-openai:v1",
        "resources": {
            "limits": {draw(st.sampled_from(["nvidia.com/gpu", "cambricon.com/vmlu"])): "1"}
        },
    }
    pod = raw_object("Pod", name, namespace, labels, draw(st.sampled_from([annotations, {}])))
    pod["spec"] = {"nodeName": draw(st.sampled_from([node, ""])), "containers": [container]}
    pod["status"] = {"phase": draw(st.sampled_from(["Running", "Pending", "Succeeded"]))}
    if owner is not None:
        reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "controller": True}
        reference |= {"name": f"{owner}-7d9f8c6b5d", "uid": f"rs-{owner}"}
        pod["metadata"]["ownerReferences"] = [reference]
    return pod


@st.composite
def dcgm_pages(draw: st.DrawFn, node: str, known_pods: list[dict[str, Any]]) -> bytes:
    lines = []
    for index, uuid in enumerate(draw(st.lists(st.sampled_from(UUIDS), unique=True, max_size=3))):
        base = f'gpu="{index}",UUID="{uuid}",modelName="NVIDIA A10G",Hostname="{node}"'
        pod = draw(st.sampled_from([*known_pods, None]))
        if pod is not None:
            container = pod["spec"]["containers"][0]["name"]
            names = (container, pod["metadata"]["namespace"], pod["metadata"]["name"])
            base += ',container="{}",namespace="{}",pod="{}"'.format(*names)
        used = draw(st.integers(0, 24_000))
        lines += [f"DCGM_FI_DEV_FB_USED{{{base}}} {used}", f"DCGM_FI_DEV_GPU_UTIL{{{base}}} 50"]
    lines += draw(
        st.lists(
            st.sampled_from(
                [
                    "# HELP DCGM_FI_DEV_FB_USED told by ann",
                    'DCGM_FI_DEV_FB_USED{UUID="GPU-9" 12',
                    f'DCGM_FI_DEV_FB_USED{{gpu="0",UUID="{UUIDS[0]}"}} many',
                    f'DCGM_FI_DEV_GPU_UTIL{{gpu="0",UUID="{UUIDS[3]}"}} NaN',
                    'go_goroutines{who="ann"} 7',
                    "\udcff",
                    f'DCGM_FI_DEV_GPU_TEMP{{UUID="{UUIDS[0]}",x="\udcff"}} 30',
                ]
            ),
            max_size=4,
        )
    )
    return "\n".join(lines).encode("utf-8", "surrogateescape") + b"\n"


@st.composite
def monitor_pages(draw: st.DrawFn, known_pods: list[dict[str, Any]]) -> bytes:
    lines = [f'hami_host_gpu_memory_used_bytes{{device_uuid="{UUIDS[0]}"}} 1e9']
    for pod in known_pods:
        container = pod["spec"]["containers"][0]["name"]
        names = (container, pod["metadata"]["namespace"], pod["metadata"]["name"])
        uuid = draw(st.sampled_from(UUIDS))
        labels = 'container="{}",namespace="{}",pod="{}",device_uuid="{}"'.format(*names, uuid)
        lines.append(f"hami_vgpu_memory_used_bytes{{{labels}}} {draw(st.integers(0, 10**10))}")
    return "\n".join(lines).encode() + b"\n"


@st.composite
def clusters(draw: st.DrawFn) -> Capture:
    names = draw(st.lists(WORDS, min_size=1, max_size=3, unique=True))
    nodes = [draw(registers(name)) for name in names]
    every = draw(st.lists(pods(names), max_size=5, unique_by=lambda p: p["metadata"]["uid"]))
    pages = [
        RawPage(source="dcgm", name=name, body=draw(dcgm_pages(name, every)))
        for name in draw(st.lists(st.sampled_from(names), unique=True))
    ]
    if draw(st.booleans()):
        page = draw(monitor_pages(every))
        pages.append(RawPage(source="hami-monitor", name=names[0], body=page))
    silence = Silence(source="dcgm", name=names[-1], reason="http://10.0.0.7: HTTP 500")
    objects = tuple(RawObject(body=body, where="") for body in (*nodes, *every))
    return Capture(clock=NOW, objects=objects, pages=tuple(pages), silences=(silence,))


@settings(deadline=None, max_examples=60)
@given(clusters())
def test_whatever_the_names_are_the_numbers_stay(capture: Capture) -> None:
    assert joined(anonymise(capture, key=KEY)) == joined(trim_capture(capture))
