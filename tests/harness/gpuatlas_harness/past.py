"""A real Prometheus with a simulated past: what it would have scraped, and our rules over it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from gpuatlas.cli.demonstration.assets import Assets, find_assets
from gpuatlas.cli.demonstration.history import PastCourse, write_past
from gpuatlas.cli.demonstration.prometheus import past_prometheus
from gpuatlas.cli.demonstration.stretch import Episode
from gpuatlas.demo.scenario import Scenario, Waits
from gpuatlas.demo.scenario_file import load_scenario
from gpuatlas.runtime.backfill.range_query import Grid
from gpuatlas.runtime.backfill.rule_files import RuleGroup, read_rule_files

from .binaries import required, system_binary
from .http import loopback_session

SEED: Final = 1


@dataclass(frozen=True)
class PastServer:
    """A Prometheus that can be written to and asked; ``url`` is its root."""

    url: str

    def write(self, course: PastCourse, grids: Sequence[Grid], groups: Sequence[RuleGroup]) -> None:
        """Write stretches of a past and the rules over them."""
        write_past(self.url, course, grids, groups, stop=threading.Event())

    def query(self, promql: str, at: float) -> list[tuple[dict[str, str], float]]:
        """The instant vector at an instant: labels and value."""
        with loopback_session() as session:
            answer = session.get(
                f"{self.url}/api/v1/query", params={"query": promql, "time": str(at)}, timeout=60
            )
        content: dict[str, Any] = answer.json()
        if content["status"] != "success":
            raise AssertionError(content)
        return [(entry["metric"], float(entry["value"][1])) for entry in content["data"]["result"]]


@contextmanager
def past_server(folder: Path) -> Iterator[PastServer]:
    """An empty one; the test is skipped where there is no Prometheus."""
    program = required(lambda: system_binary("prometheus", package="prometheus"))
    with past_prometheus(str(program), folder / "data", folder, stop=threading.Event()) as server:
        yield PastServer(server.url)


def our_rules() -> tuple[RuleGroup, ...]:
    """All recording rules and alerts of the repository, in order."""
    return read_rule_files(repository().rule_files)


def repository() -> Assets:
    """The checkout that the tests are in."""
    assets = find_assets()
    if assets is None:
        message = "the rules are not where the demo looks for them"
        raise AssertionError(message)
    return assets


def course_of(
    scenario: Scenario, *, began: float, episodes: tuple[Episode, ...] = ()
) -> PastCourse:
    """A past of a scenario with these faults and no others."""
    return PastCourse(scenario=scenario, seed=SEED, episodes=episodes, began=began)


def healthy_scenario() -> Scenario:
    """The built-in cluster without what is meant to be seen in it.

    No faults; no work that waits for cards that it does not get; and no tenant whose memory the
    driver has to move off a full card.
    """
    scenario = load_scenario()
    return replace(
        scenario,
        faults=(),
        workloads=tuple(
            workload
            for workload in scenario.workloads
            if not isinstance(workload.lives, Waits) and not workload.uses.managed
        ),
    )
