"""`make bench`: what all our rules and alerts cost a Prometheus that has a large cluster's series.

A real Prometheus is filled by remote write (`series.py`, `series_of_ours.py`) with as much of the
past as the rules look back on, then gets every rule file and is watched for some minutes. Nothing
else is read or written meanwhile, so that the durations are those of the rules. Prints a table;
fails only when Prometheus does.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import promql_parser
import remote_write
import requests
import series
import series_of_ours

from exporter import machine
from gpuatlas_harness.alert_rules import ALERTS, LAYERS, alert_rules, dcgm_counters
from gpuatlas_harness.binaries import system_binary
from gpuatlas_harness.processes import LOOPBACK, Readiness, ServerProcess, free_ports
from gpuatlas_harness.promql import metric_names, nodes
from gpuatlas_harness.rule_lint import RECORDED, RECORDING_RULES

MINUTE, HOUR, DAY = 60, 3_600, 86_400
# How long the present lasts before and after the rules begin; the longest range in minutes that is
# read of our own series is ten.
BEFORE, AFTER = 11 * MINUTE, 14 * MINUTE
SHARE_TO_REACH = 0.20
# Looked at a whole week, or at instants of it.
WEEKLY = frozenset({"DCGM_FI_DEV_RETIRED_DBE"})
INSTANTS = {
    "DCGM_FI_DEV_SM_CLOCK": (6 * HOUR,),
    "DCGM_FI_DEV_VGPU_LICENSE_STATUS": (DAY, 3 * DAY, 7 * DAY),
}


@dataclass
class Evaluations:
    """Seconds of each evaluation of a group, by when it was."""

    interval: float
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def median(self) -> float:
        """Without the first evaluation, which reads what no other has read before."""
        return statistics.median(list(self.seconds.values())[1:] or list(self.seconds.values()))

    def per_minute(self) -> float:
        return self.median * MINUTE / self.interval

    @property
    def share(self) -> float:
        return self.median / self.interval


@dataclass(frozen=True, kw_only=True)
class Alone:
    """One rule asked for by itself, with nothing beside it."""

    name: str
    seconds_a_minute: float
    samples_a_minute: float


class Server:
    """A Prometheus that takes remote write and gets its rules late."""

    def __init__(self, folder: Path) -> None:
        self._config = folder / "prometheus.yml"
        self._config.write_text("scrape_configs: []\n", encoding="utf-8")
        address = f"{LOOPBACK}:{free_ports(1)[0]}"
        self.url = f"http://{address}"
        self.process = ServerProcess(
            "prometheus",
            [
                system_binary("prometheus", package="prometheus"),
                f"--config.file={self._config}",
                f"--storage.tsdb.path={folder / 'tsdb'}",
                "--storage.tsdb.retention.time=30d",
                f"--web.listen-address={address}",
                "--web.enable-remote-write-receiver",
                "--web.enable-lifecycle",
            ],
            readiness=Readiness(f"{self.url}/-/ready"),
            log_dir=folder,
        )

    def load_rules(self, files: Iterable[Path]) -> None:
        listed = "".join(f"  - {file.resolve()}\n" for file in files)
        self._config.write_text(f"rule_files:\n{listed}", encoding="utf-8")
        requests.post(f"{self.url}/-/reload", timeout=60).raise_for_status()

    def groups(self) -> list[dict[str, Any]]:
        answer = requests.get(f"{self.url}/api/v1/rules", timeout=60)
        answer.raise_for_status()
        found: list[dict[str, Any]] = answer.json()["data"]["groups"]
        return found

    def cost(self, expression: str, at: float) -> tuple[float, int]:
        """Seconds and samples that one look takes; its result is counted, not sent."""
        query = f"count(({expression}))"
        asked = {"query": query, "time": f"{at:.0f}", "stats": "all", "timeout": "10m"}
        answer = requests.post(f"{self.url}/api/v1/query", data=asked, timeout=700)
        answer.raise_for_status()
        stats = answer.json()["data"]["stats"]
        return stats["timings"]["evalTotalTime"], stats["samples"]["totalQueryableSamples"]

    def metric(self, name: str) -> float:
        """Of its own page; the sum over its labels."""
        page = requests.get(f"{self.url}/metrics", timeout=60).text
        return sum(float(v) for v in re.findall(rf"^{name}(?:{{.*}})? (\S+)$", page, re.MULTILINE))


def looked_back_on() -> frozenset[str]:
    """DCGM fields that some rule reads over a range, or at an earlier time."""
    names: set[str] = set()
    for rule in (*RECORDED, *alert_rules()):
        tree = rule.tree
        ranges = nodes(tree, promql_parser.SubqueryExpr) + nodes(tree, promql_parser.MatrixSelector)
        names |= {name for part in ranges for name in metric_names(part)}
        shifted = nodes(tree, promql_parser.VectorSelector)
        names |= {selector.name or "" for selector in shifted if selector.offset is not None}
    return frozenset(names & dcgm_counters().keys())


class Filling:
    """Writes one part of the history after the other, the oldest first."""

    def __init__(self, url: str, size: series.Size, scrape_seconds: int) -> None:
        self.url, self.size, self.scrape_seconds = url, size, scrape_seconds
        self.samples = 0

    def write(self, what: Iterable[remote_write.Series], first: int, last: int, step: int) -> None:
        # Whole steps, so that parts that follow each other do not overlap.
        first -= first % step
        grid = remote_write.Grid(zero=self.zero, first=first, last=last, step=step)
        self.samples += remote_write.write(self.url, what, grid)

    def write_hour(self, what: Iterable[remote_write.Series], hour: int) -> None:
        """As seldom as the rules of the day record."""
        self.write(what, hour, hour + HOUR - 1, 4 * MINUTE)

    def fill(self) -> None:
        self.zero = int(time.time())
        self._week_and_day()
        self.zero = int(time.time())
        past, scrape = self.zero - 65 * MINUTE, self.scrape_seconds
        until = self.zero - BEFORE - MINUTE
        self.write(series.dcgm(self.size, looked_back_on()), past, until, scrape)
        self.write(series.folded(self.size), past, until, MINUTE)
        self.write(series_of_ours.recorded_by_card(self.size), past, until, MINUTE)
        self.write(series_of_ours.recorded_by_workload(self.size), past, until, MINUTE)
        begin, end = self.zero - BEFORE, self.zero + AFTER
        for what in (
            series.dcgm(self.size),
            series.hami(self.size),
            series.ups(self.size),
            series_of_ours.exporter(self.size, self.zero),
        ):
            self.write(what, begin, end, scrape)

    def beside(self) -> Iterable[remote_write.Series]:
        """What somebody else than a rule reads of the last day, each fourth minute."""
        return ()

    def _week_and_day(self) -> None:
        weekly = list(series.dcgm(self.size, WEEKLY))
        instants = {name: list(series.dcgm(self.size, frozenset({name}))) for name in INSTANTS}
        daily = [*series_of_ours.recorded_daily(self.size), *self.beside()]
        promises = list(series_of_ours.recorded_promises(self.size))
        weeks = list(series_of_ours.recorded_weeks(self.size))
        this_hour = self.zero - self.zero % HOUR
        for days in range(13, 7, -1):
            self.write_hour(weeks, this_hour - days * DAY)
        for hour in range(this_hour - 7 * DAY, this_hour - HOUR, HOUR):
            # A subquery with steps of an hour looks at the full hours.
            self.write(weekly, hour, hour, HOUR)
            if (this_hour - hour) % DAY == 0:
                self.write_hour(weeks, hour)
            for name, agos in INSTANTS.items():
                if any(hour - HOUR < self.zero - ago < hour + 2 * HOUR for ago in agos):
                    self.write(instants[name], hour, hour + HOUR - 1, 4 * MINUTE)
            if hour >= this_hour - DAY:
                self.write_hour(daily, hour)
                self.write(promises, hour, hour + HOUR - 1, MINUTE)


def watched(server: Server, minutes: float) -> tuple[dict[str, Evaluations], float]:
    """The evaluations of each group while the rules run, and processor seconds a minute.

    Only the second half counts for the processor: in the first, Prometheus still packs into blocks
    what was written, which is no cost of the rules.
    """
    found: dict[str, Evaluations] = {}
    half = minutes * MINUTE / 2
    _watch(server, half, found)
    processor, started = server.metric("process_cpu_seconds_total"), time.monotonic()
    _watch(server, half, found)
    processor = server.metric("process_cpu_seconds_total") - processor
    passed = time.monotonic() - started
    missing = sorted(name for name, group in found.items() if not group.seconds)
    if missing:
        sys.exit(f"not evaluated within {minutes:g} minutes: {', '.join(missing)}")
    return found, processor / passed * MINUTE


def _watch(server: Server, seconds: float, found: dict[str, Evaluations]) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(3)
        for group in server.groups():
            seen = found.setdefault(group["name"], Evaluations(interval=group["interval"]))
            if group["evaluationTime"] > 0:
                seen.seconds[group["lastEvaluation"]] = group["evaluationTime"]


def one_by_one(server: Server) -> list[Alone]:
    """What each rule costs alone: no group waits for another's processor."""
    found, groups, at = [], server.groups(), time.time()
    # What was recorded ends with the rules: it is looked at as it was while they ran.
    server.load_rules([])
    for group in groups:
        for rule in group["rules"]:
            # The better of two: what else the machine does is no cost of the rule.
            seconds, samples = min(server.cost(rule["query"], at) for _ in range(2))
            times = MINUTE / group["interval"]
            found.append(
                Alone(
                    name=_rule_name(group["name"], rule),
                    seconds_a_minute=seconds * times,
                    samples_a_minute=samples * times,
                )
            )
    return found


def _rule_name(group: str, rule: dict[str, Any]) -> str:
    labels = rule.get("labels", {})
    words = (labels.get("signal", ""), labels.get("severity", ""), labels.get("state", ""))
    return " ".join((group, rule["name"], *filter(None, words)))


def report(groups: dict[str, Evaluations], alone: list[Alone], cpu_a_minute: float) -> None:
    together = sum(group.per_minute() for group in groups.values())
    one_pass = sum(rule.seconds_a_minute for rule in alone)
    samples = sum(rule.samples_a_minute for rule in alone)
    goal = f"≤ {SHARE_TO_REACH * MINUTE:.0f} s"
    _line("rule after rule", f"{one_pass:.2f} s a minute", goal)
    _line("… share of a minute", f"{one_pass / MINUTE:.1%}", f"≤ {SHARE_TO_REACH:.0%}")
    _line("groups as they ran, side by side", f"{together:.2f} s a minute", "")
    _line("processor time of Prometheus", f"{cpu_a_minute:.2f} s a minute", "")
    _line("samples read", f"{samples:,.0f} a minute", "")
    print("\n  group                                  interval   evaluation   share of it")
    for name, group in sorted(groups.items(), key=lambda item: -item[1].share):
        print(f"  {name:34} {group.interval:10.0f} s {group.median:10.3f} s {group.share:7.2%}")
    print("\n  the twelve rules that cost most        seconds and samples a minute")
    for rule in sorted(alone, key=lambda rule: -rule.seconds_a_minute)[:12]:
        print(f"  {rule.seconds_a_minute:8.3f} s {rule.samples_a_minute:12,.0f}  {rule.name}")


def _line(name: str, value: str, goal: str) -> None:
    print(f"  {name:34} {value:>32}   {goal}")


def timed(what: Callable[[], None]) -> float:
    started = time.monotonic()
    what()
    return time.monotonic() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=2_000)
    parser.add_argument("--scrape-seconds", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=8, help="how long the rules are watched")
    parser.add_argument("--rules", type=Path, nargs="*", help="files instead of all of ours")
    options = parser.parse_args()
    size = series.Size(nodes=options.nodes)
    files = options.rules or [
        *sorted(RECORDING_RULES.glob("*.yaml")),
        *(ALERTS / f"{layer}.yaml" for layer in LAYERS),
    ]
    print(f"machine: {machine()}, load {os.getloadavg()[0]:.1f}")
    print(f"cluster: {size.nodes:,} nodes, {size.cards:,} cards\n")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        server.process.start()
        try:
            filling = Filling(server.url, size, options.scrape_seconds)
            seconds = timed(filling.fill)
            count = server.metric("prometheus_tsdb_head_series")
            _line("series", f"{count:,.0f}", "")
            _line("samples written first", f"{filling.samples:,} in {seconds:.0f} s", "")
            server.load_rules(files)
            groups, cpu_a_minute = watched(server, options.minutes)
            _line("alerts that fire or wait", f"{_alerts(server):,}", "")
            report(groups, one_by_one(server), cpu_a_minute)
        finally:
            server.process.stop()


def _alerts(server: Server) -> int:
    return sum(len(rule.get("alerts", ())) for g in server.groups() for rule in g["rules"])


if __name__ == "__main__":
    main()
