"""The pages of inference servers, in their own names and labels."""

from __future__ import annotations

import re
from typing import Final

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gpuatlas.demo.pages import page_text
from gpuatlas.demo.scenario import Scenario
from gpuatlas.demo.state import EndpointState, World, service_subject
from gpuatlas.demo.tallies import Tallies
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.world import build_world

MIB: Final = 1024 * 1024
Values = dict[str, list[tuple[dict[str, str], float]]]
# Subject → the families of its page.
FAMILIES: Final = {
    "assistants/chat-7b/0": {
        "vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:kv_cache_usage_perc",
        "vllm:prompt_tokens", "vllm:generation_tokens", "vllm:request_success",
        "vllm:time_to_first_token_seconds", "vllm:e2e_request_latency_seconds",
        "vllm:request_inference_time_seconds", "vllm:request_queue_time_seconds",
        "vllm:cache_config_info",
    },
    "assistants/mixtral/0": {
        "sglang:num_running_reqs", "sglang:num_used_tokens", "sglang:token_usage",
        "sglang:num_queue_reqs", "sglang:gen_throughput", "sglang:prompt_tokens",
        "sglang:generation_tokens", "sglang:num_requests", "sglang:time_to_first_token_seconds",
        "sglang:e2e_request_latency_seconds",
    },
    "search/embed/0": {
        "nv_inference_request_success", "nv_inference_count", "nv_inference_exec_count",
        "nv_inference_request_duration_us", "nv_inference_queue_duration_us",
        "nv_inference_compute_input_duration_us", "nv_inference_compute_infer_duration_us",
        "nv_inference_compute_output_duration_us", "nv_inference_pending_request_count",
    },
    "search/embed-code/0": {
        "tgi_request_count", "tgi_request_success", "tgi_queue_size", "tgi_batch_current_size",
        "tgi_request_duration", "tgi_request_queue_duration", "tgi_request_inference_duration",
        "tgi_request_generated_tokens",
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def tallies() -> Tallies:
    return Tallies()


def page(world: World, subject: str, tallies: Tallies | None) -> str:
    return page_text(world, EndpointState(kind="service", subject=subject), tallies)


def read(text: str) -> Values:
    found: Values = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, []).append((sample.labels, sample.value))
    return found


def one(values: Values, name: str, **labels: str) -> float:
    (value,) = [value for own, value in values[name] if labels.items() <= own.items()]
    return value


@pytest.mark.parametrize(("subject", "families"), FAMILIES.items())
def test_a_page_has_the_families_of_its_server(
    world: World, tallies: Tallies, subject: str, families: set[str]
) -> None:
    text = page(world, subject, tallies)

    assert {family.name for family in text_string_to_metric_families(text)} == families
    series = [line.rsplit(" ", 1)[0] for line in text.splitlines() if not line.startswith("#")]
    assert len(series) == len(set(series))
    headers = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
    assert len(headers) == len(set(headers)) == len(families)


def test_vllms_lines_are_in_its_form(world: World, tallies: Tallies) -> None:
    text = page(world, "assistants/chat-7b/0", tallies)

    assert (
        "# HELP vllm:num_requests_running Number of requests in model execution batches.\n"
        "# TYPE vllm:num_requests_running gauge\n"
        'vllm:num_requests_running{engine="0",model_name="/models/current"} '
    ) in text
    assert "# TYPE vllm:generation_tokens_total counter\n" in text
    buckets = re.findall(r'first_token_seconds_bucket\{engine="0",le="([^"]+)",model_name', text)
    assert buckets[:3] == ["0.001", "0.005", "0.01"]
    assert buckets[-2:] == ["2560.0", "+Inf"]
    assert len(buckets) == 23


def test_a_cache_tells_its_size_where_its_server_was_told(world: World, tallies: Tallies) -> None:
    def config(subject: str) -> dict[str, str]:
        ((labels, value),) = read(page(world, subject, tallies))["vllm:cache_config_info"]
        assert value == 1
        return labels

    told, untold = config("assistants/chat-7b/0"), config("assistants/chat-13b/0")
    assert told["kv_cache_memory_bytes"] == str(3072 * MIB)
    assert untold["kv_cache_memory_bytes"] == "None"
    assert told.keys() == untold.keys()
    assert {told["block_size"], told["cache_dtype"], told["engine"]} == {"16", "auto", "0"}
    # 2 MiB a block of 16 tokens.
    assert (told["num_gpu_blocks"], untold["num_gpu_blocks"]) == ("1536", "3072")
    assert config("assistants/assist-small/0")["gpu_memory_utilization"] == "0.45"


def test_the_option_stands_in_the_pods_command(world: World) -> None:
    args = {
        pod["metadata"]["labels"].get("app"): pod["spec"]["containers"][0].get("args", [])
        for pod in documents(world)["pods"]
    }
    assert f"--kv-cache-memory-bytes={3072 * MIB}" in args["chat-7b"]
    assert not [arg for arg in args["chat-13b"] if "kv-cache" in arg]
    assert "--enable-metrics" in args["mixtral"]


@pytest.mark.parametrize("subject", FAMILIES)
def test_histograms_grow_with_their_bounds_and_end_at_their_count(
    world: World, tallies: Tallies, subject: str
) -> None:
    values = read(page(world, subject, tallies))

    for name in [name for name in values if name.endswith("_bucket")]:
        counts = [value for _, value in values[name]]
        assert counts == sorted(counts)
        assert counts[-1] == one(values, name.replace("_bucket", "_count")) > 1000
        assert one(values, name.replace("_bucket", "_sum")) >= 0


def test_counters_only_grow_while_the_pod_lives_and_across_midnight(
    scenario: Scenario, thursday: float, tallies: Tallies
) -> None:
    before: dict[str, list[float]] = {}
    for minutes in range(-300, 900, 23):
        world = build_world(scenario, seed=7, at=thursday + minutes * 60)
        for pod in world.pods:
            subject = service_subject(pod.workload, pod.ordinal)
            if subject not in FAMILIES or not pod.ready:
                continue
            counters = [
                value
                for name, samples in read(page(world, subject, tallies)).items()
                for labels, value in samples
                if re.search("_total$|_bucket$|_sum$|_count$|_us$|_success$", name)
                and name != "nv_inference_pending_request_count"
            ]
            for earlier, later in zip(before.get(pod.uid, counters), counters, strict=True):
                assert later >= earlier
            before[pod.uid] = counters
    assert len(before) >= len(FAMILIES)


def test_what_is_counted_is_what_is_done(
    scenario: Scenario, thursday: float, tallies: Tallies
) -> None:
    """Little's law: seconds spent on requests are the requests that were there, each second."""
    subject = "assistants/support/0"
    step, hours = 240.0, 2
    first, last = (
        read(page(build_world(scenario, seed=7, at=thursday + at), subject, tallies))
        for at in (0.0, hours * 3600)
    )
    there = [
        one(values, "vllm:num_requests_running") + one(values, "vllm:num_requests_waiting")
        for values in (
            read(page(build_world(scenario, seed=7, at=thursday + n * step), subject, None))
            for n in range(int(hours * 3600 / step))
        )
    ]
    name = "vllm:e2e_request_latency_seconds_sum"
    assert one(last, name) - one(first, name) == pytest.approx(step * sum(there), rel=0.1)
    tokens, requests = (
        one(last, name) - one(first, name)
        for name in ("vllm:generation_tokens_total", "vllm:e2e_request_latency_seconds_count")
    )
    assert tokens == pytest.approx(240 * requests, rel=0.001)


def test_a_page_without_counters_still_tells_the_moment(world: World) -> None:
    found = read(page(world, "assistants/chat-7b/0", None))
    assert set(found) == {
        "vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:kv_cache_usage_perc",
        "vllm:cache_config_info",
    }  # fmt: skip


def test_a_server_that_loads_its_model_does_not_answer(scenario: Scenario, thursday: float) -> None:
    world = build_world(scenario, seed=7, at=thursday)
    (pod,) = [pod for pod in world.pods if pod.workload.name == "chat-7b"]
    behaviours = []
    for age in (5, 60, 200):
        new = build_world(scenario, seed=7, at=pod.created_at + age)
        (endpoint,) = [e for e in new.endpoints if e.subject == "assistants/chat-7b/0"]
        behaviours.append(endpoint.behaviour)
    assert behaviours == ["refuses", "refuses", "ok"]


def test_only_the_leader_of_a_group_answers(world: World) -> None:
    subjects = {e.subject for e in world.endpoints if e.kind == "service"}
    assert "assistants/mixtral/0" in subjects
    assert "assistants/mixtral/1" not in subjects
    assert {"platform/moderation/0", "platform/moderation/1"} <= subjects


def test_triton_has_a_port_of_its_own_for_metrics(world: World) -> None:
    ports = {
        pod["metadata"]["labels"].get("app"): {
            port["name"]: port["containerPort"]
            for port in pod["spec"]["containers"][0].get("ports", [])
        }
        for pod in documents(world)["pods"]
    }
    assert ports["embed"] == {"http": 8000, "metrics": 8002}
    assert ports["chat-7b"] == {"http": 8000}
    assert ports["mixtral"] == {"http": 30000}
