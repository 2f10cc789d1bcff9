"""Compute: how much of a card is promised and how busy it is, by the best signal there is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas.join.inventory import CardFacts, NodeInputs
from gpuatlas.join.physical import unread
from gpuatlas.join.strategy import slices_of_card, slices_of_profile
from gpuatlas.model.pages import InstanceReading
from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.units import MAX_COMPUTE_RATIO, plausible_ratio
from gpuatlas.model.vendors import VENDORS

# Best first: share of the multiprocessors, then share of the time that any engine was busy, then
# the driver's own "time with a kernel" (facts/dcgm.md 1.3).
_PROFILED: Final = ("PROF_SM_ACTIVE", "PROF_GR_ENGINE_ACTIVE")
_DRIVER: Final = "DEV_GPU_UTIL"
# A profiling counter stuck at 0 while the driver sees work is broken, not idle (facts/errata.md;
# dcgm-exporter issue 662). GPU_UTIL is a whole percent over the last sample period: a few percent
# may be honest disagreement.
_STUCK_ABOVE: Final = 0.05


def _signals(fields: Mapping[str, float]) -> list[tuple[str, float]]:
    """Signal → value, best first; a counter stuck at 0 while a later signal sees work is left out.

    An engine cannot be active, nor the driver see a kernel, with no multiprocessor ever active.
    """
    values = [(f"DCGM_FI_{name}", fields[name]) for name in _PROFILED if name in fields]
    if _DRIVER in fields:
        values.append((f"DCGM_FI_{_DRIVER}", fields[_DRIVER] / 100))
    return [
        (source, value)
        for place, (source, value) in enumerate(values)
        if value or all(later <= _STUCK_ABOVE for _, later in values[place + 1 :])
    ]


def utilization_of_fields(fields: Mapping[str, float], at: float) -> Reading[float]:
    """Busy share of the card or MIG instance that the fields describe."""
    for source, value in _signals(fields):
        ratio = plausible_ratio(value)
        if ratio is not None:
            return Known(ratio, at, source)
    return Unknown("DCGM publishes no utilisation for it")


def _of_instances(card: CardFacts, at: float) -> Reading[float]:
    """Instances weighted by their slices: an instance's value is relative to itself."""
    busy, source = 0.0, ""
    for instance in card.reading.instances if card.reading else ():
        value = utilization_of_fields(instance.fields, at)
        slices = slices_of_profile(instance.profile)
        if isinstance(value, Unknown):
            return value
        if slices is None:
            return Unknown(f"MIG profile {instance.profile!r} has no slice count")
        busy += value.value * slices
        source = value.source
    return Known(min(1.0, busy / slices_of_card(card.model)), at, source)


def utilization_of_instance(
    instance: InstanceReading, card: CardFacts, at: float
) -> Reading[float]:
    """Busy share of the whole card that a MIG instance is: its own value is relative to itself."""
    unseen = unseen_work(card)
    if unseen:
        return Unknown(unseen)
    value = utilization_of_fields(instance.fields, at)
    share = profile_ratio(instance.profile, card.model)
    if isinstance(value, Unknown):
        return value
    if isinstance(share, Unknown):
        return share
    return Known(value.value * share.value, at, value.source)


def unseen_work(card: CardFacts) -> str:
    """Why a card is at work although no counter shows it, or "".

    Profiling counters can stand at 0 for weeks (facts/errata.md). Where the driver's own figure is
    missing, the power tells: an idle card draws less than the least that its power can be capped
    to, and less than half of its limit (our own margin).
    """
    fields = card.reading.fields if card.reading is not None else {}
    watts, bound = fields.get("DEV_POWER_USAGE"), _idle_bound(fields)
    instances = card.reading.instances if card.reading is not None else ()
    counted = [fields, *(instance.fields for instance in instances)]
    if watts is None or bound is None or watts <= bound:
        return ""
    if any(_DRIVER in each for each in counted) or any(
        each.get(name) for each in counted for name in _PROFILED
    ):
        return ""
    return f"it draws {watts:.0f} W, for work that no counter shows: export DCGM_FI_{_DRIVER}"


def _idle_bound(fields: Mapping[str, float]) -> float | None:
    """Watts that the card does not draw without work."""
    least = fields.get("DEV_POWER_MGMT_LIMIT_MIN")
    limit = fields.get("DEV_POWER_MGMT_LIMIT_DEF") or fields.get("DEV_ENFORCED_POWER_LIMIT")
    return least or (limit / 2 if limit else None)


def utilization_of(card: CardFacts, inputs: NodeInputs) -> Reading[float]:
    """Busy share of the whole card; `source` names the signal."""
    result: Reading[float] = Unknown(unread(card, inputs))
    if card.reading is not None:
        at = inputs.readings_at
        if card.reading.instances:
            result = _of_instances(card, at)
        else:
            result = utilization_of_fields(card.reading.fields, at)
        unseen = unseen_work(card)
        result = Unknown(unseen) if unseen else result
    if isinstance(result, Unknown) and card.host is not None:
        ratio = card.host.utilization
        if ratio is not None:
            return Known(ratio, inputs.monitor_at, "hami_host_gpu_utilization_ratio")
    return result


def promised_ratio(cores: int | None, card: CardFacts) -> Reading[float]:
    """The share of a card that a promise of `cores` vendor units is."""
    if cores is None:
        return Unknown("the promise sets no compute limit")
    vendor = VENDORS.get(card.vendor)
    if vendor is None:
        return Unknown("no source names the card's vendor, whose unit of compute it is")
    per_card = vendor.cores_per_card
    if vendor.cores_from_registration and card.device is not None:
        per_card = card.device.cores
    if not per_card:
        return Unknown(f"{card.vendor} publishes no compute units per card")
    ratio = plausible_ratio(cores / per_card, upper=MAX_COMPUTE_RATIO)
    if ratio is None:
        return Unknown("the promised compute is not plausible")
    return Known(ratio, 0.0, "pod annotation")


def profile_ratio(profile: str, model: str) -> Reading[float]:
    """The share of a card that a MIG profile is, by compute slices."""
    slices = slices_of_profile(profile)
    if slices is None:
        return Unknown(f"MIG profile {profile!r} has no slice count")
    return Known(min(1.0, slices / slices_of_card(model)), 0.0, "MIG profile")
