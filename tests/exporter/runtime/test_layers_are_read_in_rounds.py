"""The thread that reads the sharing layers' objects."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import Any, Protocol

import pytest

from gpuatlas.model.layer import CertificateProbe, LayerObjects, SchedulerLease
from gpuatlas.model.status import SourceStatus
from gpuatlas.runtime.layers import LayerRounds, merged
from gpuatlas_harness.layered import NAMESPACE
from gpuatlas_harness.polling import poll
from gpuatlas_harness.read_again import wait_for_reads

LEASE = SchedulerLease(
    namespace=NAMESPACE, name="lock", holder="a", renewed_at=100.0, duration_seconds=15.0
)
PROBE = CertificateProbe(
    configuration="c", webhook="w", address="10.0.0.7:443", at=100.0, reached=True
)
OBJECTS = LayerObjects(read_at=100.0, leases=(LEASE,), probes=(PROBE,))


def a_status(source: str = "s", *, error: str = "", **changes: Any) -> SourceStatus:
    status = SourceStatus(
        source=source,
        up=not error,
        last_success_at=100.0,
        read_seconds=1.0,
        error=error,
        targets={},
        rejected={},
    )
    return replace(status, **changes)


class Scripted:
    """A cluster, and a layer source that gives what a test puts in place, one read at a time."""

    def __init__(self) -> None:
        self.settled = True
        self.objects = OBJECTS
        self.statuses: tuple[SourceStatus, ...] = (a_status(),)
        self.error: Exception | None = None
        self.reads = 0
        self.hold = threading.Event()
        self.hold.set()

    def read(self, now: float) -> tuple[LayerObjects, tuple[SourceStatus, ...]]:
        self.hold.wait(30)
        self.reads += 1
        if self.error is not None:
            raise self.error
        return replace(self.objects, read_at=now), self.statuses


class Begin(Protocol):
    def __call__(self, source: Scripted, *, wait_seconds: float = 30.0) -> LayerRounds: ...


@pytest.fixture
def begin(changed: threading.Event) -> Iterator[Begin]:
    """Starts rounds that end with the test."""
    with ExitStack() as running:

        def start(source: Scripted, *, wait_seconds: float = 30.0) -> LayerRounds:
            rounds = LayerRounds(
                source,
                source,
                changed,
                interval_seconds=0.01,
                wait_seconds=wait_seconds,
                clock=lambda: 200.0,
            )
            running.callback(source.hold.set)
            running.enter_context(closing(rounds))
            rounds.start()
            return rounds

        yield start


def test_the_last_look_is_at_hand(begin: Begin) -> None:
    source = Scripted()
    rounds = begin(source)
    wait_for_reads(source)
    look = rounds.last()
    assert look.objects == replace(OBJECTS, read_at=200.0)
    assert look.statuses == source.statuses
    assert rounds.finished


def test_only_differences_are_changes(begin: Begin, changed: threading.Event) -> None:
    source = Scripted()
    rounds = begin(source)
    wait_for_reads(source)
    assert changed.is_set()  # the first look
    changed.clear()
    renewed = replace(LEASE, renewed_at=110.0)
    source.objects = replace(OBJECTS, leases=(renewed,), probes=(replace(PROBE, at=110.0),))
    wait_for_reads(source)
    assert not changed.is_set()
    # ... but whoever looks for another reason sees the newest times.
    assert rounds.last().objects.leases == (renewed,)
    assert rounds.last().objects.probes[0].at == 110.0
    source.objects = replace(OBJECTS, leases=(replace(LEASE, holder="b"),))
    assert changed.wait(15)
    changed.clear()
    source.objects = replace(OBJECTS, probes=(replace(PROBE, reached=False),))
    assert changed.wait(15)


def test_nothing_is_read_before_the_cluster_is_known(begin: Begin) -> None:
    source = Scripted()
    source.settled = False
    rounds = begin(source, wait_seconds=0.0)
    assert not rounds.finished
    assert source.reads == 0
    assert rounds.last().objects == LayerObjects()
    source.settled = True
    wait_for_reads(source)


def test_a_read_that_takes_too_long_is_not_waited_for(begin: Begin) -> None:
    source = Scripted()
    source.hold.clear()
    rounds = begin(source, wait_seconds=0.05)
    poll(lambda: rounds.finished or None, deadline_seconds=60, waiting_for="the wait to end")
    assert rounds.last().objects == LayerObjects()
    source.hold.set()
    wait_for_reads(source)
    assert rounds.last().objects.leases == (LEASE,)


def test_an_unexpected_error_is_raised_once_and_outlived(
    begin: Begin, changed: threading.Event
) -> None:
    source = Scripted()
    source.error = RuntimeError("a mistake of ours")
    rounds = begin(source)
    assert changed.wait(15)
    assert rounds.finished
    with pytest.raises(RuntimeError, match="a mistake of ours"):
        rounds.last()
    source.error = None
    wait_for_reads(source)
    with contextlib.suppress(RuntimeError):
        rounds.last()  # that of the last bad read, if there was a second one
    wait_for_reads(source)
    assert rounds.last().objects.leases == (LEASE,)


def test_sources_that_fail_are_logged_when_they_begin_and_end(
    begin: Begin, caplog: pytest.LogCaptureFixture
) -> None:
    source = Scripted()
    source.statuses = (a_status(error="403"), a_status("other"))
    with caplog.at_level(logging.INFO, logger="gpuatlas.runtime.layers"):
        begin(source)
        wait_for_reads(source, 4)
        source.statuses = (a_status(), a_status("other"))
        wait_for_reads(source, 4)
    assert [(r.levelname, r.getMessage()) for r in caplog.records] == [
        ("WARNING", "cannot read s: 403"),
        ("INFO", "s can be read again"),
    ]


def test_a_close_before_the_start_reads_nothing(changed: threading.Event) -> None:
    source = Scripted()
    rounds = LayerRounds(
        source, source, changed, interval_seconds=1, wait_seconds=1, clock=lambda: 0.0
    )
    rounds.close()
    assert source.reads == 0


def test_statuses_of_one_source_are_one() -> None:
    owner = a_status("kubernetes-deployments.apps", last_success_at=90.0, rejected={"a": 1})
    layers = a_status("kubernetes-deployments.apps", error="403", read_seconds=2.0)
    other = a_status("pages")
    assert merged([owner, other, layers]) == (
        a_status(
            "kubernetes-deployments.apps",
            error="403",
            last_success_at=90.0,
            read_seconds=2.0,
            rejected={"a": 1},
        ),
        other,
    )
    nothing = a_status("kubernetes-deployments.apps", up=None, rejected={"a": 2, "b": 1})
    assert merged([nothing, owner]) == (replace(owner, rejected={"a": 3, "b": 1}),)
    assert merged([owner, nothing]) == (replace(owner, rejected={"a": 3, "b": 1}),)
    never = replace(layers, last_success_at=None)
    assert merged([owner, never])[0].last_success_at is None
