"""What a round says of endpoints that answer, fail, hang, come and go."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import pytest

from gpuatlas.model.pages import DcgmPage
from gpuatlas.model.status import SourceStatus
from gpuatlas.model.targets import DCGM, HAMI_MONITOR, HAMI_SCHEDULER, Target
from gpuatlas.sources.errors import SourceError, UnreachableError
from gpuatlas.sources.scrape.readers import READERS, PageReader
from gpuatlas.sources.scrape.round import ScrapeRound
from gpuatlas.sources.scrape.scraper import Scraper
from gpuatlas.sources.scrape.settings import ScrapeSettings
from gpuatlas_harness.polling import poll

PATIENCE = 10.0  # of a test for its own threads


def dcgm(node: str, **facts: object) -> Target:
    known = {"source": DCGM, "pod": f"exporter-{node}", "port": 9400, **facts}
    return Target(namespace="ops", node=node, host="10.0.0.1", **known)  # type: ignore[arg-type]


def scheduler(pod: str) -> Target:
    return Target(
        source=HAMI_SCHEDULER, namespace="ops", pod=pod, node="", host="10.0.0.2", port=9395
    )


def page(card: str, value: str = "7") -> bytes:
    return f'DCGM_FI_DEV_FB_USED{{UUID="{card}",Hostname="h"}} {value}\n'.encode()


@dataclass
class Cluster:
    """A transport: pages by pod; a SourceError is raised, an event waited for."""

    pages: dict[str, bytes | SourceError | threading.Event] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    limits: set[tuple[int, float]] = field(default_factory=set)

    def fetch(self, target: Target, *, limit_bytes: int, timeout_s: float) -> bytes:
        self.asked.append(target.pod)
        self.limits.add((limit_bytes, timeout_s))
        given = self.pages[target.pod]
        if isinstance(given, threading.Event):
            assert given.wait(PATIENCE)
            raise UnreachableError("came too late")
        if isinstance(given, SourceError):
            raise given
        return given


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make(cluster: Cluster, clock: Clock) -> Iterator[Callable[..., Scraper]]:
    made: list[Scraper] = []

    def build(**settings: object) -> Scraper:
        made.append(Scraper(cluster, ScrapeSettings(**settings), clock))  # type: ignore[arg-type]
        return made[-1]

    yield build
    for given in cluster.pages.values():
        if isinstance(given, threading.Event):
            given.set()
    for scraper in made:
        scraper.close()


def status(result: ScrapeRound, source: str) -> SourceStatus:
    return next(one for one in result.statuses if one.source == source)


def cards(result: ScrapeRound) -> dict[str, list[str]]:
    return {one.node: list(one.cards) for one in result.dcgm}


def test_a_round_brings_all_pages(
    cluster: Cluster, clock: Clock, make: Callable[..., Scraper]
) -> None:
    cluster.pages = {"exporter-a": page("GPU-1"), "exporter-b": page("GPU-2")}
    result = make().read([dcgm("a"), dcgm("b")])
    assert cards(result) == {"a": ["GPU-1"], "b": ["GPU-2"]}
    assert {(one.target, one.at) for one in result.dcgm} == {("a", 1000.0), ("b", 1000.0)}
    assert result.silent == {}
    assert cluster.limits == {(32 * 1024 * 1024, 10.0)}
    assert replace(status(result, DCGM), read_seconds=None) == SourceStatus(
        source=DCGM,
        up=True,
        last_success_at=1000.0,
        read_seconds=None,
        error="",
        targets={"up": 2, "stale": 0, "down": 0},
        rejected={},
    )
    assert (status(result, DCGM).read_seconds or 0) > 0


def test_a_source_without_targets_is_neither_up_nor_down(make: Callable[..., Scraper]) -> None:
    result = make().read([])
    assert [one.source for one in result.statuses] == [DCGM, HAMI_MONITOR, HAMI_SCHEDULER]
    for one in result.statuses:
        assert (one.up, one.targets, one.error, one.read_seconds) == (None, {}, "", None)


def test_a_target_of_an_unknown_source_is_left_out(make: Callable[..., Scraper]) -> None:
    assert make().read([replace(dcgm("a"), source="other")]).silent == {}


def test_a_silent_endpoint_costs_only_its_page(
    cluster: Cluster, make: Callable[..., Scraper]
) -> None:
    cluster.pages = {"exporter-a": page("GPU-1"), "exporter-b": UnreachableError("no answer")}
    result = make().read([dcgm("a"), dcgm("b")])
    assert cards(result) == {"a": ["GPU-1"]}
    assert result.silent == {(DCGM, "b"): "no answer"}
    assert status(result, DCGM).up is True
    assert status(result, DCGM).targets == {"up": 1, "stale": 0, "down": 1}
    assert status(result, DCGM).error == "1 of 2 endpoints fail, first b: no answer"


def test_the_last_good_page_stands_in_until_it_is_too_old(
    cluster: Cluster, clock: Clock, make: Callable[..., Scraper]
) -> None:
    scraper = make(page_max_age=90.0)
    cluster.pages = {"exporter-a": page("GPU-1")}
    scraper.read([dcgm("a")])
    cluster.pages = {"exporter-a": UnreachableError("no answer")}
    clock.now = 1090.0
    kept = scraper.read([dcgm("a")])
    assert [one.at for one in kept.dcgm] == [1000.0]
    assert kept.silent == {}
    assert status(kept, DCGM).up is False
    assert status(kept, DCGM).targets == {"up": 0, "stale": 1, "down": 0}
    clock.now = 1090.5
    gone = scraper.read([dcgm("a")])
    assert gone.dcgm == ()
    assert gone.silent == {(DCGM, "a"): "no answer"}
    assert status(gone, DCGM).targets == {"up": 0, "stale": 0, "down": 1}
    assert status(gone, DCGM).last_success_at == 1000.0


def test_a_clock_set_back_keeps_no_page_of_the_future(
    cluster: Cluster, clock: Clock, make: Callable[..., Scraper]
) -> None:
    scraper = make()
    cluster.pages = {"exporter-a": page("GPU-1")}
    scraper.read([dcgm("a")])
    cluster.pages = {"exporter-a": UnreachableError("no answer")}
    clock.now = 100.0
    assert scraper.read([dcgm("a")]).dcgm == ()


def test_an_endpoint_that_is_gone_is_forgotten(
    cluster: Cluster, make: Callable[..., Scraper]
) -> None:
    scraper = make()
    cluster.pages = {"exporter-a": page("GPU-1"), "exporter-b": page("GPU-2")}
    scraper.read([dcgm("a"), dcgm("b")])
    result = scraper.read([dcgm("b")])
    assert cards(result) == {"b": ["GPU-2"]}
    cluster.pages["exporter-a"] = UnreachableError("no answer")
    assert scraper.read([dcgm("a")]).dcgm == ()


def test_a_hanging_endpoint_does_not_hold_the_round(
    cluster: Cluster, make: Callable[..., Scraper]
) -> None:
    scraper = make(round_timeout=0.3)
    cluster.pages = {"exporter-a": threading.Event(), "exporter-b": page("GPU-2")}
    result = scraper.read([dcgm("a"), dcgm("b")])
    assert cards(result) == {"b": ["GPU-2"]}
    assert result.silent == {(DCGM, "a"): "no answer within 0.3 s"}
    again = scraper.read([dcgm("a"), dcgm("b")])
    assert again.silent == {(DCGM, "a"): "still no end of an earlier read"}
    assert cluster.asked.count("exporter-a") == 1  # its thread is not joined by a second


def test_a_hanging_endpoint_is_read_again_when_its_read_has_ended(
    cluster: Cluster, make: Callable[..., Scraper]
) -> None:
    scraper = make(round_timeout=0.2)
    released = threading.Event()
    cluster.pages = {"exporter-a": released}
    scraper.read([dcgm("a")])
    cluster.pages = {"exporter-a": page("GPU-1")}
    released.set()
    poll(
        lambda: cards(scraper.read([dcgm("a")])) == {"a": ["GPU-1"]} or None,
        deadline_seconds=PATIENCE,
        waiting_for="the thread to see the event",
    )


def test_those_that_answer_are_read_before_those_that_failed(
    cluster: Cluster, make: Callable[..., Scraper]
) -> None:
    scraper = make(workers=1, round_timeout=0.3)
    cluster.pages = {"exporter-a": threading.Event(), "exporter-b": page("GPU-2")}
    targets = [dcgm("a"), dcgm("b")]
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


def test_refused_series_are_counted_over_all_rounds(
    cluster: Cluster, make: Callable[..., Scraper]
) -> None:
    scraper = make()
    cluster.pages = {"exporter-a": page("GPU-1") + page("GPU-2", "NaN") * 2 + page("GPU-3", "x")}
    scraper.read([dcgm("a")])
    result = scraper.read([dcgm("a")])
    assert status(result, DCGM).rejected == {
        "not-a-number": 2,
        "duplicate-series": 2,
        "bad-value": 2,
    }
    assert {(one.reason, one.where) for one in result.dcgm[0].rejections} == {
        ("not-a-number", "dcgm page of a"),
        ("duplicate-series", "dcgm page of a"),
        ("bad-value", "dcgm page of a"),
    }


def test_an_answer_of_something_else_is_no_page(
    cluster: Cluster, make: Callable[..., Scraper]
) -> None:
    cluster.pages = {"exporter-a": b"<html>\n<body>Log in</body>\n</html>\n"}
    result = make().read([dcgm("a")])
    assert result.dcgm == ()
    (said,) = result.silent.values()
    assert said.startswith("http://10.0.0.1:9400/metrics serves no metrics: 3 times, first: line 1")


def test_an_empty_page_is_a_page(cluster: Cluster, make: Callable[..., Scraper]) -> None:
    cluster.pages = {"exporter-a": b""}
    result = make().read([dcgm("a")])
    assert cards(result) == {"a": []}
    assert result.silent == {}


def test_a_second_endpoint_of_a_node_speaks_for_both(
    cluster: Cluster, make: Callable[..., Scraper]
) -> None:
    cluster.pages = {"one": UnreachableError("no answer"), "two": page("GPU-1")}
    result = make().read([dcgm("a", pod="one"), dcgm("a", pod="two")])
    assert cards(result) == {"a": ["GPU-1"]}
    assert result.silent == {}


def test_a_card_of_two_endpoints_is_on_one_page(
    cluster: Cluster, make: Callable[..., Scraper]
) -> None:
    cluster.pages = {"one": page("GPU-1"), "two": page("GPU-1") + page("GPU-2")}
    result = make().read([dcgm("a", pod="one"), dcgm("a", pod="two")])
    assert sorted(card for one in result.dcgm for card in one.cards) == ["GPU-1", "GPU-2"]


def test_the_source_as_a_whole_is_silent_when_no_scheduler_answers(
    cluster: Cluster, make: Callable[..., Scraper]
) -> None:
    scraper = make()
    cluster.pages = {"leader": UnreachableError("no answer"), "follower": b""}
    assert scraper.read([scheduler("leader"), scheduler("follower")]).silent == {}
    cluster.pages["follower"] = UnreachableError("refused")
    again = make().read([scheduler("leader"), scheduler("follower")])
    assert again.silent == {(HAMI_SCHEDULER, ""): "no answer"}


def test_a_fault_of_a_parser_costs_one_page(
    cluster: Cluster, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    real = READERS[DCGM]()

    def read(samples: object, target: str, node: str, at: float) -> DcgmPage:
        if node == "a":
            raise ZeroDivisionError("oops")
        return DcgmPage(target=target, node=node, at=at, cards={})

    reader = PageReader(families=real.families, read=read, read_mixed=real.read_mixed)
    cluster.pages = {"exporter-a": page("GPU-1"), "exporter-b": page("GPU-2")}
    scraper = Scraper(cluster, ScrapeSettings(), clock, {DCGM: lambda: reader})
    result = scraper.read([dcgm("a"), dcgm("b")])
    scraper.close()
    assert [one.node for one in result.dcgm] == ["b"]
    assert result.silent == {(DCGM, "a"): "internal error: ZeroDivisionError('oops')"}
    assert "cannot read the dcgm page of a" in caplog.text


def test_only_changes_are_logged(
    cluster: Cluster, make: Callable[..., Scraper], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    scraper = make()
    answers: list[bytes | SourceError] = [page("GPU-1")]
    answers += [UnreachableError("no answer")] * 3
    answers += [page("GPU-1")] * 2
    for given in answers:
        cluster.pages = {"exporter-a": given}
        scraper.read([dcgm("a")])
    assert [record.getMessage() for record in caplog.records] == [
        "no dcgm page of a: no answer",
        "the dcgm page of a can be read again",
    ]
