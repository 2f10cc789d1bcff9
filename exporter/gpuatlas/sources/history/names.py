"""Names of the series that histories are made of (recording_rules/ and families/)."""

from __future__ import annotations

from typing import Final

# Recorded over the 24 hours before each instant.
MEMORY_PEAK: Final = "container:gpuatlas_memory_used_bytes:max1d"
COMPUTE_P95: Final = "container:gpuatlas_compute_utilization_ratio:quantile95_1d"
CARDS_USED: Final = "container:gpuatlas_cards_used:max1d"
REPLICAS: Final = "container:gpuatlas_allocations:max1d"
PRESENT: Final = "container:gpuatlas_present:ratio1d"
MEASURED: Final = "container:gpuatlas_measured:ratio1d"
LIMIT_HIT: Final = "container:gpuatlas_memory_limit_hit:max1d"
WATCHED: Final = "cluster:gpuatlas_watched:ratio1d"
RESTARTS: Final = "workload:gpuatlas_restarts:increase1d"
CACHE_USED: Final = "workload:gpuatlas_kv_cache_used_ratio:max1d"
SLOWED: Final = "workload:gpuatlas_slowed_seconds:increase1d"
SUSPECTED: Final = "workload:gpuatlas_suspected_seconds:increase1d"
DEMAND: Final = "node:gpuatlas_memory_demand_bytes:max1d"
DEMAND_KNOWN: Final = "node:gpuatlas_demand_known:ratio1d"
HOST_AVAILABLE: Final = "node:gpuatlas_host_memory_available_bytes:min1d"

# Recorded now and then; asked for at the end of each day.
REVISION: Final = "workload:gpuatlas_workload_revision:group"
RUN_GROUP: Final = "workload:gpuatlas_workload_run_group:group"

# Now.
POD_WORKLOAD: Final = "pod:gpuatlas_pod_workload_info:group"
RESERVED: Final = "container:gpuatlas_memory_reserved_bytes:max"
COMPUTE_RESERVED: Final = "container:gpuatlas_compute_reserved_ratio:max"
PROMISES: Final = "container:gpuatlas_allocations:count"
WORKLOAD_CARD: Final = "workload:gpuatlas_card_info:group"
CACHE_POOL: Final = "workload:gpuatlas_kv_cache_pool_bytes:max"
CARD_MEMORY: Final = "card:gpuatlas_memory_physical_bytes:max"
CARD_ALLOCATED: Final = "card:gpuatlas_memory_allocated_bytes:max"
NODE_INFO: Final = "gpuatlas_node_info"
CARD_INFO: Final = "gpuatlas_card_info"
PARTITION_INFO: Final = "gpuatlas_partition_info"
ALLOCATION_INFO: Final = "gpuatlas_allocation_info"
ISOLATED: Final = "gpuatlas_allocation_isolated"
PRIORITY: Final = "gpuatlas_allocation_priority"
WORKLOAD_INFO: Final = "gpuatlas_workload_info"
WORKLOAD_PODS: Final = "gpuatlas_workload_pods"
CARDS_REQUESTED: Final = "gpuatlas_workload_cards_requested"
MEMORY_AHEAD: Final = "gpuatlas_workload_memory_ahead_ratio"

# vLLM's own, as it is and as some collectors spell it (facts/k8s.md 4.1).
VLLM_CACHE: Final = ("vllm:cache_config_info", "vllm_cache_config_info")
