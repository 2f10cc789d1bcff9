"""Node objects."""

from __future__ import annotations

from gpuatlas.demo.randomness import hexadecimal, uuid
from gpuatlas.demo.scenario import Sharing
from gpuatlas.demo.state import NodeState, World
from gpuatlas.demo.wire import hami, volcano
from gpuatlas.demo.wire.addresses import SYSTEM_NODE, node_ip
from gpuatlas.demo.wire.node_labels import ZONE, general_labels, mig_counts, node_labels
from gpuatlas.demo.wire.objects import Document, condition, metadata, timestamp

KERNEL = "6.8.0-1031"
_HEARTBEAT_SECONDS = 300.0  # a kubelet reports at least this often, changed or not


def node_documents(world: World) -> list[Document]:
    """All nodes, the one without cards too."""
    return [_system_node(world), *(_card_node(node, world) for node in world.nodes)]


def _card_node(node: NodeState, world: World) -> Document:
    capacity = {
        "cpu": "96",
        "memory": f"{node.spec.host_mib * 1024}Ki",
        "ephemeral-storage": "515928320Ki",
        "pods": "110",
    }
    annotations = {
        "node.alpha.kubernetes.io/ttl": "0",
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
    }
    annotations |= hami.node_annotations(node, world.at, world.scenario.since)
    annotations |= volcano.node_annotations(node, world.scenario.since)
    labels = node_labels(node, world.at)
    return {
        "kind": "Node",
        "apiVersion": "v1",
        "metadata": metadata(
            node.spec.name,
            node.uid,
            world.scenario.since,
            labels=labels,
            annotations=annotations,
            manager="kubelet",
        ),
        "spec": _spec(world, node.spec.name, taint="accelerator"),
        "status": _status(
            world,
            node.spec.name,
            capacity | extended_resources(node),
            capacity | extended_resources(node, healthy_only=True),
            ready=node.ready,
        ),
    }


def _system_node(world: World) -> Document:
    capacity = {
        "cpu": "16",
        "memory": "65536000Ki",
        "ephemeral-storage": "103079000Ki",
        "pods": "110",
    }
    return {
        "kind": "Node",
        "apiVersion": "v1",
        "metadata": metadata(
            SYSTEM_NODE,
            uuid("node", world.seed, SYSTEM_NODE),
            world.scenario.since,
            labels=general_labels(SYSTEM_NODE),
            annotations={"node.alpha.kubernetes.io/ttl": "0"},
            manager="kubelet",
        ),
        "spec": _spec(world, SYSTEM_NODE),
        "status": _status(world, SYSTEM_NODE, capacity, capacity, ready=True),
    }


def extended_resources(node: NodeState, *, healthy_only: bool = False) -> dict[str, str]:
    """What the device plugin advertises: slots under sharing, instances under MIG."""
    spec = node.spec
    if spec.sharing is Sharing.DRA:
        return {}  # its devices are in ResourceSlices
    if spec.sharing is Sharing.VOLCANO:
        return volcano.resources(node, healthy_only=healthy_only)
    cards = node.registered_cards
    usable = [card for card in cards if card.registered_healthy or not healthy_only]
    whole = sum(1 for card in usable if not card.instances)
    if spec.card.vendor == "ascend":
        return {f"huawei.com/{spec.card.model}": str(whole * spec.slots)}
    resources = {"nvidia.com/gpu": str(whole * spec.slots)}
    if spec.sharing is Sharing.MIG:
        resources |= {
            f"nvidia.com/mig-{name}": str(count) for name, count in mig_counts(spec).items()
        }
    return resources


def _spec(world: World, name: str, *, taint: str = "") -> Document:
    spec: Document = {
        "podCIDR": f"10.244.{node_ip(world, name).rsplit('.', 1)[1]}.0/24",
        "providerID": f"simulated:///{ZONE}/i-{hexadecimal(17, 'machine', world.seed, name)}",
    }
    if taint:
        spec["taints"] = [{"key": taint, "value": "true", "effect": "NoSchedule"}]
    return spec


def _status(
    world: World,
    name: str,
    capacity: Document,
    allocatable: Document,
    *,
    ready: bool,
) -> Document:
    return {
        "capacity": capacity,
        "allocatable": allocatable,
        "conditions": _conditions(world, ready=ready),
        "addresses": [
            {"type": "InternalIP", "address": node_ip(world, name)},
            {"type": "Hostname", "address": name},
        ],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "nodeInfo": {
            "machineID": hexadecimal(32, "machine id", world.seed, name),
            "systemUUID": uuid("system", world.seed, name),
            "bootID": uuid("boot", world.seed, name),
            "kernelVersion": KERNEL,
            "osImage": "Ubuntu 24.04.3 LTS",
            "containerRuntimeVersion": "containerd://2.1.4",
            "kubeletVersion": world.scenario.kubernetes,
            "kubeProxyVersion": "",
            "operatingSystem": "linux",
            "architecture": "amd64",
        },
        "images": [
            {"names": ["registry.k8s.io/pause:3.10"], "sizeBytes": 319178},
            {
                "names": ["registry.k8s.io/kube-proxy:" + world.scenario.kubernetes],
                "sizeBytes": 31_000_000,
            },
        ],
    }


def _conditions(world: World, *, ready: bool) -> list[Document]:
    heartbeat = timestamp(world.at // _HEARTBEAT_SECONDS * _HEARTBEAT_SECONDS)
    since = world.scenario.since
    conditions = [
        condition("MemoryPressure", holds=False, at=since, reason="KubeletHasSufficientMemory"),
        condition("DiskPressure", holds=False, at=since, reason="KubeletHasNoDiskPressure"),
        condition("PIDPressure", holds=False, at=since, reason="KubeletHasSufficientPID"),
        condition("Ready", holds=ready, at=since, reason="KubeletReady"),
    ]
    if not ready:
        # The node controller writes this when the kubelet has been silent for a while.
        conditions[-1] |= {"status": "Unknown", "reason": "NodeStatusUnknown"}
    return [entry | {"lastHeartbeatTime": heartbeat} for entry in conditions]
