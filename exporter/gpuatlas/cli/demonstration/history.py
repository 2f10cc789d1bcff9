"""Writes the simulated past into a Prometheus: what it would have scraped, and the rules over it.

Worker processes write the samples of stretches of time; this one sends them, in order, and lets
the rules run over each stretch before the next one comes. The sparse stretches, which come first,
are for those recordings alone that sizing asks for by days, and for what these are made of.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.pool import Pool
from typing import Final

from gpuatlas.cli.demonstration.local_server import loopback_session
from gpuatlas.cli.demonstration.past_contention import PastContention
from gpuatlas.cli.demonstration.stretch import Episode, Stretch, StretchOrder, write_stretch
from gpuatlas.cli.demonstration.timeline import DAY, SPARSE_STEP
from gpuatlas.demo.scenario import Scenario
from gpuatlas.runtime.backfill.evaluation import Answer, PastEvaluator
from gpuatlas.runtime.backfill.range_query import Grid, RangeQuery
from gpuatlas.runtime.backfill.remote_write import RemoteWriter
from gpuatlas.runtime.backfill.rule_files import RuleGroup, behind, looked_back_at
from gpuatlas.runtime.backfill.series import Block
from gpuatlas.runtime.collector import relax_collector
from gpuatlas.sources.history.daily import SOURCES as DAILY_SOURCES

_MOST_WORKERS: Final = 4
_LOOK_SECONDS: Final = 0.5
_SCRAPE: Final = "scrape"


class StoppedError(Exception):
    """Nobody waits for the past any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastCourse:
    """The cluster of the past. `began` is when its exporter was started, in Unix seconds."""

    scenario: Scenario
    seed: int
    episodes: tuple[Episode, ...]
    began: float

    def order(self, grid: Grid) -> StretchOrder:
        """The work that one stretch is."""
        return StretchOrder(
            scenario=self.scenario,
            seed=self.seed,
            instants=grid.instants,
            episodes=self.episodes,
            began=self.began,
        )

    def sparse_order(self, grid: Grid, names: frozenset[str]) -> StretchOrder:
        """The same of a stretch that is looked at now and then, for these metrics."""
        every = round(SPARSE_STEP / grid.step)
        return replace(self.order(grid), every=every, names=names)


def write_past(
    url: str,
    course: PastCourse,
    grids: Sequence[Grid],
    groups: Sequence[RuleGroup],
    *,
    sparse: Sequence[Grid] = (),
    resumed_at: float | None = None,
    stop: threading.Event,
    told: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Write stretches that follow each other. `groups` are in order.

    Args:
        url: the Prometheus, as `prometheus.past_prometheus` starts it.
        course: what was the case.
        grids: when.
        groups: the rules that are evaluated over it.
        sparse: stretches before those of `grids`, of which only days are wanted.
        resumed_at: the last instant that this Prometheus has already.
        stop: set when it is to end early.
        told: is told after each stretch how many are done.

    Raises:
        StoppedError: `stop` was set.
        RemoteWriteError, RangeQueryError, RuleFileError: Prometheus, or a rule.
    """
    with loopback_session() as session:
        writer = RemoteWriter(url, session)
        queries = _StoppableQueries(RangeQuery(url, session), stop)
        evaluator = PastEvaluator(groups, queries, writer)
        if resumed_at is not None:
            evaluator.resume(resumed_at)
        contention = PastContention()
        daily = wanted_by_days(groups)
        orders = [
            *(course.sparse_order(grid, daily.names) for grid in sparse),
            *(course.order(grid) for grid in grids),
        ]
        for done, (grid, written) in enumerate(
            zip((*sparse, *grids), _written(orders, stop), strict=True), start=1
        ):
            instants = written.block.instants
            counted = contention.columns(instants, written.moments) if written.moments else {}
            columns = {**written.block.columns, **counted}
            writer.write(Block(instants=instants, columns=columns), writer=_SCRAPE)
            if done <= len(sparse):
                every = orders[done - 1].every
                evaluator.evaluate_now_and_then(
                    grid, every=every, only=daily.names, standing=daily.standing
                )
            else:
                evaluator.evaluate(grid)
            told(done, len(orders))


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedByDays:
    """`names` are recordings and all that they are made of.

    Of these `standing` are asked for at any instant, or are counted over a day.
    """

    names: frozenset[str]
    standing: frozenset[str]


def wanted_by_days(groups: Sequence[RuleGroup]) -> WantedByDays:
    """What sizing asks for by days, and what rules do that look two days back or more."""
    asked = frozenset(source.name for source in DAILY_SOURCES)
    recorded = {name for group in groups for name in group.records}
    daily = asked | (looked_back_at(groups, 2 * DAY) & recorded)
    return WantedByDays(
        names=behind(groups, daily), standing=daily | looked_back_at(groups, DAY / 2)
    )


class _StoppableQueries:
    """Hundreds of rules take seconds: nobody who pressed Ctrl-C waits for the last of them."""

    def __init__(self, queries: RangeQuery, stop: threading.Event) -> None:
        self._queries = queries
        self._stop = stop

    def ask(self, expression: str, grid: Grid) -> Answer:
        """As `RangeQuery.ask`. Raises StoppedError."""
        if self._stop.is_set():
            raise StoppedError
        return self._queries.ask(expression, grid)


def _written(orders: Sequence[StretchOrder], stop: threading.Event) -> Iterator[Stretch]:
    with _workers(len(orders)) as pool:
        results = pool.imap(write_stretch, orders)
        for _ in orders:
            while True:
                if stop.is_set():
                    raise StoppedError
                try:
                    yield results.next(_LOOK_SECONDS)
                except multiprocessing.TimeoutError:
                    continue
                break


@contextmanager
def _workers(most: int) -> Iterator[Pool]:
    """Processes of their own: a page takes a tenth of a second of Python."""
    # Threads of the demo hold locks, which a fork would copy.
    context = multiprocessing.get_context("spawn")
    count = max(1, min(most, _MOST_WORKERS, os.cpu_count() or 1))
    # Ctrl-C goes to all processes of a terminal. Children inherit what is blocked, so that none of
    # them says anything about it, not even in its first moments.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        pool = context.Pool(count, _begin)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        yield pool
    finally:
        pool.terminate()
        pool.join()


def _begin() -> None:
    """As the exporter's own process; but what readers say of faults is nothing for a terminal."""
    logging.disable(logging.CRITICAL)
    relax_collector()
