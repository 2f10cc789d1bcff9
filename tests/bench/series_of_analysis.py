"""What `gpuatlas serve` says of days and of contention on the generated cluster: for the boards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from remote_write import Curve, Series
from series import (
    MIB,
    NAMESPACES,
    PODS_PER_WORKLOAD,
    GeneratedCard,
    Size,
    cards,
    ours,
    recorded,
)

_VERDICTS = ("fits", "smaller", "larger", "cannot")
_CHECKS = (
    *((f"H{number:02}", "hardware") for number in range(1, 13)),
    *((f"S{number:02}", "sharing") for number in range(1, 18)),
)
# Of thirteen workloads one was slowed by its neighbour, a tenth of the time.
_SLOWED_ONE_IN = 13
_SLOWED = 0.1


@dataclass(frozen=True, kw_only=True)
class _Named:
    """A workload, the first of its cards, and what it is called by."""

    card: GeneratedCard
    namespace: str
    name: str
    number: int

    @property
    def labels(self) -> tuple[str, str, str]:
        return (self.namespace, "Deployment", self.name)


def analysis(size: Size) -> Iterator[Series]:
    """Verdicts, proposals and safe ratios, and the counters of contention."""
    before: _Named | None = None
    for workload in _workloads(size):
        yield from _sizing(workload)
        yield from _contention(workload, before)
        before = workload
    for card in cards(size):
        if card.index == 0 and card.hami:
            yield from _node(card, size)
        if card.hami:
            here = (card.node_name, card.uuid, str(card.index))
            slope = _SLOWED if card.number % _SLOWED_ONE_IN == 0 else 0.0
            yield _counter("gpuatlas_card_contended_seconds_total", slope, *here)


def courses(size: Size) -> Iterator[Series]:
    """What boards read of the last day and no rule does: recordings and alerts."""
    for workload in _workloads(size):
        namespace, kind, name = workload.labels
        owner = {"namespace": namespace, "workload_kind": kind, "workload": name}
        yield recorded("workload:gpuatlas_compute_utilization_ratio:avg1h", 2.0, **owner)
        if workload.card.hami:
            yield recorded("workload:gpuatlas_slowed_ratio:rate10m", 0, **owner, grade="0")
    for number in range(NAMESPACES):
        name = "namespace:gpuatlas_memory_wasted_bytes:sum"
        yield recorded(name, 1e12, namespace=f"team-{number:03d}")
    for name in ("memory_physical", "memory_allocated", "memory_used"):
        yield recorded(f"cluster:gpuatlas_{name}_bytes:sum", 1e15)
    yield recorded("cluster:gpuatlas_cards:count", size.cards)
    yield from _checks(size)


def _checks(size: Size) -> Iterator[Series]:
    for check, layer in _CHECKS:
        for state in ("ok", "firing", "unknown", "not_applicable"):
            yield recorded(
                "check:gpuatlas_check_state:max", int(state == "ok"), check=check, layer=layer,
                state=state,
            )  # fmt: skip
    for card in cards(size):
        if card.faults:
            # The names need not be those of the rules: a board reads all of them.
            yield recorded(
                "ALERTS", 1, alertname="GpuThermalThrottling", alertstate="firing", check="H07",
                layer="hardware", severity="warning", signal="bench", remedy="none",
                node=card.node_name, card=card.uuid,
            )  # fmt: skip


def _workloads(size: Size) -> Iterator[_Named]:
    last, number = "", 0
    for card in cards(size):
        for tenant in card.tenants():
            if tenant["workload"] != last:
                last = tenant["workload"]
                yield _Named(card=card, namespace=tenant["namespace"], name=last, number=number)
                number += 1


def _counter(name: str, slope: float, *labels: str) -> Series:
    return replace(ours(name, 0, *labels), curve=Curve(1e5, slope))


def _sizing(workload: _Named) -> Iterator[Series]:
    container = (*workload.labels, "main")
    promise = 0.3 * workload.card.mib * MIB
    verdict = _VERDICTS[workload.number % len(_VERDICTS)]
    reason = "rollout" if verdict == "cannot" else ""
    resources = ("memory", "compute") if workload.card.hami else ("cards",)
    for resource in resources:
        name = "gpuatlas_sizing_verdict_info"
        yield ours(name, 1, *container, resource, verdict, reason)
    for name, value in (
        ("memory_present_bytes", promise),
        ("memory_peak_bytes", 0.6 * promise),
        ("memory_proposed_bytes", 0.7 * promise),
        ("memory_saving_bytes", 0.3 * promise * PODS_PER_WORKLOAD),
        ("compute_present_ratio", 0.3),
        ("compute_peak_ratio", 0.18),
        ("compute_proposed_ratio", 0.25),
        ("window_seconds", 14 * 86_400),
        ("coverage_ratio", 0.99),
    ):
        yield ours(f"gpuatlas_sizing_{name}", value, *container)
    if not workload.card.hami:
        yield ours("gpuatlas_sizing_cards_proposed", 1, *container, "")
        yield ours("gpuatlas_sizing_cards_saving", PODS_PER_WORKLOAD, *container)


def _contention(workload: _Named, neighbour: _Named | None) -> Iterator[Series]:
    if not workload.card.hami:
        return
    name = "gpuatlas_workload_slowed_seconds_total"
    yield _counter(name, 0.0, *workload.labels, "", "", "", "0")
    if neighbour is None or workload.number % _SLOWED_ONE_IN:
        return
    yield _counter(name, _SLOWED, *workload.labels, *neighbour.labels, "3")
    for role, victim in (("victim", workload), ("suspect", neighbour)):
        yield ours("gpuatlas_sizing_contended_seconds", 9_000, *victim.labels, role)
        yield ours("gpuatlas_sizing_priority_proposed", int(role == "suspect"), *victim.labels)


def _node(card: GeneratedCard, size: Size) -> Iterator[Series]:
    physical = size.cards_per_node * card.mib * MIB
    for name, value in (
        ("overcommit_present_ratio", 0.9),
        ("overcommit_safe_ratio", 1.3),
        ("allocated_bytes", 0.9 * physical),
        ("demand_bytes", 0.6 * physical),
        ("physical_bytes", physical),
        ("host_available_bytes", physical),
        ("measured_seconds", 14 * 86_400),
        ("room_bytes", 0.4 * physical),
        ("room_allocations", 6),
    ):
        yield ours(f"gpuatlas_sizing_node_{name}", value, card.node_name)
    for tenant in card.tenants():
        owner = (tenant["namespace"], "Deployment", tenant["workload"])
        yield ours("gpuatlas_sizing_node_fits", 6, card.node_name, *owner)
