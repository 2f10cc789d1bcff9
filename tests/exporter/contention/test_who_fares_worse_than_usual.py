from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gpuatlas.contention.baseline import (
    Baseline,
    extended,
    queue_held_up,
    service_is_worse,
    share_fell,
)
from gpuatlas.contention.minutes import CardMinute, TenantMinute
from gpuatlas.contention.verdict import Verdict, is_calm, verdict
from gpuatlas_harness.contended import workload

VICTIM, OTHER = workload("victim"), workload("other")


def a_minute(
    running: float | None = None, rate: float | None = None, **values: Any
) -> TenantMinute:
    """One minute of a tenant at work."""
    given: dict[str, Any] = {
        "share": None,
        "entitlement": 0.5,
        "waiting": None,
        "speed": rate / running if running and rate is not None else None,
        "active": True,
        "ruled_out": False,
    }
    return TenantMinute(running=running, rate=rate, **(given | values))


def after(*minutes: TenantMinute, calm: bool = True) -> Baseline:
    baseline = Baseline()
    for minute in minutes:
        baseline = extended(baseline, minute, calm=calm)
    return baseline


STEADY = after(*(a_minute(4.0, 100.0 + n % 3) for n in range(20)))


def test_without_a_history_nobody_can_tell() -> None:
    assert service_is_worse(Baseline(), a_minute(4.0, 10.0)) is False
    assert service_is_worse(Baseline(), a_minute(waiting=9.0, rate=1.0)) is None
    assert service_is_worse(STEADY, a_minute()) is None


@pytest.mark.parametrize(("rate", "worse"), [(100.0, False), (82.0, False), (79.0, True)])
def test_slower_requests_at_as_many_requests(*, rate: float, worse: bool) -> None:
    assert service_is_worse(STEADY, a_minute(4.0, rate)) is worse


def test_what_lies_within_the_noise_is_not_worse() -> None:
    noisy = after(*(a_minute(4.0, 60.0 + 80.0 * (n % 2)) for n in range(20)))
    assert service_is_worse(noisy, a_minute(4.0, 70.0)) is False


def test_more_requests_make_each_slower_by_themselves() -> None:
    """Twice the requests and less than twice the work is the server's own doing."""
    assert service_is_worse(STEADY, a_minute(8.0, 160.0)) is False


def test_slower_than_under_a_heavier_load() -> None:
    heavy = after(*(a_minute(20.0, 400.0) for _ in range(12)))
    assert service_is_worse(heavy, a_minute(8.0, 200.0)) is False
    assert service_is_worse(heavy, a_minute(8.0, 120.0)) is True


def test_less_work_with_more_requests() -> None:
    assert service_is_worse(STEADY, a_minute(8.0, 75.0)) is True


def test_the_same_work_with_far_more_requests() -> None:
    assert service_is_worse(STEADY, a_minute(7.9, 100.0)) is False
    assert service_is_worse(STEADY, a_minute(9.0, 100.0)) is True


def test_unless_its_share_rose_with_its_load() -> None:
    known = after(*(a_minute(4.0, 100.0, share=0.3) for _ in range(12)))
    assert service_is_worse(known, a_minute(9.0, 100.0, share=0.3)) is True
    assert service_is_worse(known, a_minute(9.0, 100.0, share=0.4)) is False


@pytest.mark.parametrize(
    ("waiting", "rate", "worse"), [(5.0, 7.0, True), (5.0, 9.0, False), (0.0, 1.0, False)]
)
def test_a_queue_with_less_work_done_where_nobody_counts_requests_at_work(
    *, waiting: float, rate: float, worse: bool
) -> None:
    usual = after(*(a_minute(rate=10.0, waiting=float(n % 3)) for n in range(15)))
    assert service_is_worse(usual, a_minute(rate=rate, waiting=waiting)) is worse


@pytest.mark.parametrize(
    ("share", "fell"), [(0.25, True), (0.39, True), (0.4, False), (0.6, False)]
)
def test_a_share_below_its_usual_one_and_its_entitlement(*, share: float, fell: bool) -> None:
    usual = after(*(a_minute(share=0.55) for _ in range(12)))
    assert share_fell(usual, a_minute(share=share)) is fell


def test_a_tenant_that_never_had_more_did_not_lose_any() -> None:
    usual = after(*(a_minute(share=0.2) for _ in range(12)))
    assert share_fell(usual, a_minute(share=0.19)) is False


def test_a_share_without_a_history_or_an_entitlement_tells_nothing() -> None:
    assert share_fell(after(a_minute(share=0.5)), a_minute(share=0.2)) is None
    usual = after(*(a_minute(share=0.55) for _ in range(12)))
    assert share_fell(usual, a_minute(share=0.2, entitlement=None)) is None
    assert share_fell(usual, a_minute()) is None


def test_calm_minutes_count_before_the_others() -> None:
    baseline = STEADY
    for _ in range(60):
        baseline = extended(baseline, a_minute(4.0, 50.0), calm=False)
    assert service_is_worse(baseline, a_minute(4.0, 60.0)) is True
    mixed = after(*(a_minute(4.0, 50.0) for _ in range(12)), calm=False)
    assert service_is_worse(mixed, a_minute(4.0, 30.0)) is True


def test_the_rings_are_bounded() -> None:
    baseline = STEADY
    for calm in (True, False):
        for _ in range(200):
            baseline = extended(baseline, a_minute(4.0, 50.0, share=0.2), calm=calm)
    assert (len(baseline.calm), len(baseline.mixed)) == (90, 60)
    assert (len(baseline.calm_shares), len(baseline.mixed_shares)) == (60, 60)


def test_whether_the_demand_held_up() -> None:
    usual = after(*(a_minute(waiting=2.0) for _ in range(12)))
    assert queue_held_up(usual, a_minute(waiting=2.0))
    assert not queue_held_up(usual, a_minute(waiting=1.0))
    assert not queue_held_up(Baseline(), a_minute(waiting=5.0))
    assert not queue_held_up(usual, a_minute())


def a_card(
    victim: TenantMinute,
    *,
    saturated: bool | None = True,
    hardware: bool = False,
    other: bool | None = True,
) -> CardMinute:
    return CardMinute(
        seconds=60.0,
        saturated=saturated,
        pressed=saturated,
        contended=None,
        hardware=hardware,
        tenants={VICTIM: victim, OTHER: a_minute(share=0.6, active=other)},
    )


def said(victim: TenantMinute, baseline: Baseline = STEADY, **card: Any) -> Verdict:
    return verdict(victim, a_card(victim, **card), baseline)


SLOW = a_minute(4.0, 50.0)


def test_a_service_that_is_worse_on_a_full_card_is_slowed() -> None:
    assert said(SLOW) is Verdict.SLOWED
    assert said(a_minute(4.0, 100.0)) is Verdict.GOOD


def test_idle_held_limited_tenants_and_slow_cards_are_ruled_out_first() -> None:
    assert said(replace(SLOW, active=False)) is Verdict.OUT
    assert said(replace(SLOW, ruled_out=True)) is Verdict.OUT
    assert said(SLOW, hardware=True) is Verdict.OUT


def test_worse_on_a_card_with_room_is_neither_good_nor_slowed() -> None:
    assert said(SLOW, saturated=False) is Verdict.UNKNOWN


def test_worse_on_a_card_that_nobody_measures_is_slowed_all_the_same() -> None:
    assert said(SLOW, saturated=None) is Verdict.SLOWED


def test_nothing_is_said_of_a_tenant_of_whom_nothing_is_known() -> None:
    assert said(a_minute(active=None)) is Verdict.UNKNOWN
    assert said(a_minute()) is Verdict.UNKNOWN


def test_a_share_that_fell_while_the_queue_did_not() -> None:
    usual = after(*(a_minute(share=0.6, waiting=2.0) for _ in range(12)))
    assert said(a_minute(share=0.2, waiting=3.0), usual) is Verdict.SLOWED
    assert said(a_minute(share=0.2, waiting=1.0), usual) is Verdict.GOOD


def test_without_a_service_signal_less_than_usual_and_entitled_is_short() -> None:
    usual = after(*(a_minute(share=0.6) for _ in range(12)))
    assert said(a_minute(share=0.2), usual) is Verdict.SHORT
    assert said(a_minute(share=0.2), usual, saturated=False) is Verdict.GOOD
    assert said(a_minute(share=0.2), usual, saturated=None) is Verdict.GOOD
    assert said(a_minute(share=0.55), usual) is Verdict.GOOD
    assert said(a_minute(share=0.2), Baseline()) is Verdict.GOOD


@pytest.mark.parametrize(
    ("other", "saturated", "calm"),
    [(True, True, False), (True, False, True), (False, True, True), (None, True, False)],
)
def test_calm_is_alone_or_with_room(*, other: bool | None, saturated: bool, calm: bool) -> None:
    card = a_card(a_minute(share=0.3), saturated=saturated, other=other)
    assert is_calm(VICTIM, card) is calm
