"""S05: a tenant uses more compute than its promise while others on the card want some. Pure.

The alert averages over ten minutes; here the same bounds hold at one instant, for the evidence.
Alone on its card a tenant is not limited by design (facts/hami.md 5.5, HAMi issue 737): somebody
else must be at work. Sources: facts/hami.md 6.3 I10, 9 (no. 40 to 42).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from gpuatlas.checks import quote
from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.pod_finding import pod_finding
from gpuatlas.checks.soft import Tenancy, readings_of, soft_nodes, soft_tenancies
from gpuatlas.checks.verdict import unread_monitors, unread_pods, verdict
from gpuatlas.model.checks import CheckResult, Finding, MissingInput
from gpuatlas.model.readings import Unknown, value_of

CHECK: Final = "S05"

# The limiter regulates by samples of a second and overshoots on large cards (facts/hami.md 9 no.
# 42): a fifth and five points are its own noise.
OVERSHOOT_FACTOR: Final = 1.2
OVERSHOOT_SLACK: Final = 0.05
SATURATED: Final = 0.9
AT_WORK: Final = 0.05


def ineffective(context: CheckContext) -> CheckResult:
    """Tenants whose compute limit does not hold while the card is saturated."""
    nodes = soft_nodes(context)
    missing = [*unread_pods(context, CHECK), *unread_monitors(context, CHECK, nodes)]
    tenancies = list(soft_tenancies(context))
    missing += _unmeasured(tenancies)
    findings = [
        _finding(context, tenancy)
        for tenancy in tenancies
        if _is_over(tenancy) and _others_at_work(context, tenancy)
    ]
    return verdict(CHECK, nodes, findings, dict.fromkeys(missing))


def _share(tenancy: Tenancy) -> float | None:
    """The promised share of the card where it is a limit."""
    reserved = value_of(tenancy.allocation.compute_reserved)
    return reserved if reserved is not None and reserved < 1 else None


def _is_over(tenancy: Tenancy) -> bool:
    share = _share(tenancy)
    used = value_of(tenancy.allocation.compute_utilization)
    busy = value_of(tenancy.card.compute_utilization)
    if share is None or used is None or busy is None:
        return False
    return busy > SATURATED and used > share * OVERSHOOT_FACTOR + OVERSHOOT_SLACK


def _others_at_work(context: CheckContext, tenancy: Tenancy) -> bool:
    held = context.allocations_by_card[tenancy.card.node, tenancy.card.id]
    return any(
        (other.namespace, other.pod) != tenancy.pod.key
        and (value_of(other.compute_utilization) or 0.0) > AT_WORK
        for other in held
    )


def _unmeasured(tenancies: Iterable[Tenancy]) -> list[MissingInput]:
    """Cards with a limited tenant whose own utilisation nobody tells."""
    found = []
    for tenancy in tenancies:
        busy = tenancy.card.compute_utilization
        if _share(tenancy) is not None and isinstance(busy, Unknown):
            reason = f"card {tenancy.card.id}: {busy.reason}"
            name = "utilisation of the card"
            node = tenancy.card.node
            found.append(MissingInput(check=CHECK, input=name, node=node, reason=reason))
    return found


def _finding(context: CheckContext, tenancy: Tenancy) -> Finding:
    pod, allocation, card = tenancy
    readings = readings_of(context, tenancy)
    container = allocation.container or (readings[0].container if readings else "")
    used = value_of(allocation.compute_utilization) or 0.0
    page = context.monitors.pages.get(card.node)
    # HAMi's ratio is a percent number (facts/hami.md 1.3).
    said = quote.container_sample(quote.UTILIZATION, container, card, page, used * 100)
    share = value_of(allocation.compute_reserved) or 0.0
    said = said._replace(record=f"{said.record}, promised {share * 100:g}")
    return pod_finding(context, CHECK, "over-promise", pod, said, card=card.id)
