"""A real Prometheus with three quarters of an hour of the built-in cluster, on an evening."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gpuatlas.cli.demonstration.stretch import Episode
from gpuatlas.demo.scenario_file import load_scenario
from gpuatlas.runtime.backfill.range_query import Grid

from .opened_boards import Answer
from .past import PastServer, course_of, our_rules, past_server
from .simulated import EVENING

STEP: Final = 60.0
MINUTES: Final = 48
PIECES: Final = 2
# From 18:36 until 19:00 the noisy neighbour of the scenario takes what it can get.
BEGAN: Final = EVENING + 68 * 60
END: Final = BEGAN + (MINUTES - 1) * STEP


@dataclass(frozen=True)
class DemoEvening:
    """The scenario with its faults and our rules over it."""

    server: PastServer

    def ask(self, promql: str) -> Answer:
        """What is answered at the end of it."""
        return self.server.query(promql, END)


@contextmanager
def demo_evening(folder: Path) -> Iterator[DemoEvening]:
    """The test is skipped where there is no Prometheus."""
    scenario = load_scenario()
    episodes = tuple(Episode(fault=fault) for fault in scenario.faults)
    length = MINUTES * 60 / PIECES
    grids = [
        Grid(first=BEGAN + n * length, last=BEGAN + (n + 1) * length - STEP, step=STEP)
        for n in range(PIECES)
    ]
    with past_server(folder) as server:
        course = course_of(scenario, began=BEGAN, episodes=episodes)
        server.write(course, grids, our_rules())
        yield DemoEvening(server)
