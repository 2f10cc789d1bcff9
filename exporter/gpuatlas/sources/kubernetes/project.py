"""From a raw API object to the few fields of it that the model has, or None when it has no use.

Pure. The only error is `MalformedError`, for an object that cannot be identified; everything else
that is wrong with an object costs the field in question and, where it matters, is reported in the
object's `rejections`. `trim` must keep every field that is read here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from gpuatlas.model.device_plugins import device_plugin_of
from gpuatlas.model.devices import Promise, Registration
from gpuatlas.model.objects import Container, Node, Pod
from gpuatlas.model.pod_spec import PodAccess
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.units import clean_text
from gpuatlas.sources.hami.annotations import read_node as read_node_annotations
from gpuatlas.sources.hami.annotations import read_pod as read_pod_annotations
from gpuatlas.sources.kai import marks
from gpuatlas.sources.kai.fractions import read_fraction
from gpuatlas.sources.kai.reservations import is_reservation, read_reservation
from gpuatlas.sources.kubernetes.claims import read_extended, read_pod_claims
from gpuatlas.sources.kubernetes.components import component_of
from gpuatlas.sources.kubernetes.containers import read_containers, read_devices, read_restarts
from gpuatlas.sources.kubernetes.kept import (
    KEPT_ENV,
    NODE_ANNOTATIONS,
    NODE_LABELS,
    POD_ANNOTATIONS,
    POD_LABELS,
    fitting,
)
from gpuatlas.sources.kubernetes.metadata import (
    Metadata,
    condition,
    label_text,
    read_metadata,
    read_optional_time,
)
from gpuatlas.sources.kubernetes.reach import could_reach_cards, read_access
from gpuatlas.sources.kubernetes.resources import SOURCE, is_accelerator, read_resources
from gpuatlas.sources.kubernetes.shape import EMPTY, fields, items, shared, text
from gpuatlas.sources.placement.pod import read_scheduling
from gpuatlas.sources.runtimes.spec import read_runtime

__all__ = ["KEPT_ENV", "project_node", "project_pod"]

ReadNode = Callable[
    [str, Mapping[str, str], Mapping[str, int]],
    tuple[tuple[Registration, ...], tuple[Rejection, ...]],
]
ReadPod = Callable[
    [str, str, Mapping[str, str], Sequence[Container]],
    tuple[tuple[Promise, ...], tuple[Rejection, ...]],
]

# Most text of labels and of annotations that is kept of one pod. The longest honest annotation
# (HAMi's promises of 16 devices with MIG placements) has about 5,000 characters.
MAX_POD_TEXT: Final = 32_768
# Node objects are written by cluster components only; Kubernetes itself ends at 256 KiB.
MAX_NODE_TEXT: Final = 262_144

_POD_MARKS: Final = frozenset(
    {"gpu-fraction", "gpu-memory", "scheduling.koordinator.sh/device-allocated"}
)
_POD_MARK_STARTS: Final = ("hami.io/", "volcano.sh/vgpu", "volcano.sh/gpu-")
_NODE_MARKS: Final = frozenset(
    {
        "nvidia.com/gpu.present",
        "nvidia.com/gpu.count",
        "cloud.google.com/gke-accelerator",
        "kubernetes.azure.com/accelerator",
        "kubernetes.azure.com/dcgm-exporter",
        "karpenter.azure.com/sku-gpu-name",
        "karpenter.k8s.aws/instance-gpu-name",
        "node.koordinator.sh/gpu-model",
        "accelerator",
        "gpu",
    }
)
# What a label says on nodes without cards.
_DENIALS: Final = frozenset({"", "0", "false", "no", "none", "off"})
# PCI vendor 10de is NVIDIA; with the class before it or without (facts/k8s.md 1.5).
_PCI_START: Final = "feature.node.kubernetes.io/pci-"
_PCI_END: Final = "10de.present"
_REGISTERS: Final = frozenset(
    {
        "metax-tech.com/node-gpu-devices",
        "enflame.com/gcu-drs-capacity",
        "enflame.com/gcu-shared-capacity",
    }
)


def project_node(raw: object, read: ReadNode = read_node_annotations) -> Node | None:
    """A node with accelerators, or that says it has some; None for all others.

    Raises:
        MalformedError: the node cannot be identified.
    """
    metadata = read_metadata(raw)
    spec, status = fields(fields(raw).get("spec")), fields(fields(raw).get("status"))
    where = f"node {metadata.name}"
    capacity, refused = read_resources(status.get("capacity"), where)
    allocatable, _ = read_resources(status.get("allocatable"), where)
    labels = NODE_LABELS.select(metadata.labels)
    annotations = NODE_ANNOTATIONS.select(metadata.annotations)
    if not _is_card_node(capacity, allocatable, labels, annotations):
        return None
    registrations, unread = read(metadata.name, annotations, capacity)
    labels = _bounded(labels, MAX_NODE_TEXT, f"{where} labels", refused)
    annotations = _bounded(annotations, MAX_NODE_TEXT, f"{where} annotations", refused)
    return Node(
        uid=metadata.uid,
        name=metadata.name,
        labels=labels,
        annotations=annotations,
        capacity=capacity,
        allocatable=allocatable,
        ready=condition(status, "Ready").get("status") == "True",
        unschedulable=spec.get("unschedulable") is True,
        kubelet_version=shared(text(fields(status.get("nodeInfo")).get("kubeletVersion"))),
        registrations=registrations,
        rejections=(*refused, *unread),
    )


def _is_card_node(
    capacity: Mapping[str, int],
    allocatable: Mapping[str, int],
    labels: Mapping[str, str],
    annotations: Mapping[str, str],
) -> bool:
    return (
        any(map(is_accelerator, capacity))
        or any(map(is_accelerator, allocatable))
        or any(map(_is_register, annotations))
        or any(_is_node_mark(key, value) for key, value in labels.items())
    )


def _is_register(key: str) -> bool:
    domain, _, name = key.partition("/")
    return key in _REGISTERS or (domain in {"hami.io", "volcano.sh"} and "register" in name)


def _is_node_mark(key: str, value: str) -> bool:
    if value.lower() in _DENIALS:
        return False
    return key in _NODE_MARKS or (key.startswith(_PCI_START) and key.endswith(_PCI_END))


def project_pod(raw: object, read: ReadPod = read_pod_annotations) -> Pod | None:
    """A pod that asks for an accelerator, holds one, or serves pages that we read; else None.

    Beside those pods that could reach cards without asking, as long as they run (`Pod.asks`).

    Raises:
        MalformedError: the pod cannot be identified.
    """
    spec, status = fields(fields(raw).get("spec")), fields(fields(raw).get("status"))
    metadata = read_metadata(raw)
    where = f"pod {metadata.namespace}/{metadata.name}"
    labels = POD_LABELS.select(metadata.labels)
    annotations = POD_ANNOTATIONS.select(metadata.annotations)
    containers, refused = read_containers(spec, where)
    access = read_access(spec)
    asks = (
        any(is_accelerator(name) for container in containers for name in container.limits)
        or _is_marked(labels, annotations)
        or bool(items(spec.get("resourceClaims")))
        or bool(fields(status.get("extendedResourceClaimStatus")))
        or component_of(labels) is not None
    )
    plugin = device_plugin_of(labels, (container.name for container in containers))
    reaches = could_reach_cards(access, containers, text(status.get("phase")))
    if not (asks or reaches or plugin is not None):
        return None
    promises, unread = read(metadata.namespace, metadata.name, annotations, containers)
    labels = _bounded(labels, MAX_POD_TEXT, f"{where} labels", refused)
    annotations = _bounded(annotations, MAX_POD_TEXT, f"{where} annotations", refused)
    pod = _pod(
        metadata,
        spec,
        status,
        labels={k: shared(v) for k, v in labels.items()} or EMPTY,
        annotations=annotations,
        containers=containers,
        promises=promises,
        access=access,
        asks=asks,
        rejections=(*refused, *unread),
    )
    return _with_kai(pod)


def _is_marked(labels: Mapping[str, str], annotations: Mapping[str, str]) -> bool:
    return any(
        key in _POD_MARKS or key.startswith(_POD_MARK_STARTS) or key.endswith("-devices-allocated")
        for key in annotations
    ) or any(key.startswith("runai-gpu-group") for key in labels)


def _pod(
    metadata: Metadata,
    spec: Mapping[str, object],
    status: Mapping[str, object],
    *,
    labels: Mapping[str, str],
    annotations: Mapping[str, str],
    containers: tuple[Container, ...],
    promises: tuple[Promise, ...],
    access: PodAccess,
    asks: bool,
    rejections: tuple[Rejection, ...],
) -> Pod:
    extended_claim, extended_requests = read_extended(status)
    where = f"pod {metadata.namespace}/{metadata.name}"
    scheduling, unread = read_scheduling(spec, status, labels, annotations, where)
    restarts, uncounted = read_restarts(status, where)
    scheduled = condition(status, "PodScheduled")
    waiting = scheduled.get("reason") if scheduled.get("status") == "False" else ""
    return Pod(
        uid=metadata.uid,
        namespace=metadata.namespace,
        name=metadata.name,
        node=shared(text(spec.get("nodeName"))),
        phase=shared(text(status.get("phase")) or "Unknown"),
        reason=label_text(status.get("reason")),
        scheduler=label_text(spec.get("schedulerName")),
        created_at=metadata.created_at,
        deleting=metadata.deleting,
        ready=condition(status, "Ready").get("status") == "True",
        ip=text(status.get("podIP")),
        host_network=spec.get("hostNetwork") is True,
        waiting_reason=label_text(waiting),
        labels=labels,
        annotations=annotations,
        controller=metadata.controller,
        containers=containers,
        devices=read_devices(status),
        promises=promises,
        claims=read_pod_claims(spec, status),
        extended_claim=extended_claim,
        extended_requests=extended_requests,
        runtime=read_runtime(spec, labels, annotations),
        scheduling=scheduling,
        access=access,
        message=shared(clean_text(text(status.get("message")))),
        started_at=read_optional_time(status.get("startTime")),
        deleting_at=metadata.deleting_at,
        asks=asks,
        restarts=restarts,
        rejections=(*rejections, *unread, *uncounted),
    )


def _with_kai(pod: Pod) -> Pod:
    """The pod with what it asks of KAI, or with the card that it holds for KAI."""
    if not (marks.CARD in pod.annotations or is_reservation(pod) or _asks_kai(pod)):
        return pod
    fraction, refused = read_fraction(pod)
    reservation, unread = read_reservation(pod)
    return replace(
        pod,
        fraction=fraction,
        reservation=reservation,
        rejections=(*pod.rejections, *refused, *unread),
    )


def _asks_kai(pod: Pod) -> bool:
    return marks.FRACTION in pod.annotations or marks.MEMORY in pod.annotations


def _bounded(
    kept: Mapping[str, str], limit: int, where: str, refused: list[Rejection]
) -> Mapping[str, str]:
    fits, dropped = fitting(kept, limit)
    if dropped:
        message = f"{dropped} of {len(kept)} are beyond {limit} characters in all and were dropped"
        refused.append(Rejection(SOURCE, "too-large", clean_text(where), message))
    return fits
