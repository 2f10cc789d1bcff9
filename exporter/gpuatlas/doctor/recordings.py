"""The groups of recording_rules/, each with one of the series that it records. Pure: a table.

A test holds it against the files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

GROUPS: Final[Mapping[str, str]] = {
    "normalise": "card:gpuatlas_card_info:group",
    "normalise-rest": "card:dcgm_power_watts:max",
    "card": "card:gpuatlas_memory_physical_bytes:max",
    "card-rest": "card:gpuatlas_memory_wasted_bytes:max",
    "allocation": "allocation:gpuatlas_memory_reserved_bytes:max",
    "allocation-rest": "allocation:gpuatlas_memory_wasted_bytes:max",
    "namespace": "namespace:gpuatlas_cards:count",
    "workload": "pod:gpuatlas_pod_workload_info:group",
    "workload-rest": "workload:gpuatlas_memory_reserved_bytes:sum",
    "container": "container:gpuatlas_memory_used_bytes:max",
    "container-promises": "container:gpuatlas_memory_reserved_bytes:max",
    "node": "node:gpuatlas_cards:count",
    "cluster": "cluster:gpuatlas_cards:count",
    "daily": "card:gpuatlas_compute_utilization_ratio:avg1h",
    "daily-containers": "container:gpuatlas_memory_used_bytes:max1h",
    "worth": "card:gpuatlas_card_held:group",
    "sizing": "workload:gpuatlas_allocation_memory_used_bytes:max7d",
    "sizing-days": "cluster:gpuatlas_watched:group",
    "sizing-need": "container:gpuatlas_memory_peak_bytes:max14d",
    "service": "pod:gpuatlas_service_waiting:max",
    "service-workloads": "workload:gpuatlas_service_waiting:sum",
    "service-days": "workload:gpuatlas_kv_cache_used_ratio:max1h",
    "service-speed": "pod:gpuatlas_service_speed:rate5m",
    "overcommit": "card:dcgm_pcie_bytes_per_second:sum",
    "overcommit-days": "node:gpuatlas_memory_demand_bytes:max1h",
    "overcommit-ratio": "node:gpuatlas_memory_demand_bytes:max14d",
    "contention": "workload:gpuatlas_slowed_ratio:rate10m",
    "contention-days": "workload:gpuatlas_slowed_seconds:increase4m",
    "check-fields": "cluster:dcgm_field:group",
    "check-fields-of-links": "cluster:dcgm_field:group",
    "check-inputs": "cluster:gpuatlas_known:group",
    "check-missing": "check:gpuatlas_missing_input:group",
    "check-states": "check:gpuatlas_check_state:max",
    "check-nodes": "node:gpuatlas_check_state:max",
    "check-cards": "card:gpuatlas_card_state:with_checks",
    "state": "workload:gpuatlas_workload_state:with_checks",
}
STATES: Final = "check:gpuatlas_check_state:max"
"""Recorded wherever our rules run, whatever exporters there are."""
