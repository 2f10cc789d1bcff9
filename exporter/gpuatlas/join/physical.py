"""Memory of cards by the driver's view: total, resident, and the size of hard partitions.

The total comes from the driver or from a label that the driver's own discovery wrote, never from a
sharing layer's figure, a model table or a profile's name (facts/errata.md, General).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas.join.inventory import CardFacts, NodeInputs
from gpuatlas.join.node_labels import is_mig_single
from gpuatlas.model.pages import InstanceReading
from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.units import MIB, plausible_bytes

MEMORY_LABEL: Final = "nvidia.com/gpu.memory"
_PARTS: Final = ("DEV_FB_USED", "DEV_FB_FREE", "DEV_FB_RESERVED")
_NO_TOTAL: Final = Unknown(
    "no driver total: dcgm-exporter publishes neither DCGM_FI_DEV_FB_TOTAL nor FB_USED, FB_FREE "
    "and FB_RESERVED together, and the node has no usable label nvidia.com/gpu.memory"
)


_NO_TOTAL_UNDER_MIG: Final = Unknown(
    "dcgm-exporter publishes the totals of MIG instances only, and the node has no usable label "
    "nvidia.com/gpu.memory"
)


def unread(card: CardFacts, inputs: NodeInputs) -> str:
    """Why no page of the driver's figures speaks of the card."""
    if card.vendor != "nvidia":
        return f"no driver source for {card.vendor or 'such'} cards is read"
    if inputs.readings:
        return "no page names this card"
    return inputs.dcgm_silent or "no page names this card"


def _mib(value: float) -> int | None:
    return plausible_bytes(value * MIB)


def _driver_total(fields: Mapping[str, float], at: float) -> Reading[int] | None:
    total = fields.get("DEV_FB_TOTAL")
    source = "DCGM_FI_DEV_FB_TOTAL"
    if total is None and all(part in fields for part in _PARTS):
        total, source = sum(fields[part] for part in _PARTS), "DCGM_FI_DEV_FB_USED+FREE+RESERVED"
    size = None if not total else _mib(total)
    return None if size is None else Known(size, at, source)


def label_total(inputs: NodeInputs, cards: tuple[CardFacts, ...]) -> Reading[int] | None:
    """The size of every card by the node's label, where one figure can speak for all of them."""
    text = inputs.node.labels.get(MEMORY_LABEL, "")
    models = {card.model for card in cards}
    if not text.isdecimal() or len(models) > 1 or is_mig_single(inputs.node):
        return None
    size = _mib(float(text))
    return Known(size, 0.0, f"node label {MEMORY_LABEL}") if size else None


def physical_of(card: CardFacts, inputs: NodeInputs, labelled: Reading[int] | None) -> Reading[int]:
    """Total memory of the card in bytes."""
    if card.reading is not None and not card.reading.instances:
        total = _driver_total(card.reading.fields, inputs.readings_at)
        if total is not None:
            return total
    published = card.published.memory_bytes if card.published is not None else None
    if published is not None:
        return Known(published, 0.0, "ResourceSlice capacity memory")
    if labelled is not None and card.vendor == "nvidia":
        return labelled
    if card.reading is None:
        return Unknown(unread(card, inputs))
    return _NO_TOTAL_UNDER_MIG if card.reading.instances else _NO_TOTAL


def instance_size(instance: InstanceReading, at: float) -> Reading[int]:
    """Total memory of one MIG instance in bytes."""
    return _driver_total(instance.fields, at) or Unknown(
        "DCGM publishes no framebuffer total for this MIG instance"
    )


def _framebuffer(fields: Mapping[str, float], at: float) -> Reading[int]:
    used = fields.get("DEV_FB_USED")
    size = None if used is None else _mib(used)
    if size is None:
        return Unknown("DCGM_FI_DEV_FB_USED is missing")
    total = _driver_total(fields, at)
    if isinstance(total, Known) and size > total.value:
        return Unknown("DCGM_FI_DEV_FB_USED is more than the driver's total")
    return Known(size, at, "DCGM_FI_DEV_FB_USED")


def instance_resident(instance: InstanceReading, at: float) -> Reading[int]:
    """Memory in use in one MIG instance, bytes, driver's view."""
    return _framebuffer(instance.fields, at)


def _instances_resident(card: CardFacts, at: float) -> Reading[int]:
    total = 0
    for instance in card.reading.instances if card.reading else ():
        used = instance_resident(instance, at)
        if isinstance(used, Unknown):
            return used
        total += used.value
    return Known(total, at, "DCGM_FI_DEV_FB_USED")


def resident_of(card: CardFacts, inputs: NodeInputs) -> Reading[int]:
    """Memory in use on the card in bytes: DCGM first, else the HAMi monitor's NVML."""
    result: Reading[int] = Unknown(unread(card, inputs))
    if card.reading is not None:
        at = inputs.readings_at
        if card.reading.instances:
            result = _instances_resident(card, at)
        else:
            result = _framebuffer(card.reading.fields, at)
    if isinstance(result, Unknown) and card.host is not None and card.host.used_bytes is not None:
        return Known(card.host.used_bytes, inputs.monitor_at, "hami_host_gpu_memory_used_bytes")
    return result
