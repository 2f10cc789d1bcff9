"""The built-in scenario, and instants at which its working day is in full swing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import pytest

from gpuatlas.demo.scenario import Scenario
from gpuatlas.demo.scenario_file import load_scenario
from gpuatlas.demo.state import World
from gpuatlas.demo.world import build_world
from gpuatlas_harness.struck import Bench

# A Thursday soon after one o'clock (UTC): the notebooks of working days are there, and no
# training is writing a checkpoint.
THURSDAY: Final = datetime(2026, 6, 18, 13, 10, tzinfo=UTC).timestamp()


@pytest.fixture(scope="session")
def scenario() -> Scenario:
    return load_scenario()


@pytest.fixture(scope="session")
def thursday() -> float:
    return THURSDAY


@pytest.fixture(scope="session")
def world(scenario: Scenario) -> World:
    return build_world(scenario, seed=7, at=THURSDAY)


@pytest.fixture(scope="session")
def healthy_world(scenario: Scenario) -> World:
    return build_world(scenario, seed=7, at=THURSDAY, faults=())


@pytest.fixture(scope="session")
def bench(scenario: Scenario, healthy_world: World) -> Bench:
    return Bench(scenario, healthy_world)
