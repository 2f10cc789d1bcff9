from __future__ import annotations

from collections.abc import Callable

import pytest

from gpuatlas.model.services import ServicePage, ServiceReading
from gpuatlas.sources.services.tables import NAMES, TABLES

AT = 1_800_000_000.0
GIB = 1024**3

Read = Callable[..., ServicePage]


def reading(**values: object) -> ServiceReading:
    given: dict[str, object] = {"namespace": "team-a", "pod": "chat-0", "at": AT, "runtime": "vllm"}
    return ServiceReading(**(given | values))  # type: ignore[arg-type]


def only(page: ServicePage) -> ServiceReading:
    assert page.rejections == ()
    (found,) = page.readings
    return found


def test_vllm(read: Read, vllm_page: str) -> None:
    assert only(read(vllm_page)) == reading(
        model="llama",
        waiting=2.0,
        running=6.0,
        tokens_total=52_000.0,
        requests_total=320.0,
        busy_seconds_total=1500.0,
        first_token_seconds_total=64.0,
        first_tokens_total=325.0,
        cache_used=0.42,  # the new name counts where both are there
        cache_tokens=32_000,
    )


def test_vllm_of_the_first_engine(read: Read) -> None:
    page = """\
vllm:num_requests_running{model_name="llama"} 3.0
vllm:num_requests_swapped{model_name="llama"} 1.0
vllm:num_requests_waiting{model_name="llama"} 0.0
vllm:gpu_cache_usage_perc{model_name="llama"} 0.31
vllm:generation_tokens_total{model_name="llama"} 700.0
vllm:e2e_request_latency_seconds_sum{model_name="llama"} 90.5
vllm:cache_config_info{block_size="16",gpu_memory_utilization="0.9",num_gpu_blocks="512"} 1.0
"""
    assert only(read(page)) == reading(
        model="llama",
        waiting=0.0,
        running=3.0,
        tokens_total=700.0,
        busy_seconds_total=90.5,
        cache_used=0.31,
        cache_tokens=8192,
    )


def test_vllm_engines_of_one_server_are_added_and_the_fullest_cache_counts(read: Read) -> None:
    page = """\
vllm:num_requests_running{engine="0",model_name="llama"} 3
vllm:num_requests_running{engine="1",model_name="llama"} 4
vllm:kv_cache_usage_perc{engine="0",model_name="llama"} 0.2
vllm:kv_cache_usage_perc{engine="1",model_name="llama"} 0.7
vllm:cache_config_info{block_size="16",engine="0",kv_cache_memory_bytes="8589934592",\
kv_cache_size_tokens="90000",num_gpu_blocks="2000"} 1
vllm:cache_config_info{block_size="16",engine="1",kv_cache_memory_bytes="8589934592",\
kv_cache_size_tokens="90000",num_gpu_blocks="2000"} 1
"""
    found = only(read(page))
    assert (found.running, found.cache_used) == (7.0, 0.7)
    # Bytes are of each card, tokens of the server.
    assert (found.cache_pool_bytes, found.cache_tokens) == (8 * GIB, 180_000)


@pytest.mark.parametrize("size", ["None", "-1", "1e9", "", "9" * 19, "0", str(2**60)])
def test_what_vllm_does_not_tell_of_its_cache_is_not_known(read: Read, size: str) -> None:
    page = f"""\
vllm:num_requests_running{{engine="0"}} 1
vllm:cache_config_info{{block_size="16",kv_cache_memory_bytes="{size}",num_gpu_blocks="None"}} 1
"""
    found = only(read(page))
    assert (found.cache_pool_bytes, found.cache_tokens) == (None, None)


def test_engines_that_differ_tell_no_size_of_each_card(read: Read) -> None:
    page = """\
vllm:num_requests_running{engine="0"} 1
vllm:cache_config_info{engine="0",kv_cache_memory_bytes="1073741824"} 1
vllm:cache_config_info{engine="1",kv_cache_memory_bytes="2147483648"} 1
"""
    assert only(read(page)).cache_pool_bytes is None


def test_sglang(read: Read) -> None:
    labels = 'engine_type="unified",model_name="qwen",pp_rank="0"'
    page = f"""\
sglang:num_running_reqs{{{labels},tp_rank="0",dp_rank="0"}} 5
sglang:num_running_reqs{{{labels},tp_rank="1",dp_rank="0"}} 5
sglang:num_running_reqs{{{labels},tp_rank="0",dp_rank="1"}} 2
sglang:num_queue_reqs{{{labels},tp_rank="0",priority=""}} 4
sglang:num_queue_reqs{{{labels},tp_rank="0",priority="1"}} 3
sglang:token_usage{{{labels},tp_rank="0"}} 0.28
sglang:max_total_num_tokens{{{labels},tp_rank="0"}} 120000
sglang:kv_cache_memory_usage_gb{{{labels},tp_rank="0"}} 7.5
sglang:generation_tokens_total{{model_name="qwen"}} 6000
sglang:num_requests_total{{model_name="qwen"}} 44
sglang:e2e_request_latency_seconds_sum{{model_name="qwen"}} 130.25
sglang:time_to_first_token_seconds_sum{{model_name="qwen"}} 8
sglang:time_to_first_token_seconds_count{{model_name="qwen"}} 44
"""
    assert only(read(page, "sglang")) == reading(
        runtime="sglang",
        model="qwen",
        waiting=4.0,  # the total, not the total and its parts
        running=7.0,  # each rank of a replica says the same
        tokens_total=6000.0,
        requests_total=44.0,
        busy_seconds_total=130.25,
        first_token_seconds_total=8.0,
        first_tokens_total=44.0,
        cache_used=0.28,
        cache_tokens=120_000,
        cache_pool_bytes=int(7.5 * GIB),
    )


def test_a_pool_of_sglang_that_does_not_measure_itself_is_not_known(read: Read) -> None:
    page = "sglang:num_running_reqs 1\nsglang:kv_cache_memory_usage_gb 0.0\n"
    assert only(read(page, "sglang")).cache_pool_bytes is None


def test_triton(read: Read) -> None:
    page = """\
nv_inference_request_success{model="resnet",version="1"} 100
nv_inference_request_success{model="bert",version="2"} 50
nv_inference_pending_request_count{model="resnet",version="1"} 7
nv_inference_request_duration_us{model="resnet",version="1"} 99000000
nv_inference_compute_input_duration_us{model="resnet",version="1"} 500000
nv_inference_compute_infer_duration_us{model="resnet",version="1"} 4000000
nv_inference_compute_output_duration_us{model="resnet",version="1"} 500000
nv_inference_first_response_histogram_ms_sum{model="resnet",version="1"} 2500
nv_inference_first_response_histogram_ms_count{model="resnet",version="1"} 100
nv_gpu_utilization{gpu_uuid="GPU-00000001-0000-4000-8000-000000000000"} 0.4
"""
    assert only(read(page, "triton")) == reading(
        runtime="triton",
        waiting=7.0,
        requests_total=150.0,
        busy_seconds_total=5.0,
        first_token_seconds_total=2.5,
        first_tokens_total=100.0,
    )


def test_triton_with_tensorrt_llm(read: Read) -> None:
    page = """\
nv_inference_pending_request_count{model="tensorrt_llm",version="1"} 0
nv_trt_llm_request_metrics{model="tensorrt_llm",request_type="scheduled",version="1"} 8
nv_trt_llm_request_metrics{model="tensorrt_llm",request_type="max",version="1"} 512
nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="fraction",model="tensorrt_llm"} 0.125
nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="max",model="tensorrt_llm"} 11147
"""
    found = only(read(page, "triton"))
    assert (found.running, found.waiting, found.cache_used) == (8.0, 0.0, 0.125)


def test_tgi(read: Read) -> None:
    page = """\
tgi_queue_size 3
tgi_batch_current_size 5
tgi_request_count{} 900
tgi_request_success{method="generate"} 800
tgi_request_generated_tokens_sum 64000
tgi_request_generated_tokens_count 800
tgi_request_duration_sum 5000
tgi_request_inference_duration_sum 4200.5
"""
    assert only(read(page, "tgi")) == reading(
        runtime="tgi",
        waiting=3.0,
        running=5.0,
        tokens_total=64_000.0,
        requests_total=800.0,
        busy_seconds_total=4200.5,
    )


def test_names_without_a_colon_are_the_same(read: Read) -> None:
    page = 'vllm_num_requests_running{model_name="llama"} 2\nvllm_num_requests_waiting 1\n'
    found = only(read(page))
    assert (found.running, found.waiting) == (2.0, 1.0)


@pytest.mark.parametrize("runtime", ["nim", "kserve-huggingface", "triton", "unknown"])
def test_what_is_inside_is_told_by_the_page(read: Read, vllm_page: str, runtime: str) -> None:
    assert only(read(vllm_page, runtime)).runtime == "vllm"


def test_several_models_have_no_one_name(read: Read) -> None:
    page = (
        'vllm:num_requests_running{model_name="a"} 1\nvllm:num_requests_running{model_name="b"} 1\n'
    )
    found = only(read(page))
    assert (found.model, found.running) == ("", 2.0)


def test_no_name_is_of_two_runtimes() -> None:
    assert sum(len(table.names) for table in TABLES.values()) == len(NAMES)
