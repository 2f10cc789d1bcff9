"""What `gpuatlas serve` says of the generated cluster, and what our rules recorded of it before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from remote_write import Series
from series import (
    FINDINGS,
    MIB,
    PODS_PER_WORKLOAD,
    TENANTS,
    GeneratedCard,
    Size,
    cards,
    ours,
    recorded,
)

_STATES = ("free", "working", "idle", "unknown", "slowed", "failed")
_CHECKS = tuple(f"S{number:02}" for number in range(1, 18))
# Those that have a state on each node.
_NODE_CHECKS = ("S01", "S02", "S03", "S04", "S05", "S06", "S10", "S11", "S12", "S13", "S14", "S15")
_HALF_A_YEAR = 15_552_000
_MAIN = "main"


def exporter(size: Size, now: int) -> Iterator[Series]:
    """The page of one exporter that sees the whole cluster."""
    for card in cards(size):
        if card.index == 0:
            yield from _node(card, size, now)
        yield from _card(card)
        for tenant in card.tenants():
            yield from _allocation(card, tenant)
    yield from _workloads(size)
    yield from _checks(size, now)
    yield ours("gpuatlas_source_up", 1, "kubernetes")
    yield ours("gpuatlas_source_up", 1, "dcgm")
    yield recorded("gpuatlas_build_info", 1, version="0.1.0", job="gpuatlas", instance="gpuatlas")
    yield recorded(
        "gpuatlas_refresh_last_success_timestamp_seconds", now, job="gpuatlas", instance="gpuatlas"
    )


def _node(card: GeneratedCard, size: Size, now: int) -> Iterator[Series]:
    node = card.node_name
    sharing = "hami" if card.hami else "plain"
    yield ours("gpuatlas_node_info", 1, node, "pool-a", "platform", "580.105.08", "13.0", sharing)
    yield ours("gpuatlas_node_cards", size.cards_per_node, node)
    yield ours("gpuatlas_node_driver_cards", size.cards_per_node, node)
    if not card.hami:
        return
    yield ours("gpuatlas_node_sharing_ready", 1, node)
    yield ours("gpuatlas_node_registered_cards", size.cards_per_node, node)
    # Every fiftieth of these nodes has lost its monitor.
    yield ours("gpuatlas_node_sharing_monitor_up", int(card.node % 150 != 0), node)
    yield ours("gpuatlas_node_device_plugin_ready", 1, node)
    yield ours("gpuatlas_node_registration_heartbeat_timestamp_seconds", now + 3_000, node)
    for check in _NODE_CHECKS:
        yield ours("gpuatlas_node_check_inputs", 1, node, check, "ok")


def _card(card: GeneratedCard) -> Iterator[Series]:
    here = (card.node_name, card.uuid, str(card.index))
    physical = card.mib * MIB
    sharing = "hami" if card.hami else "plain"
    yield ours("gpuatlas_card_info", 1, *here, "nvidia", card.model, sharing, "00000000:00:00.0")
    for name, value in (
        ("gpuatlas_card_memory_physical_bytes", physical),
        ("gpuatlas_card_memory_allocated_bytes", 0.9 * physical),
        ("gpuatlas_card_memory_overcommitted_bytes", 0),
        ("gpuatlas_card_memory_resident_bytes", 0.6 * physical),
        ("gpuatlas_card_compute_allocated_ratio", 0.9),
        ("gpuatlas_card_compute_utilization_ratio", 0.55),
        ("gpuatlas_card_tenants", len(card.tenants())),
        ("gpuatlas_card_tenants_limit", 10 if card.hami else 1),
    ):
        yield ours(name, value, *here)
    for quantity in ("memory_physical", "memory_resident", "compute_utilization"):
        yield ours("gpuatlas_card_signal_info", 1, *here, quantity, "DCGM_FI_DEV_FB_USED")
    for state in _STATES:
        yield ours("gpuatlas_card_state", int(state == "working"), *here, state)
    kind = "vgpu" if card.hami else "whole"
    for number, _ in enumerate(card.tenants()):
        yield ours("gpuatlas_partition_info", 1, *here, f"{card.uuid}/{number}", kind, "")
    if card.hami:
        yield ours("gpuatlas_card_memory_schedulable_bytes", 1.5 * physical, *here)
        yield ours("gpuatlas_card_memory_counted_bytes", 0.6 * physical, *here)
        yield ours("gpuatlas_card_memory_offloaded_bytes", 0, *here)


def _allocation(card: GeneratedCard, tenant: Mapping[str, str]) -> Iterator[Series]:
    here = (card.node_name, card.uuid, str(card.index))
    held = (*here, tenant["namespace"], tenant["pod"], tenant["container"])
    share = 0.3 if card.hami else 1.0
    promise = share * card.mib * MIB
    yield ours("gpuatlas_allocation_info", 1, *held, f"{card.uuid}/0", "annotation")
    yield ours("gpuatlas_allocation_memory_reserved_bytes", promise, *held)
    yield ours("gpuatlas_allocation_memory_resident_bytes", 0.6 * promise, *held)
    yield ours("gpuatlas_allocation_compute_reserved_ratio", share, *held)
    yield ours("gpuatlas_allocation_compute_utilization_ratio", 0.6 * share, *held)
    owner = (tenant["namespace"], "Deployment", tenant["workload"])
    yield ours(
        "gpuatlas_pod_workload_info", 1, tenant["namespace"], tenant["pod"], card.node_name,
        *owner[1:],
    )  # fmt: skip
    if card.hami:
        # One tenant in a thousand has another limit in force than its promise.
        limit = promise * (1.5 if card.number % 1_000 == 0 else 1)
        yield ours("gpuatlas_allocation_memory_limit_bytes", limit, *held)
        yield ours("gpuatlas_allocation_memory_counted_bytes", 0.6 * promise, *held)
        yield ours("gpuatlas_allocation_priority", 0, *held)
        yield ours("gpuatlas_allocation_idle_seconds", 3, *held)
        for resource in ("memory", "compute"):
            yield ours("gpuatlas_allocation_isolated", 1, *held, resource)


def _workload_names(size: Size) -> Iterator[tuple[str, str]]:
    """Namespace and name of each workload, once."""
    last = ""
    for card in cards(size):
        for tenant in card.tenants():
            if tenant["workload"] != last:
                last = tenant["workload"]
                yield tenant["namespace"], last


def _workloads(size: Size) -> Iterator[Series]:
    for namespace, name in _workload_names(size):
        owner = (namespace, "Deployment", name)
        yield ours("gpuatlas_workload_info", 1, *owner, "apps", "vllm", "hami", "", "", "")
        yield ours("gpuatlas_workload_pods", PODS_PER_WORKLOAD, *owner, "Running")
        yield ours("gpuatlas_workload_cards_requested", TENANTS, *owner, "nvidia.com/gpu")
        yield ours("gpuatlas_workload_memory_ahead_ratio", 0.9, *owner)
    for number in range(50):
        owner = ("team-000", "Job", f"waits-{number}")
        yield ours("gpuatlas_workload_waiting_seconds", 7_200, *owner, "insufficient cards")


def _checks(size: Size, now: int) -> Iterator[Series]:
    for check in _CHECKS:
        for state in ("ok", "missing", "not_applicable"):
            yield ours("gpuatlas_check_inputs", int(state == "ok"), check, state)
    for check, signal in FINDINGS:
        yield ours("gpuatlas_findings", 20, check, signal)
    for card in cards(size):
        if card.hami and card.number % 800 == 0:
            yield from _findings(card)
    webhook = ("hami-webhook", "vgpu.hami.io")
    name = "gpuatlas_sharing_webhook_certificate_not_after_timestamp_seconds"
    yield ours(name, now + _HALF_A_YEAR, *webhook)


def _findings(card: GeneratedCard) -> Iterator[Series]:
    tenant = card.tenants()[0]
    namespace, workload = tenant["namespace"], tenant["workload"]
    for check, signal in FINDINGS:
        yield ours(
            "gpuatlas_finding_info", 1, check, signal, card.node_name, card.uuid, namespace,
            tenant["pod"], f"Deployment/{namespace}/{workload}", "pod annotation", "a record " * 20,
        )  # fmt: skip


def recorded_by_card(size: Size) -> Iterator[Series]:
    """Recorded each minute; an hour of it is read by the rules of the day."""
    for card in cards(size):
        here = {"node": card.node_name, "card": card.uuid}
        yield recorded("card:gpuatlas_compute_utilization_ratio:max", 0.55, **here)
        yield recorded("card:gpuatlas_memory_used_bytes:max", 0.6 * card.mib * MIB, **here)
        yield recorded("card:dcgm_energy_joules_total:max", 9e6, **here)
        if card.index == 0:
            yield recorded("node:gpuatlas_compute_utilization_ratio:avg", 0.55, node=card.node_name)


def recorded_by_workload(size: Size) -> Iterator[Series]:
    """The same of the workloads."""
    for namespace, workload in _workload_names(size):
        owner = {"namespace": namespace, "workload_kind": "Deployment", "workload": workload}
        yield recorded("workload:gpuatlas_compute_utilization_ratio:sum", 2.0, **owner)
        yield recorded("workload:gpuatlas_memory_used_bytes:sum", 4e10, **owner)
        yield recorded("container:gpuatlas_memory_used_bytes:max", 1e10, **owner, container=_MAIN)
        yield recorded(
            "container:gpuatlas_compute_utilization_ratio:max", 0.5, **owner, container=_MAIN
        )


def recorded_promises(size: Size) -> Iterator[Series]:
    """Recorded each minute; a day of it is read."""
    for card in cards(size):
        here = {"node": card.node_name, "card": card.uuid}
        yield recorded("card:gpuatlas_memory_allocated_bytes:max", 0.9 * card.mib * MIB, **here)


def recorded_daily(size: Size) -> Iterator[Series]:
    """Recorded each fourth minute; a day of it is read."""
    for card in cards(size):
        here = {"node": card.node_name, "card": card.uuid}
        yield recorded("card:gpuatlas_compute_utilization_ratio:avg1h", 0.55, **here)
        yield recorded("card:gpuatlas_memory_used_bytes:max1h", 0.6 * card.mib * MIB, **here)
    for namespace, workload in _workload_names(size):
        owner = {"namespace": namespace, "workload_kind": "Deployment", "workload": workload}
        inside = {**owner, "container": _MAIN}
        yield recorded("container:gpuatlas_memory_used_bytes:max1h", 1e10, **inside)
        yield recorded("container:gpuatlas_compute_utilization_ratio:avg5m", 0.5, **inside)
        yield recorded("container:gpuatlas_allocations:count", 8, **inside)
        yield recorded("container:gpuatlas_allocations_measured:count", 8, **inside)


def recorded_weeks(size: Size) -> Iterator[Series]:
    """Recorded each fourth minute; an instant of each of the last 13 days is read."""
    for card in cards(size):
        if card.index == 0:
            here = {"node": card.node_name}
            yield recorded("node:gpuatlas_memory_demand_bytes:max1d", 2e11, **here)
            yield recorded("node:gpuatlas_host_memory_available_bytes:min1d", 4e11, **here)
            yield recorded("node:gpuatlas_demand_known:ratio1d", 1, **here)
    for namespace, workload in _workload_names(size):
        owner = {"namespace": namespace, "workload_kind": "Deployment", "workload": workload}
        inside = {**owner, "container": _MAIN}
        yield recorded("container:gpuatlas_memory_used_bytes:max1d", 1e10, **inside)
        yield recorded("container:gpuatlas_compute_utilization_ratio:quantile95_1d", 0.5, **inside)
