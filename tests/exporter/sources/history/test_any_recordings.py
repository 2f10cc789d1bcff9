"""Whatever a server holds, what comes of it keeps what the model says."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuatlas.sources.history import daily, present
from gpuatlas.sources.history.assemble import Assembly
from gpuatlas.sources.history.contended import contended_of
from gpuatlas.sources.history.daily import Daily
from gpuatlas.sources.history.missing import missing_of
from gpuatlas.sources.history.nodes import demands_of, promises_of
from gpuatlas.sources.history.present import Present
from gpuatlas.sources.promapi.client import Point, Series

WORDS = st.sampled_from(["", "a", "b", "gpu-a", "Job", "hami", "plain", "1g.10gb"]) | st.text(
    max_size=3
)
FACTS = (
    *("container", "node", "card", "partition", "group", "revision", "sharing", "phase"),
    *("resource", "runtime", "profile", "gpu_memory_utilization", "kv_cache_memory_bytes"),
)
WHOSE = ("cluster", "namespace", "pod", "workload", "workload_kind", "exported_pod")
# Mostly of two workloads, so that recordings meet.
OWN = {
    name: {"namespace": "a", "workload_kind": "Job", "workload": name, "pod": name, "group": "x"}
    for name in ("a", "b")
}
LABELS = st.builds(
    lambda own, facts, whose: {**own, **facts, **whose},
    st.sampled_from(list(OWN.values())),
    st.dictionaries(st.sampled_from(FACTS), WORDS, max_size=2),
    st.just({}) | st.just({}) | st.dictionaries(st.sampled_from(WHOSE), WORDS, max_size=2),
)
NUMBERS = st.floats() | st.sampled_from([0.0, 0.5, 1.0, 1.0, 2.0, 1e9, 3e12, 1.8e19])
POINTS = st.dictionaries(
    st.sampled_from([1.0, 2.0, 3.0]), NUMBERS.map(str) | st.just("x"), min_size=1, max_size=3
)
RECORDED = st.lists(
    st.tuples(st.sampled_from(daily.SOURCES), LABELS, POINTS), min_size=5, max_size=30
)
THERE = st.lists(
    st.tuples(st.sampled_from((*present.SOURCES, *present.PAST_SOURCES)), LABELS, NUMBERS),
    max_size=25,
)


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])
@given(RECORDED, THERE)
def test_any_series(
    recorded: list[tuple[daily.DailySource, dict[str, str], dict[float, str]]],
    there: list[tuple[present.PresentSource, dict[str, str], float]],
) -> None:
    table, now = Daily(), Present()
    for source, labels, points in recorded:
        refused = source.put(table, [Series({"__name__": source.name, **labels}, points)])
        assert 0 <= refused <= len(points)
    holding = [(source, OWN["a"], 1.0) for source in present.SOURCES]
    for each, labels, value in (*holding, *there):
        each.take(now, [Point({"__name__": each.names[0], **labels}, value, 3.0)])
    alive = now.containers()
    assembly = Assembly(present=now, daily=table, instants=table.instants(), alive=alive)
    histories = assembly.histories()
    assert histories
    assert len({history.of for history in histories}) == len(histories)
    for history in histories:
        ends = [day.ends_at for day in history.days]
        assert ends == sorted(set(ends))
        assert history.reservation.cards >= 1
        assert history.reservation.containers >= 0
    for number in numbers_of(histories, demands_of(now, table, 3.0), promises_of(now)):
        assert math.isfinite(number)
        assert number >= 0
    for found in contended_of(now, table, lambda _kind, _runtime: None):
        assert 0 < found.victim_minutes + found.suspect_minutes <= 2 * 3 * 1440
    missing_of(now, table, alive, overcommitted=frozenset({""}), matchers={})


def numbers_of(*things: object) -> Iterator[float]:
    """All numbers in dataclasses and collections of them."""
    for thing in things:
        if isinstance(thing, int | float):
            yield thing
        elif isinstance(thing, tuple | frozenset | list):
            yield from numbers_of(*thing)
        elif isinstance(thing, dict):
            yield from numbers_of(*thing.values())
        elif hasattr(thing, "__dataclass_fields__"):
            yield from numbers_of(*(getattr(thing, name) for name in thing.__dataclass_fields__))


def test_numbers_are_found_wherever_they_are() -> None:
    assert list(numbers_of((1, [2.5]), {"a": 3}, frozenset({4}), "5", None)) == [1, 2.5, 3, 4]
    assert list(numbers_of(Point({}, 1.5, 2.0))) == [1.5, 2.0]


@pytest.mark.parametrize("source", daily.SOURCES, ids=lambda source: source.name)
def test_series_of_nobody_are_left_out(source: daily.DailySource) -> None:
    table = Daily()
    source.put(table, [Series({"__name__": source.name}, {1.0: "1"})])
    rows = (row for name in table.__slots__ for row in getattr(table, name).items())
    assert [key for key, _ in rows] in ([], [""])  # only a cluster may have no name
