from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.cli.demonstration.history import wanted_by_days
from gpuatlas.cli.demonstration.past_plan import Missing, PastPlan, plan_past
from gpuatlas.cli.demonstration.timeline import (
    COARSE_STEP,
    DAY,
    FINE_STEP,
    HOUR,
    SPARSE_STEP,
    episodes,
    ongoing,
    stretches,
)
from gpuatlas.demo.scenario import FaultSpec
from gpuatlas.demo.scenario_file import load_scenario
from gpuatlas_harness.past import our_rules

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
    assert ages == [31.0, 9.0, 3.5, 20.0, 110.0]
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


def plan(
    folder: Path,
    *,
    now: float = NOW,
    seed: int = 1,
    rules: Path | None = None,
    seconds: float = DAY,
) -> PastPlan:
    return plan_past(
        SCENARIO,
        SCENARIO.faults,
        seed=seed,
        healthy=False,
        seconds=seconds,
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
    assert made.missing(None, NOW) == Missing(sparse=(), whole=stretches(NOW - DAY, NOW))
    going_on = [fault.name for fault in made.faults if fault.until is None]
    assert going_on == [fault.name for fault in SCENARIO.faults]
    over = [fault.until for fault in made.faults if fault.until is not None]
    assert len(over) == 6
    assert max(over) < NOW


def test_a_later_plan_continues_the_first(tmp_path: Path) -> None:
    first = plan(tmp_path)
    first.keep(NOW - 77, blocks(tmp_path))

    later = plan(tmp_path, now=NOW + HOUR)

    assert (later.written_until, later.course) == (NOW - 77, first.course)
    missing = later.missing(later.written_until, NOW + HOUR)
    assert missing == Missing(sparse=(), whole=stretches(NOW - 76, NOW + HOUR))
    data = tmp_path / "data"
    later.cache.lend(data)
    assert [p.relative_to(data).as_posix() for p in sorted(data.rglob("*")) if p.is_file()] == [
        "01BLOCK/chunks/000001",
        "01BLOCK/meta.json",
    ]


def test_two_weeks_are_three_days_as_a_whole_and_the_rest_now_and_then(tmp_path: Path) -> None:
    missing = plan(tmp_path, seconds=14 * DAY).missing(None, NOW)

    assert missing.whole == stretches(NOW - 3 * DAY, NOW)
    found = [instant for grid in missing.sparse for instant in grid.instants]
    assert {later - earlier for earlier, later in pairwise(found)} == {COARSE_STEP}
    assert found[0] - (NOW - 14 * DAY) < COARSE_STEP
    assert missing.whole[0].first - found[-1] == COARSE_STEP
    assert SPARSE_STEP / COARSE_STEP == 14
    # Prometheus takes samples that are half a day old, and looks are as far apart at the seams.
    assert max(grid.last - grid.first for grid in missing.sparse) < 12 * HOUR
    assert all(len(grid.instants) == 168 for grid in missing.sparse[:-1])
    assert missing.seconds == missing.whole[-1].last - found[0]


def test_a_past_of_two_weeks_is_continued_over_three_days_at_most(tmp_path: Path) -> None:
    plan(tmp_path, seconds=14 * DAY).keep(NOW, blocks(tmp_path))

    assert plan(tmp_path, seconds=14 * DAY, now=NOW + 2 * DAY).written_until == NOW
    assert plan(tmp_path, seconds=14 * DAY, now=NOW + 4 * DAY).written_until is None


def test_what_is_looked_at_now_and_then_is_what_sizing_asks_for_by_days() -> None:
    groups = our_rules()

    wanted = wanted_by_days(groups)

    names = wanted.names
    recorded = {name for group in groups for name in group.records}
    assert {
        "container:gpuatlas_memory_used_bytes:max1d",
        "node:gpuatlas_memory_demand_bytes:max1d",
        "workload:gpuatlas_kv_cache_used_ratio:max1d",
        "cluster:gpuatlas_watched:ratio1d",
    } <= names & recorded
    assert {
        "gpuatlas_allocation_memory_counted_bytes", "node_memory_MemAvailable_bytes",
        "vllm:kv_cache_usage_perc", "gpuatlas_workload_revision_info",
    } <= names - recorded  # fmt: skip
    assert not [name for name in names if name.startswith(("check:", "cluster:gpuatlas_cards"))]
    assert len(names & recorded) < len(recorded) / 3
    # What is counted over a day has to be there each four minutes.
    assert {
        "cluster:gpuatlas_watched:group", "container:gpuatlas_allocations:count",
        "container:gpuatlas_memory_used_bytes:max1d",
    } <= wanted.standing  # fmt: skip
    assert "allocation:gpuatlas_memory_used_bytes:max" in names - wanted.standing


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
