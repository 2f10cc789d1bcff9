"""The pages of HAMi's scheduler and monitor, in the names of the installation's version."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gpuatlas.demo.installed import HamiRelease
from gpuatlas.demo.state import CardState, NodeState, PodState, TenantState, World
from gpuatlas.demo.wire.exposition import Page, go_float
from gpuatlas.demo.wire.hami import device_segments
from gpuatlas.demo.wire.hami_families import (
    MONITOR_CARDS,
    MONITOR_CONTAINERS,
    SCHEDULER_CARDS,
    SCHEDULER_PODS,
    HamiFamily,
)

_MIB: Final = 1024 * 1024
_NEW_NAMES_SINCE: Final = (2, 9)
_BUILD_INFO_SINCE: Final = (2, 8)
_UNPREFIXED_TYPE_SINCE: Final = (2, 8)
_CONTEXT_BYTES: Final = 439_353_344  # of one CUDA context, as in the examples of facts/hami.md 1.3


@dataclass(frozen=True, slots=True)
class _Subject:
    """What one line is about: labels by their new names, and numbers by their row's word."""

    labels: dict[str, str]
    numbers: dict[str, float]


def scheduler_page(world: World, hami: HamiRelease) -> str:
    """The scheduler's books: the cards whose registration it can read, and all pods."""
    page = Page()
    nodes = [node for node in world.nodes if node.spec.hami == hami and node.registered]
    cards = [_scheduled_card(card, hami) for node in nodes for card in node.registered_cards]
    _write(page, SCHEDULER_CARDS, cards, hami)
    _write(page, SCHEDULER_PODS, list(_allocations(world)), hami)
    _build_info(page, hami)
    return page.text


def monitor_page(node: NodeState) -> str:
    """The monitor of one node: its cards by NVML, its containers by their own counting."""
    hami = node.spec.hami
    if hami is None:
        return ""
    page = Page()
    cards = [card for card in node.cards if card.present]
    _write(page, MONITOR_CARDS, [_host(card) for card in cards], hami)
    containers = [
        _container(card, tenant)
        for card in cards
        for tenant in card.tenants
        # A region file exists once the process has made its first CUDA call.
        if tenant.counted_mib and tenant.pod.deviations.counted
    ]
    _write(page, MONITOR_CONTAINERS, containers, hami)
    _build_info(page, hami)
    return page.text


def _write(
    page: Page, families: Sequence[HamiFamily], subjects: Sequence[_Subject], hami: HamiRelease
) -> None:
    new = hami.numbers >= _NEW_NAMES_SINCE
    for family in families:
        name = family.new if new else family.old
        if name:
            samples = [
                (_labels(family, subject, new=new), go_float(subject.numbers[family.value]))
                for subject in subjects
            ]
            page.family(name, "gauge" if new else family.old_kind, family.help, samples)


def _labels(family: HamiFamily, subject: _Subject, *, new: bool) -> list[tuple[str, str]]:
    """Sorted by name, as Go's client library does, with the constant label `zone`."""
    named = {
        (label if new else old): subject.labels[label]
        for label, old in family.labels.items()
        if new or old
    }
    return sorted({**named, "zone": "vGPU"}.items())


def _build_info(page: Page, hami: HamiRelease) -> None:
    if hami.numbers < _BUILD_INFO_SINCE:
        return
    labels = {
        "build_date": "2026-05-19T00:00:00Z",
        "compiler": "gc",
        "go_version": "go1.25.0",
        "platform": "linux/amd64",
        "revision": "0000000",
        "version": hami.version,
    }
    page.family("hami_build_info", "gauge", "Version.", [(sorted(labels.items()), "1")])


def _registered_type(card: CardState, hami: HamiRelease) -> str:
    model = card.node.card.model
    prefixed = card.node.card.vendor == "nvidia" and hami.numbers < _UNPREFIXED_TYPE_SINCE
    return f"NVIDIA-{model}" if prefixed else model


def _asks(card: CardState) -> list[tuple[int, int]]:
    pods = [tenant.pod for tenant in card.tenants]
    return [
        (pod.promised_mib, pod.workload.ask.cores)
        for pod in pods
        if pod.workload.ask and pod.promised_mib
    ]


def _scheduled_card(card: CardState, hami: HamiRelease) -> _Subject:
    asks = _asks(card)
    promised = sum(memory for memory, _ in asks) + card.booked_too_much_mib
    cores = sum(cores for _, cores in asks)
    limit = card.node.schedulable_mib
    return _Subject(
        {
            "node": card.node.name,
            "device_uuid": card.uuid,
            "device_index": str(card.index),
            "device_type": _registered_type(card, hami),
            "device_cores": str(cores),
            "shared_containers": str(len(asks)),
            "device_memory_limit": str(limit),
        },
        {
            "limit": limit * _MIB,
            "core_limit": card.node.card.cores,
            "allocated": promised * _MIB,
            "shared": len(asks),
            "cores": cores,
            "share": promised / limit,
        },
    )


def _allocations(world: World) -> Iterator[_Subject]:
    for pod in world.pods:
        node = world.node(pod.place.node) if pod.holds and pod.place else None
        if node and node.spec.hami and pod.place and pod.promised_mib:
            for index in pod.place.cards:
                yield _allocation(pod, node, node.cards[index])


def _allocation(pod: PodState, node: NodeState, card: CardState) -> _Subject:
    memory, cores = pod.promised_mib, pod.workload.ask.cores if pod.workload.ask else 0
    holder = pod.container
    return _Subject(
        {
            "namespace": pod.workload.namespace,
            "node": node.spec.name,
            "pod": pod.name,
            "container_index": str(device_segments(pod, node.spec).index(holder)),
            "device_uuid": card.uuid,
            "used_cores": str(cores),
            "deprecated_version": "v2.8.0",
        },
        {"memory": memory * _MIB, "cores": cores, "share": memory / node.spec.schedulable_mib},
    )


def _host(card: CardState) -> _Subject:
    # NVML's first memory call counts what the driver reserves as used (facts/dcgm.md 6.2).
    used = card.used_mib + card.node.card.reserved_mib
    return _Subject(
        {
            "device_index": str(card.index),
            "device_uuid": card.uuid,
            "device_type": f"NVIDIA-{card.node.card.model}",
        },
        {"used": used * _MIB, "busy": round(100 * card.compute)},
    )


def _container(card: CardState, tenant: TenantState) -> _Subject:
    workload = tenant.pod.workload
    ask = workload.ask
    used = tenant.counted_mib * _MIB
    context = min(_CONTEXT_BYTES, used)
    # Without a limit of compute nobody watches the SMs, and the value stays 0.
    busy = round(100 * tenant.compute) if ask and ask.cores else 0
    return _Subject(
        {
            "namespace": workload.namespace,
            "pod": tenant.pod.name,
            "container": tenant.pod.container,
            "vdevice_index": str(tenant.position),
            "device_uuid": card.uuid,
            "context_size": str(context),
            "module_size": "0",
            "buffer_size": str(used - context),
            "offset": "0",
        },
        {
            "used": used,
            "limit": tenant.pod.limit_mib * _MIB,
            "busy": busy,
            "idle": tenant.idle_seconds,
            "context": context,
            "module": 0,
            "buffer": used - context,
        },
    )
