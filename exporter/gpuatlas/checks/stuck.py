"""S13: allocations that do not come to an end, and locks that nobody releases. Pure.

Facts: facts/hami.md 6.4 (A1, A2, A4, A6), 6.5, 2.5; facts/k8s.md 5.2; facts/errata.md, General (one
cause can leave a thousand failed pods: one finding for each workload and node).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

from gpuatlas.checks.binding import ALLOCATING, FAILED, Binding, binding_of
from gpuatlas.checks.conditions import joined, node_doubt, pod_status, rfc3339
from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.locks import NodeLock, node_locks
from gpuatlas.checks.pod_finding import pod_finding
from gpuatlas.checks.quote import Quote
from gpuatlas.checks.verdict import unread_pods, verdict
from gpuatlas.model.catalogue import Severity
from gpuatlas.model.checks import CheckResult, Finding, MissingInput
from gpuatlas.model.objects import Pod
from gpuatlas.model.snapshot import Sharing
from gpuatlas.model.units import clean_text
from gpuatlas.model.vendors import VENDORS, core_unit, memory_unit, vendor_of_count

CHECK: Final = "S13"
# Between bind and Allocate lie seconds (facts/hami.md 6.4 A1).
ALLOCATING_SECONDS: Final = 60.0
# Healthy locks last for seconds; HAMi lets one expire after 5 minutes (facts/hami.md 2.5, 6.4 A4):
# `gpuatlas_node_sharing_lock_timestamp_seconds` in alerts/sharing.yaml.
LOCK_SECONDS: Final = 120.0
LOCK_CRITICAL_SECONDS: Final = 600.0
# Failed pods stay until somebody deletes them: what is older is no news. Ours.
FAILED_SECONDS: Final = 3600.0
# After its grace the kubelet needs seconds to end a pod. Ours.
TERMINATING_SECONDS: Final = 300.0
_LAYERS: Final = frozenset({str(Sharing.HAMI), str(Sharing.VOLCANO), str(Sharing.KAI)})
_QUOTED: Final = 80
_ADMISSION_ERROR: Final = "UnexpectedAdmissionError"
# "OutOfnvidia.com/gpu" (facts/k8s.md 5.2).
_OUT_OF: Final = "OutOf"

_Judge = Callable[[CheckContext, Pod], Finding | None]


def allocations(context: CheckContext) -> CheckResult:
    """Pods and nodes that are stuck between the scheduler's decision and the device plugin."""
    nodes = [name for name, layers in sorted(context.layers.items()) if layers & _LAYERS]
    return verdict(
        CHECK,
        nodes,
        _findings(context, nodes),
        (*unread_pods(context, CHECK), *_unreadable_locks(context, nodes)),
    )


def _findings(context: CheckContext, nodes: Iterable[str]) -> Iterator[Finding]:
    for node in nodes:
        pods = context.pods_by_node.get(node, ())
        yield from _grouped(context, pods, _failed)
        for pod in pods:
            found = _allocating(context, pod) or _terminating(context, pod)
            if found is not None:
                yield found
        yield from _locks(context, node)


def _grouped(context: CheckContext, pods: Iterable[Pod], judge: _Judge) -> Iterator[Finding]:
    """One finding for each signal and workload, that of the newest pod, with how many there are."""
    alike: dict[tuple[str, str], list[tuple[float, str, Finding]]] = defaultdict(list)
    for pod in pods:
        finding = judge(context, pod)
        if finding is not None:
            alike[finding.signal, finding.object].append((pod.created_at, pod.name, finding))
    for group in alike.values():
        _, _, newest = max(group, key=lambda item: item[:2])
        yield replace(newest, count=len(group))


def _failed(context: CheckContext, pod: Pod) -> Finding | None:
    """A pod that the kubelet or the layer's plugin refused its cards."""
    binding = binding_of(pod)
    if context.now - _news_at(context, pod, binding) > FAILED_SECONDS:
        return None
    if pod.phase == "Failed" and _is_refused(pod):
        record = f"{pod.reason}: {pod.message}" if pod.message else pod.reason
        return _of_pod(context, pod, "admission-error", "pod status", record)
    if binding is None or pod.phase == "Succeeded":
        return None
    if binding.phase == FAILED or (binding.phase == ALLOCATING and pod.phase == "Failed"):
        record = joined(binding.record, pod_status(pod))
        return _of_pod(context, pod, "failed", f"pod annotation {binding.key}", record)
    return None


def _news_at(context: CheckContext, pod: Pod, binding: Binding | None) -> float:
    """When something last happened to the pod; it may have waited for hours before."""
    bound = binding.at if binding is not None and binding.at is not None else 0.0
    return max(pod.created_at, pod.started_at or 0.0, min(bound, context.now))


def _is_refused(pod: Pod) -> bool:
    """Whether the kubelet did not admit the pod for want of a card's share that it asks for."""
    shared = {name for c in pod.containers for name in c.limits if _is_shared(name)}
    if pod.reason == _ADMISSION_ERROR:
        return bool(shared)
    return pod.reason.startswith(_OUT_OF) and pod.reason.removeprefix(_OUT_OF) in shared


def _is_shared(resource: str) -> bool:
    return vendor_of_count(resource) is not None or any(
        memory_unit(vendor, resource) is not None or core_unit(vendor, resource) is not None
        for vendor in VENDORS.values()
    )


def _allocating(context: CheckContext, pod: Pod) -> Finding | None:
    binding = binding_of(pod)
    if binding is None or binding.phase != ALLOCATING or pod.phase != "Pending" or pod.deleting:
        return None
    if binding.at is None or context.now - binding.at <= ALLOCATING_SECONDS:
        return None
    record = joined(f"{binding.record} ({rfc3339(binding.at)})", node_doubt(context, pod.node))
    return _of_pod(context, pod, "allocating", f"pod annotation {binding.key}", record)


def _terminating(context: CheckContext, pod: Pod) -> Finding | None:
    ended = pod.deleting_at
    if ended is None or not pod.holds or not (pod.promises or pod.fraction):
        return None
    if context.now - ended <= TERMINATING_SECONDS:
        return None
    record = joined(f"grace ended {rfc3339(ended)}", pod_status(pod), node_doubt(context, pod.node))
    return _of_pod(context, pod, "terminating", "pod deletionTimestamp", record)


def _of_pod(context: CheckContext, pod: Pod, signal: str, source: str, record: str) -> Finding:
    return pod_finding(context, CHECK, signal, pod, Quote(source, record))


def _locks_of(context: CheckContext, node: str) -> tuple[NodeLock, ...]:
    found = context.nodes.get(node)
    return node_locks(found) if found is not None else ()


def _locks(context: CheckContext, node: str) -> Iterator[Finding]:
    for lock in _locks_of(context, node):
        if lock.at is None or context.now - lock.at <= LOCK_SECONDS:
            continue
        namespace, _, pod = lock.owner.partition("/")
        old = context.now - lock.at > LOCK_CRITICAL_SECONDS
        yield Finding(
            check=CHECK,
            signal="lock",
            object=f"Node/{node}",
            source=f"node annotation {lock.key}",
            record=joined(lock.text, _holder(context, lock)),
            node=node,
            namespace=clean_text(namespace),
            pod=clean_text(pod),
            severity=Severity.CRITICAL if old else Severity.WARNING,
        )


def _holder(context: CheckContext, lock: NodeLock) -> str:
    """Whether the pod that the lock was taken for still exists; newer versions free such a lock."""
    if not lock.owner:
        return "the lock does not name its owner"
    namespace, _, name = lock.owner.partition("/")
    pod = context.pods_by_key.get((namespace, name))
    if pod is not None:
        return pod_status(pod)
    return "" if unread_pods(context, CHECK) else f"pod {lock.owner} is gone"


def _unreadable_locks(context: CheckContext, nodes: Iterable[str]) -> Iterator[MissingInput]:
    for node in nodes:
        for lock in _locks_of(context, node):
            if lock.at is None:
                told = clean_text(lock.text, limit=_QUOTED)
                reason = f"the annotation {lock.key} has no readable time: {told}"
                yield MissingInput(check=CHECK, input="node lock", node=node, reason=reason)
