"""`make bench`: what the queries of our boards cost a Prometheus of a large cluster.

It is filled as for the rules (`rules.py`), with what the analysis publishes and what the boards
read of a day beside it, and records for some minutes; then every query of every board is asked as
Grafana would when the board is opened, one after the other. Prints seconds and series of each
panel; fails only when a query does. With `--url` a Prometheus that has the series is asked.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import remote_write
import requests
import series
import series_of_analysis
from filling import AFTER, BEFORE, DAY, HOUR, MINUTE, Filling
from rules_server import Server

from exporter import machine
from gpuatlas_harness.alert_rules import ALERTS, LAYERS
from gpuatlas_harness.boards import BoardFile, PanelQuery, filled, read_boards
from gpuatlas_harness.opened_boards import Answer, first_choices
from gpuatlas_harness.rule_lint import RECORDING_RULES

SECONDS_TO_REACH: Final = 3.0
MOST_SERIES: Final = 2_000
REPEATS: Final = 3
# How long the rules record before the boards are opened: the slowest group takes four minutes.
RECORDED_MINUTES: Final = 9.0
# Grafana asks for as many points as a panel has pixels; of a screen of 1,920 of them.
_PIXELS: Final = 1_900
_COLUMNS: Final = 24
_SHORTEST_STEP: Final = 15
# The steps that Grafana rounds to, in seconds.
_STEPS: Final = (15, 20, 30, 60, 120, 300, 600, 900, 1_200, 1_800, HOUR)


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Of one query: the wall time with the answer on its way, and how many series came."""

    query: PanelQuery
    seconds: float
    series: int
    samples: int
    at_once: bool  # not in a row that is closed at first


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A board as it is when it is opened."""

    board: BoardFile
    url: str
    at: float
    values: Mapping[str, str]
    seconds: float  # that the variables took
    range_seconds: int

    def costs(self) -> Iterator[Cost]:
        panels = {panel["id"]: panel for panel in self.board.panels()}
        shown = {panel["id"] for panel in self.board.body["panels"]}
        for query in self.board.queries():
            path, asked = self._asked(query, panels[query.number])
            found = [self._cost(path, asked) for _ in range(REPEATS)]
            seconds, number, samples = min(found)
            yield Cost(
                query=query,
                seconds=seconds,
                series=number,
                samples=samples,
                at_once=query.number in shown,
            )

    def _asked(self, query: PanelQuery, panel: dict[str, Any]) -> tuple[str, dict[str, str]]:
        """The call that Grafana makes."""
        step = self._step(query, panel)
        built_in = {
            "__range": f"{self.range_seconds}s",
            "__interval": f"{step}s",
            "__rate_interval": f"{max(4 * MINUTE, step)}s",
        }
        asked = {"query": filled(query.expr, {**built_in, **self.values}), "stats": "all"}
        if query.instant:
            return "query", {**asked, "time": f"{self.at:.0f}"}
        end = self.at - self.at % step
        times = {"start": f"{end - self.range_seconds:.0f}", "end": f"{end:.0f}"}
        return "query_range", {**asked, **times, "step": str(step)}

    def _step(self, query: PanelQuery, panel: dict[str, Any]) -> int:
        points = _PIXELS * panel["gridPos"]["w"] / _COLUMNS
        targets = {target["refId"]: target for target in panel["targets"]}
        smallest = _seconds(targets[query.ref].get("interval", "")) or _SHORTEST_STEP
        wanted = max(self.range_seconds / points, smallest)
        return next((step for step in _STEPS if step >= wanted), DAY)

    def _cost(self, path: str, asked: Mapping[str, str]) -> tuple[float, int, int]:
        started = time.perf_counter()
        answer = requests.post(f"{self.url}/api/v1/{path}", data=dict(asked), timeout=300)
        seconds = time.perf_counter() - started
        content = answer.json()
        if content["status"] != "success":
            sys.exit(f"{content.get('error')}\n{asked['query']}")
        stats = content["data"]["stats"]["samples"]["totalQueryableSamples"]
        return seconds, len(content["data"]["result"]), stats


def _seconds(interval: str) -> int:
    """Of "20m" or ""."""
    units = {"s": 1, "m": MINUTE, "h": HOUR}
    return int(interval[:-1]) * units[interval[-1]] if interval else 0


def opened(board: BoardFile, url: str, at: float) -> Opened:
    def ask(promql: str) -> Answer:
        asked = {"query": promql, "time": f"{at:.0f}"}
        answer = requests.post(f"{url}/api/v1/query", data=asked, timeout=300)
        answer.raise_for_status()
        return [(e["metric"], float(e["value"][1])) for e in answer.json()["data"]["result"]]

    days = {"now-24h": 1, "now-7d": 7}[board.body["time"]["from"]]
    started = time.perf_counter()
    values = first_choices(board, ask)
    seconds = time.perf_counter() - started
    return Opened(
        board=board, url=url, at=at, values=values, seconds=seconds, range_seconds=days * DAY
    )


def measure(url: str, at: float) -> None:
    """Every board in one language: the other one asks the same."""
    for board in read_boards():
        if "/" not in board.name:
            report(opened(board, url, at))


def report(opened_board: Opened) -> None:
    board, costs = opened_board.board, list(opened_board.costs())
    together = sum(cost.seconds for cost in costs if cost.at_once)
    late = sum(cost.seconds for cost in costs if not cost.at_once)
    verdict = "" if together <= SECONDS_TO_REACH else "   TOO SLOW"
    print(f"\n{board.name}: {together:.2f} s (≤ {SECONDS_TO_REACH:.0f} s){verdict}", end="")
    print(f"; {late:.2f} s in closed rows" if late else "", end="")
    # Grafana asks for the values of a label where this asks for all its series.
    print(f"; {opened_board.seconds:.2f} s for the variables")
    print("  seconds    series      samples  panel")
    for cost in sorted(costs, key=lambda cost: -cost.seconds):
        many = "   TOO MANY SERIES" if cost.series > MOST_SERIES else ""
        name = f"{cost.query.panel or '(untitled)'} {cost.query.ref}"
        print(f"  {cost.seconds:7.3f} {cost.series:9,} {cost.samples:12,}  {name}{many}")


class FillingOfBoards(Filling):
    """With what the analysis publishes, and what boards show of a day."""

    def beside(self) -> Iterator[remote_write.Series]:
        return series_of_analysis.courses(self.size)

    def fill(self) -> None:
        super().fill()
        begin, end = self.zero - BEFORE, self.zero + AFTER
        self.write(series_of_analysis.analysis(self.size), begin, end, self.scrape_seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="a Prometheus that has the series; nothing is filled")
    parser.add_argument("--nodes", type=int, default=2_000)
    parser.add_argument("--scrape-seconds", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=RECORDED_MINUTES)
    options = parser.parse_args()
    print(f"machine: {machine()}, load {os.getloadavg()[0]:.1f}")
    if options.url:
        measure(options.url, time.time())
        return
    size = series.Size(nodes=options.nodes)
    print(f"cluster: {size.nodes:,} nodes, {size.cards:,} cards")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        server.process.start()
        try:
            FillingOfBoards(server.url, size, options.scrape_seconds).fill()
            server.load_rules(
                [
                    *sorted(RECORDING_RULES.glob("*.yaml")),
                    *(ALERTS / f"{layer}.yaml" for layer in LAYERS),
                ]
            )
            time.sleep(options.minutes * MINUTE)
            at = time.time()
            # Rules that run would be measured, too.
            server.load_rules([])
            measure(server.url, at)
        finally:
            server.process.stop()


if __name__ == "__main__":
    main()
