from __future__ import annotations

import pytest

from gpuatlas.contention.minutes import MAX_TENANTS, CardMinute, Step, card_minutes
from gpuatlas.model.contention import CardMoment
from gpuatlas_harness.contended import a_moment, a_tenant, workload

KEY = ("gpu-a", "GPU-1", "0", "")
A, B = workload("a"), workload("b")


def minute(*looks: tuple[float, CardMoment | None]) -> CardMinute:
    return card_minutes([Step(s, (m,) if m else ()) for s, m in looks])[KEY]


def test_a_minute_is_the_mean_of_its_looks_by_their_length() -> None:
    first = a_moment([a_tenant("a", 0.3, waiting=1.0, rate=10.0, running=1.0, speed=10.0)])
    second = a_moment([a_tenant("a", 0.6, waiting=4.0, rate=40.0, running=4.0, speed=10.0)])
    tenant = minute((20.0, first), (40.0, second)).tenants[A]
    assert tenant.share == pytest.approx(0.5)
    assert (tenant.waiting, tenant.rate, tenant.running) == (3.0, 30.0, 3.0)
    assert tenant.entitlement == 0.5


def test_the_speed_is_the_ratio_of_means() -> None:
    first = a_moment([a_tenant("a", 0.3, rate=100.0, running=0.5, speed=200.0)])
    second = a_moment([a_tenant("a", 0.3, rate=100.0, running=4.5, speed=100 / 4.5)])
    assert minute((30.0, first), (30.0, second)).tenants[A].speed == pytest.approx(40.0)


def test_speeds_without_their_parts_are_averaged() -> None:
    looks = [a_moment([a_tenant("a", 0.3, speed=speed)]) for speed in (10.0, 20.0)]
    assert minute((30.0, looks[0]), (30.0, looks[1])).tenants[A].speed == 15.0


def test_looks_that_do_not_know_do_not_count() -> None:
    looks = [a_moment([a_tenant("a", share)]) for share in (None, 0.4)]
    assert minute((30.0, looks[0]), (30.0, looks[1])).tenants[A].share == 0.4


def test_a_card_that_was_seen_for_less_than_half_has_no_minute() -> None:
    seen = a_moment([a_tenant("a", 0.3)])
    assert card_minutes([Step(29.0, (seen,)), Step(31.0, ())]) == {}
    half = card_minutes([Step(30.0, (seen,)), Step(30.0, ())])
    assert half[KEY].seconds == 30.0


@pytest.mark.parametrize(
    ("looks", "saturated"),
    [
        ((True, True), True),
        ((True, False), True),
        ((False, False), False),
        ((None, True), True),
        ((None, None), None),
    ],
)
def test_a_card_is_what_it_was_for_most_of_the_minute(
    *, looks: tuple[bool | None, ...], saturated: bool | None
) -> None:
    found = minute(*((30.0, a_moment([a_tenant("a", 0.3)], full=full)) for full in looks))
    assert (found.saturated, found.pressed) == (saturated, saturated)


def test_full_memory_saturates_and_neither_presses_nor_makes_anybody_wait() -> None:
    moment = CardMoment(
        node="gpu-a",
        card="GPU-1",
        index="0",
        at=0.0,
        saturated=frozenset({"memory"}),
        hardware="",
        tenants=(a_tenant("a", 0.3), a_tenant("b", 0.3)),
    )
    found = minute((60.0, moment))
    assert (found.saturated, found.pressed, found.contended) == (True, False, 0.0)


def test_trouble_of_the_card_or_of_a_tenant_spoils_the_minute() -> None:
    well, hot = a_moment([a_tenant("a", 0.3)]), a_moment([a_tenant("a", 0.3)], hardware="heat")
    assert minute((30.0, well), (30.0, hot)).hardware
    limited = a_moment([a_tenant("a", 0.3, at_own_limit=True)])
    assert minute((30.0, well), (30.0, limited)).tenants[A].ruled_out
    held = a_moment([a_tenant("a", 0.3, held=True)])
    assert minute((30.0, well), (30.0, held)).tenants[A].ruled_out


@pytest.mark.parametrize(
    ("shares", "full", "contended"),
    [
        ((0.5, 0.5), True, 60.0),
        ((0.5, 0.5), False, 0.0),
        ((0.5, 0.5), None, None),
        ((0.9, 0.0), True, 0.0),
        ((0.9, None), True, None),
        ((0.0, None), True, 0.0),
        ((0.9, None), False, 0.0),
        ((0.5, 0.4, None), True, 60.0),
    ],
)
def test_a_card_is_contended_when_two_work_on_a_full_one(
    *, shares: tuple[float | None, ...], full: bool | None, contended: float | None
) -> None:
    tenants = [a_tenant(name, share) for name, share in zip("abc", shares, strict=False)]
    assert minute((60.0, a_moment(tenants, full=full))).contended == contended


def test_only_the_looks_in_which_a_card_was_contended_count() -> None:
    both, one = ([a_tenant("a", 0.5), a_tenant("b", share)] for share in (0.4, 0.0))
    looks = ((20.0, a_moment(both)), (40.0, a_moment(one)))
    assert minute(*looks).contended == 20.0
    # Never both at once.
    assert minute((30.0, a_moment(both, full=False)), (30.0, a_moment(one))).contended == 0.0
    assert minute((30.0, a_moment(both, full=None)), (30.0, a_moment(both))).contended == 30.0


@pytest.mark.parametrize(
    ("share", "active", "overshoot"),
    [
        (0.7, True, 0.2),
        (0.3, True, 0.0),
        (None, True, None),
        (None, False, 0.0),
        (None, None, None),
    ],
)
def test_overshoot_is_the_share_above_the_entitlement(
    *, share: float | None, active: bool | None, overshoot: float | None
) -> None:
    found = minute((60.0, a_moment([a_tenant("a", share, active=active)]))).tenants[A].overshoot
    assert found == (None if overshoot is None else pytest.approx(overshoot))


def test_of_very_many_tenants_the_busiest_are_looked_at() -> None:
    many = [a_tenant(f"t{n}", n / 100) for n in range(20)]
    found = minute((60.0, a_moment(many))).tenants
    assert len(found) == MAX_TENANTS
    assert workload("t19") in found
    assert workload("t0") not in found


def test_instances_of_one_card_are_apart() -> None:
    moments = tuple(a_moment([a_tenant("a", 0.2)], instance=i) for i in ("gi-1", "gi-2"))
    assert sorted(key[-1] for key in card_minutes([Step(60.0, moments)])) == ["gi-1", "gi-2"]
