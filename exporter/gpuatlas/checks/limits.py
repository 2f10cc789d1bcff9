"""S02 and S03: the limit in force differs from the promise, or a tenant holds more than it. Pure.

Sources: facts/hami.md 6.4 A12, 5.4, 9 (no. 3, 4, 6); facts/errata.md (KAI). All sizes are bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpuatlas.checks import quote
from gpuatlas.checks.configs import memory_factor
from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.pod_finding import pod_finding
from gpuatlas.checks.quote import Quote
from gpuatlas.checks.soft import (
    VOLCANO,
    Tenancy,
    is_soft,
    limit_of,
    readings_of,
    soft_nodes,
    soft_tenancies,
)
from gpuatlas.checks.verdict import unread_monitors, unread_pods, verdict
from gpuatlas.model.checks import CheckResult, Finding, MissingInput
from gpuatlas.model.readings import Known, Reading, Unknown, value_of
from gpuatlas.model.snapshot import Card, Sharing
from gpuatlas.model.units import MIB

MISMATCH: Final = "S02"
BREACHED: Final = "S03"

# HAMi and Volcano hand on whole MiB (facts/hami.md 6.4 A12).
TOLERANCE_BYTES: Final = MIB
# KAI's isolator rounds the promise to hundredths of the card (facts/errata.md, KAI).
KAI_STEPS_PER_CARD: Final = 100
# The driver sees contexts and its own memory, which the layer does not count: tens to hundreds of
# MiB for a process (facts/hami.md 5.4, 9 no. 3).
RESIDENT_FACTOR: Final = 1.05
RESIDENT_SLACK_BYTES: Final = 512 * MIB
# The interposer checks before it allocates; two at once can pass together (our own margin).
COUNTED_FACTOR: Final = 1.02
UNCOUNTED_BYTES: Final = 2048 * MIB
UNCOUNTED_BYTES_PER_TENANT: Final = 600 * MIB


def mismatch(context: CheckContext) -> CheckResult:
    """S02: containers whose limit is not the promise. Without a limit at all: S01."""
    nodes = soft_nodes(context)
    missing = [*unread_pods(context, MISMATCH), *unread_monitors(context, MISMATCH, nodes)]
    findings: list[Finding] = []
    for tenancy in soft_tenancies(context):
        reserved = _promised(context, tenancy)
        limit = limit_of(readings_of(context, tenancy))
        if reserved is None or not limit:
            continue
        tolerance = _tolerance(tenancy.card)
        if isinstance(tolerance, Unknown):
            missing.append(_unmeasured(MISMATCH, tenancy.card, "size of the card", tolerance))
        elif limit > reserved + tolerance.value:
            findings += _limits(context, tenancy, "limit-above", reserved)
        elif limit < reserved - tolerance.value:
            findings += _limits(context, tenancy, "limit-below", reserved)
    return verdict(MISMATCH, nodes, findings, dict.fromkeys(missing))


def _promised(context: CheckContext, tenancy: Tenancy) -> int | None:
    """Bytes. Volcano's figures are in units of its memory factor (facts/errata.md, Volcano)."""
    reserved = value_of(tenancy.allocation.memory_reserved)
    if reserved is None or tenancy.card.sharing is not Sharing.VOLCANO:
        return reserved
    return reserved * memory_factor(context, VOLCANO)


def _tolerance(card: Card) -> Reading[int]:
    if card.sharing is not Sharing.KAI:
        return Known(TOLERANCE_BYTES, 0.0, "MiB")
    size = card.memory.physical
    if isinstance(size, Unknown):
        return size
    return Known(size.value // KAI_STEPS_PER_CARD, size.at, size.source)


def _unmeasured(check: str, card: Card, what: str, why: Unknown) -> MissingInput:
    reason = f"card {card.id}: {why.reason}"
    return MissingInput(check=check, input=what, node=card.node, reason=reason)


def _limits(
    context: CheckContext, tenancy: Tenancy, signal: str, reserved: int
) -> Iterator[Finding]:
    for reading in readings_of(context, tenancy):
        limit = reading.value.limit_bytes or 0
        said = _sample(context, tenancy, quote.LIMIT, reading.container, limit)
        yield _of_tenancy(context, MISMATCH, signal, tenancy, _against(said, "promised", reserved))


def _sample(
    context: CheckContext,
    tenancy: Tenancy,
    metric: quote.MonitorMetric,
    container: str,
    value: float,
) -> Quote:
    page = context.monitors.pages.get(tenancy.card.node)
    return quote.container_sample(metric, container, tenancy.card, page, value)


def _against(said: Quote, what: str, value: int) -> Quote:
    return said._replace(record=f"{said.record}, {what} {value}")


def _of_tenancy(
    context: CheckContext, check: str, signal: str, tenancy: Tenancy, said: Quote
) -> Finding:
    return pod_finding(context, check, signal, tenancy.pod, said, card=tenancy.card.id)


def breached(context: CheckContext) -> CheckResult:
    """S03: tenants that hold more than they may, and memory on cards that nobody counts."""
    nodes = soft_nodes(context)
    missing = [*unread_pods(context, BREACHED), *unread_monitors(context, BREACHED, nodes)]
    findings: list[Finding] = []
    for tenancy in soft_tenancies(context):
        findings += _over_promise(context, tenancy)
        findings += _over_limit(context, tenancy)
    named = frozenset(r.card for readings in context.monitors.of_pod.values() for r in readings)
    for card in context.snapshot.cards():
        if not is_soft(context, card) or card.node not in context.monitors.pages:
            continue
        found = _uncounted(context, card, named)
        if isinstance(found, MissingInput):
            missing.append(found)
        elif found is not None:
            findings.append(found)
    return verdict(BREACHED, nodes, findings, dict.fromkeys(missing))


def _over_promise(context: CheckContext, tenancy: Tenancy) -> Iterator[Finding]:
    """By the driver's view, which few nodes have of single containers (`join.allocations`)."""
    resident = tenancy.allocation.memory_resident
    reserved = _promised(context, tenancy)
    if isinstance(resident, Unknown) or reserved is None:
        return
    if resident.value > reserved * RESIDENT_FACTOR + RESIDENT_SLACK_BYTES:
        page = context.monitors.pages.get(tenancy.card.node)
        said = quote.resident_sample(resident, tenancy.card, page)
        said = _against(said, "promised bytes", reserved)
        yield _of_tenancy(context, BREACHED, "over-promise", tenancy, said)


def _over_limit(context: CheckContext, tenancy: Tenancy) -> Iterator[Finding]:
    counted = tenancy.allocation.memory_counted
    readings = readings_of(context, tenancy)
    limit = limit_of(readings)
    if isinstance(counted, Unknown) or not limit or counted.value <= limit * COUNTED_FACTOR:
        return
    for reading in readings:
        used = reading.value.used_bytes or 0
        said = _sample(context, tenancy, quote.USED, reading.container, used)
        yield _of_tenancy(context, BREACHED, "over-limit", tenancy, _against(said, "limit", limit))


def _uncounted(
    context: CheckContext, card: Card, named: frozenset[str]
) -> Finding | MissingInput | None:
    """`named` are the cards on which some monitor names a container.

    A monitor that speaks and names none on a card counts nothing there.
    """
    resident, counted = card.memory.resident, card.memory.counted
    if isinstance(resident, Unknown):
        return _unmeasured(BREACHED, card, "memory in use by the driver", resident)
    if isinstance(counted, Unknown) and card.id in named:
        return _unmeasured(BREACHED, card, quote.USED.new, counted)
    gap = resident.value - (value_of(counted) or 0)
    if gap <= UNCOUNTED_BYTES:
        return None
    if isinstance(card.tenants, Unknown):
        return _unmeasured(BREACHED, card, "tenants of the card", card.tenants)
    if gap <= UNCOUNTED_BYTES + card.tenants.value * UNCOUNTED_BYTES_PER_TENANT:
        return None
    said = quote.resident_sample(resident, card, context.monitors.pages.get(card.node))
    said = _against(said, "counted bytes", value_of(counted) or 0)
    return Finding(
        check=BREACHED,
        signal="uncounted",
        object=f"Node/{card.node}",
        source=said.source,
        record=said.record,
        node=card.node,
        card=card.id,
    )
