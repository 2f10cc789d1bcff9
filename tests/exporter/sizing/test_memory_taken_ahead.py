"""Runtimes that fill what they are given: by their cache, or not at all; never by their fill."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.sizing import CannotReason, Proposal, Resource, TakenAhead, Verdict
from gpuatlas.sizing.judge import judge
from gpuatlas_harness.truth.sizing_build import (
    GIB,
    a_history,
    a_reservation,
    changed,
    days,
    said_of,
    whole_cards,
)


def vllm(**fields: Any) -> TakenAhead:
    """It takes 90 % of 20 GiB: 10 GiB of cache and 8 GiB beside it."""
    defaults: dict[str, Any] = {
        "runtime": "vllm",
        "setting": "--gpu-memory-utilization",
        "share": 0.9,
        "pool_bytes": 10 * GIB,
    }
    return TakenAhead(**(defaults | fields))


def said(taken: TakenAhead | None = None, *, peak: float = 18, **day: Any) -> Proposal:
    fields: dict[str, Any] = {"kv_cache_peak": 0.3, "limit_hit": False} | day
    week = days(memory_peak=int(peak * GIB), **fields)
    runtime = taken.runtime if taken else "vllm"
    history = a_history(week, a_reservation(memory=20 * GIB), taken_ahead=taken, runtime=runtime)
    return said_of(Resource.MEMORY, history)


def test_it_needs_what_it_holds_and_the_cache_that_was_in_use() -> None:
    proposal = said(vllm())
    # 8 + 3 GiB and a tenth are 12.1 GiB; of them 90 % must be taken: 13.45 GiB, up to 13.5.
    assert (proposal.verdict, proposal.peak) == (Verdict.SMALLER, 18 * GIB)
    assert proposal.proposed == 13.5 * GIB
    assert proposal.text == (
        "8 GiB beside its cache, and 30 % of 10 GiB cache at its peak; with a margin it needs "
        "13.5 GiB."
    )


def test_the_busiest_day_of_the_cache_counts() -> None:
    week = changed(days(memory_peak=18 * GIB, kv_cache_peak=0.1), 4, kv_cache_peak=0.3)
    history = a_history(week, a_reservation(memory=20 * GIB), taken_ahead=vllm())
    assert said_of(Resource.MEMORY, history).proposed == 13.5 * GIB


@pytest.mark.parametrize("used", [0.8, 1.0])
def test_a_cache_that_was_used_stays(used: float) -> None:
    assert said(vllm(), kv_cache_peak=used, limit_hit=True).verdict is Verdict.FITS


def test_the_share_that_it_really_took_counts_where_it_is_less() -> None:
    """Half of what it sees, whatever was asked for: it will take half of the new value."""
    proposal = said(vllm(pool_bytes=6 * GIB), peak=10)
    # 4 + 1.8 GiB and a tenth are 6.38 GiB: twice as much, 12.76 GiB, up to 13.
    assert proposal.proposed == 13 * GIB
    assert said(vllm(pool_bytes=6 * GIB, share=None), peak=10).proposed == 13 * GIB


def test_what_it_holds_outside_its_share_has_room_too() -> None:
    """2 GiB beside 80 % of 20 GiB: they take 10 GiB, of which 20 % are theirs."""
    proposal = said(vllm(share=0.8, pool_bytes=15 * GIB), kv_cache_peak=0.01)
    assert proposal.proposed == 10 * GIB


@pytest.mark.parametrize(
    ("taken", "peak", "day", "text"),
    [
        (
            vllm(pool_bytes=None),
            18,
            {},
            "vllm fills the memory that --gpu-memory-utilization = 90 % gives it; it can be sized "
            "once its metrics page is read, with the size of its cache and its use.",
        ),
        (
            vllm(pool_bytes=19 * GIB),  # more than it used
            18,
            {},
            "vllm fills the memory that --gpu-memory-utilization = 90 % gives it; it can be sized "
            "once its metrics page is read, with the size of its cache and its use.",
        ),
        (
            vllm(),
            18,
            {"kv_cache_peak": None},
            "vllm fills the memory that --gpu-memory-utilization = 90 % gives it; the use of its "
            "cache is not known of every day; it can be sized once its metrics page is read, with "
            "the size of its cache and its use.",
        ),
        (
            vllm(),
            30,  # it sees more than its promise
            {},
            "vllm fills the memory that --gpu-memory-utilization = 90 % gives it; its share of the "
            "memory that it sees is not known; it can be sized once its metrics page is read, with "
            "the size of its cache and its use.",
        ),
        (
            TakenAhead(runtime="tensorflow"),
            18,
            {},
            "tensorflow fills the memory that TF_FORCE_GPU_ALLOW_GROWTH gives it; it can be sized "
            "after 7 days with TF_FORCE_GPU_ALLOW_GROWTH=true.",
        ),
        (
            TakenAhead(runtime="jax", setting="XLA_CLIENT_MEM_FRACTION", share=0.5),
            18,
            {},
            "jax fills the memory that XLA_CLIENT_MEM_FRACTION = 50 % gives it; it can be sized "
            "after 7 days with XLA_PYTHON_CLIENT_PREALLOCATE=false.",
        ),
        (
            TakenAhead(runtime="unknown", setting="", share=0.5),
            18,
            {},
            "It fills the memory that a setting of its own = 50 % gives it; it can be sized once "
            "its metrics page is read, with the size of its cache and its use.",
        ),
    ],
)
def test_it_cannot_be_sized(taken: TakenAhead, peak: float, day: dict[str, Any], text: str) -> None:
    proposal = said(taken, peak=peak, **day)
    assert (proposal.verdict, proposal.reason, proposal.text) == (
        Verdict.CANNOT,
        CannotReason.MEMORY_TAKEN_AHEAD,
        text,
    )


def test_a_day_without_the_use_of_the_cache_is_one_too_many() -> None:
    week = changed(days(memory_peak=18 * GIB, kv_cache_peak=0.1), 4, kv_cache_peak=None)
    history = a_history(week, a_reservation(memory=20 * GIB), taken_ahead=vllm())
    assert said_of(Resource.MEMORY, history).reason is CannotReason.MEMORY_TAKEN_AHEAD


@pytest.mark.parametrize(
    "runtime",
    [
        *("vllm", "sglang", "tgi", "tensorrt-llm", "nim", "kserve-huggingface"),
        *("tensorflow", "tensorflow-serving", "jax"),
    ],
)
def test_some_take_it_unasked(runtime: str) -> None:
    history = a_history(days(memory_peak=6 * GIB), runtime=runtime)
    assert said_of(Resource.MEMORY, history).reason is CannotReason.MEMORY_TAKEN_AHEAD
    assert said_of(Resource.COMPUTE, history).verdict is Verdict.SMALLER


def test_a_spec_that_forbids_it_makes_it_like_others() -> None:
    grows = TakenAhead(runtime="tensorflow", setting="TF_FORCE_GPU_ALLOW_GROWTH", share=0.0)
    history = a_history(runtime="tensorflow", taken_ahead=grows)
    assert said_of(Resource.MEMORY, history).verdict is Verdict.SMALLER


def test_it_is_told_before_a_short_past() -> None:
    history = a_history(days(2), runtime="jax")
    assert said_of(Resource.MEMORY, history).reason is CannotReason.MEMORY_TAKEN_AHEAD


def test_on_a_whole_card() -> None:
    """90 % of 80 GiB: 8 GiB beside 64 GiB of cache, of which a tenth was in use."""
    week = days(memory_peak=72 * GIB, kv_cache_peak=0.1)
    (proposal,) = judge(a_history(week, whole_cards(), taken_ahead=vllm(pool_bytes=64 * GIB)))
    assert proposal.target == "nvidia.com/mig-1g.20gb"
    # 14.4 GiB and a tenth, of which 90 % must be taken: 17.75 GiB.
    assert proposal.text == (
        "8 GiB beside its cache, and 10 % of 64 GiB cache at its peak; with a margin it needs "
        "17.75 GiB, and 10 % of its compute at p95: a 1g.20gb has 19.5 GiB."
    )
    (proposal,) = judge(a_history(week, whole_cards(), taken_ahead=vllm(pool_bytes=None)))
    assert proposal.reason is CannotReason.MEMORY_TAKEN_AHEAD


@given(
    share=st.none() | st.floats(0.01, 1),
    peak=st.integers(0, 25),
    pool=st.none() | st.integers(-1, 25),
    used=st.none() | st.floats(0, 1),
    hit=st.booleans(),
    restarts=st.integers(0, 3),
)
@settings(deadline=None)
def test_its_fill_is_never_a_full_limit(
    *,
    share: float | None,
    peak: int,
    pool: int | None,
    used: float | None,
    hit: bool,
    restarts: int,
) -> None:
    taken = vllm(share=share, pool_bytes=None if pool is None else pool * GIB)
    proposal = said(taken, peak=peak, kv_cache_peak=used, limit_hit=hit, restarts=restarts)
    assert proposal.verdict is not Verdict.LARGER
    if pool is None or used is None:
        assert proposal.reason is CannotReason.MEMORY_TAKEN_AHEAD
    elif proposal.proposed is not None:
        assert pool > 0
        took = min(share or 1.0, peak / 20)
        # Of the new value it takes its share: that holds all but the cache that nobody used.
        assert proposal.proposed * took >= (peak - pool + pool * used) * GIB
