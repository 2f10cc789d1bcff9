from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.pages import Sample
from gpuatlas.model.services import ServicePage
from gpuatlas.sources.exposition import parse_text
from gpuatlas.sources.services.parse import MAX_SERIES, read_service_page
from gpuatlas.sources.services.tables import NAMES

Read = Callable[..., ServicePage]


@pytest.mark.parametrize("value", ["NaN", "+Inf", "-1", "1e300", "1000001"])
def test_a_bad_number_costs_itself_only(read: Read, value: str) -> None:
    page = read(f'vllm:num_requests_running{{engine="0"}} {value}\nvllm:num_requests_waiting 3\n')
    (found,) = page.readings
    assert (found.running, found.waiting) == (None, 3.0)
    (refused,) = page.rejections
    assert (refused.source, refused.reason, refused.count) == ("services", "bad-number", 1)
    assert refused.where == "page of team-a/chat-0"
    assert refused.message == f"vllm:num_requests_running is {float(value):g}"


@pytest.mark.parametrize("value", ["1.5", "-0.1", "NaN", "42"])
def test_a_cache_is_used_between_none_and_all_of_it(read: Read, value: str) -> None:
    page = read(f"vllm:num_requests_waiting 1\nvllm:kv_cache_usage_perc {value}\n")
    assert page.readings[0].cache_used is None
    assert [refused.reason for refused in page.rejections] == ["bad-number"]


def test_a_page_of_something_else_gives_nothing(read: Read) -> None:
    page = read("process_cpu_seconds_total 12\n<html>\n")
    assert page.readings == ()
    assert [refused.reason for refused in page.rejections] == ["no-known-metric"]


def test_series_without_end_are_cut(read: Read) -> None:
    lines = [f'vllm:num_requests_running{{model_name="m{n}"}} 1\n' for n in range(MAX_SERIES + 5)]
    page = read("".join(lines))
    assert page.readings[0].running == MAX_SERIES
    assert [refused.reason for refused in page.rejections] == ["too-many-series"]


def test_a_model_name_is_one_short_printable_line(read: Read) -> None:
    page = read('vllm:num_requests_running{model_name="a\\nb' + "x" * 300 + '"} 1\n')
    model = page.readings[0].model
    assert len(model) == 100
    assert model.isprintable()


def test_labels_cannot_name_another_pod(read: Read) -> None:
    page = read('vllm:num_requests_running{namespace="team-b",pod="other"} 9\n')
    assert (page.readings[0].namespace, page.readings[0].pod) == ("team-a", "chat-0")


LABEL_NAMES = (
    *("engine", "model_name", "tp_rank", "priority", "request_type", "kv_cache_block_type"),
    *("num_gpu_blocks", "block_size", "kv_cache_memory_bytes", "kv_cache_size_tokens"),
)
LABELS = st.dictionaries(
    st.sampled_from(LABEL_NAMES),
    st.one_of(st.sampled_from(["0", "16", "None", "waiting", "fraction"]), st.text(max_size=20)),
    max_size=4,
)
SAMPLES = st.lists(
    st.builds(
        Sample,
        st.sampled_from([*sorted(NAMES), "other"]),
        LABELS,
        st.one_of(st.floats(), st.integers(-5, 2**70).map(float)),
    ),
    max_size=40,
)


@given(samples=SAMPLES, runtime=st.sampled_from(["vllm", "sglang", "triton", "tgi", "nim", ""]))
@settings(deadline=None, max_examples=150)
def test_any_samples_give_bounded_numbers_and_never_raise(
    samples: list[Sample], runtime: str
) -> None:
    page = read_service_page(
        samples, runtime=runtime, namespace="team-a", pod="chat-0", at=5.0, target="a page"
    )
    for reading in page.readings:
        assert (reading.namespace, reading.pod, reading.at) == ("team-a", "chat-0", 5.0)
        for field in fields(reading):
            value = getattr(reading, field.name)
            if isinstance(value, float | int) and field.name != "at":
                assert math.isfinite(value)
                assert value >= 0
        assert reading.cache_used is None or reading.cache_used <= 1
    for refused in page.rejections:
        assert refused.source == "services"
        assert len(refused.message) <= 200


@given(body=st.binary(max_size=400))
@settings(deadline=None, max_examples=100)
def test_any_bytes_are_read_without_an_error(body: bytes) -> None:
    samples, _ = parse_text(body, wanted=NAMES, source="services", where="a page")
    page = read_service_page(
        samples, runtime="vllm", namespace="n", pod="p", at=0.0, target="a page"
    )
    assert page.readings == ()
