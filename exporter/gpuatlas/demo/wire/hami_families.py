"""The metrics of HAMi's scheduler and monitor, with their old and new spellings: one row each.

Sources: facts/hami.md 1.2 and 1.3 (v2.7.1 and v2.9.0). Help texts are our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

# New label → the label of v2.7.1, "" where that version does not have it.
LabelNames = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class HamiFamily:
    """One metric. `new` or `old` is "" where that version does not have it.

    `value` names the number that it carries of its subject (a card, an allocation, a container).
    """

    new: str
    old: str
    labels: LabelNames
    value: str
    help: str
    old_kind: str = "gauge"


_CARD: Final[LabelNames] = {
    "node": "nodeid",
    "device_uuid": "deviceuuid",
    "device_index": "deviceidx",
    "device_type": "",
}
_CARD_BRIEF: Final[LabelNames] = {
    "node": "nodeid",
    "device_uuid": "deviceuuid",
    "device_index": "deviceidx",
}
_CARD_OVERVIEW: Final[LabelNames] = {
    **_CARD,
    "device_type": "devicetype",
    "device_cores": "devicecores",
    "shared_containers": "sharedcontainers",
    "device_memory_limit": "devicememorylimit",
}
_ALLOCATION: Final[LabelNames] = {
    "namespace": "podnamespace",
    "node": "nodename",
    "pod": "podname",
    "container_index": "containeridx",
    "device_uuid": "deviceuuid",
}
_DEPRECATED: Final[LabelNames] = {**_ALLOCATION, "deprecated_version": "deprecated_version"}
_HOST: Final[LabelNames] = {
    "device_index": "deviceidx",
    "device_uuid": "deviceuuid",
    "device_type": "devicetype",
}
_CONTAINER: Final[LabelNames] = {
    "namespace": "podnamespace",
    "pod": "podname",
    "container": "ctrname",
    "vdevice_index": "vdeviceid",
    "device_uuid": "deviceuuid",
}
_BREAKDOWN: Final[LabelNames] = {
    **_CONTAINER,
    "context_size": "context",
    "module_size": "module",
    "buffer_size": "data",
    "offset": "offset",
}

SCHEDULER_CARDS: Final = (
    HamiFamily(
        "hami_gpu_memory_limit_bytes", "GPUDeviceMemoryLimit", _CARD, "limit", "Memory handed out."
    ),
    HamiFamily(
        "hami_gpu_core_limit_ratio", "GPUDeviceCoreLimit", _CARD, "core_limit", "Cores handed out."
    ),
    HamiFamily(
        "hami_gpu_memory_allocated_bytes",
        "GPUDeviceMemoryAllocated",
        # The cores in use: a new series at each allocation, up to v2.9.
        {**_CARD, "device_cores": "devicecores"},
        "allocated",
        "Memory promised.",
    ),
    HamiFamily("hami_gpu_shared_count", "GPUDeviceSharedNum", _CARD, "shared", "Containers."),
    HamiFamily(
        "hami_gpu_core_allocated_ratio", "GPUDeviceCoreAllocated", _CARD, "cores", "Cores promised."
    ),
    HamiFamily(
        "hami_node_gpu_overview", "nodeGPUOverview", _CARD_OVERVIEW, "allocated", "All in one."
    ),
    HamiFamily(
        "hami_node_gpu_memory_allocated_ratio",
        "nodeGPUMemoryPercentage",
        _CARD_BRIEF,
        "share",
        "Part of the memory that is promised.",
    ),
)
SCHEDULER_PODS: Final = (
    HamiFamily(
        "hami_vgpu_memory_allocated_bytes",
        "vGPUMemoryAllocated",
        _ALLOCATION,
        "memory",
        "Memory promised to a container.",
    ),
    HamiFamily(
        "hami_vgpu_core_allocated_ratio",
        "vGPUCoreAllocated",
        _ALLOCATION,
        "cores",
        "Cores promised to a container.",
    ),
    HamiFamily(
        "",
        "vGPUPodsDeviceAllocated",
        {**_DEPRECATED, "used_cores": "deviceusedcore"},
        "memory",
        "Memory promised to a container (deprecated).",
    ),
    HamiFamily(
        "",
        "vGPUMemoryPercentage",
        _DEPRECATED,
        "share",
        "Part of the card's memory (deprecated).",
    ),
    HamiFamily(
        "", "vGPUCorePercentage", _DEPRECATED, "cores", "Part of the card's cores (deprecated)."
    ),
)
MONITOR_CARDS: Final = (
    HamiFamily(
        "hami_host_gpu_memory_used_bytes", "HostGPUMemoryUsage", _HOST, "used", "Memory in use."
    ),
    HamiFamily(
        "hami_host_gpu_utilization_ratio", "HostCoreUtilization", _HOST, "busy", "Time in use."
    ),
)
MONITOR_CONTAINERS: Final = (
    HamiFamily(
        "hami_vgpu_memory_used_bytes",
        "vGPU_device_memory_usage_in_bytes",
        _CONTAINER,
        "used",
        "Memory that a container holds.",
    ),
    HamiFamily(
        "hami_vgpu_memory_limit_bytes",
        "vGPU_device_memory_limit_in_bytes",
        _CONTAINER,
        "limit",
        "Memory that a container may hold.",
    ),
    HamiFamily(
        "hami_container_device_memory_bytes",
        "Device_memory_desc_of_container",
        _BREAKDOWN,
        "used",
        "Memory of a container by use.",
        old_kind="counter",
    ),
    HamiFamily(
        "hami_container_device_utilization_ratio",
        "Device_utilization_desc_of_container",
        _CONTAINER,
        "busy",
        "Time of the SMs that a container takes.",
    ),
    HamiFamily(
        "hami_container_last_kernel_elapsed_seconds",
        "Device_last_kernel_of_container",
        _CONTAINER,
        "idle",
        "Time since the last kernel.",
    ),
    HamiFamily("hami_vgpu_memory_context_bytes", "", _CONTAINER, "context", "Of contexts."),
    HamiFamily("hami_vgpu_memory_module_bytes", "", _CONTAINER, "module", "Of modules."),
    HamiFamily("hami_vgpu_memory_buffer_bytes", "", _CONTAINER, "buffer", "Of buffers."),
)
