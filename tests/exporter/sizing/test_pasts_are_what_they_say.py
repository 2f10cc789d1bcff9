"""The labelled histories and the references of others: what the comparison rests on."""

from __future__ import annotations

import pytest

from gpuatlas.model.sizing import Day, Verdict
from gpuatlas.model.units import MIB
from gpuatlas.sizing.judge import judge
from gpuatlas_harness.truth.references import krr, kruize, vpa
from gpuatlas_harness.truth.sizing_histories import labelled_histories
from gpuatlas_harness.truth.sizing_past import END, Past, days_of
from gpuatlas_harness.truth.sizing_patterns import PATTERNS
from gpuatlas_harness.truth.sizing_shapes import DAYS, PER_DAY, WINDOW, Container


def two_containers() -> Past:
    """One needs 100 MiB, the other 200, and on day 5 for an hour 500."""
    small = Container(need=[[100.0] * PER_DAY] * DAYS)
    large = Container(need=[[200.0] * PER_DAY for _ in range(DAYS)])
    large.need[5][60:72] = [500.0] * 12
    return Past(containers=[small, large], compute=[0.5] * DAYS)


def of(past: Past, day: int) -> Day:
    return next(d for d in days_of(past) if d.ends_at == END - (WINDOW - 1 - day) * 86_400)


def test_a_day_is_the_fullest_container_of_its_watched_minutes() -> None:
    past = two_containers()
    assert of(past, 5) == Day(
        ends_at=END - 8 * 86_400,
        memory_peak=500 * MIB,
        compute_p95=0.5,
        present=1.0,
        watched=1.0,
        measured=1.0,
        replicas=2,
        restarts=0,
        revisions=frozenset({"a"}),
    )
    assert of(past, 4).memory_peak == 200 * MIB
    past.gaps = [(5, 48, 72)]
    assert (of(past, 5).memory_peak, of(past, 5).watched) == (200 * MIB, 1 - 24 / 288)
    past.gaps = [(5, 48, 71)]
    assert of(past, 5).memory_peak == 500 * MIB


def test_the_truth_does_not_depend_on_who_watched() -> None:
    past = two_containers()
    past.gaps, past.lost, past.unmeasured = [(5, 0, 288)], {6}, {1}
    assert (past.need(5), past.used(6)) == (500.0, 200.0)
    assert of(past, 5).memory_peak is None
    assert (of(past, 4).memory_peak, of(past, 4).measured) == (100 * MIB, 0.5)
    assert len(days_of(past)) == WINDOW - 1


def test_a_limit_holds_back_what_is_used_and_not_what_is_needed() -> None:
    past = two_containers()
    past.limit = 300.0
    assert (past.need(5), past.used(5)) == (500.0, 300.0)
    day = of(past, 5)
    assert (day.memory_peak, day.limit_hit, day.restarts) == (300 * MIB, True, 1)
    assert not of(past, 4).limit_hit


def test_histories_come_from_their_seed() -> None:
    one, again = (list(labelled_histories(30, seed=7)) for _ in range(2))
    assert [labelled.history for labelled in one] == [labelled.history for labelled in again]
    other = labelled_histories(30, seed=8)
    assert [labelled.history for labelled in one] != [labelled.history for labelled in other]
    assert [labelled.pattern for labelled in one] == [*PATTERNS, *PATTERNS]


def test_unwatched_minutes_would_have_changed_answers() -> None:
    """The gaps are no decoration: who trusts what he saw is wrong at times."""
    blind = 0
    for labelled in labelled_histories(600, seed=3):
        seen = max((day.memory_peak or 0 for day in labelled.history.days), default=0)
        if labelled.used and seen < max(labelled.used[:WINDOW]):
            blind += 1
    assert blind >= 10


def test_some_are_sized_well_and_most_are_not() -> None:
    said = [
        judge(labelled.history)[0].verdict
        for labelled in labelled_histories(600, seed=4)
        if labelled.safe
    ]
    assert 0.2 < said.count(Verdict.FITS) / len(said) < 0.5
    assert said.count(Verdict.SMALLER) / len(said) > 0.4


# --- The rules of the others, as published (facts/peers.md D1) -----------------------------------


def test_krr_is_the_highest_of_all_and_15_percent() -> None:
    assert krr([[[1.0, 8.0], [2.0]], [[], [10.0]]]) == pytest.approx(11.5)
    assert krr([[[]], []]) is None


def test_kruize_is_the_60th_percentile_of_the_maxima_of_quarters_of_an_hour() -> None:
    day = [float(i) for i in range(30)]  # maxima 2, 5, 8, … 29
    assert kruize([[day]]) == 17.0
    assert kruize([[[]]]) is None


def test_vpa_is_the_90th_percentile_of_daily_peaks_of_which_old_ones_fade() -> None:
    flat = [[1_000.0]] * 8
    # The bucket of 1,000 MiB ends at 1,027.2; 15 % above.
    bucket = vpa([flat])
    assert bucket == pytest.approx(1_181.3, rel=1e-4)
    # A peak of three days ago weighs 1/16 of all: it is above the 90th percentile.
    assert vpa([[*flat[:4], [9_000.0], *flat[5:]]]) == bucket
    # That of the last day weighs the half.
    assert (vpa([[*flat[:7], [9_000.0]]]) or 0) > 9_000 * 1.15
    # One of nine days ago is forgotten.
    assert vpa([[[9_000.0], *flat]]) == bucket
    assert vpa([[[], []]]) is None
