from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.readings import Known, Reading
from gpuatlas.model.snapshot import Allocation, Card, NodeSnapshot, Snapshot, Workload
from gpuatlas.sources.capture.anonymise import anonymise
from gpuatlas.sources.capture.contents import Capture, RawObject, RawPage, Silence
from gpuatlas.sources.capture.projection import project_capture
from gpuatlas.sources.capture.reader import read_capture
from gpuatlas.sources.capture.trimming import trim_capture

CAPTURES = Path(__file__).parents[3] / "fixtures" / "captures"
KEY = b"a key for tests"
NOW = 1_787_307_072.0


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


def text_of(capture: Capture) -> str:
    objects = [json.dumps(dict(raw.body)) for raw in capture.objects]
    pages = [p.file + "\n" + p.body.decode("utf-8", "replace") for p in capture.pages]
    return "\n".join([*objects, *pages, *(f"{s.name} {s.reason}" for s in capture.silences)])


@pytest.mark.parametrize("name", ["hami-a10g", "plain-a100", "lone-page", "lone-node"])
def test_fixtures(name: str) -> None:
    capture = trim_capture(read_capture(CAPTURES / name))

    assert joined(anonymise(capture, key=KEY)) == joined(capture)


# --- Names that are easily confused, and records of every layer.

UUIDS = [f"GPU-{n:08x}-00aa-4000-8000-00000000000{n}" for n in range(1, 5)]
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
    return _object("Node", node, "", labels, annotations, status=status)


def _object(
    kind: str,
    name: str,
    namespace: str,
    labels: dict[str, str],
    annotations: dict[str, str],
    **more: Any,
) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace, "uid": f"{kind}-{namespace}-{name}"}
    metadata |= {"labels": labels, "annotations": annotations}  # type: ignore[dict-item]
    version = "apps/v1" if kind == "ReplicaSet" else "v1"
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **more}


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
    pod = _object("Pod", name, namespace, labels, draw(st.sampled_from([annotations, {}])))
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


# --- No name is left.

SECRET = st.from_regex(r"zq[a-z]{3,8}", fullmatch=True)


@settings(deadline=None, max_examples=60)
@given(SECRET, SECRET, SECRET, SECRET, st.text(max_size=30))
@example("zqnode", "zqspace", "zqpod", "zqword", "")
def test_no_name_is_left_anywhere(node: str, space: str, pod: str, word: str, free: str) -> None:
    container = {
        "name": word,
        "image": f"registry.{word}.example/{word}/vllm-{word}:{word}",
        "env": [{"name": "NB_PREFIX", "value": f"/{word}/x"}],
        "resources": {"limits": {"nvidia.com/gpu": "1"}},
    }
    body = _object(
        "Pod",
        f"{pod}-0",
        space,
        {"app": pod, "app.kubernetes.io/instance": word, f"runai-gpu-group/{word}": word},
        {
            "hami.io/vgpu-devices-allocated": f"{UUIDS[0]},NVIDIA,1,1:;{word}",
            "hami.io/vgpu-node": node,
            "hami.io/mutex.lock": f"2026-08-21T10:11:12Z,{space},{pod}-0",
            "nvidia.com/use-gpuuuid": UUIDS[1],
            "volcano.sh/x": json.dumps({"who": word, "words": [word, free]}),
        },
        spec={
            "nodeName": node,
            "schedulerName": f"{word}-scheduler",
            "containers": [container],
            "resourceClaims": [{"name": word, "resourceClaimName": word}],
        },
        status={
            "phase": "Running",
            "reason": f"{word} happened",
            "podIP": "192.0.2.7",
            "conditions": [{"type": "Ready", "status": "True", "reason": word}],
        },
    )
    body["metadata"]["ownerReferences"] = [
        {
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "name": pod,
            "uid": word,
            "controller": True,
        }
    ]
    host = _object("Node", f"{node}.{word}.example", "", {"agentpool": word}, {})
    host["status"] = {"capacity": {"nvidia.com/gpu": "1"}}
    page = (
        f"# HELP DCGM_FI_DEV_FB_USED told by {word}\n"
        f'DCGM_FI_DEV_FB_USED{{UUID="{UUIDS[0]}",Hostname="{node}",pod="{pod}-0",'
        f'namespace="{space}",instance="192.0.2.7:9400",label_team="{word}"}} 7 '
        f'# {{who="{word}"}} 1\n'
        f"DCGM_FI_DEV_FB_USED {word}\n{{{word}\n# {word}\n"
        f'other{{url="http://[2001:db8::77]:80/{word}"}} 1\n'
    )
    capture = Capture(
        objects=tuple(RawObject(body=b, where="") for b in (body, host)),
        pages=(
            RawPage(source="dcgm", name=node, body=page.encode()),
            RawPage(source="hami-scheduler", name=f"{space}_{pod}", body=b""),
        ),
        silences=(Silence(source="dcgm", name=word, reason=f"http://{word}: HTTP 500"),),
    )

    hidden = anonymise(capture, key=KEY)
    text = text_of(hidden)
    for secret in (node, space, pod, word, "192.0.2.7", "db8::77", UUIDS[0], UUIDS[1]):
        assert secret not in text
    assert [s.reason for s in hidden.silences] == ["no page: HTTP 500"]


def test_formats_and_relations_stay() -> None:
    capture = read_capture(CAPTURES / "hami-a10g")

    hidden = anonymise(capture, key=KEY)
    found = {
        raw.body["metadata"]["name"]: raw.body["metadata"]
        for raw in hidden.objects
        if raw.kind == "Pod" and "ownerReferences" in raw.body["metadata"]
    }
    name, metadata = next(i for i in found.items() if i[0].startswith("deployment-1-"))
    template = metadata["labels"]["pod-template-hash"]
    owner = metadata["ownerReferences"][0]["name"]
    assert owner == f"deployment-1-{template}"
    assert name.startswith(f"{owner}-")
    assert metadata["labels"]["app"] == "deployment-1"
    assert any(n.startswith("cronjob-1-29788920-") for n in found)  # numbers tell the schedule
    assert "statefulset-1-0" in found
    ids = re.findall(r'UUID="([^"]+)"', hidden.pages[0].body.decode())
    assert all(re.fullmatch(r"GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", i) for i in ids)


REVISIONS = (
    "pod-template-hash",
    "rollouts-pod-template-hash",
    "controller-revision-hash",
    "leaderworkerset.sigs.k8s.io/template-revision-hash",
    "grove.io/pod-template-hash",
)
RUNS = (
    "app.kubernetes.io/name",
    "app.kubernetes.io/instance",
    "workflows.argoproj.io/workflow-template",
    "tekton.dev/pipeline",
    "katib.kubeflow.org/experiment",
    "dag_id",
    "task_id",
)


def a_run(secret: str, letters: str, labels: dict[str, str]) -> tuple[RawObject, RawObject]:
    """A Job whose name was generated, and its pod."""
    job = _object("Job", f"{secret}-{letters}", "lab", {}, {}) | {"apiVersion": "batch/v1"}
    job["metadata"] |= {"generateName": f"{secret}-"}
    pod = _object("Pod", f"{secret}-{letters}-0", "lab", labels, {})
    reference = {"apiVersion": "batch/v1", "kind": "Job", "controller": True}
    reference |= {"name": f"{secret}-{letters}", "uid": job["metadata"]["uid"]}
    pod["metadata"]["ownerReferences"] = [reference]
    pod["spec"] = {"containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}
    pod["status"] = {
        "phase": "Running",
        "containerStatuses": [{"name": "c", "restartCount": 3, "lastState": secret}],
    }
    return RawObject(body=job, where=""), RawObject(body=pod, where="")


@settings(deadline=None, max_examples=40)
@given(SECRET, SECRET)
@example("zqrun", "zqword")
def test_revisions_and_groups_name_nothing(secret: str, word: str) -> None:
    labels = {key: f"{word}-{number}" for number, key in enumerate((*REVISIONS, *RUNS))}
    workflow = _object("Workflow", f"{secret}-9bcdf", "lab", {RUNS[2]: word}, {})
    workflow |= {"apiVersion": "argoproj.io/v1alpha1"}
    workflow["metadata"]["generateName"] = f"{word}{secret}-"
    job, pod = a_run(secret, "x7k2p", labels)
    _, step = a_run(secret, "9bcdf", {})
    step.body["metadata"]["ownerReferences"][0] |= {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "uid": workflow["metadata"]["uid"],
    }
    capture = Capture(objects=(job, pod, RawObject(body=workflow, where=""), step))
    assert len(trim_capture(capture).objects) == 4
    text = text_of(anonymise(capture, key=KEY))
    assert secret not in text
    assert word not in text


def test_runs_of_one_group_and_pods_of_one_revision_stay_together() -> None:
    template = {"pod-template-hash": "5d8f7c9b64"}
    other = {"pod-template-hash": "77aa8bb9cc"}
    capture = Capture(
        clock=NOW,
        objects=(
            *a_run("train", "x7k2p", template),
            *a_run("train", "9bcdf", template),
            *a_run("eval", "x7k2p", other),
        ),
    )

    def told(capture: Capture) -> list[tuple[str, tuple[str, ...], int | None]]:
        snapshot = Joiner().build(project_capture(capture, now=NOW).observations)
        return sorted((w.run_group, w.revisions, w.restarts) for w in snapshot.workloads())

    assert told(capture) == [
        ("eval", ("77aa8bb9cc",), 3),
        ("train", ("5d8f7c9b64",), 3),
        ("train", ("5d8f7c9b64",), 3),
    ]
    hidden = told(anonymise(capture, key=KEY))
    assert [group for group, _, _ in hidden] == ["job-1", "job-2", "job-2"]
    assert hidden[1] == hidden[2]
    assert hidden[0][1] != hidden[1][1]
    assert all(len(revision) == 10 for _, (revision,), _ in hidden)


def test_the_revision_of_a_stateful_set_keeps_the_name_in_front() -> None:
    hidden = anonymise(read_capture(CAPTURES / "hami-a10g"), key=KEY)
    labels = next(
        raw.body["metadata"]["labels"]
        for raw in hidden.objects
        if "controller-revision-hash" in raw.body["metadata"].get("labels", {})
    )
    assert re.fullmatch(r"statefulset-1-[0-9a-z]{10}", labels["controller-revision-hash"])
    assert "6c5d7f9b84" not in text_of(hidden)


def test_order_by_name_stays() -> None:
    names = [f"gpu-{n}" for n in (2, 10, 1)]
    nodes = [registers_plain(name) for name in names]
    hidden = anonymise(Capture(objects=tuple(nodes)), key=KEY)

    given_names = [raw.body["metadata"]["name"] for raw in hidden.objects]
    assert given_names == ["node-2", "node-3", "node-1"]


def registers_plain(name: str) -> RawObject:
    body = _object("Node", name, "", {"nvidia.com/gpu.present": "true"}, {})
    return RawObject(body=body, where="")


def test_without_a_key_two_captures_cannot_be_compared() -> None:
    capture = read_capture(CAPTURES / "lone-page")

    assert anonymise(capture).pages != anonymise(capture).pages
    assert anonymise(capture, key=KEY).pages == anonymise(capture, key=KEY).pages
