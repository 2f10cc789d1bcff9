"""The thread that looks at days."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace

import pytest

from gpuatlas.model.readings import Known
from gpuatlas.model.sizing import SizingReport
from gpuatlas.model.status import SourceStatus
from gpuatlas.runtime.sizing_round import SizingRounds
from gpuatlas_harness.polling import poll
from gpuatlas_harness.read_again import wait_for_reads
from gpuatlas_harness.sizing_page import a_sizing_report

NOW = 1_800_000_000.5
REPORT = a_sizing_report()
COMPLETE = replace(REPORT, missing=())


def a_status(error: str = "") -> SourceStatus:
    return SourceStatus(
        source="sizing",
        up=not error,
        last_success_at=NOW,
        read_seconds=0.5,
        error=error,
        targets={},
        rejected={},
    )


class Scripted:
    """A cluster, and a source that gives what a test puts in place."""

    def __init__(self) -> None:
        self.settled = True
        self.report: SizingReport | None = COMPLETE
        self.error = ""
        self.fault: Exception | None = None
        self.reads = 0

    def read(self, now: float) -> tuple[SizingReport | None, SourceStatus]:
        self.reads += 1
        if self.fault is not None:
            raise self.fault
        return None if self.error else self.report, a_status(self.error)


Begin = Callable[[Scripted], SizingRounds]


def rounds_of(source: Scripted, changed: threading.Event, interval: float) -> SizingRounds:
    return SizingRounds(
        source,
        source,
        changed,
        interval_seconds=interval,
        start_seconds=0.0,
        clock=lambda: NOW,
    )


@pytest.fixture
def begin(changed: threading.Event) -> Iterator[Begin]:
    """Starts rounds that end with the test."""
    with ExitStack() as running:

        def start(source: Scripted) -> SizingRounds:
            rounds = running.enter_context(closing(rounds_of(source, changed, 0.01)))
            rounds.start()
            return rounds

        yield start


def test_the_last_report_is_at_hand(begin: Begin, changed: threading.Event) -> None:
    source = Scripted()
    rounds = begin(source)
    wait_for_reads(source)
    assert rounds.last().report is COMPLETE
    assert rounds.last().statuses == (a_status(),)
    assert changed.is_set()


def test_a_report_that_says_the_same_stays_the_same_object(
    begin: Begin, changed: threading.Event
) -> None:
    source = Scripted()
    rounds = begin(source)
    wait_for_reads(source)
    changed.clear()
    (first, *others) = COMPLETE.nodes
    later = replace(first, safe=Known(1.5, 99.0, "later"))
    source.report = replace(COMPLETE, at=1.0, nodes=(later, *others))
    wait_for_reads(source)
    assert (rounds.last().report, changed.is_set()) == (COMPLETE, False)
    source.report = replace(COMPLETE, nodes=(replace(first, safe=Known(1.6, 0.0, "x")), *others))
    assert changed.wait(15)
    changed.clear()
    source.report = replace(COMPLETE, missing=("something",))
    assert changed.wait(15)


def test_nothing_is_asked_before_the_cluster_is_known(begin: Begin) -> None:
    source = Scripted()
    source.settled = False
    rounds = begin(source)
    assert (source.reads, rounds.last().report) == (0, None)
    source.settled = True
    wait_for_reads(source)


def test_a_report_outlives_a_server_that_is_away_for_a_while(
    begin: Begin, changed: threading.Event, caplog: pytest.LogCaptureFixture
) -> None:
    source = Scripted()
    with caplog.at_level(logging.INFO, logger="gpuatlas.runtime.sizing_round"):
        slow = rounds_of(source, changed, 60.0)
        with closing(slow):
            slow.start()
            poll(lambda: slow.last().report, deadline_seconds=60, waiting_for="a report")
            source.error = "HTTP 503"
            slow._read()
            assert slow.last().report is COMPLETE
            assert slow.last().statuses == (a_status("HTTP 503"),)
            source.error = ""
            slow._read()
    assert [(r.levelname, r.getMessage()) for r in caplog.records] == [
        ("WARNING", "cannot read sizing: HTTP 503"),
        ("INFO", "sizing can be read again"),
    ]
    rounds = begin(source)
    wait_for_reads(source)
    source.error = "HTTP 503"
    poll(lambda: rounds.last().report is None or None, deadline_seconds=60, waiting_for="the end")


def test_an_unexpected_error_is_raised_once_and_outlived(
    begin: Begin, changed: threading.Event
) -> None:
    source = Scripted()
    source.fault = RuntimeError("a mistake of ours")
    rounds = begin(source)
    assert changed.wait(15)
    with pytest.raises(RuntimeError, match="a mistake of ours"):
        rounds.last()
    source.fault = None
    wait_for_reads(source)
    with contextlib.suppress(RuntimeError):
        rounds.last()  # that of the last bad look, if there was a second one
    wait_for_reads(source)
    assert rounds.last().report is COMPLETE


@pytest.mark.parametrize(
    ("interval", "failures", "pauses"),
    [
        (3600.0, 0, 3600.0),
        (3600.0, 1, 60.0),
        (3600.0, 3, 240.0),
        (3600.0, 9, 3600.0),
        (90.0, 1, 60.0),
        (90.0, 2, 90.0),
        (3600.0, 5000, 3600.0),
    ],
)
def test_after_a_failure_the_next_look_comes_sooner(
    changed: threading.Event, interval: float, failures: int, pauses: float
) -> None:
    rounds = rounds_of(Scripted(), changed, interval)
    rounds._failures = failures
    assert rounds.pause() == pauses


def test_while_something_is_missing_too(changed: threading.Event) -> None:
    source = Scripted()
    rounds = rounds_of(source, changed, 3600.0)
    rounds._read()
    assert rounds.pause() == 3600.0
    source.report = REPORT
    rounds._read()
    assert rounds.pause() == 300.0
    source.error = "away"
    rounds._read()
    assert rounds.pause() == 60.0


def test_a_close_before_the_start_reads_nothing(changed: threading.Event) -> None:
    source = Scripted()
    rounds_of(source, changed, 1.0).close()
    assert source.reads == 0
