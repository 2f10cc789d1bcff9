from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.cli.demonstration.past_plan import PastPlan, plan_past
from gpuatlas.cli.demonstration.timeline import (
    COARSE_STEP,
    DAY,
    FINE_STEP,
    HOUR,
    episodes,
    ongoing,
    stretches,
)
from gpuatlas.demo.scenario import FaultSpec
from gpuatlas.demo.scenario_file import load_scenario

NOW: Final = 1_793_293_277.0
SCENARIO: Final = load_scenario()
LOOK_BACK: Final = 300.0


def instants(begin: float, end: float) -> list[float]:
    return [instant for grid in stretches(begin, end) for instant in grid.instants]


@given(end=st.integers(1_780_000_000, 1_800_000_000), length=st.integers(0, int(5 * DAY)))
@settings(deadline=None, max_examples=100)
def test_steps_are_whole_and_never_longer_than_a_query_looks_back(end: int, length: int) -> None:
    found = instants(end - length, end)

    steps = [later - earlier for earlier, later in pairwise(found)]
    assert all(end - length <= instant <= end for instant in found)
    assert all(instant % FINE_STEP == 0 for instant in found)
    assert set(steps) <= {FINE_STEP, COARSE_STEP}
    assert sorted(steps, reverse=True) == steps  # finer towards the end
    if length >= COARSE_STEP:
        assert end - found[-1] < FINE_STEP
        assert found[0] - (end - length) < LOOK_BACK


def test_three_days_are_a_fine_day_and_two_coarse_ones() -> None:
    found = instants(NOW - 3 * DAY, NOW)

    assert len(found) == 720 + 720
    assert max(len(grid.instants) for grid in stretches(NOW - 3 * DAY, NOW)) == 90


def test_a_past_can_be_continued_without_a_gap_or_a_repetition() -> None:
    first = instants(NOW - 2 * HOUR, NOW)
    more = instants(first[-1] + 1.0, NOW + 1000)

    assert more[0] == first[-1] + FINE_STEP
    assert instants(first[-1] + 1.0, NOW) == []


def test_faults_without_a_beginning_get_one_in_the_past() -> None:
    known = FaultSpec(name="licence-missing", since=NOW - 5)

    begun = ongoing((*SCENARIO.faults, known), NOW)

    assert begun[-1] is known
    ages = [(NOW - fault.since) / HOUR for fault in begun[:-1] if fault.since is not None]
    assert ages == [31.0, 9.0, 3.5, 20.0]
    assert [replace(fault, since=None) for fault in begun[:-1]] == list(SCENARIO.faults)


def test_the_past_has_faults_that_are_over_where_they_fit() -> None:
    every = episodes((), SCENARIO, end=NOW, healthy=False)

    assert len(every) == 6
    assert all(
        episode.until is not None
        and episode.fault.since is not None
        and NOW - 3 * DAY < episode.fault.since < episode.until < NOW
        for episode in every
    )
    assert episodes((), SCENARIO, end=NOW, healthy=True) == ()
    small = replace(SCENARIO, nodes=SCENARIO.nodes[:1])
    assert {e.fault.node for e in episodes((), small, end=NOW, healthy=False)} == {"a10g-1"}


def plan(folder: Path, *, now: float = NOW, seed: int = 1, rules: Path | None = None) -> PastPlan:
    return plan_past(
        SCENARIO,
        SCENARIO.faults,
        seed=seed,
        healthy=False,
        seconds=DAY,
        now=now,
        rule_files=() if rules is None else (rules,),
        cache_root=folder / "cache",
    )


def blocks(folder: Path) -> Path:
    """A folder as Prometheus' snapshot makes it."""
    block = folder / "snapshot" / "01BLOCK"
    (block / "chunks").mkdir(parents=True)
    (block / "meta.json").write_text("{}")
    (block / "chunks" / "000001").write_text("samples")
    (folder / "snapshot" / "wal").mkdir()
    return folder / "snapshot"


def test_a_first_plan_begins_so_long_ago(tmp_path: Path) -> None:
    made = plan(tmp_path)

    assert (made.written_until, made.course.began) == (None, NOW - DAY)
    assert made.missing(None, NOW) == stretches(NOW - DAY, NOW)
    assert [fault.name for fault in made.faults] == [fault.name for fault in SCENARIO.faults]


def test_a_later_plan_continues_the_first(tmp_path: Path) -> None:
    first = plan(tmp_path)
    first.keep(NOW - 77, blocks(tmp_path))

    later = plan(tmp_path, now=NOW + HOUR)

    assert (later.written_until, later.course) == (NOW - 77, first.course)
    assert later.missing(later.written_until, NOW + HOUR) == stretches(NOW - 76, NOW + HOUR)
    data = tmp_path / "data"
    later.cache.lend(data)
    assert [p.relative_to(data).as_posix() for p in sorted(data.rglob("*")) if p.is_file()] == [
        "01BLOCK/chunks/000001",
        "01BLOCK/meta.json",
    ]


@pytest.mark.parametrize("age", [2 * DAY, -HOUR])
def test_a_past_that_does_not_reach_to_now_is_no_use(age: float, tmp_path: Path) -> None:
    plan(tmp_path).keep(NOW, blocks(tmp_path))

    assert plan(tmp_path, now=NOW + age).written_until is None


def test_another_cluster_or_other_rules_have_another_past(tmp_path: Path) -> None:
    plan(tmp_path).keep(NOW, blocks(tmp_path))
    rules = tmp_path / "rules.yaml"
    rules.write_text("groups: []")

    assert plan(tmp_path).written_until == NOW
    assert plan(tmp_path, seed=2).written_until is None
    assert plan(tmp_path, rules=rules).written_until is None


def test_a_damaged_cache_is_a_past_that_is_not_there(tmp_path: Path) -> None:
    plan(tmp_path).keep(NOW, blocks(tmp_path))
    (file,) = (tmp_path / "cache").rglob("past.json")
    file.write_text('{"begin": 1')

    assert plan(tmp_path).written_until is None


def test_only_a_few_pasts_are_kept(tmp_path: Path) -> None:
    snapshot = blocks(tmp_path)
    for seed in range(8):
        plan(tmp_path, seed=seed).keep(NOW, snapshot)

    assert len(list((tmp_path / "cache").iterdir())) == 4
    assert plan(tmp_path, seed=7).written_until == NOW
