"""The safe ratio of a node (DESIGN 8) and what it leaves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.readings import Known, Reading, Unknown, value_of
from gpuatlas.model.sizing import NodeDemand, NodeRatio
from gpuatlas.sizing.overcommit import node_ratio
from gpuatlas_harness.build import NOW, known
from gpuatlas_harness.truth.sizing_build import GIB

HOST = "1 + 0.5 × host memory available / physical"
DEMAND = "0.9 × allocated / demand"
CHAT, TUNE = ("team-a", "Deployment", "chat"), ("team-b", "Job", "tune")


def a_node(**gib: Any) -> NodeDemand:
    """80 GiB of cards, 60 GiB promised, 36 GiB wanted at one time, 64 GiB of host memory free."""
    figures: dict[str, Any] = {
        "allocated": 60,
        "demand": 36,
        "physical": 80,
        "host_available": 64,
    }
    days = gib.pop("days", 14.0)
    readings: dict[str, Any] = {
        name: value if isinstance(value, Unknown) else known(int(value * GIB))
        for name, value in (figures | gib).items()
    }
    return NodeDemand(node="gpu-a", sharing="hami", days=days, **readings)


def ratio(**gib: Any) -> NodeRatio:
    return node_ratio(a_node(**gib), {})


@pytest.mark.parametrize(
    ("gib", "safe", "term"),
    [
        ({}, 1.4, HOST),  # the other is 0.9 × 60 / 36 = 1.5
        ({"demand": 40}, 1.35, DEMAND),
        ({"demand": 54}, 1.0, DEMAND),
        ({"demand": 55}, 1.0, "at least 1"),
        ({"host_available": 0}, 1.0, HOST),
        ({"demand": 0}, 1.4, HOST),
        ({"allocated": 0}, 1.0, "at least 1"),
        ({"days": 7.0}, 1.4, HOST),
    ],
)
def test_the_lesser_of_two_terms_and_at_least_one(
    gib: dict[str, Any], safe: float, term: str
) -> None:
    found = ratio(**gib).safe
    assert isinstance(found, Known)
    assert found.value == pytest.approx(safe)
    assert (found.at, found.source) == (NOW, term)


def test_a_promise_lies_on_one_card() -> None:
    """Of 52 GiB of room each of two cards has 26: that is none of 30 GiB, and four of 12."""
    cards = ((40 * GIB, 30 * GIB), (40 * GIB, 30 * GIB))
    demand = replace(a_node(), cards=cards)
    found = node_ratio(demand, {CHAT: 12 * GIB, TUNE: 30 * GIB})
    assert found.room == Known(52 * GIB, NOW, "safe × physical − allocated")
    assert found.fits == {CHAT: 4, TUNE: 0}


def test_present_ratio_room_and_what_fits() -> None:
    demand = a_node()
    found = node_ratio(demand, {CHAT: 12 * GIB, TUNE: 53 * GIB, ("", "", ""): 0})
    assert found.demand is demand
    assert found.present == Known(0.75, NOW, "allocated / physical")
    # 1.4 × 80 − 60 = 52 GiB, and the last GiB is no rounding of a float.
    assert found.room == Known(52 * GIB, NOW, "safe × physical − allocated")
    assert found.fits == {CHAT: 4, TUNE: 0}


def test_a_node_above_its_ratio_has_no_room() -> None:
    found = node_ratio(a_node(allocated=120, demand=90), {CHAT: GIB})
    assert value_of(found.present) == 1.5
    assert value_of(found.safe) == pytest.approx(1.2)
    assert (value_of(found.room), found.fits) == (0, {CHAT: 0})


@pytest.mark.parametrize("days", [0.0, 3.0, 6.9])
def test_a_short_past_says_nothing(days: float) -> None:
    found = node_ratio(a_node(days=days), {CHAT: GIB})
    text = f"{days:g} days were measured; 7 are needed"
    assert (found.safe, found.room, found.fits) == (Unknown(text), Unknown(text), {})
    assert value_of(found.present) == 0.75


def test_a_scrape_less_than_a_week_is_a_week() -> None:
    assert value_of(ratio(days=6.96).safe) == pytest.approx(1.4)


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("allocated", "allocated memory"),
        ("demand", "highest demand"),
        ("physical", "physical memory"),
        ("host_available", "host memory"),
    ],
)
def test_an_unknown_input_is_named(field: str, name: str) -> None:
    found = node_ratio(a_node(**{field: Unknown("nobody measured it")}), {CHAT: GIB})
    reason = Unknown(f"{name}: nobody measured it")
    assert (found.safe, found.room, found.fits) == (reason, reason, {})
    assert isinstance(found.present, Unknown) is (field in {"allocated", "physical"})


@pytest.mark.parametrize(
    ("gib", "reason"),
    [
        ({"physical": 0}, "physical memory: 0 bytes"),
        ({"demand": -1}, f"highest demand: {-GIB} bytes"),
    ],
)
def test_nonsense_is_no_input(gib: dict[str, Any], reason: str) -> None:
    assert ratio(**gib).safe == Unknown(reason)


UNKNOWN = st.just(Unknown("nobody measured it"))
READING: st.SearchStrategy[Reading[int]] = st.integers(-1, 2 * 1024**4).map(known) | UNKNOWN


@given(READING, READING, READING, READING, st.floats(allow_nan=True), st.integers(-1, 10**12))
@settings(deadline=None)
def test_any_node(
    allocated: Reading[int],
    demand: Reading[int],
    physical: Reading[int],
    host: Reading[int],
    days: float,
    promise: int,
) -> None:
    found = node_ratio(
        NodeDemand(
            node="n",
            sharing="hami",
            allocated=allocated,
            demand=demand,
            physical=physical,
            host_available=host,
            days=days,
        ),
        {CHAT: promise},
    )
    if isinstance(found.safe, Unknown):
        assert found.fits == {}
        return
    a, d, p = value_of(allocated), value_of(demand), value_of(physical)
    assert a is not None
    assert d is not None
    assert p is not None
    assert found.safe.value >= 1
    assert found.safe.value == 1 or found.safe.value * d <= 0.9 * a * (1 + 1e-9)
    room = value_of(found.room)
    assert room is not None
    assert 0 <= room <= found.safe.value * p
    assert all(0 <= number * promise <= room for number in found.fits.values())
