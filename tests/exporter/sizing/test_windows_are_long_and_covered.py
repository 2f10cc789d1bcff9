"""Which days an answer rests on, and why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from gpuatlas.model.sizing import CannotReason, Day, Resource, Verdict
from gpuatlas_harness.truth.sizing_build import (
    DAY,
    GIB,
    a_container,
    a_day,
    a_history,
    changed,
    days,
    said_of,
)

RUN = {"group": "CronJob/nightly", "kind": "CronJob", "name": "nightly"}


def said(week: Sequence[Day], **of: Any) -> tuple[str, float, float | None, str]:
    """Verdict or reason, days, coverage and, for a reason, the text."""
    history = a_history(week, of=a_container(**of))
    proposal = said_of(Resource.MEMORY, history)
    text = proposal.text if proposal.reason else ""
    coverage = None if proposal.coverage is None else round(proposal.coverage, 3)
    return proposal.reason or proposal.verdict, proposal.window_days, coverage, text


def test_seven_days_are_enough_and_less_are_not() -> None:
    assert said(days(7)) == ("smaller", 7.0, 1.0, "")
    assert said(days(6)) == ("short-window", 6.0, 1.0, "Seen for 6 days; 7 are needed.")


def test_the_first_day_counts_by_its_part() -> None:
    half = changed(days(7), 6, present=0.5)
    assert said(half) == ("short-window", 6.5, 1.0, "Seen for 6.5 days; 7 are needed.")
    assert said(changed(days(8), 7, present=0.5))[:2] == ("smaller", 7.5)
    # A scrape that is missing at its beginning is not half a day.
    assert said(changed(days(7), 6, present=0.96))[:2] == ("smaller", 6.96)


def test_pauses_of_what_goes_on_are_days_that_were_seen() -> None:
    week = days(8, present=0.4)
    assert said(week)[:2] == ("smaller", 7.4)
    weekend = changed(days(9), 3, present=0.0, memory_peak=None, compute_p95=None, measured=0.0)
    assert said(weekend)[:3] == ("smaller", 9.0, 1.0)


def test_days_before_it_was_there_are_none_of_its_days() -> None:
    before = [a_day(ago, present=0.0, memory_peak=None, measured=0.0) for ago in (9, 8, 7)]
    assert said([*before, *days(6)])[:2] == ("short-window", 6.0)


def test_no_day_at_all() -> None:
    history = replace(a_history(), days=())
    proposal = said_of(Resource.MEMORY, history)
    assert (proposal.reason, proposal.coverage) == (CannotReason.NOT_MEASURED, None)


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"watched": 0.95}, "smaller"),
        ({"watched": 0.94}, "coverage"),
        ({"measured": 0.95}, "smaller"),
        ({"watched": 0.97, "measured": 0.97}, "coverage"),  # 94 % of the promised minutes
    ],
)
def test_each_day_is_measured_to_95_percent(fields: dict[str, float], word: str) -> None:
    assert said(days(14, **fields))[0] == word


def test_a_day_that_nobody_watched_ends_the_window() -> None:
    text = "Of one of its last days 50 % were measured; 95 % of each are needed."
    assert said(changed(days(), 6, watched=0.5)) == ("coverage", 14.0, 0.964, text)
    assert said(changed(days(), 7, watched=0.5)) == ("smaller", 7.0, 1.0, "")


def test_a_missing_day_ends_the_window() -> None:
    whole = days()
    text = "A day of the last 7 is missing; 95 % of each are needed."
    assert said([d for d in whole if d is not whole[-4]]) == ("coverage", 14.0, 1.0, text)
    assert said([d for d in whole if d is not whole[-8]]) == ("smaller", 7.0, 1.0, "")


def test_a_day_of_which_the_memory_is_missing_is_not_covered() -> None:
    assert said(changed(days(), 2, memory_peak=None))[0] == "coverage"
    assert said(changed(days(), 8, memory_peak=None))[:2] == ("smaller", 8.0)


def test_a_peak_before_a_gap_still_counts() -> None:
    week = changed(changed(days(), 7, watched=0.5), 10, memory_peak=12 * GIB)
    proposal = said_of(Resource.MEMORY, a_history(week))
    assert (proposal.verdict, proposal.peak) == (Verdict.FITS, 12 * GIB)


def test_one_of_four_containers_is_not_measured() -> None:
    text = (
        "On one of its last days 1.0 of 4 containers were not measured; the fullest of all counts."
    )
    assert said(days(14, replicas=4, measured=0.75)) == ("replicas", 14.0, 0.75, text)


def test_one_of_forty_is_missing_though_97_percent_are_measured() -> None:
    assert said(days(14, replicas=40, measured=0.975))[0] == "replicas"
    assert said(days(14, replicas=40, measured=0.98))[0] == "smaller"


def test_what_nobody_watched_is_not_the_replicas_fault() -> None:
    assert said(days(14, replicas=2, measured=0.5, watched=0.5))[0] == "coverage"


def rolled_out(ago: int) -> tuple[Day, ...]:
    """Template b came `ago` days before the last."""
    new = tuple(replace(d, revisions=frozenset({"b"})) for d in days(ago))
    return (*days(14)[: 14 - ago - 1], a_day(ago, revisions=frozenset({"a", "b"})), *new)


def test_seven_full_days_after_a_rollout_are_enough() -> None:
    assert said(rolled_out(7)) == ("smaller", 7.0, 1.0, "")
    text = "Its pod template changed 6 days ago; 7 days without a change are needed."
    assert said(rolled_out(6)) == ("rollout", 14.0, 1.0, text)


def test_a_rollout_of_today() -> None:
    text = "Its pod template changed in the last day; 7 days without a change are needed."
    assert said(rolled_out(0))[::3] == ("rollout", text)


def test_a_template_that_is_new_at_the_end_of_a_day_came_in_the_course_of_it() -> None:
    """Where only one template is known of each day."""
    old, new = days(14), tuple(replace(d, revisions=frozenset({"b"})) for d in days(14))
    assert said((*old[:6], *new[6:]))[:2] == ("smaller", 7.0)
    assert said((*old[:7], *new[7:]))[0] == "rollout"
    text = "Its pod template changed in the last day; 7 days without a change are needed."
    assert said((*old[:13], new[13]))[::3] == ("rollout", text)
    unknown = replace(old[6], revisions=frozenset())
    assert said((*old[:6], unknown, *new[7:]))[0] == "rollout"
    high = changed((*old[:6], *new[6:]), 7, memory_peak=9 * GIB)
    assert said_of(Resource.MEMORY, a_history(high)).peak == 9 * GIB


def test_peaks_of_the_old_template_do_not_count_and_that_of_its_last_day_does() -> None:
    old = tuple(replace(d, memory_peak=14 * GIB) for d in rolled_out(7)[:6])
    proposal = said_of(Resource.MEMORY, a_history((*old, *rolled_out(7)[6:])))
    assert (proposal.verdict, proposal.peak) == (Verdict.SMALLER, 4 * GIB)
    # The start-up of the new one is on the day of the rollout.
    start_up = changed(rolled_out(7), 7, memory_peak=9 * GIB)
    assert said_of(Resource.MEMORY, a_history(start_up)).peak == 9 * GIB


def test_two_templates_that_stay_are_no_rollout() -> None:
    assert said(days(14, revisions=frozenset({"a", "canary"})))[0] == "smaller"


def test_days_without_a_template_say_nothing_of_a_rollout() -> None:
    assert said(changed(days(), 3, revisions=frozenset()))[:2] == ("smaller", 14.0)
    assert said(days(14, revisions=frozenset()))[:2] == ("smaller", 14.0)


def test_three_completed_runs_are_enough() -> None:
    week = [a_day(ago, present=0.1, runs=frozenset({f"nightly-{ago}"})) for ago in (2, 1, 0)]
    assert said(week, **RUN) == ("smaller", 0.3, 1.0, "")
    text = "Seen for 0.2 days and 2 completed runs; 7 days or 3 runs are needed."
    assert said(week[1:], **RUN) == ("short-window", 0.2, 1.0, text)


def test_a_run_that_goes_on_for_a_week_is_enough() -> None:
    assert said(days(7), **RUN)[:2] == ("smaller", 7.0)


def test_days_between_runs_are_no_gaps() -> None:
    week = [a_day(ago, present=0.1, runs=frozenset({f"nightly-{ago}"})) for ago in (12, 6, 0)]
    idle = [a_day(3, present=0.0, memory_peak=None, watched=0.0, measured=0.0)]
    assert said([*week[:2], *idle, week[2]], **RUN)[:2] == ("smaller", 0.3)


def test_a_run_that_nobody_watched_is_a_gap() -> None:
    week = [a_day(ago, present=0.1, runs=frozenset({f"nightly-{ago}"})) for ago in (3, 2, 1, 0)]
    assert said([week[0], replace(week[1], watched=0.5), *week[2:]], **RUN)[0] == "coverage"
    assert said([replace(week[0], watched=0.5), *week[1:]], **RUN)[:2] == ("smaller", 0.3)


def test_templates_of_runs_are_no_rollouts() -> None:
    week = [
        a_day(ago, present=0.1, runs=frozenset({f"n-{ago}"}), revisions=frozenset({f"n-{ago}"}))
        for ago in range(5)
    ]
    assert said(week, **RUN)[0] == "smaller"


def test_reasons_have_an_order() -> None:
    """What holds first is told first: short, then coverage, then the rollout."""
    week = changed(rolled_out(3), 1, watched=0.2)
    assert said(week[-5:])[0] == "short-window"
    assert said(week)[0] == "coverage"
    assert said(rolled_out(3))[0] == "rollout"


def test_days_in_any_order_are_the_same() -> None:
    assert said(tuple(reversed(rolled_out(8)))) == said(rolled_out(8))
    assert rolled_out(8)[0].ends_at == a_day().ends_at - 13 * DAY
