"""Whatever a history holds: an answer, never below what was seen, and none where none is due."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.mig_profiles import MIG_CARDS
from gpuatlas.model.sizing import (
    Day,
    History,
    Proposal,
    Reservation,
    Resource,
    TakenAhead,
    Verdict,
)
from gpuatlas.model.snapshot import Sharing
from gpuatlas.sizing.judge import judge, size
from gpuatlas.sizing.margins import GRANT_UNIT
from gpuatlas_harness.truth.sizing_build import DAY, GIB, NOON, a_container, a_reservation

SHARE = st.floats(0, 1)
BYTES = st.integers(0, 150 * GIB)
MODELS = [*sorted({f"NVIDIA {row.name}" for row in MIG_CARDS}), "NVIDIA A10G", "", "Ascend910B3"]
PROFILES = [*sorted({p.name for row in MIG_CARDS for p in row.profiles}), "", "9g.1gb", "x"]


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


DAYS: st.SearchStrategy[Day] = st.builds(
    Day,
    ends_at=st.integers(0, 16).map(lambda ago: NOON - ago * DAY),
    memory_peak=maybe(BYTES),
    compute_p95=maybe(SHARE),
    present=SHARE,
    watched=SHARE,
    measured=SHARE,
    replicas=st.integers(0, 50),
    kv_cache_peak=maybe(SHARE),
    limit_hit=st.booleans(),
    restarts=maybe(st.integers(0, 9)),
    revisions=st.frozensets(st.sampled_from("ab")),
    runs=st.frozensets(st.sampled_from("xyz")),
    cards_used=maybe(st.integers(0, 9)),
)
GOOD: Callable[[Day], Day] = lambda day: replace(  # noqa: E731 one expression for .map
    day,
    present=1.0,
    watched=1.0,
    measured=1.0,
    revisions=frozenset("a"),
    memory_peak=day.memory_peak or 0,
    compute_p95=day.compute_p95 or 0.0,
)
RESERVATIONS: st.SearchStrategy[Reservation] = st.builds(
    Reservation,
    sharing=st.sampled_from(Sharing),
    memory=maybe(BYTES),
    compute=maybe(SHARE),
    cards=st.integers(0, 9),
    containers=st.integers(0, 99),
    card_memory=maybe(st.sampled_from([row.memory for row in MIG_CARDS] + [0])),
    card_model=st.sampled_from(MODELS),
    profile=st.sampled_from(PROFILES),
    resources=maybe(
        st.dictionaries(
            st.sampled_from(["nvidia.com/gpu", "nvidia.com/mig-1g.10gb", "x"]), st.just(1)
        )
    ),
    limited=maybe(st.booleans()),
)
AHEAD = st.builds(
    TakenAhead,
    runtime=st.sampled_from(["vllm", "jax", "unknown"]),
    share=maybe(SHARE),
    pool_bytes=maybe(BYTES),
)


def histories(days: st.SearchStrategy[list[Day]]) -> st.SearchStrategy[History]:
    return st.builds(
        History,
        of=st.sampled_from(["", "CronJob/n", "n-*"]).map(lambda group: a_container(group=group)),
        reservation=RESERVATIONS,
        days=days.map(tuple),
        runtime=st.sampled_from(["unknown", "pytorch", "vllm"]),
        taken_ahead=maybe(AHEAD),
    )


def in_order(number: int) -> st.SearchStrategy[list[Day]]:
    """That many good days, one after the other."""
    week = st.lists(DAYS.map(GOOD), min_size=number, max_size=number)
    return week.map(
        lambda found: [replace(day, ends_at=NOON - i * DAY) for i, day in enumerate(found)][::-1]
    )


def check(proposal: Proposal) -> None:
    """What holds of every proposal."""
    changes = proposal.verdict in {Verdict.SMALLER, Verdict.LARGER}
    assert (proposal.proposed is not None) is changes
    assert (proposal.saving is not None) is changes
    assert (proposal.reason is not None) is (proposal.verdict is Verdict.CANNOT)
    assert proposal.text.endswith(".")
    assert "None" not in proposal.text
    if changes:
        assert proposal.saving is not None
        assert (proposal.saving < 0) is (proposal.verdict is Verdict.LARGER)
    if proposal.verdict is Verdict.SMALLER and proposal.resource is Resource.COMPUTE:
        assert (proposal.proposed or 0) >= (proposal.peak or 0)


@given(histories(st.lists(DAYS, max_size=17)))
@settings(deadline=None, max_examples=100)
def test_there_is_an_answer_whatever_it_is(history: History) -> None:
    found = judge(history)
    assert len({proposal.resource for proposal in found}) == len(found) > 0
    for proposal in found:
        check(proposal)


@given(histories(st.lists(DAYS, max_size=17)))
@settings(deadline=None, max_examples=50)
def test_a_run_alone_is_judged_as_what_it_is(history: History) -> None:
    by_end = {day.ends_at: day for day in history.days}
    ordered = replace(history, days=tuple(by_end[end] for end in sorted(by_end)))
    assert [p.verdict for p in size([ordered])] == [p.verdict for p in judge(ordered)]


@given(histories(st.integers(7, 14).flatmap(in_order)))
@settings(deadline=None, max_examples=100)
def test_no_value_is_below_what_was_seen(history: History) -> None:
    for proposal in judge(history):
        check(proposal)
        if proposal.resource is not Resource.MEMORY or proposal.proposed is None:
            continue
        if history.taken_ahead is None and history.runtime != "vllm":
            peak = max(day.memory_peak or 0 for day in history.days)
            card = history.reservation.card_memory or peak
            # A card holds no more than it has, whatever its tenants count.
            assert proposal.proposed >= min(peak, card)
            assert proposal.peak == peak
        if proposal.target == "" and proposal.proposed != history.reservation.card_memory:
            assert proposal.proposed % GRANT_UNIT == 0


@given(in_order(10), st.integers(1, 20 * GIB))
@settings(deadline=None, max_examples=60)
def test_a_container_that_got_what_it_needs_is_right(week: list[Day], promise: int) -> None:
    """After a change that was followed nothing more is said."""
    quiet = [replace(day, limit_hit=False, restarts=0) for day in week]
    history = History(
        of=a_container(), reservation=a_reservation(memory=promise), days=tuple(quiet)
    )
    (memory, _) = judge(history)
    if memory.verdict is Verdict.SMALLER:
        followed = a_reservation(memory=int(memory.proposed or 0))
        (again, _) = judge(replace(history, reservation=followed))
        assert again.verdict is Verdict.FITS


@given(in_order(8), st.integers(0, 7), BYTES)
@settings(deadline=None, max_examples=60)
def test_a_higher_day_never_lowers_the_answer(week: list[Day], place: int, more: int) -> None:
    steady = [
        replace(day, memory_peak=4 * GIB + (i % 2), limit_hit=False) for i, day in enumerate(week)
    ]
    reservation = a_reservation(memory=200 * GIB, card_memory=None)
    low = History(of=a_container(), reservation=reservation, days=tuple(steady))
    steady[place] = replace(steady[place], memory_peak=4 * GIB + more)
    high = replace(low, days=tuple(steady))
    assert (judge(low)[0].proposed or 0) <= (judge(high)[0].proposed or 200 * GIB)
