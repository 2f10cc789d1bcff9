"""Metric names of the inference servers, one row for each quantity. A new runtime is a new table.

Sources: facts/k8s.md 4.1; vLLM `vllm/v1/metrics/loggers.py` and `vllm/config/cache.py` (and the
names of its first engine, which the second kept but for the cache), SGLang
`srt/observability/metrics_collector.py`, Triton `docs/user_guide/metrics.md`, TGI
`router/src/server.rs`. Some collectors write "_" for ":"; both are accepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

_MICROSECONDS: Final = 1e-6
_MILLISECONDS: Final = 1e-3


class Put(StrEnum):
    """How the series of one page are put together to one number."""

    SUM = "sum"  # over models and engines
    MAX = "max"  # a share, of which the fullest counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """One number of a page.

    `names` are alternatives, the preferred one first: only one of them counts. `where` are labels
    that the series must have. `scale` turns the value into our unit. `parts` are names that are
    added up instead of being alternatives.
    """

    names: tuple[str, ...]
    where: Mapping[str, str] = field(default_factory=dict)
    scale: float = 1.0
    put: Put = Put.SUM
    parts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeTable:
    """One runtime's names. The keys are fields of `model.services.ServiceReading`.

    `info` is a metric whose labels hold the cache's settings; `cache_gigabytes` a gauge of the
    cache's size in GiB on each card.
    """

    quantities: Mapping[str, Quantity]
    info: tuple[str, ...] = ()
    cache_gigabytes: tuple[str, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """All metric names."""
        found = {name for quantity in self.quantities.values() for name in quantity.names}
        return frozenset(found | set(self.info) | set(self.cache_gigabytes))


def _colon(*names: str) -> tuple[str, ...]:
    """Each name, and how collectors without ":" write it."""
    return tuple(n for name in names for n in (name, name.replace(":", "_", 1)))


def _one(*names: str, put: Put = Put.SUM) -> Quantity:
    return Quantity(names=_colon(*names), put=put)


_VLLM: Final = RuntimeTable(
    quantities={
        "waiting": _one("vllm:num_requests_waiting"),
        "running": _one("vllm:num_requests_running"),
        "tokens_total": _one("vllm:generation_tokens_total"),
        "requests_total": _one("vllm:request_success_total"),
        # Without the time in the queue, where it is told apart.
        "busy_seconds_total": _one(
            "vllm:request_inference_time_seconds_sum", "vllm:e2e_request_latency_seconds_sum"
        ),
        "first_token_seconds_total": _one("vllm:time_to_first_token_seconds_sum"),
        "first_tokens_total": _one("vllm:time_to_first_token_seconds_count"),
        "cache_used": _one("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc", put=Put.MAX),
    },
    info=_colon("vllm:cache_config_info"),
)
_SGLANG: Final = RuntimeTable(
    quantities={
        "waiting": _one("sglang:num_queue_reqs"),
        "running": _one("sglang:num_running_reqs"),
        "tokens_total": _one("sglang:generation_tokens_total"),
        "requests_total": _one("sglang:num_requests_total"),
        "busy_seconds_total": _one("sglang:e2e_request_latency_seconds_sum"),
        "first_token_seconds_total": _one("sglang:time_to_first_token_seconds_sum"),
        "first_tokens_total": _one("sglang:time_to_first_token_seconds_count"),
        "cache_used": _one("sglang:token_usage", put=Put.MAX),
        "cache_tokens": _one("sglang:max_total_num_tokens"),
    },
    cache_gigabytes=_colon("sglang:kv_cache_memory_usage_gb"),
)
_TRITON: Final = RuntimeTable(
    quantities={
        "waiting": Quantity(names=("nv_inference_pending_request_count",)),
        "running": Quantity(
            names=("nv_trt_llm_request_metrics",), where={"request_type": "scheduled"}
        ),
        "requests_total": Quantity(names=("nv_inference_request_success",)),
        "busy_seconds_total": Quantity(
            names=(
                "nv_inference_compute_input_duration_us",
                "nv_inference_compute_infer_duration_us",
                "nv_inference_compute_output_duration_us",
            ),
            scale=_MICROSECONDS,
            parts=True,
        ),
        "first_token_seconds_total": Quantity(
            names=("nv_inference_first_response_histogram_ms_sum",), scale=_MILLISECONDS
        ),
        "first_tokens_total": Quantity(names=("nv_inference_first_response_histogram_ms_count",)),
        "cache_used": Quantity(
            names=("nv_trt_llm_kv_cache_block_metrics",),
            where={"kv_cache_block_type": "fraction"},
            put=Put.MAX,
        ),
    },
)
_TGI: Final = RuntimeTable(
    quantities={
        "waiting": Quantity(names=("tgi_queue_size",)),
        "running": Quantity(names=("tgi_batch_current_size",)),
        "tokens_total": Quantity(names=("tgi_request_generated_tokens_sum",)),
        "requests_total": Quantity(names=("tgi_request_success",)),
        "busy_seconds_total": Quantity(
            names=("tgi_request_inference_duration_sum", "tgi_request_duration_sum")
        ),
    },
)

TABLES: Final[Mapping[str, RuntimeTable]] = {
    "vllm": _VLLM,
    "sglang": _SGLANG,
    "triton": _TRITON,
    "tgi": _TGI,
}
"""Word of `sources.runtimes.table` → its names."""

NAMES: Final = frozenset(name for table in TABLES.values() for name in table.names)

# One value repeated for each worker of one server: the largest counts, not the sum.
RANKS: Final = frozenset({"tp_rank", "pp_rank", "moe_ep_rank", "pid"})
# SGLang repeats its gauges by priority beside the total, which has no priority.
PARTIAL: Final = "priority"
