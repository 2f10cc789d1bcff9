from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.contention.observe import ContentionState, counts, observe
from gpuatlas.model.contention import CardMoment, ContentionCounts, TenantMoment
from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.snapshot import WorkloadId
from gpuatlas_harness.contended import AT, workload

NAMES = ("a", "b", "c", "d", "e", "f")
SHARES: st.SearchStrategy[Reading[float]] = st.one_of(
    st.just(Unknown("not measured")),
    st.floats(0, 1).map(lambda share: Known(share, AT, "test")),
)
NUMBERS = st.one_of(st.none(), st.floats(0, 1e6))


def tenants(names: list[str]) -> st.SearchStrategy[tuple[TenantMoment, ...]]:
    return st.tuples(
        *(
            st.builds(
                TenantMoment,
                workload=st.just(workload(name)),
                share=SHARES,
                entitlement=SHARES,
                waiting=NUMBERS,
                running=NUMBERS,
                rate=NUMBERS,
                speed=NUMBERS,
                at_own_limit=st.sampled_from([False, False, False, True]),
                held=st.sampled_from([False, False, False, True]),
                active=st.sampled_from([True, True, False, None]),
            )
            for name in names
        )
    )


MOMENTS = st.builds(
    CardMoment,
    node=st.just("gpu-a"),
    card=st.sampled_from(["GPU-1", "GPU-2"]),
    index=st.just("0"),
    at=st.just(AT),
    saturated=st.sampled_from(
        [None, frozenset(), frozenset({"compute"}), frozenset({"compute"}), frozenset({"memory"})]
    ),
    hardware=st.sampled_from(["", "", "", "heat"]),
    tenants=st.lists(st.sampled_from(NAMES), unique=True, max_size=6).flatmap(tenants),
)
LOOKS = st.lists(
    st.tuples(
        st.sampled_from([60.0, 60.0, 30.0, 5.0, 0.0, -30.0, 400.0, 90_000.0]),
        st.lists(MOMENTS, max_size=2, unique_by=lambda moment: moment.card),
        st.integers(1, 25),
    ),
    max_size=12,
)


def check(before: ContentionCounts, after: ContentionCounts, seconds: float) -> None:
    """Counters never decrease, and never grow by more than the time that went by."""
    grown = [(before.cards.get(key), value) for key, value in after.cards.items()]
    grown += [(before.slowed.get(pair), value) for pair, value in after.slowed.items()]
    for known, value in grown:
        assert math.isfinite(value)
        assert value >= 0
        assert known is None or known <= value <= known + seconds + 1e-6
    suspects: dict[WorkloadId, set[WorkloadId]] = {}
    for pair in after.slowed:
        assert (pair.suspect is None) == (pair.grade == 0)
        assert pair.suspect != pair.victim
        if pair.suspect is not None:
            suspects.setdefault(pair.victim, set()).add(pair.suspect)
    assert all(len(found) <= 3 for found in suspects.values())


@given(looks=LOOKS)
@settings(deadline=None, max_examples=60)
def test_counters_never_decrease_and_name_three_suspects_at_most(
    looks: list[tuple[float, list[CardMoment], int]],
) -> None:
    state, at = ContentionState(), AT
    began = AT  # since when the open minute goes on
    for step, moments, times in looks:
        for _ in range(times):
            at += step
            before = counts(state)
            state = observe(state, moments, at)
            if state.steps:
                assert counts(state) == before
            else:
                check(before, counts(state), max(0.0, at - began))
                began = state.at or at


@given(looks=LOOKS)
@settings(deadline=None, max_examples=30)
def test_the_state_is_bounded(looks: list[tuple[float, list[CardMoment], int]]) -> None:
    state, at = ContentionState(), AT
    for step, moments, times in looks:
        for _ in range(times):
            at += step
            state = observe(state, moments, at)
    assert len(state.steps) <= 6
    assert len(state.cards) <= 2
    for history in state.cards.values():
        assert len(history.trail) <= 9
        assert len(history.victims) <= len(NAMES)
        for victim in history.victims.values():
            assert len(victim.pairs) < len(NAMES)
            assert len(victim.episodes) <= 32
            assert all(len(pair.episodes) <= 32 for pair in victim.pairs.values())
