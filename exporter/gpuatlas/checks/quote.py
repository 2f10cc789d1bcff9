"""Quotes records as they stand in the original: lines of env, samples of metrics. Pure.

A monitor's page is reduced when it is read, so the metric's name and labels are put back here: HAMi
renamed them in v2.9, Volcano kept the old ones, KAI and Ascend have only the new ones (facts/
hami.md 1.3, 1.4).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from gpuatlas.model.pages import MonitorPage
from gpuatlas.model.readings import Known
from gpuatlas.model.snapshot import Card, Sharing
from gpuatlas.model.units import MIB

_RENAMED_IN: Final = (2, 9)
_VERSION: Final = re.compile(r"v?(\d{1,4})\.(\d{1,4})\b")
_DCGM: Final = "DCGM_FI_DEV_FB_USED"


class MonitorMetric(NamedTuple):
    """One quantity of a monitor under its name from v2.9 on and before."""

    new: str
    old: str


USED: Final = MonitorMetric("hami_vgpu_memory_used_bytes", "vGPU_device_memory_usage_in_bytes")
LIMIT: Final = MonitorMetric("hami_vgpu_memory_limit_bytes", "vGPU_device_memory_limit_in_bytes")
UTILIZATION: Final = MonitorMetric(
    "hami_container_device_utilization_ratio", "Device_utilization_desc_of_container"
)
HOST_USED: Final = MonitorMetric("hami_host_gpu_memory_used_bytes", "HostGPUMemoryUsage")


class Quote(NamedTuple):
    """A record and where it stands."""

    source: str
    record: str


def env_line(container: str, name: str, value: str) -> Quote:
    """A literal variable of a container's spec."""
    return Quote(f"env of container {container}", f"{name}={value}")


def container_sample(
    metric: MonitorMetric, container: str, card: Card, page: MonitorPage | None, value: float
) -> Quote:
    """A monitor's sample of one container on one card; `value` in the metric's own unit."""
    old = _has_old_names(card, page)
    labels = ("ctrname", "deviceuuid") if old else ("container", "device_uuid")
    named = dict(zip(labels, (container, card.id), strict=True))
    return sample(metric.old if old else metric.new, named, value)


def resident_sample(reading: Known[int], card: Card, page: MonitorPage | None) -> Quote:
    """The driver's figure of memory in use, by the source that told it."""
    if reading.source.startswith(_DCGM):
        return sample(_DCGM, {"UUID": card.id}, reading.value / MIB)
    old = _has_old_names(card, page)
    label = "deviceuuid" if old else "device_uuid"
    return sample(HOST_USED.old if old else HOST_USED.new, {label: card.id}, reading.value)


def _has_old_names(card: Card, page: MonitorPage | None) -> bool:
    """Up to v2.7 HAMi does not tell its version, and has the old names."""
    if card.sharing is Sharing.VOLCANO:
        return True
    if card.sharing is not Sharing.HAMI or card.vendor != "nvidia":
        return False
    match = _VERSION.match(page.version) if page is not None else None
    return match is None or (int(match[1]), int(match[2])) < _RENAMED_IN


def sample(name: str, labels: Mapping[str, str], value: float) -> Quote:
    """One line of an exposition page."""
    pairs = ",".join(f'{label}="{text}"' for label, text in labels.items())
    return Quote(f"metric {name}", f"{name}{{{pairs}}} {_number(value)}")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.6g}"
