"""What a round says of endpoints that fail, hang, come and go."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import pytest

from gpuatlas.model.targets import DCGM
from gpuatlas.sources.errors import SourceError, UnreachableError
from gpuatlas.sources.scrape.scraper import Scraper
from gpuatlas_harness.polling import poll
from gpuatlas_harness.scraped import PATIENCE, Clock, Cluster, cards, dcgm_page, dcgm_target, status


def test_a_silent_endpoint_costs_only_its_page(
    cluster: Cluster, make: Callable[..., Scraper]
) -> None:
    cluster.pages = {"exporter-a": dcgm_page("GPU-1"), "exporter-b": UnreachableError("no answer")}
    result = make().read([dcgm_target("a"), dcgm_target("b")])
    assert cards(result) == {"a": ["GPU-1"]}
    assert result.silent == {(DCGM, "b"): "no answer"}
    assert status(result, DCGM).up is True
    assert status(result, DCGM).targets == {"up": 1, "stale": 0, "down": 1}
    assert status(result, DCGM).error == "1 of 2 endpoints fail, first b: no answer"


def test_the_last_good_page_stands_in_until_it_is_too_old(
    cluster: Cluster, clock: Clock, make: Callable[..., Scraper]
) -> None:
    scraper = make(page_max_age=90.0)
    cluster.pages = {"exporter-a": dcgm_page("GPU-1")}
    scraper.read([dcgm_target("a")])
    cluster.pages = {"exporter-a": UnreachableError("no answer")}
    clock.now = 1090.0
    kept = scraper.read([dcgm_target("a")])
    assert [one.at for one in kept.dcgm] == [1000.0]
    assert kept.silent == {}
    assert status(kept, DCGM).up is False
    assert status(kept, DCGM).targets == {"up": 0, "stale": 1, "down": 0}
    clock.now = 1090.5
    gone = scraper.read([dcgm_target("a")])
    assert gone.dcgm == ()
    assert gone.silent == {(DCGM, "a"): "no answer"}
    assert status(gone, DCGM).targets == {"up": 0, "stale": 0, "down": 1}
    assert status(gone, DCGM).last_success_at == 1000.0


def test_a_clock_set_back_keeps_no_page_of_the_future(
    cluster: Cluster, clock: Clock, make: Callable[..., Scraper]
) -> None:
    scraper = make()
    cluster.pages = {"exporter-a": dcgm_page("GPU-1")}
    scraper.read([dcgm_target("a")])
    cluster.pages = {"exporter-a": UnreachableError("no answer")}
    clock.now = 100.0
    assert scraper.read([dcgm_target("a")]).dcgm == ()


def test_an_endpoint_that_is_gone_is_forgotten(
    cluster: Cluster, make: Callable[..., Scraper]
) -> None:
    scraper = make()
    cluster.pages = {"exporter-a": dcgm_page("GPU-1"), "exporter-b": dcgm_page("GPU-2")}
    scraper.read([dcgm_target("a"), dcgm_target("b")])
    result = scraper.read([dcgm_target("b")])
    assert cards(result) == {"b": ["GPU-2"]}
    cluster.pages["exporter-a"] = UnreachableError("no answer")
    assert scraper.read([dcgm_target("a")]).dcgm == ()


def test_a_hanging_endpoint_does_not_hold_the_round(
    cluster: Cluster, make: Callable[..., Scraper]
) -> None:
    scraper = make(round_timeout=0.3)
    cluster.pages = {"exporter-a": threading.Event(), "exporter-b": dcgm_page("GPU-2")}
    result = scraper.read([dcgm_target("a"), dcgm_target("b")])
    assert cards(result) == {"b": ["GPU-2"]}
    assert result.silent == {(DCGM, "a"): "no answer within 0.3 s"}
    again = scraper.read([dcgm_target("a"), dcgm_target("b")])
    assert again.silent == {(DCGM, "a"): "still no end of an earlier read"}
    assert cluster.asked.count("exporter-a") == 1  # its thread is not joined by a second


def test_a_hanging_endpoint_is_read_again_when_its_read_has_ended(
    cluster: Cluster, make: Callable[..., Scraper]
) -> None:
    scraper = make(round_timeout=0.2)
    released = threading.Event()
    cluster.pages = {"exporter-a": released}
    scraper.read([dcgm_target("a")])
    cluster.pages = {"exporter-a": dcgm_page("GPU-1")}
    released.set()
    poll(
        lambda: cards(scraper.read([dcgm_target("a")])) == {"a": ["GPU-1"]} or None,
        deadline_seconds=PATIENCE,
        waiting_for="the thread to see the event",
    )


def test_those_that_answer_are_read_before_those_that_failed(
    cluster: Cluster, make: Callable[..., Scraper]
) -> None:
    scraper = make(workers=1, round_timeout=0.3)
    cluster.pages = {"exporter-a": threading.Event(), "exporter-b": dcgm_page("GPU-2")}
    targets = [dcgm_target("a"), dcgm_target("b")]
    first = scraper.read(targets)
    assert first.silent == {
        (DCGM, "a"): "no answer within 0.3 s",
        (DCGM, "b"): "not read within 0.3 s, because too many others do not answer",
    }
    hanging, cluster.pages["exporter-a"] = (
        cluster.pages["exporter-a"],
        UnreachableError("no answer"),
    )
    assert isinstance(hanging, threading.Event)
    hanging.set()
    poll(
        lambda: cards(scraper.read(targets)) == {"b": ["GPU-2"]} or None,
        deadline_seconds=PATIENCE,
        waiting_for="the only thread to be free",
    )
    cluster.asked.clear()
    scraper.read(targets)
    assert cluster.asked == ["exporter-b", "exporter-a"]


def test_only_changes_are_logged(
    cluster: Cluster, make: Callable[..., Scraper], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    scraper = make()
    answers: list[bytes | SourceError] = [dcgm_page("GPU-1")]
    answers += [UnreachableError("no answer")] * 3
    answers += [dcgm_page("GPU-1")] * 2
    for given in answers:
        cluster.pages = {"exporter-a": given}
        scraper.read([dcgm_target("a")])
    assert [record.getMessage() for record in caplog.records] == [
        "no dcgm page of a: no answer",
        "the dcgm page of a can be read again",
    ]
