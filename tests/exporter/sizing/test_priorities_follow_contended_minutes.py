from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.sizing import Contended
from gpuatlas.sizing.priority import suggest


def contended(**changes: object) -> Contended:
    plain: dict[str, object] = {
        "cluster": "prod",
        "namespace": "chat",
        "kind": "Deployment",
        "name": "llm-chat",
        "victim_minutes": 0.0,
        "suspect_minutes": 0.0,
        "serves": None,
        "priority": None,
    }
    return Contended(**(plain | changes))  # type: ignore[arg-type]


VICTIM = contended(victim_minutes=132.4, suspect_minutes=2.0, serves=True, priority=1)
SUSPECT = contended(
    namespace="batch", kind="CronJob", name="embed", suspect_minutes=1240.0, serves=False
)


def test_who_answers_and_is_slowed_goes_first() -> None:
    (found,) = suggest([VICTIM])
    assert (found.of, found.proposed) == (VICTIM, 0)
    assert found.text == (
        "answers requests, was slowed for 132 minutes of the window and suspected of slowing "
        "others for 2 minutes: high (0) lets it go first"
    )


def test_who_can_wait_and_is_suspected_goes_second() -> None:
    (found,) = suggest([SUSPECT])
    assert (found.of, found.proposed) == (SUSPECT, 1)
    assert found.text == (
        "answers no requests, was suspected of slowing others for 1,240 minutes of the window and "
        "never slowed: low (1) lets the others go first"
    )


def test_the_most_minutes_stand_first() -> None:
    assert [found.of for found in suggest([VICTIM, SUSPECT])] == [SUSPECT, VICTIM]


@pytest.mark.parametrize(
    "changes",
    [
        {"victim_minutes": 29.9, "serves": True},
        {"suspect_minutes": 29.9, "serves": False},
        {"victim_minutes": 300.0, "suspect_minutes": 40.0, "serves": True},
        {"victim_minutes": 40.0, "suspect_minutes": 300.0, "serves": False},
        {"victim_minutes": 300.0, "serves": False},
        {"suspect_minutes": 300.0, "serves": True},
        {"victim_minutes": 300.0, "serves": None},
        {"suspect_minutes": 300.0, "serves": None},
        {"victim_minutes": 300.0, "serves": True, "priority": 0},
        {"suspect_minutes": 300.0, "serves": False, "priority": 1},
        {"suspect_minutes": 300.0, "serves": False, "priority": 2},
        {"victim_minutes": math.nan, "suspect_minutes": 300.0, "serves": False},
        {"victim_minutes": 300.0, "suspect_minutes": math.inf, "serves": True},
    ],
)
def test_nothing_is_said(changes: dict[str, object]) -> None:
    assert suggest([contended(**changes)]) == ()


@pytest.mark.parametrize("minutes", [30.0, 30.4])
def test_thirty_minutes_are_enough(minutes: float) -> None:
    (found,) = suggest([contended(victim_minutes=minutes, serves=True)])
    assert "slowed for 30 minutes" in found.text
    assert "never suspected of slowing others" in found.text


def test_less_than_a_minute_is_not_written_as_none() -> None:
    (found,) = suggest([contended(victim_minutes=61.0, suspect_minutes=0.5, serves=True)])
    assert "suspected of slowing others for less than a minute" in found.text


@settings(deadline=None)
@given(
    st.builds(
        contended,
        victim_minutes=st.floats(),
        suspect_minutes=st.floats(),
        serves=st.none() | st.booleans(),
        priority=st.none() | st.integers(-5, 5),
    )
)
def test_a_suggestion_always_changes_something(one: Contended) -> None:
    for found in suggest([one]):
        assert found.proposed in {0, 1}
        assert found.proposed != one.priority
        assert max(one.victim_minutes, one.suspect_minutes) >= 30
        assert min(one.victim_minutes, one.suspect_minutes) < 30
