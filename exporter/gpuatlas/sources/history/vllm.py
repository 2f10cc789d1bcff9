"""What the labels of vLLM's `cache_config_info` tell of the memory that it took. Pure.

The labels are the fields of its configuration, as Python writes them: `gpu_memory_utilization` is
the share of the card that it takes, `kv_cache_memory_bytes` the size of the cache on each card,
"None" unless the user set it. `num_gpu_blocks` counts blocks of a size in bytes that depends on the
model and stands nowhere, so no size follows from it (facts/k8s.md 4.1).
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuatlas.model.units import plausible_bytes
from gpuatlas.sources.history.labels import Labels
from gpuatlas.sources.runtimes.memory import read_share

_MAX_DIGITS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheConfig:
    """`share` of the card's memory and the cache's size in bytes, None where it does not tell."""

    share: float | None = None
    pool_bytes: int | None = None

    def or_smaller(self, other: CacheConfig | None) -> CacheConfig:
        """The smaller of each, by which the rest that is needed beside the cache is larger."""
        if other is None:
            return self
        return CacheConfig(
            share=min((s for s in (self.share, other.share) if s is not None), default=None),
            pool_bytes=min(
                (p for p in (self.pool_bytes, other.pool_bytes) if p is not None), default=None
            ),
        )


def cache_config_of(labels: Labels) -> CacheConfig:
    """The part of the labels that is about memory."""
    size = labels.get("kv_cache_memory_bytes", "")
    digits = size.isascii() and size.isdigit() and len(size) <= _MAX_DIGITS
    return CacheConfig(
        share=read_share(labels.get("gpu_memory_utilization", "")),
        pool_bytes=plausible_bytes(float(size)) if digits else None,
    )
