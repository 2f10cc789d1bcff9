from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.report.effect import (
    MOST_SERVICES,
    Answer,
    Difference,
    EffectReport,
    Labels,
    Verdict,
    difference,
    effect,
)
from gpuatlas.report.measures import NOTHING, Measure, Points, measure
from gpuatlas.report.quantities import QUANTITIES, Quantity, Reduction, Unit
from gpuatlas.report.windows import DAY, Change, Window, lay, step_of

NOW = 1_000 * DAY
BEFORE, AFTER = WINDOWS = lay([Change(NOW - 7 * DAY, "")], now=NOW)
STEP = step_of(BEFORE)
QUANTITY = Quantity(
    key="q", title="quantity", unit=Unit.NUMBER, expression=lambda _: "q", needs="a series q"
)
EVENTS = replace(QUANTITY, unit=Unit.EVENTS, reduction=Reduction.SUM)
WHOLE: Labels = ()


def points(window: Window, *values: float, every: float = STEP) -> Points:
    """The values over and over, through the whole window."""
    number = int(window.seconds / every)
    return {window.start + n * every: values[n % len(values)] for n in range(number)}


def test_a_mean_with_its_error() -> None:
    found = measure(QUANTITY, points(BEFORE, 1.0, 3.0), BEFORE, STEP)
    assert (found.samples, found.coverage) == (1_440, 1.0)
    assert found.value == 2.0
    assert found.error == pytest.approx(0.0, abs=0.01)
    assert found.is_enough


def test_the_error_is_that_of_days() -> None:
    """Days of 1, 2, … 7: their standard deviation is 2.16, and there are seven of them."""
    daily = {BEFORE.start + n * STEP: 1.0 + n * STEP // DAY for n in range(1_440)}
    found = measure(QUANTITY, daily, BEFORE, STEP)
    assert found.value == pytest.approx(4.0, abs=0.01)
    assert found.error == pytest.approx(2.16 / math.sqrt(7), abs=0.01)


def test_a_scale_is_of_the_mean_and_its_error() -> None:
    daily = {BEFORE.start + n * STEP: 1.0 + n * STEP // DAY for n in range(1_440)}
    one = measure(QUANTITY, daily, BEFORE, STEP)
    minutes = measure(replace(QUANTITY, scale=1_440.0), daily, BEFORE, STEP)
    assert minutes.value == pytest.approx(1_440 * (one.value or 0))
    assert minutes.error == pytest.approx(1_440 * (one.error or 0))


def test_events_are_added_up_and_rises_counted() -> None:
    few = {BEFORE.start + n: value for n, value in enumerate([0.0, 2.0, 0.0, 1.0])}
    assert measure(EVENTS, few, BEFORE, STEP).value == 3.0
    rises = replace(EVENTS, reduction=Reduction.RISES)
    assert measure(rises, few, BEFORE, STEP).value == 3.0
    going_on = {BEFORE.start + n: 1.0 for n in range(4)}
    assert measure(rises, going_on, BEFORE, STEP).value == 0.0


def test_coverage_is_that_of_whoever_looked() -> None:
    """A service without requests has no latency, and was watched all the same."""
    by_day = {at: v for at, v in points(BEFORE, 0.2).items() if (at % DAY) < DAY / 2}
    assert measure(QUANTITY, by_day, BEFORE, STEP).coverage == pytest.approx(0.5, abs=0.001)
    found = measure(QUANTITY, by_day, BEFORE, STEP, seen=points(BEFORE, 1.0))
    assert (found.coverage, found.is_enough) == (1.0, True)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e300])
def test_what_is_not_finite_is_no_sample(value: float) -> None:
    assert measure(QUANTITY, {BEFORE.start: value}, BEFORE, STEP) == NOTHING


GOOD = Measure(value=1.0, samples=1_000, coverage=1.0, error=0.01)


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (GOOD, replace(GOOD, value=2.0), Difference(verdict=Verdict.MORE, change=1.0)),
        (GOOD, replace(GOOD, value=0.5), Difference(verdict=Verdict.LESS, change=-0.5)),
        (GOOD, GOOD, Difference(verdict=Verdict.SAME, change=0.0)),
        # Three standard errors of a hundredth each, taken together, are 0.042.
        (GOOD, replace(GOOD, value=1.03125), Difference(verdict=Verdict.SAME, change=0.03125)),
        (GOOD, replace(GOOD, value=1.0625), Difference(verdict=Verdict.MORE, change=0.0625)),
        (
            replace(GOOD, coverage=0.949),
            replace(GOOD, value=2.0),
            Difference(
                verdict=Verdict.UNKNOWN,
                change=1.0,
                reason="94.9% of a window was seen, and 95% are needed",
            ),
        ),
        (
            GOOD,
            replace(GOOD, value=2.0, samples=29),
            Difference(
                verdict=Verdict.UNKNOWN,
                change=1.0,
                reason="29 samples in a window, and 30 are needed",
            ),
        ),
        (
            GOOD,
            NOTHING,
            Difference(
                verdict=Verdict.UNKNOWN, reason="nothing was measured in one of the windows"
            ),
        ),
        (
            GOOD,
            replace(GOOD, value=2.0, error=None),
            Difference(
                verdict=Verdict.UNKNOWN,
                change=1.0,
                reason="too few samples to tell it from chance",
            ),
        ),
    ],
)
def test_a_mean_is_compared(before: Measure, after: Measure, found: Difference) -> None:
    assert difference(QUANTITY, before, after) == found


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (0, 4, Verdict.SAME),
        (0, 5, Verdict.MORE),
        (10, 20, Verdict.SAME),
        (10, 25, Verdict.MORE),
        (25, 10, Verdict.LESS),
    ],
)
def test_counts_vary_by_their_root(before: int, after: int, verdict: Verdict) -> None:
    one, other = (replace(GOOD, value=float(n), error=None) for n in (before, after))
    assert difference(EVENTS, one, other).verdict is verdict


def test_what_the_server_said_is_the_reason() -> None:
    found = difference(QUANTITY, NOTHING, NOTHING, "", "many-to-many matching not allowed")
    assert found.reason == "many-to-many matching not allowed"


def report(
    answers: dict[tuple[str, int], Answer], *quantities: Quantity, windows: object = WINDOWS
) -> EffectReport:
    return effect("node a", windows, answers, at=NOW, quantities=quantities)  # type: ignore[arg-type]


def test_one_line() -> None:
    found = report(
        {
            ("q", 0): Answer(series={WHOLE: points(BEFORE, 1.0)}),
            ("q", 1): Answer(series={WHOLE: points(AFTER, 4.0)}),
        },
        QUANTITY,
    )
    assert (found.scope, found.windows, found.step, found.notes) == ("node a", WINDOWS, STEP, ())
    (row,) = found.rows
    assert [m.value for m in row.measures] == [1.0, 4.0]
    assert row.differences == (Difference(verdict=Verdict.MORE, change=3.0),)


def test_what_was_not_measured_is_unknown() -> None:
    (row,) = report({}, QUANTITY).rows
    assert row.measures == (NOTHING, NOTHING)
    assert row.differences[0].verdict is Verdict.UNKNOWN


def test_windows_shorter_than_a_day_are_told_of() -> None:
    short = lay([Change(NOW - 7_200.0, "")], now=NOW)
    assert report({}, QUANTITY, windows=short).notes == (
        "The windows are shorter than a day: different hours of the day are compared, and a "
        "difference may be theirs.",
    )


def test_a_weekend_beside_working_days_is_told_of() -> None:
    days = lay([Change(NOW - 3 * DAY, "")], now=NOW)
    assert report({}, QUANTITY, windows=days).notes == (
        "The windows are no whole weeks: different weekdays are compared, and a difference may be "
        "theirs.",
    )
    weeks = lay([Change(NOW - 7 * DAY, "")], now=NOW)
    assert report({}, QUANTITY, windows=weeks).notes == ()


SERVICES = replace(QUANTITY, services=True, seen=lambda _: "seen")


def service(name: str) -> Labels:
    return (("namespace", "chat"), ("workload_kind", "Deployment"), ("workload", name))


def test_services_that_were_there_in_every_window() -> None:
    both, young = service("both"), service("young")
    found = report(
        {
            ("q", 0): Answer(
                series={both: points(BEFORE, 1.0), young: {BEFORE.start: 1.0}},
                seen={both: points(BEFORE, 1.0), young: {BEFORE.start: 1.0}},
            ),
            ("q", 1): Answer(
                series={both: points(AFTER, 1.0), young: points(AFTER, 1.0)},
                seen={both: points(AFTER, 1.0), young: points(AFTER, 1.0)},
            ),
        },
        SERVICES,
    )
    assert [row.service for row in found.rows] == ["chat Deployment/both"]
    assert found.notes == ("quantity: 1 services were not there in every window, and are left out",)


def test_no_more_services_than_can_be_read() -> None:
    names = [service(f"s{number:02}") for number in range(MOST_SERVICES + 3)]
    answers = {
        ("q", number): Answer(series=found, seen=found)
        for number, window in enumerate(WINDOWS)
        for found in [{name: points(window, 1.0) for name in names}]
    }
    found = report(answers, SERVICES)
    assert [row.service[-3:] for row in found.rows] == [f"s{n:02}" for n in range(MOST_SERVICES)]
    assert found.notes == ("quantity: 3 more services are left out",)


def test_all_quantities_have_their_own_key_and_say_what_they_need() -> None:
    keys = [quantity.key for quantity in QUANTITIES]
    assert len(set(keys)) == len(keys)
    assert all(quantity.needs and quantity.title for quantity in QUANTITIES)


@settings(deadline=None, max_examples=60)
@given(
    st.dictionaries(st.floats(BEFORE.start, BEFORE.end), st.floats(), max_size=50),
    st.none() | st.dictionaries(st.floats(BEFORE.start, BEFORE.end), st.floats(), max_size=5),
    st.sampled_from(Reduction),
)
def test_any_samples_give_a_finite_measure(
    found: Points, seen: Points | None, reduction: Reduction
) -> None:
    measured = measure(
        replace(QUANTITY, reduction=reduction),
        found,
        BEFORE,
        STEP,
        seen,
    )
    assert 0 <= measured.coverage <= 1
    assert measured.value is None or math.isfinite(measured.value)
    assert measured.error is None or measured.error >= 0


def test_differences_are_between_neighbours() -> None:
    three = lay([Change(NOW - 7 * DAY, ""), Change(NOW - 14 * DAY, "")], now=NOW)
    answers = {
        ("q", n): Answer(series={WHOLE: points(window, float(2**n))})
        for n, window in enumerate(three)
    }
    (row,) = report(answers, QUANTITY, windows=three).rows
    values = [m.value or 0 for m in row.measures]
    assert values == [1.0, 2.0, 4.0]
    assert [d.change for d in row.differences] == [b - a for a, b in pairwise(values)]
