"""S01: limits are promised and the interposer that keeps them is not in force. Pure.

Sources: facts/hami.md 6.3 (I1, I6, I7, I8, I10), 3.6. A hard partition (MIG) needs no interposer,
an init container gives its share back, a finished pod holds nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from gpuatlas.checks import quote
from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.pod_finding import pod_finding
from gpuatlas.checks.soft import (
    Tenancy,
    limit_of,
    readings_of,
    running,
    soft_nodes,
    soft_tenancies,
)
from gpuatlas.checks.strangers import strangers
from gpuatlas.checks.verdict import unread_monitors, unread_pods, verdict
from gpuatlas.join.isolation import control_disabled, core_limit_disabled
from gpuatlas.model.checks import CheckResult, Finding, MissingInput
from gpuatlas.model.devices import Promise
from gpuatlas.model.objects import Container, Pod
from gpuatlas.model.readings import Unknown, value_of
from gpuatlas.model.units import MIB

CHECK: Final = "S01"

WHOLE_CARD_CORES: Final = 100  # percent; 0 is no limit (facts/hami.md 3.2)
# The region file appears when the process first opens CUDA (HAMi issue 281).
GRACE_SECONDS: Final = 600.0
# More than contexts and the driver take for a process that holds nothing (facts/hami.md 9 no. 3).
OWN_RESIDENT_BYTES: Final = 512 * MIB
SOLE_RESIDENT_BYTES: Final = 1024 * MIB
# facts/hami.md 6.3 I7. Names are the administrator's own; these are those of the projects' manuals.
SANDBOXES: Final = ("gvisor", "runsc", "kata")

CONTROL: Final = "CUDA_DISABLE_CONTROL"
POLICY: Final = "GPU_CORE_UTILIZATION_POLICY"
_HARD_MODES: Final = frozenset({"mig", "mps"})


def disabled(context: CheckContext) -> CheckResult:
    """Tenants of soft shares whose limits nothing enforces."""
    nodes = soft_nodes(context)
    missing = [*unread_pods(context, CHECK), *unread_monitors(context, CHECK, nodes)]
    findings: list[Finding] = []
    for pod in _tenants(context, nodes):
        findings += _by_spec(context, pod)
    for tenancy in soft_tenancies(context):
        findings += _limit_off(context, tenancy)
        found = _not_counted(context, tenancy)
        if isinstance(found, MissingInput):
            missing.append(found)
        elif found is not None:
            findings.append(found)
    return verdict(CHECK, nodes, findings, dict.fromkeys(missing))


def _tenants(context: CheckContext, nodes: Iterable[str]) -> Iterator[Pod]:
    for node in nodes:
        yield from (p for p in context.pods_by_node.get(node, ()) if p.holds and p.promises)


def _by_spec(context: CheckContext, pod: Pod) -> Iterator[Finding]:
    """What the pod's own spec switches off.

    The promises are taken as they are written, also those that the join refuses: a tenant must not
    get rid of this check by spoiling its annotation.
    """
    seen: set[tuple[str, str, str]] = set()
    for promise in pod.promises:
        if not _is_soft_promise(context, pod, promise):
            continue
        for signal, said in _switches(pod, promise):
            if (signal, promise.card, said.source) not in seen:
                seen.add((signal, promise.card, said.source))
                yield pod_finding(context, CHECK, signal, pod, said, card=promise.card)


def _is_soft_promise(context: CheckContext, pod: Pod, promise: Promise) -> bool:
    if promise.vendor != "nvidia" or promise.partition:
        return False
    if not (promise.memory_bytes or promise.cores):
        return False
    node = context.nodes.get(pod.node)
    modes = {
        device.mode
        for registration in (node.registrations if node is not None else ())
        for device in registration.devices
        if device.card == promise.card
    }
    return not modes & _HARD_MODES


def _switches(pod: Pod, promise: Promise) -> Iterator[tuple[str, quote.Quote]]:
    for container in _containers_of(pod, promise):
        if control_disabled(container, promise.layer):
            line = quote.env_line(container.name, CONTROL, container.env[CONTROL])
            yield "disable-control", line
        if core_limit_disabled(container) and 0 < (promise.cores or 0) < WHOLE_CARD_CORES:
            line = quote.env_line(container.name, POLICY, container.env[POLICY])
            yield "core-limit-off", line
    runtime = pod.access.runtime_class
    if runtime.lower().startswith(SANDBOXES):
        record = f"runtimeClassName: {runtime}"
        yield "sandbox-runtime", quote.Quote("pod spec.runtimeClassName", record)


def _containers_of(pod: Pod, promise: Promise) -> list[Container]:
    """The container that has the promise; all that ask for devices where the record names none."""
    containers = running(pod)
    if promise.container:
        return [containers[promise.container]] if promise.container in containers else []
    return [container for container in containers.values() if container.limits]


def _limit_off(context: CheckContext, tenancy: Tenancy) -> Iterator[Finding]:
    readings = readings_of(context, tenancy)
    if not value_of(tenancy.allocation.memory_reserved) or limit_of(readings) != 0:
        return
    page = context.monitors.pages.get(tenancy.card.node)
    for reading in readings:
        if reading.value.limit_bytes == 0:
            said = quote.container_sample(quote.LIMIT, reading.container, tenancy.card, page, 0)
            yield pod_finding(context, CHECK, "limit-off", tenancy.pod, said, card=tenancy.card.id)


def _not_counted(context: CheckContext, tenancy: Tenancy) -> Finding | MissingInput | None:
    """A tenant that works on its card and that the monitor of its node does not know."""
    pod, allocation, card = tenancy
    if not _should_be_counted(context, tenancy):
        return None
    resident, least = allocation.memory_resident, OWN_RESIDENT_BYTES
    if isinstance(resident, Unknown) and _is_alone(context, tenancy):
        resident, least = card.memory.resident, SOLE_RESIDENT_BYTES
        if isinstance(resident, Unknown):
            reason = f"{resident.reason}: run dcgm-exporter on the node"
            name = "memory in use by the driver"
            return MissingInput(check=CHECK, input=name, node=card.node, reason=reason)
    if isinstance(resident, Unknown) or resident.value <= least:
        return None
    said = quote.resident_sample(resident, card, context.monitors.pages.get(card.node))
    record = f"{said.record}, and no {quote.USED.new} of the pod"
    said = said._replace(record=record)
    return pod_finding(context, CHECK, "not-counted", pod, said, card=card.id)


def _should_be_counted(context: CheckContext, tenancy: Tenancy) -> bool:
    """Whether the pod is old enough, and the monitor speaks and yet says nothing of it.

    A reading of any card clears the pod: the card of the annotation can differ from the real one
    (facts/hami.md 6.4 A11).
    """
    pod, _, card = tenancy
    started = pod.created_at if pod.started_at is None else pod.started_at
    return (
        pod.phase == "Running"
        and context.now - started >= GRACE_SECONDS
        and card.node in context.monitors.pages
        and pod.key not in context.monitors.of_pod
    )


def _is_alone(context: CheckContext, tenancy: Tenancy) -> bool:
    """Whether what the driver sees in use on the card can be nobody else's."""
    pod, _, card = tenancy
    held = context.allocations_by_card[card.node, card.id]
    return (
        value_of(card.tenants) == 1
        and all((other.namespace, other.pod) == pod.key for other in held)
        and not strangers(context, card.node)
    )
