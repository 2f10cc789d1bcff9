from __future__ import annotations

import pytest

from gpuatlas.demo.fault_kinds import complaint
from gpuatlas.demo.scenario import Scenario
from gpuatlas.demo.state import World
from gpuatlas.demo.world import build_world
from gpuatlas_harness.check_faults import CHECK_FAULTS, CheckFault

DAY = 86_400
ROWS = [(check, row) for check, rows in CHECK_FAULTS.items() for row in rows]


def name(value: object) -> str:
    return f"{value.signal}-{value.fault}" if isinstance(value, CheckFault) else str(value)


def test_all_29_checks_are_there_in_order() -> None:
    hardware = [f"H{number:02}" for number in range(1, 13)]
    sharing = [f"S{number:02}" for number in range(1, 18)]
    assert list(CHECK_FAULTS) == [*hardware, *sharing]
    assert all(CHECK_FAULTS.values())


@pytest.mark.parametrize(("check", "row"), ROWS, ids=name)
def test_each_row_fits_the_built_in_scenario(
    check: str, row: CheckFault, scenario: Scenario
) -> None:
    assert complaint(row.spec, scenario) == ""
    assert check not in row.companions
    assert set(row.companions) <= CHECK_FAULTS.keys()


@pytest.mark.parametrize(("check", "row"), ROWS, ids=name)
def test_affected_pods_are_there_at_any_time(
    check: str, row: CheckFault, scenario: Scenario
) -> None:
    for number in range(4):
        at = scenario.since + 3 * DAY + number * 11.37 * DAY
        world = build_world(scenario, seed=number, at=at, faults=(row.spec,))
        found = {pod.rsplit("/", 1)[0] for pod in row.pods_of(world)}
        assert found == {key.split("/")[0] for key in row.pods}, check
        assert len(row.pods_of(world)) >= len(row.pods)


def test_pods_are_named_with_their_namespace_and_in_order(world: World) -> None:
    (row,) = [row for row in CHECK_FAULTS["S06"] if row.fault == "endpoint-refuses"]
    found = row.pods_of(world)
    assert list(found) == sorted(found)
    assert "lab/notebook-ann-0" in found
    assert len(found) == 4
