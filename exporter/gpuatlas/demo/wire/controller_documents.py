"""DaemonSets, Deployments and ReplicaSets of the cluster's own pods, with the numbers of today."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpuatlas.demo.state import World
from gpuatlas.demo.wire.addresses import SYSTEM_NODE
from gpuatlas.demo.wire.controllers import Controller, SystemPod
from gpuatlas.demo.wire.node_labels import general_labels, node_labels
from gpuatlas.demo.wire.objects import Document, condition, metadata, owner

_DAEMON_SET = "DaemonSet"


def controller_documents(pods: Sequence[SystemPod], world: World) -> Mapping[str, list[Document]]:
    """All of them, by resource."""
    groups: dict[tuple[str, str, str], list[SystemPod]] = {}
    for pod in pods:
        above = pod.controller
        groups.setdefault((above.kind, above.namespace, above.name), []).append(pod)
    nodes = _labels_of_nodes(world)
    found: dict[str, list[Document]] = {"daemonsets": [], "deployments": [], "replicasets": []}
    for (kind, _, _), members in groups.items():
        if kind == _DAEMON_SET:
            found["daemonsets"].append(_daemon_set(members, nodes, world))
        else:
            found["deployments"].append(_deployment(members, world))
            found["replicasets"].append(_replica_set(members, world))
    return found


def _labels_of_nodes(world: World) -> Mapping[str, Mapping[str, str]]:
    cards = {node.spec.name: node_labels(node, world.at) for node in world.nodes}
    return {SYSTEM_NODE: general_labels(SYSTEM_NODE), **cards}


def _object(controller: Controller, world: World, spec: Document, status: Document) -> Document:
    head = metadata(
        controller.name,
        controller.uid(controller.kind, world.seed),
        world.scenario.since,
        namespace=controller.namespace,
        labels=controller.own_labels or controller.labels,
        annotations={"deployment.kubernetes.io/revision": "1"}
        if controller.kind == "Deployment"
        else {"deprecated.daemonset.template.generation": "1"},
        manager="helm",
    )
    return {
        "kind": controller.kind,
        "apiVersion": "apps/v1",
        "metadata": head | {"generation": 1},
        "spec": spec | {"revisionHistoryLimit": 10},
        "status": status,
    }


def _selection(controller: Controller) -> Document:
    return {
        "selector": {"matchLabels": dict(controller.labels)},
        "template": {
            "metadata": {"labels": {**controller.labels, **controller.ignored_labels}},
            "spec": controller.pod_spec(controller.containers),
        },
    }


def _daemon_set(
    pods: Sequence[SystemPod], nodes: Mapping[str, Mapping[str, str]], world: World
) -> Document:
    """A pod on a node that is no longer selected counts as misplaced as long as it is there."""
    controller = pods[0].controller
    wanted = {
        name for name, labels in nodes.items() if controller.node_selector.items() <= labels.items()
    }
    there = [pod for pod in pods if pod.exists]
    placed = [pod for pod in there if pod.node in wanted]
    ready = sum(pod.ready for pod in placed)
    status: Document = {
        "currentNumberScheduled": len(placed),
        "numberMisscheduled": len(there) - len(placed),
        "desiredNumberScheduled": len(wanted),
        "numberReady": ready,
        "observedGeneration": 1,
        "updatedNumberScheduled": sum(pod.up_to_date for pod in placed),
        "numberAvailable": ready,
    }
    if ready < len(wanted):
        status["numberUnavailable"] = len(wanted) - ready
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
    return _object(controller, world, _selection(controller) | {"updateStrategy": strategy}, status)


def _deployment(pods: Sequence[SystemPod], world: World) -> Document:
    controller = pods[0].controller
    ready = sum(pod.ready for pod in pods)
    since = world.scenario.since
    status: Document = {
        "observedGeneration": 1,
        "replicas": len(pods),
        "updatedReplicas": sum(pod.up_to_date for pod in pods),
        "readyReplicas": ready,
        "availableReplicas": ready,
        "conditions": [
            condition("Progressing", holds=True, at=since, reason="NewReplicaSetAvailable"),
            condition(
                "Available",
                holds=ready == len(pods),
                at=since,
                reason="MinimumReplicasAvailable"
                if ready == len(pods)
                else "MinimumReplicasUnavailable",
            ),
        ],
    }
    strategy = {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"},
    }
    spec = {"replicas": len(pods), "strategy": strategy, "progressDeadlineSeconds": 600}
    return _object(controller, world, _selection(controller) | spec, status)


def _replica_set(pods: Sequence[SystemPod], world: World) -> Document:
    controller = pods[0].controller
    ready = sum(pod.ready for pod in pods)
    name = controller.replica_set(world.seed)
    labels = {**controller.labels, "pod-template-hash": name.rsplit("-", 1)[1]}
    return {
        "kind": "ReplicaSet",
        "apiVersion": "apps/v1",
        "metadata": metadata(
            name,
            controller.uid("ReplicaSet", world.seed),
            world.scenario.since,
            namespace=controller.namespace,
            labels=labels,
            controller=owner(
                "apps/v1",
                "Deployment",
                controller.name,
                controller.uid("Deployment", world.seed),
            ),
        ),
        "spec": {
            "replicas": len(pods),
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": []}},
        },
        "status": {
            "replicas": len(pods),
            "readyReplicas": ready,
            "availableReplicas": ready,
            "observedGeneration": 1,
        },
    }
