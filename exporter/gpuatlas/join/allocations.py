"""One allocation: a holding with its promise and what is known of its use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpuatlas.join import compute, counted, physical
from gpuatlas.join.holding import Holding
from gpuatlas.join.inventory import CardFacts, NodeInputs
from gpuatlas.join.isolation import isolated
from gpuatlas.join.parts import whole_partition
from gpuatlas.model.objects import Node
from gpuatlas.model.pages import ContainerReading, InstanceReading, Tenant
from gpuatlas.model.readings import Known, Reading, Unknown, value_of
from gpuatlas.model.snapshot import Allocation, Card, Evidence, PartitionKind
from gpuatlas.model.units import MIB, plausible_bytes, plausible_ratio
from gpuatlas.model.vendors import VENDORS

_SHARED = Unknown("the card is shared and the driver's view per container needs the node agent")
_NO_CARD = Unknown("the card is not known")


def _priority(holding: Holding) -> Reading[int]:
    """0 is high, as HAMi has it; only where somebody set it."""
    vendor = VENDORS.get(holding.vendor)
    resource = vendor.priority if vendor is not None else ""
    container = holding.container_spec
    if container is None:
        return Unknown("the container is not known")
    if resource and resource in container.limits:
        return Known(container.limits[resource], 0.0, f"limit {resource}")
    text = container.env.get("CUDA_TASK_PRIORITY", "")
    if text.isdecimal() and len(text) < 4:  # noqa: PLR2004 - two digits are used, three are plenty
        return Known(int(text), 0.0, "env CUDA_TASK_PRIORITY")
    return Unknown("no priority is set")


def _instance(holding: Holding, card: CardFacts) -> InstanceReading | None:
    wanted = holding.partition.removeprefix("gi-")
    instances = card.reading.instances if card.reading else ()
    return next((i for i in instances if i.instance == wanted), None)


def _own_fields(
    holding: Holding, card: CardFacts, held: Sequence[Holding]
) -> Mapping[str, float] | None:
    """DCGM values that are really this container's, under virtual GPUs.

    They are the pod's (facts/dcgm.md 3): of several containers of the pod on the card each would
    show them all, and their sum would be too much.
    """
    if not _alone(holding, held):
        return None
    per_tenant = card.reading.tenant_fields if card.reading else None
    pods = {t: f for t, f in (per_tenant or {}).items() if (t.namespace, t.pod) == holding.pod.key}
    exact = pods.get(Tenant(*holding.pod.key, holding.container))
    if exact is not None or len(pods) != 1:
        return exact
    return next(iter(pods.values()))


def _alone(holding: Holding, held: Sequence[Holding]) -> bool:
    """No other holding of the same pod on the card."""
    return not any(h is not holding and h.pod.uid == holding.pod.uid for h in held)


def _sole(holding: Holding, held: Sequence[Holding]) -> bool:
    """Nobody else on the same part of the card: the part's values are the container's."""
    return not any(h is not holding and h.partition == holding.partition for h in held)


def _has_all_of(holding: Holding, card: CardFacts) -> bool:
    """Whether the card's own values are those of the part that is held."""
    if holding.kind is PartitionKind.WHOLE:
        return True
    return holding.kind is PartitionKind.DRA and holding.partition == whole_partition(card)


def _resident(
    holding: Holding, joined: Card, card: CardFacts, inputs: NodeInputs, held: Sequence[Holding]
) -> Reading[int]:
    own = _own_fields(holding, card, held)
    if own is not None and "DEV_FB_USED" in own:
        size = plausible_bytes(own["DEV_FB_USED"] * MIB)
        if size is not None:
            return Known(size, inputs.readings_at, "DCGM_FI_DEV_FB_USED of the pod")
    if not _sole(holding, held):
        return _SHARED
    if _has_all_of(holding, card):
        return joined.memory.resident
    instance = _instance(holding, card) if holding.kind is PartitionKind.MIG else None
    return _SHARED if instance is None else physical.instance_resident(instance, inputs.readings_at)


def _counted_utilization(
    holding: Holding, joined: Card, readings: tuple[ContainerReading, ...], at: float
) -> Reading[float]:
    """HAMi-core measures only under a compute limit of 1 to 99 and shows 0 otherwise, for ever.

    Such a 0 is believed only where the driver sees nothing run on the card.
    """
    if not readings or any(r.utilization is None for r in readings):
        return Unknown("the sharing layer publishes no utilisation of it")
    ratio = plausible_ratio(sum(r.utilization or 0.0 for r in readings))
    if ratio is None:
        return Unknown("the layer's per-process figures add up to more than the card")
    limited = holding.cores is not None and 0 < holding.cores < 100  # noqa: PLR2004 - percent
    if ratio == 0 and not limited and value_of(joined.compute_utilization) != 0:
        return Unknown("HAMi measures the compute only of containers with a compute limit")
    return Known(ratio, at, "hami_container_device_utilization_ratio")


def _utilization(
    holding: Holding,
    joined: Card,
    card: CardFacts,
    inputs: NodeInputs,
    held: Sequence[Holding],
    readings: tuple[ContainerReading, ...],
) -> Reading[float]:
    if holding.kind is PartitionKind.VGPU:
        return _counted_utilization(holding, joined, readings, inputs.monitor_at)
    own = _own_fields(holding, card, held)
    if own is not None and holding.kind is not PartitionKind.MIG:
        value = compute.utilization_of_fields(own, inputs.readings_at)
        if isinstance(value, Known):
            return value
    if not _sole(holding, held):
        return _SHARED
    if _has_all_of(holding, card):
        return joined.compute_utilization
    instance = _instance(holding, card) if holding.kind is PartitionKind.MIG else None
    if instance is None:
        return _SHARED
    return compute.utilization_of_instance(instance, card, inputs.readings_at)


def _idle(readings: tuple[ContainerReading, ...], at: float) -> Reading[float]:
    seconds = [r.idle_seconds for r in readings if r.idle_seconds is not None]
    if not seconds:
        return Unknown("no source publishes the time of its last kernel")
    return Known(min(seconds), at, "hami_container_last_kernel_elapsed_seconds")


def on_card(
    holding: Holding,
    joined: Card,
    memory: Reading[int],
    compute_share: Reading[float],
    card: CardFacts,
    inputs: NodeInputs,
    held: Sequence[Holding],
) -> Allocation:
    """The allocation of a holding whose card is known. `held` are all holdings on the card."""
    readings = counted.container_of(inputs, holding, alone=_alone(holding, held))
    limit = counted.limit_of_holding(inputs, card, readings)
    return Allocation(
        node=joined.node,
        card=joined.id,
        index=joined.index,
        namespace=holding.pod.namespace,
        pod=holding.pod.name,
        container=holding.container,
        partition=holding.partition,
        evidence=holding.evidence,
        reason="",
        memory_reserved=memory,
        memory_resident=_resident(holding, joined, card, inputs, held),
        memory_counted=counted.counted_of_holding(inputs, card, readings),
        compute_reserved=compute_share,
        compute_utilization=_utilization(holding, joined, card, inputs, held, readings),
        priority=_priority(holding),
        idle_seconds=_idle(readings, inputs.monitor_at),
        conflicts=holding.conflicts,
        memory_limit=limit,
        isolated=isolated(holding, limit, inputs.node, layer=card.layer),
    )


def without_card(holding: Holding, node: Node, card_size: Reading[int]) -> Allocation:
    """The allocation of a holding whose card nobody knows.

    `card_size` is the size of each of the node's cards where they are all alike: a promise of whole
    cards is then known although the cards are not.
    """
    whole = holding.kind is PartitionKind.WHOLE
    reserved: Reading[int] = Unknown("the card is not known")
    if whole and isinstance(card_size, Known):
        reserved = Known(card_size.value * holding.count, 0.0, "whole cards of one size")
    return Allocation(
        node=node.name,
        card="",
        index="",
        namespace=holding.pod.namespace,
        pod=holding.pod.name,
        container=holding.container,
        partition="",
        evidence=Evidence.UNKNOWN,
        reason=holding.reason,
        memory_reserved=reserved,
        memory_resident=_NO_CARD,
        memory_counted=_NO_CARD,
        compute_reserved=Known(float(holding.count), 0.0, "whole cards") if whole else _NO_CARD,
        compute_utilization=_NO_CARD,
        priority=_priority(holding),
        idle_seconds=_NO_CARD,
        memory_limit=_NO_CARD,
        isolated=isolated(holding, _NO_CARD, node, layer=""),
    )
