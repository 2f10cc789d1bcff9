from __future__ import annotations

import pytest

from gpuatlas.runtime.backfill.alert_states import ActiveAlert, AlertState, AlertStates

PENDING, FIRING = AlertState.PENDING, AlertState.FIRING


def history(
    states: AlertStates[str], found: list[str], *, step: float = 60.0
) -> list[tuple[str, float] | None]:
    """State and beginning of the alert "a" after each evaluation; each text lists what is found."""
    seen: list[tuple[str, float] | None] = []
    for number, keys in enumerate(found):
        alert = states.evaluate(number * step, keys).get("a")
        seen.append(None if alert is None else (alert.state, alert.since))
    return seen


def test_an_alert_without_for_fires_at_once() -> None:
    assert history(AlertStates(), ["", "a", "a", ""]) == [None, (FIRING, 60), (FIRING, 60), None]


def test_an_alert_is_pending_for_its_for() -> None:
    states: AlertStates[str] = AlertStates(for_seconds=120)

    assert history(states, ["a", "a", "a", "a"]) == [
        (PENDING, 0),
        (PENDING, 0),
        (FIRING, 0),
        (FIRING, 0),
    ]


def test_a_gap_makes_a_pending_alert_begin_again() -> None:
    states: AlertStates[str] = AlertStates(for_seconds=120)

    assert history(states, ["a", "a", "", "a", "a", "a"]) == [
        (PENDING, 0),
        (PENDING, 0),
        None,
        (PENDING, 180),
        (PENDING, 180),
        (FIRING, 180),
    ]


def test_a_firing_alert_is_held_and_only_that() -> None:
    states: AlertStates[str] = AlertStates(for_seconds=60, keep_firing_seconds=120)

    assert history(states, ["a", "", "a", "a", "", "", "", "a"]) == [
        (PENDING, 0),
        None,  # pending ones are not held
        (PENDING, 120),
        (FIRING, 120),
        (FIRING, 120),
        (FIRING, 120),
        None,
        (PENDING, 420),
    ]


def test_an_alert_that_comes_back_while_it_is_held_goes_on() -> None:
    states: AlertStates[str] = AlertStates(keep_firing_seconds=120)

    assert history(states, ["a", "", "a", "", "", ""]) == [
        (FIRING, 0),
        (FIRING, 0),
        (FIRING, 0),
        (FIRING, 0),  # the hold begins anew
        (FIRING, 0),
        None,
    ]


def test_alerts_do_not_touch_each_other() -> None:
    states: AlertStates[str] = AlertStates(for_seconds=60)
    states.evaluate(0, "a")

    assert states.evaluate(60, "ab") == {
        "a": ActiveAlert(state=FIRING, since=0),
        "b": ActiveAlert(state=PENDING, since=60),
    }


def test_a_step_longer_than_the_for_makes_it_fire_at_the_second_evaluation() -> None:
    states: AlertStates[str] = AlertStates(for_seconds=60)

    assert history(states, ["a", "a"], step=240) == [(PENDING, 0), (FIRING, 0)]


@pytest.mark.parametrize("state", [PENDING, FIRING])
def test_states_go_on_where_others_ended(state: AlertState) -> None:
    states: AlertStates[str] = AlertStates(for_seconds=3600)
    states.resume({"a": ActiveAlert(state=state, since=-7200 if state is FIRING else -60)})

    assert history(states, ["a"]) == [(state, -7200 if state is FIRING else -60)]
