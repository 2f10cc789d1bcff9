from __future__ import annotations

from typing import Any

from gpuatlas.contention.pace import Pace, paced
from gpuatlas.model.services import ServiceReading

AT = 1_800_000_000.0


def a_reading(seconds: float = 0.0, **values: float | None) -> ServiceReading:
    given: dict[str, float | None] = {"waiting": 1.0, "running": 4.0, "tokens_total": 1000.0}
    return ServiceReading(
        namespace="team-a",
        pod="chat-0",
        runtime="vllm",
        at=AT + seconds,
        **(given | values),  # type: ignore[arg-type]
    )


def pace(before: ServiceReading, now: ServiceReading) -> Pace:
    return paced(now, paced(before, None))


def test_rate_and_speed_of_a_server_that_counts_tokens() -> None:
    found = pace(a_reading(), a_reading(30.0, running=6.0, tokens_total=4000.0, waiting=2.0))
    assert (found.rate, found.running, found.speed, found.waiting) == (100.0, 5.0, 20.0, 2.0)


def test_requests_count_where_tokens_do_not() -> None:
    before = a_reading(tokens_total=None, requests_total=10.0)
    found = pace(before, a_reading(30.0, tokens_total=None, requests_total=40.0))
    assert (found.rate, found.speed) == (1.0, 0.25)


def test_requests_at_work_by_their_time_where_no_gauge_tells() -> None:
    """Little's law: 45 seconds of work in 30 seconds are one and a half requests at once."""
    changes: dict[str, Any] = {"running": None, "tokens_total": None}
    before = a_reading(requests_total=10.0, busy_seconds_total=5.0, **changes)
    found = pace(before, a_reading(30.0, requests_total=40.0, busy_seconds_total=50.0, **changes))
    assert (found.running, found.rate, found.speed) == (1.5, 1.0, 1.0 / 1.5)


def test_a_few_requests_are_no_speed() -> None:
    changes: dict[str, Any] = {"running": None, "tokens_total": None}
    before = a_reading(requests_total=10.0, busy_seconds_total=5.0, **changes)
    found = pace(before, a_reading(30.0, requests_total=14.0, busy_seconds_total=6.0, **changes))
    assert found.speed is None
    assert pace(a_reading(running=0.0), a_reading(30.0, running=0.9)).speed is None


def test_the_first_reading_has_no_rate() -> None:
    found = paced(a_reading(), None)
    assert (found.rate, found.speed, found.waiting, found.running) == (None, None, 1.0, 4.0)


def test_a_counter_that_started_over_has_no_rate() -> None:
    found = pace(a_reading(tokens_total=9000.0), a_reading(30.0, tokens_total=10.0))
    assert (found.rate, found.speed, found.running) == (None, None, 4.0)


def test_readings_far_apart_have_no_rate() -> None:
    assert pace(a_reading(), a_reading(300.0, tokens_total=4000.0)).rate == 10.0
    assert pace(a_reading(), a_reading(301.0, tokens_total=4000.0)).rate is None


def test_the_same_reading_again_changes_nothing() -> None:
    first = pace(a_reading(), a_reading(30.0, tokens_total=4000.0))
    assert paced(a_reading(30.0, tokens_total=4000.0), first) is first


def test_a_server_that_says_nothing_has_no_signal() -> None:
    silent = a_reading(waiting=None, running=None, tokens_total=None)
    assert not paced(silent, None).has_signal
    assert paced(a_reading(), None).has_signal
