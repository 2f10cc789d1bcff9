"""Whether a workload's runtime fills the memory that it is given, and with what. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas.model.sizing import TakenAhead
from gpuatlas.sources.history import names
from gpuatlas.sources.history.labels import WorkloadKey
from gpuatlas.sources.history.present import Present
from gpuatlas.sources.history.vllm import CacheConfig

# The only setting of these that states a share; others have several (sources/runtimes/memory.py).
_SETTINGS: Final[Mapping[str, str]] = {
    "vllm": "--gpu-memory-utilization",
    "sglang": "--mem-fraction-static",
}
_NOTHING: Final = CacheConfig()


def taken_ahead(workload: WorkloadKey, present: Present) -> TakenAhead | None:
    """How the workload takes memory at start, with the share 0 where its spec forbids that.

    None where nothing states it: what the runtime does by itself is not for recordings to say.
    """
    runtime = present.runtimes.get(workload, "unknown")
    config = present.cache_config.get(workload, _NOTHING)
    stated = present.ahead.get(workload)
    pool, source = _pool(workload, present, config)
    share = config.share if stated is None else stated
    if share is None and pool is None:
        return None
    return TakenAhead(
        runtime=runtime,
        setting=_SETTINGS.get(runtime, ""),
        share=share,
        pool_bytes=pool,
        source=source,
    )


def _pool(workload: WorkloadKey, present: Present, config: CacheConfig) -> tuple[int | None, str]:
    """The size of its cache, and who says so: what it was told first, then what it made."""
    if config.pool_bytes is not None:
        return config.pool_bytes, f"kv_cache_memory_bytes of {names.VLLM_CACHE[0]}"
    pool = present.cache_pool.get(workload)
    return pool, "" if pool is None else names.CACHE_POOL
