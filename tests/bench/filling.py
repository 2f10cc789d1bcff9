"""As much of the past of a large cluster as the rules look back on, written part by part."""

from __future__ import annotations

import time
from collections.abc import Iterable

import promql_parser
import remote_write
import series
import series_of_ours

from gpuatlas_harness.alert_rules import alert_rules, dcgm_counters
from gpuatlas_harness.promql import metric_names, nodes
from gpuatlas_harness.rule_lint import RECORDED

MINUTE, HOUR, DAY = 60, 3_600, 86_400
# How long the present lasts before and after the rules begin; the longest range in minutes that is
# read of our own series is ten.
BEFORE, AFTER = 11 * MINUTE, 14 * MINUTE
# Looked at a whole week, or at instants of it.
WEEKLY = frozenset({"DCGM_FI_DEV_RETIRED_DBE"})
INSTANTS = {
    "DCGM_FI_DEV_SM_CLOCK": (6 * HOUR,),
    "DCGM_FI_DEV_VGPU_LICENSE_STATUS": (DAY, 3 * DAY, 7 * DAY),
}


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
