"""Fifteen days in a real Prometheus: what our rules make of them is what the analysis says.

Allocations are written as the exporter tells them, each four minutes; our recording rules are
evaluated over them; the histories are read back and judged.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import pytest

from gpuatlas.model.readings import value_of
from gpuatlas.model.sizing import Proposal, Resource, SizingReport, Verdict
from gpuatlas.runtime.backfill.evaluation import PastEvaluator
from gpuatlas.runtime.backfill.range_query import Grid, RangeQuery
from gpuatlas.runtime.backfill.remote_write import RemoteWriter
from gpuatlas.runtime.backfill.rule_files import RuleGroup, in_order
from gpuatlas.runtime.sizing_report import look_back, report_of
from gpuatlas.sources.history import daily, names, present
from gpuatlas.sources.history.look import HistoryLook
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas_harness.http import loopback_session
from gpuatlas_harness.past import PastServer, our_rules, past_server
from gpuatlas_harness.tenants_of_a_card import DAY, GIB, NODE, STEP, block_of

HOUR: Final = 3_600.0
DAYS: Final = 15
# Prometheus takes samples that are this much ahead of it, and half a day behind the newest.
AHEAD: Final = 540.0
STRETCH: Final = 12 * HOUR

NEEDED: Final = "container:gpuatlas_memory_needed_bytes:max14d"
PEAK: Final = "container:gpuatlas_memory_peak_bytes:max14d"
COMPUTE_NEEDED: Final = "container:gpuatlas_compute_needed_ratio:max14d"
SAFE: Final = "node:gpuatlas_overcommit_safe:ratio"
WANTED: Final = frozenset(
    {NEEDED, PEAK, COMPUTE_NEEDED, SAFE}
    | {source.name for source in daily.SOURCES}
    | {name for source in present.SOURCES for name in source.names}
)


def needed_rules() -> tuple[RuleGroup, ...]:
    """Only the rules that are asked for here, and those that they read."""
    groups = our_rules()
    rules = [rule for group in groups for rule in group.rules if rule.record]
    wanted: frozenset[str] = WANTED
    while True:
        more = wanted.union(*(rule.reads for rule in rules if rule.record in wanted))
        if more == wanted:
            break
        wanted = more
    kept = (
        replace(group, rules=tuple(rule for rule in group.rules if rule.record in wanted))
        for group in groups
    )
    return in_order([group for group in kept if group.rules])


def over_days(group: RuleGroup) -> bool:
    """Whether it looks back over the whole window: its last values are all that is needed."""
    return any("14d" in name for name in group.records)


@dataclass(frozen=True)
class Agreed:
    """What both say at one instant."""

    server: PastServer
    look: HistoryLook
    report: SizingReport

    def recorded(self, name: str) -> dict[tuple[str, str], float]:
        """The newest value of a recording, by workload and container (or node)."""
        answer = self.server.query(f"last_over_time({name}[10m])", self.look.at)
        return {
            (labels.get("workload", labels.get("node", "")), labels.get("container", "")): value
            for labels, value in answer
        }

    def said(self, resource: Resource) -> dict[tuple[str, str], Proposal]:
        return {
            (p.of.name, p.of.container): p for p in self.report.proposals if p.resource is resource
        }


@pytest.fixture(scope="module")
def agreed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agreed]:
    with past_server(tmp_path_factory.mktemp("prometheus")) as server, loopback_session() as http:
        end = (time.time() + AHEAD) // STEP * STEP
        began = end - DAYS * DAY
        writer, asks = RemoteWriter(server.url, http), RangeQuery(server.url, http)
        groups = needed_rules()
        evaluator = PastEvaluator([g for g in groups if not over_days(g)], asks, writer)
        first = began
        while first <= end:
            grid = Grid(first=first, last=min(end, first + STRETCH - STEP), step=STEP)
            writer.write(block_of(grid, began), writer="scrape")
            evaluator.evaluate(grid)
            first += STRETCH
        last = Grid(first=end - 2 * AHEAD // STEP * STEP, last=end, step=STEP)
        PastEvaluator([g for g in groups if over_days(g)], asks, writer).evaluate(last)
        look = look_back(PrometheusSettings(url=server.url), now=0.0)
        yield Agreed(server=server, look=look, report=report_of(look))


def test_the_histories_are_there(agreed: Agreed) -> None:
    assert (agreed.look.missing, agreed.look.refused, agreed.look.clusters) == ((), 0, ("",))
    assert {(h.of.name, h.of.container): len(h.days) for h in agreed.look.histories} == {
        ("chat", "draft"): 14,
        ("chat", "main"): 14,
        ("db", "main"): 10,
        ("young", "main"): 4,
    }
    chat = next(h for h in agreed.look.histories if h.of.container == "main")
    assert (chat.reservation.containers, chat.reservation.memory) == (2, 16 * GIB)
    assert all(day.watched == 1 and day.replicas == 2 for day in chat.days)
    assert sum(day.measured < 1 for day in chat.days) <= 2


def test_peaks_are_the_same(agreed: Agreed) -> None:
    peaks = {of: said.peak for of, said in agreed.said(Resource.MEMORY).items()}
    assert peaks == agreed.recorded(PEAK)
    # One sample in the counted view of one of two pods, and one in the driver's.
    assert peaks["chat", "main"] == int(5.25 * GIB) + 12_345
    assert peaks["db", "main"] == 13 * GIB + 1


def test_proposals_are_what_the_rules_say_is_needed(agreed: Agreed) -> None:
    needed = agreed.recorded(NEEDED)
    said = agreed.said(Resource.MEMORY)
    proposed = {of: p.proposed for of, p in said.items() if p.verdict is Verdict.SMALLER}
    assert proposed.keys() == {("chat", "main"), ("db", "main")}
    assert proposed == {of: needed[of] for of in proposed}
    assert {of: p.verdict for of, p in said.items() if of not in proposed} == {
        ("chat", "draft"): Verdict.FITS,
        ("young", "main"): Verdict.CANNOT,
    }


def test_compute_is_the_same(agreed: Agreed) -> None:
    needed = agreed.recorded(COMPUTE_NEEDED)
    proposed = {
        of: said.proposed
        for of, said in agreed.said(Resource.COMPUTE).items()
        if said.proposed is not None
    }
    assert proposed
    assert proposed == pytest.approx({of: needed[of] for of in proposed})


def test_safe_ratios_are_the_same(agreed: Agreed) -> None:
    (node,) = agreed.report.nodes
    safe = value_of(node.safe)
    assert safe is not None
    assert safe > 1
    assert safe == pytest.approx(agreed.recorded(SAFE)[NODE, ""])
    assert node.demand.days == pytest.approx(14.0, abs=0.05)


def test_every_recording_that_is_read_is_made_by_a_rule() -> None:
    made = {name for group in our_rules() for name in group.records}
    recorded = {name for name in WANTED if ":" in name} - set(names.VLLM_CACHE)
    assert recorded - made <= {names.CACHE_POOL}
