"""The noisy neighbour of the built-in scenario through the exporter's own analysis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest

from gpuatlas.cli.demonstration.past_contention import COUNTED, PastContention
from gpuatlas.cli.demonstration.stretch import Episode, Stretch, StretchOrder, write_stretch
from gpuatlas.demo.scenario import FaultSpec
from gpuatlas.demo.scenario_file import load_scenario
from gpuatlas.model.contention import CardMoment
from gpuatlas.model.readings import value_of
from gpuatlas.runtime.backfill.series import series_labels

NOISE: Final = FaultSpec(name="noisy-neighbour", node="a10g-1", card=2, options={"tenant": 1})
STEP: Final = 120.0
# A surge of this seed begins at 18:06 and ends before 18:38.
BEFORE: Final = 1_793_293_200.0 - 86_400.0 + 45 * 60
MINUTES: Final = 60


def stretch(*faults: FaultSpec, minutes: int = MINUTES) -> Stretch:
    order = StretchOrder(
        scenario=load_scenario(),
        seed=1,
        instants=tuple(BEFORE + number * STEP for number in range(int(minutes * 60 / STEP))),
        episodes=tuple(Episode(fault=fault) for fault in faults),
        began=BEFORE,
    )
    return write_stretch(order)


@pytest.fixture(scope="module")
def noisy() -> Stretch:
    return stretch(NOISE)


def card(moments: Sequence[CardMoment]) -> CardMoment:
    (found,) = [moment for moment in moments if (moment.node, moment.index) == ("a10g-1", "2")]
    return found


def test_there_is_a_look_for_each_instant(noisy: Stretch) -> None:
    assert len(noisy.moments) == len(noisy.block.instants) == 30
    tenants = {tenant.workload.name: tenant for tenant in card(noisy.moments[5]).tenants}
    assert {"backfill", "detector", "support"} <= tenants.keys()
    support = tenants["support"]
    assert support.running is not None
    assert support.rate == pytest.approx(330, rel=0.2)
    assert value_of(tenants["backfill"].share) == pytest.approx(0.05)
    assert value_of(tenants["backfill"].entitlement) == pytest.approx(0.1)


def test_the_surge_is_in_the_looks(noisy: Stretch) -> None:
    surge = [card(m) for m in noisy.moments if card(m).saturated]
    assert 10 <= len(surge) <= 20
    for moment in surge[2:-2]:
        tenants = {tenant.workload.name: tenant for tenant in moment.tenants}
        share, speed = value_of(tenants["backfill"].share), tenants["support"].speed
        assert share is not None
        assert share > 0.65
        assert speed is not None
        assert speed < 20


def test_pages_of_single_instants_have_no_such_counter(noisy: Stretch) -> None:
    names = {series_labels(key)["__name__"] for key in noisy.block.columns}
    assert not names & set(COUNTED.split("|"))


def test_seconds_are_counted_over_stretches_that_follow_each_other(noisy: Stretch) -> None:
    contention = PastContention()
    instants, half = noisy.block.instants, len(noisy.moments) // 2
    first = contention.columns(instants[:half], noisy.moments[:half])
    second = contention.columns(instants[half:], noisy.moments[half:])
    whole = PastContention().columns(instants, noisy.moments)

    assert second.keys() >= first.keys()
    assert {key: column[-1] for key, column in second.items()} == {
        key: column[-1] for key, column in whole.items()
    }
    counted = {
        (labels["workload"], labels.get("suspect", "")): column[-1]
        for key, column in whole.items()
        if (labels := series_labels(key)).get("grade")
        and labels["workload"] in {"support", "chat-13b"}
    }
    # Half an hour, of which the first look has no pace yet; it proves nothing of anybody.
    assert 1_200 <= counted["support", "backfill"] <= 2_400
    assert counted["chat-13b", ""] == 0
    grades = {labels["grade"] for key in whole if (labels := series_labels(key)).get("suspect")}
    assert grades <= {"1", "2"}


def test_without_the_neighbour_nobody_there_is_slowed() -> None:
    quiet = stretch(minutes=30)
    columns = PastContention().columns(quiet.block.instants, quiet.moments)

    slowed = {
        series_labels(key)["workload"]: column[-1]
        for key, column in columns.items()
        if "grade" in series_labels(key)
    }
    assert slowed["support"] == slowed["detector"] == 0
    assert not any(card(moments).saturated for moments in quiet.moments)
