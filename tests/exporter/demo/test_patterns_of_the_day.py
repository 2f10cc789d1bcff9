from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.demo.patterns import PATTERNS, activity, is_weekend, mean_activity


def instant(day: int, hour: int) -> float:
    """A moment in June 2026; the 18th is a Thursday, the 20th a Saturday."""
    return datetime(2026, 6, day, hour, 10, tzinfo=UTC).timestamp()


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(sorted(PATTERNS)), st.floats(min_value=1.7e9, max_value=1.9e9))
def test_activity_is_a_share(pattern: str, at: float) -> None:
    assert 0 <= activity(pattern, at, "w", 0) <= 1


@pytest.mark.parametrize(
    ("pattern", "busy_hour", "quiet_hour"),
    [("office-hours", 13, 2), ("evenings", 20, 8), ("nights", 2, 14)],
)
def test_a_pattern_is_busiest_at_its_hour(pattern: str, busy_hour: int, quiet_hour: int) -> None:
    busy = activity(pattern, instant(18, busy_hour), "w")
    assert busy > 3 * activity(pattern, instant(18, quiet_hour), "w")


def test_offices_are_quiet_on_saturdays() -> None:
    assert is_weekend(instant(20, 13))
    assert not is_weekend(instant(18, 13))
    saturday, thursday = (activity("office-hours", instant(d, 13), "w") for d in (20, 18))
    assert saturday < thursday / 2


def test_training_pauses_for_its_checkpoints() -> None:
    half_past = datetime(2026, 6, 18, 13, 30, 5, tzinfo=UTC).timestamp()
    assert activity("training", half_past, "w") < 0.2
    assert activity("training", half_past + 120, "w") > 0.9


def test_idle_is_idle() -> None:
    assert activity("idle", instant(18, 13), "w") == 0


def test_the_mean_lies_between_the_extremes() -> None:
    assert mean_activity("idle") == 0
    assert 0.2 < mean_activity("office-hours") < 0.6
    assert mean_activity("training") > 0.8
