from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.runtime.backfill.range_query import Grid


def test_a_grid_has_both_its_ends() -> None:
    assert Grid(first=120, last=360, step=120).instants == (120, 240, 360)
    assert Grid(first=120, last=120, step=120).instants == (120,)


@pytest.mark.parametrize(
    ("interval", "instants"),
    [
        (15.0, (120, 240, 360, 480)),  # no finer than the grid
        (120.0, (120, 240, 360, 480)),
        (240.0, (240, 480)),
        (300.0, (360,)),  # the next multiple of the step
        (960.0, ()),
    ],
)
def test_a_slow_group_strikes_seldom(interval: float, instants: tuple[float, ...]) -> None:
    chosen = Grid(first=120, last=480, step=120).every(interval)

    assert (() if chosen is None else chosen.instants) == instants


@given(
    pieces=st.lists(st.integers(1, 9), min_size=1, max_size=6), interval=st.sampled_from([60, 240])
)
@settings(deadline=None, max_examples=100)
def test_pieces_strike_as_the_whole_does(pieces: list[int], interval: int) -> None:
    whole = Grid(first=60, last=60.0 * sum(pieces), step=60).every(interval)
    struck: list[float] = []
    first = 60.0
    for count in pieces:
        piece = Grid(first=first, last=first + 60 * (count - 1), step=60).every(interval)
        struck += () if piece is None else piece.instants
        first += 60 * count

    assert struck == list(() if whole is None else whole.instants)


@pytest.mark.parametrize(
    ("number", "instants"), [(1, (60, 120, 180, 240)), (2, (60, 180)), (3, (60, 240)), (9, (60,))]
)
def test_each_so_many_instants_from_the_first(number: int, instants: tuple[float, ...]) -> None:
    assert Grid(first=60, last=240, step=60).each(number).instants == instants
