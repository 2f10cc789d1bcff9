"""`make bench`: what all our rules and alerts cost a Prometheus that has a large cluster's series.

A real Prometheus is filled by remote write (`series.py`, `series_of_ours.py`) with as much of the
past as the rules look back on, then gets every rule file and is watched for some minutes. Nothing
else is read or written meanwhile, so that the durations are those of the rules. Prints a table;
fails only when Prometheus does.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import series
from filling import MINUTE, Filling
from rules_server import Server

from exporter import machine
from gpuatlas_harness.alert_rules import ALERTS, LAYERS
from gpuatlas_harness.rule_lint import RECORDING_RULES

SHARE_TO_REACH = 0.20


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
