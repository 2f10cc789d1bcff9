from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.report.windows import (
    DAY,
    LONGEST,
    SHORTEST,
    Change,
    Window,
    WindowError,
    lay,
    step_of,
)

NOW = 1_000 * DAY
HOUR = 3_600.0


def at(days: float, name: str = "") -> Change:
    """So many days before now."""
    return Change(NOW - days * DAY, name)


def spans(windows: tuple[Window, ...]) -> list[tuple[str, float, float]]:
    return [(w.name, (NOW - w.start) / DAY, (NOW - w.end) / DAY) for w in windows]


def test_one_change_has_a_window_on_each_side() -> None:
    assert spans(lay([at(3)], now=NOW)) == [("before", 6, 3), ("after", 3, 0)]


def test_a_window_is_no_longer_than_a_week() -> None:
    assert spans(lay([at(30)], now=NOW)) == [("before", 37, 30), ("after", 30, 23)]


def test_whole_days_have_the_same_hours() -> None:
    windows = lay([at(3)], now=NOW, settle=HOUR)
    assert [w.seconds for w in windows] == [2 * DAY, 2 * DAY]
    assert windows[1].start == NOW - 3 * DAY + HOUR


def test_less_than_a_day_is_in_whole_minutes() -> None:
    windows = lay([Change(NOW - 7_250.0, "")], now=NOW)
    assert [w.seconds for w in windows] == [7_200.0, 7_200.0]


def test_several_changes_are_several_columns() -> None:
    windows = lay(
        [at(7, "overcommitted"), at(14, "shared")], now=NOW, since=at(21, "whole"), settle=HOUR
    )
    assert [(w.name, w.seconds) for w in windows] == [
        ("whole", 6 * DAY),
        ("shared", 6 * DAY),
        ("overcommitted", 6 * DAY),
    ]
    assert [w.name for w in lay([at(2), at(4)], now=NOW)] == [
        "before",
        "after change 1",
        "after change 2",
    ]


def test_the_time_before_can_be_what_is_short() -> None:
    assert spans(lay([at(5)], now=NOW, since=at(7))) == [("before", 7, 5), ("after", 5, 3)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"changes": []}, "no change is named"),
        ({"changes": [at(-1)]}, "lies in the future"),
        ({"changes": [at(0)]}, "lies in the future"),
        ({"changes": [at(0.01)]}, "there are 14 minutes beside a change, and a window needs 30"),
        ({"changes": [at(1)], "settle": 2 * DAY}, "there are 0 minutes"),
        ({"changes": [at(5), at(5.001)]}, "there are 1 minutes"),
        ({"changes": [at(5)], "since": at(4)}, "there are 0 minutes"),
    ],
)
def test_there_is_no_window(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(WindowError, match=said):
        lay(**arguments, now=NOW)


@settings(deadline=None)
@given(
    st.lists(st.floats(0.001, 400), min_size=1, max_size=5),
    st.none() | st.floats(0.001, 400),
    st.floats(0, 2 * DAY),
)
def test_windows_never_overlap_a_change(
    days: list[float], since: float | None, settle: float
) -> None:
    changes = [at(d) for d in days]
    try:
        windows = lay(changes, now=NOW, since=at(since) if since else None, settle=settle)
    except WindowError:
        return
    assert len(windows) == len(days) + 1
    assert len({round(w.seconds, 3) for w in windows}) == 1
    assert SHORTEST <= round(windows[0].seconds, 3) <= LONGEST
    assert windows[-1].end <= NOW + 1e-3
    for window in windows:
        assert not any(window.start + 1e-3 < c.at < window.end - 1e-3 for c in changes)
        assert 30 <= window.seconds / step_of(window) <= 1_500
