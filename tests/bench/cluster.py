"""A large cluster as the API server would list it: the benchmark's input.

Deterministic. 60 % of the nodes run HAMi with 8 A10G each, the others hand out whole A100s. Pods
carry what real ones carry (managedFields, probes, volumes, conditions), so that decoding costs what
it costs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

A10G_MIB, A100_MIB = 23_028, 81_920
CREATED = "2026-11-01T08:00:00Z"
PLUGIN_LABELS = {"app.kubernetes.io/component": "hami-device-plugin"}
EXPORTER_LABELS = {"app": "nvidia-dcgm-exporter"}


@dataclass(frozen=True, kw_only=True)
class Size:
    """How large. `port` is where all exporter pods listen, each on its own loopback address."""

    nodes: int = 1_000
    cards_per_node: int = 8
    gpu_pods: int = 20_000
    other_pods: int = 20_000
    port: int = 9_400
    namespaces: int = 200


def is_hami(node: int) -> bool:
    return node % 5 < 3


def node_name(node: int) -> str:
    return f"gpu-{node:04d}"


def address(node: int) -> str:
    """A loopback address of the node's own."""
    return f"127.1.{node // 250}.{node % 250 + 1}"


def uuid(node: int, card: int) -> str:
    return f"GPU-{node:08x}-0000-4000-8000-{card:012x}"


def _metadata(name: str, uid: str, namespace: str = "", **more: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {f"f:field{i}": {"f:value": {}, "f:other": {}} for i in range(12)}
    return {
        "name": name,
        **({"namespace": namespace} if namespace else {}),
        "uid": uid,
        "resourceVersion": "1000",
        "creationTimestamp": CREATED,
        "managedFields": [
            {"manager": m, "operation": "Update", "time": CREATED, "fieldsV1": fields}
            for m in ("kube-controller-manager", "kubelet")
        ],
        **more,
    }


def a_node(node: int, size: Size) -> dict[str, Any]:
    hami = is_hami(node)
    annotations = {"node.alpha.kubernetes.io/ttl": "0"}
    if hami:
        devices = [
            {
                "id": uuid(node, c),
                "index": c,
                "count": 10,
                "devmem": int(A10G_MIB * 1.5),
                "devcore": 100,
                "type": "NVIDIA A10G",
                "mode": "hami-core",
                "health": True,
            }
            for c in range(size.cards_per_node)
        ]
        annotations["hami.io/node-nvidia-register"] = json.dumps(devices)
        annotations["hami.io/node-handshake"] = "Requesting_2026-11-30 10:00:00"
    resources = {
        "cpu": "96",
        "memory": "791Gi",
        "pods": "110",
        "nvidia.com/gpu": str(size.cards_per_node * (10 if hami else 1)),
    }
    labels = {
        "kubernetes.io/hostname": node_name(node),
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.memory": str(A10G_MIB if hami else A100_MIB),
        "nvidia.com/gpu.count": str(size.cards_per_node),
        **{f"feature.node.kubernetes.io/cpu-{i}": "true" for i in range(60)},
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": _metadata(
            node_name(node), f"node-{node}", labels=labels, annotations=annotations
        ),
        "spec": {},
        "status": {
            "capacity": resources,
            "allocatable": resources,
            "conditions": [{"type": "Ready", "status": "True"}],
            "nodeInfo": {"kubeletVersion": "v1.33.2"},
            "images": [{"names": [f"registry.example/image-{i}:1"]} for i in range(50)],
        },
    }


def _container(name: str, limits: dict[str, str], port: int = 8_000) -> dict[str, Any]:
    return {
        "name": name,
        "image": "registry.example/team/server:2026.11",
        "command": ["bash", "-c", "exec serve --model /models/a --port 8000"],
        "ports": [{"name": "metrics", "containerPort": port, "protocol": "TCP"}],
        "env": [{"name": f"SETTING_{i}", "value": f"value-{i}"} for i in range(15)],
        "resources": {"limits": limits, "requests": limits},
        "volumeMounts": [{"name": f"v{i}", "mountPath": f"/mnt/{i}"} for i in range(4)],
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8_000}, "periodSeconds": 10},
        "terminationMessagePath": "/dev/termination-log",
    }


def _pod(
    name: str, namespace: str, node: int, container: dict[str, Any], **metadata: Any
) -> dict[str, Any]:
    now = {"lastProbeTime": None, "lastTransitionTime": CREATED}
    kinds = ("Initialized", "Ready", "ContainersReady", "PodScheduled")
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _metadata(name, f"uid-{namespace}-{name}", namespace, **metadata),
        "spec": {
            "nodeName": node_name(node),
            "schedulerName": "default-scheduler",
            "containers": [container],
            "tolerations": [
                {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}
            ],
            "volumes": [{"name": f"v{i}", "emptyDir": {}} for i in range(4)],
        },
        "status": {
            "phase": "Running",
            "podIP": address(node),
            "hostIP": address(node),
            "conditions": [{"type": t, "status": "True", **now} for t in kinds],
            "containerStatuses": [
                {"name": container["name"], "ready": True, "restartCount": 0, "image": "x"}
            ],
        },
    }


def _owner(name: str) -> list[dict[str, Any]]:
    return [
        {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "name": name,
            "uid": f"rs-{name}",
            "controller": True,
        }
    ]


def _gpu_places(size: Size) -> Iterator[tuple[int, int]]:
    """(node, card) of each GPU pod: whole cards once, HAMi's cards again and again."""
    plain = [n for n in range(size.nodes) if not is_hami(n)]
    hami = [n for n in range(size.nodes) if is_hami(n)]
    yield from ((n, c) for c in range(size.cards_per_node) for n in plain)
    while True:
        yield from ((n, c) for c in range(size.cards_per_node) for n in hami)


def gpu_pod(number: int, node: int, card: int, size: Size, revision: int = 0) -> dict[str, Any]:
    namespace = f"team-{number % size.namespaces:03d}"
    workload = f"server-{number // 8:05d}"
    annotations: dict[str, str] = {"example.com/revision": str(revision)}
    limits = {"cpu": "8", "memory": "32Gi", "nvidia.com/gpu": "1"}
    if is_hami(node):
        mib = 3_000 + number % 7 * 1_000
        limits |= {"nvidia.com/gpumem": str(mib), "nvidia.com/gpucores": "20"}
        annotations |= {
            "hami.io/vgpu-node": node_name(node),
            "hami.io/bind-phase": "success",
            "hami.io/vgpu-devices-allocated": f"{uuid(node, card)},NVIDIA,{mib},20:;",
        }
    return _pod(
        gpu_pod_name(number),
        namespace,
        node,
        _container("main", limits),
        labels={"app": workload, "pod-template-hash": "5d8f9c7b6d"},
        annotations=annotations,
        ownerReferences=_owner(f"{workload}-5d8f9c7b6d"),
    )


def gpu_pod_name(number: int) -> str:
    return f"server-{number // 8:05d}-5d8f9c7b6d-{number % 8:05d}"


def nodes(size: Size) -> Iterator[dict[str, Any]]:
    yield from (a_node(n, size) for n in range(size.nodes))


def placed(size: Size) -> Iterator[tuple[int, int, int]]:
    """(number, node, card) of each GPU pod."""
    for number, (node, card) in zip(range(size.gpu_pods), _gpu_places(size), strict=False):
        yield number, node, card


def pods(size: Size) -> Iterator[dict[str, Any]]:
    for number, node, card in placed(size):
        yield gpu_pod(number, node, card, size)
    for number in range(size.other_pods):
        container = _container("web", {"cpu": "1", "memory": "1Gi"})
        namespace = f"team-{number % size.namespaces:03d}"
        yield _pod(f"web-{number:05d}", namespace, number % size.nodes, container)
    for node in range(size.nodes):
        container = _container("exporter", {}, size.port)
        name = f"dcgm-exporter-{node:04d}"
        yield _pod(name, "gpu-operator", node, container, labels=EXPORTER_LABELS)
        if is_hami(node):
            container = _container("vgpu-monitor", {}, size.port + 1)
            name = f"hami-device-plugin-{node:04d}"
            yield _pod(name, "kube-system", node, container, labels=PLUGIN_LABELS)


def replicasets(size: Size) -> Iterator[dict[str, Any]]:
    for workload in range(size.gpu_pods // 8):
        name = f"server-{workload:05d}"
        for team in sorted({n % size.namespaces for n in range(workload * 8, workload * 8 + 8)}):
            yield {
                "apiVersion": "apps/v1",
                "kind": "ReplicaSet",
                "metadata": _metadata(
                    f"{name}-5d8f9c7b6d",
                    f"rs-{name}-5d8f9c7b6d",
                    f"team-{team:03d}",
                    ownerReferences=[
                        {
                            "apiVersion": "apps/v1",
                            "kind": "Deployment",
                            "name": name,
                            "uid": f"deploy-{name}",
                            "controller": True,
                        }
                    ],
                ),
            }
            break
