"""Pages of inference servers, written as each of them writes them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gpuatlas.model.services import ServicePage
from gpuatlas.sources.exposition import parse_text
from gpuatlas.sources.services.parse import read_service_page
from gpuatlas.sources.services.tables import NAMES

AT = 1_800_000_000.0

VLLM_V1 = """\
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="llama"} 6.0
vllm:num_requests_waiting{engine="0",model_name="llama"} 2.0
vllm:kv_cache_usage_perc{engine="0",model_name="llama"} 0.42
vllm:gpu_cache_usage_perc{engine="0",model_name="llama"} 0.99
vllm:prompt_tokens_total{engine="0",model_name="llama"} 91000.0
vllm:generation_tokens_total{engine="0",model_name="llama"} 52000.0
vllm:request_success_total{engine="0",finished_reason="stop",model_name="llama"} 300.0
vllm:request_success_total{engine="0",finished_reason="length",model_name="llama"} 20.0
vllm:time_to_first_token_seconds_bucket{engine="0",le="0.1",model_name="llama"} 250.0
vllm:time_to_first_token_seconds_sum{engine="0",model_name="llama"} 64.0
vllm:time_to_first_token_seconds_count{engine="0",model_name="llama"} 325.0
vllm:e2e_request_latency_seconds_sum{engine="0",model_name="llama"} 2000.0
vllm:request_inference_time_seconds_sum{engine="0",model_name="llama"} 1500.0
vllm:cache_config_info{block_size="16",cache_dtype="auto",engine="0",\
gpu_memory_utilization="0.9",kv_cache_memory_bytes="None",num_gpu_blocks="2000"} 1.0
"""


@pytest.fixture
def vllm_page() -> str:
    return VLLM_V1


@pytest.fixture
def read() -> Callable[..., ServicePage]:
    """A page's text → what the parser makes of it."""

    def from_text(text: str, runtime: str = "vllm") -> ServicePage:
        samples, _ = parse_text(text.encode(), wanted=NAMES, source="services", where="a page")
        return read_service_page(
            samples,
            runtime=runtime,
            namespace="team-a",
            pod="chat-0",
            at=AT,
            target="team-a/chat-0",
        )

    return from_text
