"""A running cluster whose clock stands still until a test moves it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import requests

from gpuatlas.demo.scenario import Scenario
from gpuatlas.demo.server import SimulatedCluster
from gpuatlas_harness.simulated_api import Api


@pytest.fixture
def cluster(scenario: Scenario, thursday: float) -> Iterator[SimulatedCluster]:
    with SimulatedCluster(
        scenario, seed=7, start=thursday, speed=0, bookmark_seconds=0.05
    ) as running:
        yield running


@pytest.fixture
def session() -> Iterator[requests.Session]:
    with requests.Session() as opened:
        opened.trust_env = False
        opened.headers["Authorization"] = "Bearer anything"
        yield opened


@pytest.fixture
def api(cluster: SimulatedCluster, session: requests.Session) -> Api:
    return Api(cluster, session)
