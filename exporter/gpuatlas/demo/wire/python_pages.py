"""The pages of vLLM (v0.11.0, engine V1) and SGLang (v0.5.3), as Python's client library has them.

Names, types, help texts, labels and bounds are those of `vllm/v1/metrics/loggers.py` and
`sglang/srt/metrics/collector.py`; of their many families those that tell of load and speed.
`_created` series are switched off in the pods' environment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from gpuatlas.demo.runtimes import RUNTIMES
from gpuatlas.demo.services import FIRST_TOKEN
from gpuatlas.demo.wire.exposition import Page, python_float
from gpuatlas.demo.wire.service_view import ServiceView, counted_below

Labels = Sequence[tuple[str, str]]

_MIB: Final = 1024 * 1024
_MODEL: Final = "/models/current"
_BLOCK_TOKENS: Final = 16
_TOKEN_BYTES: Final = 128 * 1024  # of one token in the cache: 8 heads of 128 in 32 layers, 16 bits
_FINISHED: Final = (("abort", 0.01), ("length", 0.1), ("stop", 0.89))
_UTILIZATION: Final = re.compile(r"--gpu-memory-utilization[= ]([0-9.]+)")

_VLLM_FIRST_TOKEN: Final = (
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
    20.0, 40.0, 80.0, 160.0, 640.0, 2560.0,
)  # fmt: skip
_VLLM_LATENCY: Final = (
    0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0, 240.0,
    480.0, 960.0, 1920.0, 7680.0,
)  # fmt: skip
_SGLANG_FIRST_TOKEN: Final = (
    0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 20.0, 40.0, 60.0, 80.0, 100.0, 200.0,
    400.0,
)  # fmt: skip
_SGLANG_LATENCY: Final = (*_SGLANG_FIRST_TOKEN, 600.0, 1200.0, 1800.0, 2400.0)


def vllm_page(view: ServiceView) -> str:
    """The text that vLLM serves."""
    page = Page()
    labels = (("engine", "0"), ("model_name", _MODEL))
    for name, help_text, value in (
        ("num_requests_running", "Number of requests in model execution batches.", view.running),
        ("num_requests_waiting", "Number of requests waiting to be processed.", view.waiting),
        ("kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.", view.cache_used),
    ):
        page.family(f"vllm:{name}", "gauge", help_text, [(labels, python_float(value))])
    _vllm_counters(page, view, labels)
    config = sorted(_cache_config(view).items())
    help_text = "Information of the LLMEngine CacheConfig"
    page.family("vllm:cache_config_info", "gauge", help_text, [(config, "1.0")])
    return page.text


def _vllm_counters(page: Page, view: ServiceView, labels: Labels) -> None:
    tally = view.tally
    if tally is None:
        return
    question, answer = view.traffic.tokens
    done = int(tally.requests)
    _count(page, "vllm:prompt_tokens_total", "Number of prefill tokens processed.",
           labels, question * done)  # fmt: skip
    _count(page, "vllm:generation_tokens_total", "Number of generation tokens processed.",
           labels, int(answer * tally.requests))  # fmt: skip
    page.family(
        "vllm:request_success_total",
        "counter",
        "Count of successfully processed requests.",
        [
            (
                (labels[0], ("finished_reason", reason), labels[1]),
                python_float(int(share * tally.requests)),
            )
            for reason, share in _FINISHED
        ],
    )
    _times(page, "vllm:time_to_first_token_seconds",
           "Histogram of time to first token in seconds.", labels, _VLLM_FIRST_TOKEN,
           (view, FIRST_TOKEN, tally.first_token_seconds))  # fmt: skip
    _times(page, "vllm:e2e_request_latency_seconds",
           "Histogram of e2e request latency in seconds.", labels, _VLLM_LATENCY,
           (view, 1.0, tally.seconds))  # fmt: skip
    _times(page, "vllm:request_inference_time_seconds",
           "Histogram of time spent in RUNNING phase for request.", labels, _VLLM_LATENCY,
           (view, 1.0, max(0.0, tally.seconds - tally.queued_seconds)))  # fmt: skip
    _times(page, "vllm:request_queue_time_seconds",
           "Histogram of time spent in WAITING phase for request.", labels, _VLLM_LATENCY,
           (view, 0.001, tally.queued_seconds))  # fmt: skip


def _cache_config(view: ServiceView) -> dict[str, str]:
    """As str() writes each field of vLLM's configuration of its cache."""
    cache = view.cache
    return {
        "block_size": str(_BLOCK_TOKENS),
        "cache_dtype": "auto",
        "calculate_kv_scales": "False",
        "cpu_kvcache_space_bytes": "None",
        "cpu_offload_gb": "0.0",
        "enable_prefix_caching": "True",
        "engine": "0",
        "gpu_memory_utilization": _utilization(view),
        "is_attention_free": "False",
        "kv_cache_memory_bytes": str(cache.mib * _MIB) if cache.told else "None",
        "kv_sharing_fast_prefill": "False",
        "mamba_cache_dtype": "auto",
        "mamba_page_size_padded": "None",
        "mamba_ssm_cache_dtype": "auto",
        "num_cpu_blocks": "None",
        "num_gpu_blocks": str(cache.mib * _MIB // (_BLOCK_TOKENS * _TOKEN_BYTES)),
        "num_gpu_blocks_override": "None",
        "prefix_caching_hash_algo": "sha256",
        "sliding_window": "None",
        "swap_space": "4.0",
        "swap_space_bytes": "4294967296.0",
    }


def _utilization(view: ServiceView) -> str:
    """The option that the server was started with; vLLM's own default without one."""
    line = " ".join(RUNTIMES[view.workload.runtime].args)
    found = _UTILIZATION.search(line)
    return found[1] if found else "0.9"


def sglang_page(view: ServiceView) -> str:
    """The text that SGLang serves with `--enable-metrics`."""
    page = Page()
    asked = (("model_name", _MODEL),)
    of_rank = (
        ("engine_type", "unified"), *asked, ("pp_rank", "0"), ("tp_rank", "0"),
    )  # fmt: skip
    tokens = view.cache.mib * _MIB // _TOKEN_BYTES
    for name, help_text, value in (
        ("num_running_reqs", "The number of running requests.", view.running),
        ("num_used_tokens", "The number of used tokens.", int(tokens * view.cache_used)),
        ("token_usage", "The token usage.", view.cache_used),
        ("num_queue_reqs", "The number of requests in the waiting queue.", view.waiting),
    ):
        page.family(f"sglang:{name}", "gauge", help_text, [(of_rank, python_float(value))])
    throughput = round(view.flow.rate * view.traffic.tokens[1], 3)
    page.family("sglang:gen_throughput", "gauge", "The generation throughput (token/s).",
                [(of_rank, python_float(throughput))])  # fmt: skip
    _sglang_counters(page, view, asked)
    return page.text


def _sglang_counters(page: Page, view: ServiceView, labels: Labels) -> None:
    tally = view.tally
    if tally is None:
        return
    question, answer = view.traffic.tokens
    done = int(tally.requests)
    for name, help_text, value in (
        ("prompt_tokens", "Number of prefill tokens processed.", question * done),
        ("generation_tokens", "Number of generation tokens processed.", answer * done),
        ("num_requests", "Number of requests processed.", done),
    ):
        _count(page, f"sglang:{name}_total", help_text, labels, value)
    _times(page, "sglang:time_to_first_token_seconds",
           "Histogram of time to first token in seconds.", labels, _SGLANG_FIRST_TOKEN,
           (view, FIRST_TOKEN, tally.first_token_seconds))  # fmt: skip
    _times(page, "sglang:e2e_request_latency_seconds",
           "Histogram of End-to-end request latency in seconds", labels, _SGLANG_LATENCY,
           (view, 1.0, tally.seconds))  # fmt: skip


def _count(page: Page, name: str, help_text: str, labels: Labels, value: float) -> None:
    page.family(name, "counter", help_text, [(labels, python_float(value))])


def _times(
    page: Page,
    name: str,
    help_text: str,
    labels: Labels,
    bounds: Sequence[float],
    measured: tuple[ServiceView, float, float],
) -> None:
    """A histogram; `measured` has the share of a request's time that it is about, and the sum."""
    view, share, total = measured
    if view.tally is None:
        return
    usual = share * view.traffic.seconds
    done = python_float(int(view.tally.requests))
    written = []
    if view.buckets:
        pairs = zip(bounds, counted_below(bounds, view.tally, usual), strict=True)
        written = [(python_float(bound), python_float(upto)) for bound, upto in pairs]
        written.append(("+Inf", done))
    page.histogram(name, help_text, labels, written, (python_float(round(total, 6)), done))
