"""What a round says of the pages that it brings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from gpuatlas.model.pages import DcgmPage
from gpuatlas.model.status import SourceStatus
from gpuatlas.model.targets import DCGM, HAMI_MONITOR, HAMI_SCHEDULER, Target
from gpuatlas.sources.errors import UnreachableError
from gpuatlas.sources.scrape.readers import READERS, PageReader
from gpuatlas.sources.scrape.scraper import Scraper
from gpuatlas.sources.scrape.settings import ScrapeSettings
from gpuatlas_harness.scraped import Clock, Cluster, cards, dcgm_page, dcgm_target, status


def scheduler(pod: str) -> Target:
    return Target(
        source=HAMI_SCHEDULER, namespace="ops", pod=pod, node="", host="10.0.0.2", port=9395
    )


def test_a_round_brings_all_pages(
    cluster: Cluster, clock: Clock, make: Callable[..., Scraper]
) -> None:
    cluster.pages = {"exporter-a": dcgm_page("GPU-1"), "exporter-b": dcgm_page("GPU-2")}
    result = make().read([dcgm_target("a"), dcgm_target("b")])
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
    assert make().read([replace(dcgm_target("a"), source="other")]).silent == {}


def test_refused_series_are_counted_over_all_rounds(
    cluster: Cluster, make: Callable[..., Scraper]
) -> None:
    scraper = make()
    cluster.pages = {
        "exporter-a": dcgm_page("GPU-1") + dcgm_page("GPU-2", "NaN") * 2 + dcgm_page("GPU-3", "x")
    }
    scraper.read([dcgm_target("a")])
    result = scraper.read([dcgm_target("a")])
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
    result = make().read([dcgm_target("a")])
    assert result.dcgm == ()
    (said,) = result.silent.values()
    assert said.startswith("http://10.0.0.1:9400/metrics serves no metrics: 3 times, first: line 1")


def test_an_empty_page_is_a_page(cluster: Cluster, make: Callable[..., Scraper]) -> None:
    cluster.pages = {"exporter-a": b""}
    result = make().read([dcgm_target("a")])
    assert cards(result) == {"a": []}
    assert result.silent == {}


def test_a_second_endpoint_of_a_node_speaks_for_both(
    cluster: Cluster, make: Callable[..., Scraper]
) -> None:
    cluster.pages = {"one": UnreachableError("no answer"), "two": dcgm_page("GPU-1")}
    result = make().read([dcgm_target("a", pod="one"), dcgm_target("a", pod="two")])
    assert cards(result) == {"a": ["GPU-1"]}
    assert result.silent == {}


def test_a_card_of_two_endpoints_is_on_one_page(
    cluster: Cluster, make: Callable[..., Scraper]
) -> None:
    cluster.pages = {"one": dcgm_page("GPU-1"), "two": dcgm_page("GPU-1") + dcgm_page("GPU-2")}
    result = make().read([dcgm_target("a", pod="one"), dcgm_target("a", pod="two")])
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
    cluster.pages = {"exporter-a": dcgm_page("GPU-1"), "exporter-b": dcgm_page("GPU-2")}
    scraper = Scraper(cluster, ScrapeSettings(), clock, {DCGM: lambda: reader})
    result = scraper.read([dcgm_target("a"), dcgm_target("b")])
    scraper.close()
    assert [one.node for one in result.dcgm] == ["b"]
    assert result.silent == {(DCGM, "a"): "internal error: ZeroDivisionError('oops')"}
    assert "cannot read the dcgm page of a" in caplog.text
