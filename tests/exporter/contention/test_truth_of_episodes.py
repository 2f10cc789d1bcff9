"""The analysis against generated histories whose truth is known.

`tests/bench/contention.py` prints the same figures for many more.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpuatlas_harness.truth.contention_episodes import hash_of, history
from gpuatlas_harness.truth.contention_kinds import KINDS, Cause
from gpuatlas_harness.truth.contention_score import Judged, Score, judged, score

SEED = 20_260_921


@pytest.fixture(scope="module")
def episodes() -> tuple[Judged, ...]:
    """Ten hours of each kind of history."""
    return tuple(_episodes())


def _episodes() -> Iterator[Judged]:
    for kind in KINDS:
        yield from judged(history(kind, seed=hash_of(SEED, kind.name)))


@pytest.fixture(scope="module")
def figures(episodes: tuple[Judged, ...]) -> Score:
    return score(episodes)


def test_there_are_enough_episodes_of_both_kinds(figures: Score) -> None:
    assert figures.due >= 40
    assert figures.without >= 80


def test_the_true_aggressor_comes_first(figures: Score) -> None:
    assert figures.ranked_first >= 0.9


def test_nobody_is_named_where_no_neighbour_is_the_cause(figures: Score) -> None:
    assert figures.nobody_named >= 0.99


def test_nobody_else_is_named_beside_the_aggressor(figures: Score) -> None:
    assert figures.wrong == 0


def test_most_of_the_time_of_slow_services_is_found(episodes: tuple[Judged, ...]) -> None:
    found = [e for e in episodes if e.cause is Cause.NEIGHBOUR and "without signal" not in e.kind]
    assert sum(e.slowed for e in found) >= 0.75 * sum(e.true_seconds for e in found)


def test_slow_hardware_hardly_counts_as_slowed(episodes: tuple[Judged, ...]) -> None:
    found = [e for e in episodes if e.cause is Cause.HARDWARE]
    assert sum(e.slowed for e in found) <= 0.05 * sum(e.true_seconds for e in found)
