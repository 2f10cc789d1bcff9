"""Memory in use as the sharing layer counts it, and what that says of offloaded memory."""

from __future__ import annotations

from typing import Final

from gpuatlas.join.holding import Holding
from gpuatlas.join.inventory import CardFacts, NodeInputs
from gpuatlas.model.pages import ContainerReading, Tenant
from gpuatlas.model.readings import Known, Reading, Unknown

SOURCE = "hami_vgpu_memory_used_bytes"
LIMIT_SOURCE = "hami_vgpu_memory_limit_bytes"


def _silent(inputs: NodeInputs) -> Unknown:
    return Unknown(inputs.monitor_silent or "no HAMi monitor page for this node")


def container_of(
    inputs: NodeInputs, holding: Holding, *, alone: bool
) -> tuple[ContainerReading, ...]:
    """The monitor's readings of one holding.

    A holding whose container is not known takes all of its pod's readings on the card, but only
    where it is the pod's single holding there (`alone`).
    """
    pod, card = holding.pod, holding.card
    if holding.container:
        found = inputs.containers.get((Tenant(*pod.key, holding.container), card))
        return () if found is None else (found,)
    if not alone:
        return ()
    names = [c.name for c in pod.containers]
    readings = (inputs.containers.get((Tenant(*pod.key, name), card)) for name in names)
    return tuple(r for r in readings if r is not None)


_NO_LAYER: Final = Unknown("no sharing layer counts this card")
_NO_LIMIT: Final = Unknown("the sharing layer publishes no memory limit of it")
_NOT_OPENED: Final = Unknown("the container has not opened the card yet")


def counted_of_holding(
    inputs: NodeInputs, card: CardFacts, readings: tuple[ContainerReading, ...]
) -> Reading[int]:
    """Bytes that the layer counts for one container on one card."""
    if not card.layer:
        return _NO_LAYER
    if not readings:
        # HAMi issue 281: the region file appears when the process first opens CUDA.
        return _NOT_OPENED if inputs.containers else _silent(inputs)
    if any(r.used_bytes is None for r in readings):
        return Unknown("the layer's counter is not plausible")
    return Known(sum(r.used_bytes or 0 for r in readings), inputs.monitor_at, SOURCE)


def limit_of_holding(
    inputs: NodeInputs, card: CardFacts, readings: tuple[ContainerReading, ...]
) -> Reading[int]:
    """The memory limit in force for one container on one card in bytes; 0 where none is.

    KAI's isolation has a monitor, too, and registers no card: whoever publishes is believed. Of
    several containers one without a limit can take all, so that their sum is none.
    """
    if not readings:
        if not card.layer:
            return _NO_LAYER
        return _NOT_OPENED if inputs.containers else _silent(inputs)
    limits = [r.limit_bytes for r in readings if r.limit_bytes is not None]
    if len(limits) < len(readings):
        return _NO_LIMIT
    return Known(sum(limits) if all(limits) else 0, inputs.monitor_at, LIMIT_SOURCE)


def counted_of_card(card: CardFacts, inputs: NodeInputs) -> Reading[int]:
    """Bytes that the layer counts on the card, over all containers it knows there."""
    if not card.layer:
        return _NO_LAYER
    readings = [r for (_, where), r in inputs.containers.items() if where == card.id]
    if not readings:
        return _silent(inputs) if not inputs.containers else Unknown("no container uses it yet")
    if any(r.used_bytes is None for r in readings):
        return Unknown("one container's counter is not plausible")
    return Known(sum(r.used_bytes or 0 for r in readings), inputs.monitor_at, SOURCE)


def offloaded_of(counted: Reading[int], resident: Reading[int]) -> Reading[int]:
    """A lower bound of the bytes that tenants believe they hold and that are not on the card.

    facts/hami.md 5.6: which pages are on the host, and whose, cannot be known.
    """
    if isinstance(counted, Unknown):
        return counted
    if isinstance(resident, Unknown):
        return resident
    return Known(max(0, counted.value - resident.value), counted.at, "counted − resident")
