"""What the built-in owners say of their pods: as people write it.

A pod has more, which admission, HAMi's webhook and schedulers put there (facts/hami.md 3.6).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from gpuatlas.demo.deviations import NONE
from gpuatlas.demo.scenario import WorkloadSpec
from gpuatlas.demo.state import PodState, World
from gpuatlas.demo.wire import kai
from gpuatlas.demo.wire.objects import Document
from gpuatlas.demo.wire.placement import placement_annotations, placement_labels
from gpuatlas.demo.wire.pod_spec import WEBHOOK_PRIORITY, pod_spec

# In the order of the API's own documents. All else of a pod's spec is put there for it.
_WRITTEN: Final = (
    "containers",
    "initContainers",
    "resourceClaims",
    "restartPolicy",
    "terminationGracePeriodSeconds",
    "dnsPolicy",
    "securityContext",
    "schedulerName",
)
_DEFAULT_SCHEDULER: Final = "default-scheduler"


def owner_spec(workload: WorkloadSpec, pod: PodState | None, world: World) -> Document:
    """The `spec` of a Deployment, StatefulSet or DaemonSet, by one of its pods if there is any."""
    template = _template(workload, pod, world)
    spec: Document = {"selector": {"matchLabels": {"app": workload.name}}, "template": template}
    if workload.kind != "DaemonSet":
        spec["replicas"] = len(workload.places)
    if workload.kind == "StatefulSet":
        spec["serviceName"] = workload.name
    return spec


def _template(workload: WorkloadSpec, pod: PodState | None, world: World) -> Document:
    labels = {"app": workload.name, "team": workload.namespace}
    if pod is None:
        return {"metadata": {"labels": labels}, "spec": {"containers": []}}
    # What a fault did to the one pod does not stand in its owner.
    plain = replace(pod, deviations=NONE)
    metadata: Document = {"labels": labels | _of_kai(placement_labels(plain, world))}
    if annotations := _of_kai(placement_annotations(plain, world)):
        metadata["annotations"] = annotations
    return {"metadata": metadata, "spec": _written(plain, world)}


def _of_kai(marks: Mapping[str, str]) -> dict[str, str]:
    """The queue and the share of a card: for KAI they are asked for by labels and annotations."""
    return {key: value for key, value in marks.items() if key in kai.ASKED_BY}


def _written(pod: PodState, world: World) -> Document:
    node = world.node(pod.place.node) if pod.place else None
    spec = pod_spec(pod, node, world)
    if node and node.spec.hami and spec["schedulerName"] == node.spec.hami.scheduler_name:
        spec["schedulerName"] = _DEFAULT_SCHEDULER
    for key in ("containers", "initContainers"):
        if key in spec:
            spec[key] = [_container(container) for container in spec[key]]
    return {key: spec[key] for key in _WRITTEN if key in spec}


def _container(container: Document) -> Document:
    """Without the token's mount and what HAMi's webhook tells its library."""
    left = {key: value for key, value in container.items() if key not in {"volumeMounts", "env"}}
    env = [entry for entry in container.get("env", []) if entry["name"] != WEBHOOK_PRIORITY]
    return left | ({"env": env} if env else {})
