"""What the spec and vLLM say of memory that is taken ahead, container by container."""

from __future__ import annotations

import pytest

from gpuatlas.model.sizing import TakenAhead
from gpuatlas_harness.histories import look, only
from gpuatlas_harness.recorded import RecordedPrometheus
from gpuatlas_harness.recorded_cluster import GIB, add_container, add_node, workload_of

STATED = "gpuatlas_workload_memory_ahead_ratio"
CONFIG = "vllm:cache_config_info"
POD = {"namespace": "team-a", "pod": "chat-0"}


def test_nothing_is_stated(prometheus: RecordedPrometheus) -> None:
    """What a runtime does by itself the analysis knows."""
    add_node(prometheus)
    add_container(prometheus, runtime="vllm")
    assert only(prometheus).taken_ahead is None
    assert only(prometheus).runtime == "vllm"


@pytest.mark.parametrize(
    ("runtime", "share", "setting"),
    [
        ("vllm", 0.9, "--gpu-memory-utilization"),
        ("sglang", 0.8, "--mem-fraction-static"),
        ("jax", 0.75, ""),
        ("jax", 0, ""),
    ],
)
def test_the_spec_states_a_share(
    prometheus: RecordedPrometheus, runtime: str, share: float, setting: str
) -> None:
    add_node(prometheus)
    workload = workload_of(add_container(prometheus, runtime=runtime))
    prometheus.add(STATED, share, **workload)
    assert only(prometheus).taken_ahead == TakenAhead(runtime=runtime, setting=setting, share=share)


@pytest.mark.parametrize("place", [POD, {"exported_" + k: v for k, v in POD.items()}])
def test_vllm_says_its_share_and_its_cache(
    prometheus: RecordedPrometheus, place: dict[str, str]
) -> None:
    add_node(prometheus)
    add_container(prometheus, runtime="vllm")
    own = {"namespace": "team-a", "pod": "scraper"} | place
    config = {"gpu_memory_utilization": "0.85", "kv_cache_memory_bytes": str(3 * GIB)}
    prometheus.add(CONFIG, 1, **own, **config, num_gpu_blocks="573", block_size="16")
    assert only(prometheus).taken_ahead == TakenAhead(
        runtime="vllm",
        setting="--gpu-memory-utilization",
        share=0.85,
        pool_bytes=3 * GIB,
        source="kv_cache_memory_bytes of vllm:cache_config_info",
    )


def test_blocks_of_a_size_that_nobody_says_are_no_cache_size(
    prometheus: RecordedPrometheus,
) -> None:
    add_node(prometheus)
    add_container(prometheus, runtime="vllm")
    labels = {"kv_cache_memory_bytes": "None", "num_gpu_blocks": "573"}
    prometheus.add("vllm_cache_config_info", 1, **POD, **labels, gpu_memory_utilization="0.85")
    taken = only(prometheus).taken_ahead
    assert taken is not None
    assert (taken.share, taken.pool_bytes, taken.source) == (0.85, None, "")


def test_what_the_spec_states_goes_before_what_vllm_says(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    workload = workload_of(add_container(prometheus, runtime="vllm"))
    prometheus.add(STATED, 0.5, **workload)
    prometheus.add(CONFIG, 1, **POD, gpu_memory_utilization="0.85")
    taken = only(prometheus).taken_ahead
    assert taken is not None
    assert taken.share == 0.5


@pytest.mark.parametrize(
    "scraped",
    [{"namespace": "team-b", "pod": "evil-0"}, {"namespace": "team-b", "pod": ""}],
)
def test_a_page_says_nothing_of_another_namespace(
    prometheus: RecordedPrometheus, scraped: dict[str, str]
) -> None:
    """A tenant's page may name any pod: the scrape keeps that as `exported_…`."""
    add_node(prometheus)
    add_container(prometheus, runtime="vllm")
    forged = {"exported_" + label: name for label, name in POD.items()}
    prometheus.add(CONFIG, 1, **scraped, **forged, kv_cache_memory_bytes=str(60 * GIB))
    assert only(prometheus).taken_ahead is None


def test_pods_that_differ_have_the_smaller_cache(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    add_container(prometheus, runtime="vllm", pods=("chat-0", "chat-1"))
    for pod, size in (("chat-0", 2), ("chat-1", 1)):
        where = {"namespace": "team-a", "pod": pod}
        prometheus.add(CONFIG, 1, **where, kv_cache_memory_bytes=str(size * GIB))
    taken = only(prometheus).taken_ahead
    assert taken is not None
    assert (taken.share, taken.pool_bytes) == (None, GIB)


def test_of_two_containers_nobody_knows_whose_cache_it_is(prometheus: RecordedPrometheus) -> None:
    """Taken off both of them it would leave one of them too little."""
    add_node(prometheus)
    for name in ("main", "draft"):
        add_container(prometheus, runtime="vllm", container=name)
    prometheus.add(CONFIG, 1, **POD, kv_cache_memory_bytes=str(3 * GIB))
    taken = [history.taken_ahead for history in look(prometheus).histories]
    assert [each and each.pool_bytes for each in taken] == [None, None]


def test_a_recorded_cache_size_counts_where_vllm_was_told_none(
    prometheus: RecordedPrometheus,
) -> None:
    add_node(prometheus)
    workload = workload_of(add_container(prometheus, runtime="sglang"))
    prometheus.add("workload:gpuatlas_kv_cache_pool_bytes:max", 2 * GIB, **workload)
    assert only(prometheus).taken_ahead == TakenAhead(
        runtime="sglang",
        setting="--mem-fraction-static",
        pool_bytes=2 * GIB,
        source="workload:gpuatlas_kv_cache_pool_bytes:max",
    )
