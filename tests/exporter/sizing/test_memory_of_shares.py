"""What is said of the memory of a container that shares a card, with its whole text."""

from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.model.sizing import CannotReason, Proposal, Resource, Verdict
from gpuatlas.model.snapshot import Sharing
from gpuatlas.model.units import MIB
from gpuatlas_harness.truth.sizing_build import (
    GIB,
    a_container,
    a_day,
    a_history,
    a_reservation,
    changed,
    days,
    said_of,
)


def said(peak: float, present: float | None = 16, week: Any = (), **fields: Any) -> Proposal:
    """Of one whose peak and promise are so many GiB."""
    memory = None if present is None else int(present * GIB)
    found = week or days(memory_peak=int(peak * GIB))
    return said_of(Resource.MEMORY, a_history(found, a_reservation(memory=memory, **fields)))


def test_less_is_proposed_with_a_margin() -> None:
    assert said(4, containers=3) == Proposal(
        of=a_container(),
        resource=Resource.MEMORY,
        verdict=Verdict.SMALLER,
        text="Peak 4 GiB of 16 GiB; with a margin it needs 4.5 GiB.",
        present=16 * GIB,
        peak=4 * GIB,
        proposed=4.5 * GIB,
        saving=3 * 11.5 * GIB,
        window_days=14.0,
        coverage=1.0,
    )


@pytest.mark.parametrize(
    ("peak", "present", "verdict"),
    [
        (9.0, 12.5, Verdict.SMALLER),  # 10 GiB: exactly 20 % and 2.5 GiB
        (9.0, 12.25, Verdict.FITS),  # 18 %
        (1.0, 3.5, Verdict.SMALLER),  # 1.5 GiB: exactly 2 GiB
        (1.0, 3.25, Verdict.FITS),  # 54 %, but 1.75 GiB
        (15.0, 16.0, Verdict.FITS),  # no margin left, and not at its limit either
        (0.0, 0.5, Verdict.FITS),
    ],
)
def test_it_is_silent_when_right(peak: float, present: float, verdict: Verdict) -> None:
    proposal = said(peak, present)
    assert proposal.verdict is verdict
    assert (proposal.proposed is None) is (verdict is Verdict.FITS)
    assert (proposal.saving is None) is (verdict is Verdict.FITS)


def test_what_fits_says_why() -> None:
    assert said(9, 11).text == "Peak 9 GiB of 11 GiB; with a margin it needs 10 GiB."


def test_more_is_proposed_at_the_limit() -> None:
    proposal = said(9.85, 10)
    assert (proposal.verdict, proposal.proposed) == (Verdict.LARGER, 11 * GIB)
    assert proposal.saving == -1 * GIB
    assert proposal.text == "It reached its limit, 9.85 GiB of 10 GiB; 11 GiB leave it a margin."
    assert said(9.79, 10).verdict is Verdict.FITS


@pytest.mark.parametrize(
    ("limited", "hit", "restarts", "verdict"),
    [
        (True, False, None, Verdict.LARGER),
        (None, False, 3, Verdict.FITS),  # it restarted on a day without a hit
        (None, True, 3, Verdict.LARGER),  # with it: the limit holds, as it seems
        (None, True, 0, Verdict.FITS),
        (None, True, None, Verdict.FITS),
        (False, True, 3, Verdict.FITS),  # nothing held it back: the peak is its need
    ],
)
def test_a_limit_that_may_not_hold(
    *, limited: bool | None, hit: bool, restarts: int | None, verdict: Verdict
) -> None:
    week = changed(days(), 2, memory_peak=int(9.9 * GIB), limit_hit=hit, restarts=restarts)
    assert said(0, 10, week, limited=limited).verdict is verdict


def test_restarts_at_the_limit_are_counted() -> None:
    week = changed(days(), 2, memory_peak=10 * GIB, limit_hit=True, restarts=1)
    text = "It reached its limit, 10 GiB of 10 GiB and restarted 1 time then; 11 GiB leave it a "
    assert said(0, 10, week).text == f"{text}margin."


@pytest.mark.parametrize("limited", [True, None, False])
def test_what_uses_more_than_its_promise_needs_more(*, limited: bool | None) -> None:
    proposal = said(12, 10, limited=limited)
    assert (proposal.verdict, proposal.proposed) == (Verdict.LARGER, 13.25 * GIB)
    text = "It used 12 GiB of 10 GiB: its limit is not in force; 13.25 GiB leave it a margin."
    assert proposal.text == text


def test_no_more_than_a_card_has() -> None:
    assert said(76, 77).proposed == 80 * GIB
    proposal = said(80, 80)
    assert proposal.verdict is Verdict.FITS
    text = "It reached its limit, 80 GiB of 80 GiB, and that is all that a card has."
    assert proposal.text == text
    assert said(80, 80, card_memory=None).proposed == 88 * GIB


def test_a_limit_that_was_reached_is_not_taken_from_it() -> None:
    """One replica has less than the others, or had once."""
    week = changed(days(), 2, limit_hit=True)
    proposal = said(0, 16, week)
    assert proposal.verdict is Verdict.FITS
    assert proposal.text == "Peak 4 GiB of 16 GiB; it reached the limit that it had."


@pytest.mark.parametrize(
    ("fields", "reason"),
    [({"watched": 0.5}, None), ({"measured": 0.5, "replicas": 2}, None)],
)
def test_minutes_that_nobody_saw_do_not_unsay_a_limit(
    fields: dict[str, Any], reason: CannotReason | None
) -> None:
    proposal = said(0, 10, days(memory_peak=10 * GIB, **fields))
    assert (proposal.verdict, proposal.reason) == (Verdict.LARGER, reason)


def test_the_limit_of_an_older_template_is_none_of_the_newer() -> None:
    new, both = frozenset({"b"}), frozenset({"a", "b"})
    old: dict[str, Any] = {"memory_peak": 16 * GIB, "limit_hit": True}
    week = [*(a_day(ago, **old) for ago in (10, 9)), a_day(8, **(old | {"revisions": both}))]
    since = [a_day(ago, revisions=new) for ago in range(7, -1, -1)]
    assert said(0, 16, [*week, *since]).verdict is Verdict.FITS
    unseen = [*since[:5], a_day(2, revisions=new, watched=0.5), *since[6:]]
    assert said(0, 16, [*week, *unseen]).reason is CannotReason.COVERAGE


def test_a_short_past_does() -> None:
    assert said(0, 10, days(3, memory_peak=10 * GIB)).reason is CannotReason.SHORT_WINDOW


def test_the_highest_of_all_days_counts() -> None:
    assert said(0, 16, changed(days(), 13, memory_peak=7 * GIB)).peak == 7 * GIB


def test_what_grows_steadily_has_a_week_of_growth_above_it() -> None:
    week = [a_day(13 - i, memory_peak=(4_000 + 200 * i) * MIB) for i in range(14)]
    proposal = said(0, 16, week)
    # 6,600 + 7 × 200 = 8,000 MiB, up to 32 grants; a tenth above would be 7,424 MiB.
    assert (proposal.peak, proposal.proposed) == (6_600 * MIB, 8_192 * MIB)
    text = "It grows by 0.2 GiB a day: peak 6.45 GiB of 16 GiB; with a margin it needs 8 GiB."
    assert proposal.text == text


def test_a_day_that_is_higher_is_no_growth() -> None:
    week = [a_day(13 - i, memory_peak=(4_000 + 200 * (i % 7)) * MIB) for i in range(14)]
    assert said(0, 16, week).proposed == 5_888 * MIB


def test_a_step_is_no_growth() -> None:
    week = [a_day(13 - i, memory_peak=(4_000 if i < 7 else 8_000) * MIB) for i in range(14)]
    assert said(0, 16, week).proposed == 8_960 * MIB


def test_slow_growth_stays_within_the_margin() -> None:
    week = [a_day(13 - i, memory_peak=(4_000 + 10 * i) * MIB) for i in range(14)]
    assert said(0, 16, week).proposed == 4_864 * MIB


def test_nothing_is_promised() -> None:
    proposal = said(4, None)
    assert proposal.reason is CannotReason.NOT_PROMISED
    assert proposal.text == "It is promised no part of a card's memory."
    assert (proposal.present, proposal.peak, proposal.window_days) == (None, 4 * GIB, 14.0)


@pytest.mark.parametrize("sharing", [Sharing.TIME_SLICING, Sharing.MPS])
def test_parts_that_follow_from_their_number_are_no_promises(sharing: Sharing) -> None:
    history = a_history((), a_reservation(sharing=sharing))
    for resource in (Resource.MEMORY, Resource.COMPUTE):
        assert said_of(resource, history).reason is CannotReason.NOT_PROMISED


@pytest.mark.parametrize("sharing", [Sharing.VOLCANO, Sharing.KAI, Sharing.UNKNOWN, Sharing.DRA])
def test_other_layers_shares_are_sized_as_well(sharing: Sharing) -> None:
    proposal = said(4, 16, sharing=sharing)
    assert (proposal.verdict, proposal.target) == (Verdict.SMALLER, "")


def test_nobody_measured_it() -> None:
    proposal = said(0, 16, days(memory_peak=None))
    assert (proposal.reason, proposal.peak) == (CannotReason.NOT_MEASURED, None)
    assert proposal.text == "Nobody measured its memory."


@pytest.mark.parametrize(
    ("sharing", "resources", "target"),
    [
        (Sharing.HAMI, {"nvidia.com/gpu": 1}, "nvidia.com/gpumem"),
        (Sharing.HAMI, {"nvidia.com/gpu": 1, "nvidia.com/gpumem-percentage": 50}, ""),
        (Sharing.HAMI, {"nvidia.com/gpu": 1, "nvidia.com/gpumem": 16_384}, ""),
        (Sharing.HAMI, {"hygon.com/dcunum": 1}, "hygon.com/dcumem"),
        (Sharing.HAMI, {"huawei.com/Ascend910B3": 1}, ""),  # its name depends on the chip
        (Sharing.HAMI, None, ""),
        (Sharing.VOLCANO, {"volcano.sh/vgpu-number": 1}, "volcano.sh/vgpu-memory"),
        (Sharing.KAI, {}, ""),  # by an annotation
    ],
)
def test_who_asked_for_no_memory_is_told_the_resource(
    sharing: Sharing, resources: dict[str, int] | None, target: str
) -> None:
    assert said(4, 16, sharing=sharing, resources=resources).target == target
