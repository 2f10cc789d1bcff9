"""What a round says when the Prometheus, its targets or its data are not as they should be."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Iterator
from typing import Protocol

import pytest

from gpuatlas.model.status import SourceStatus
from gpuatlas.model.targets import DCGM, HAMI_MONITOR, HAMI_SCHEDULER
from gpuatlas.sources.dcgm.fields import FIELDS
from gpuatlas.sources.hami.scheduler import SCHEDULER_NAMES
from gpuatlas.sources.promapi.reader import PrometheusReader
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas.sources.scrape.round import ScrapeRound

USED = "DCGM_FI_DEV_FB_USED"
FREE = "DCGM_FI_DEV_FB_FREE"


class Fake(Protocol):
    url: str
    queries: list[str]
    series: list[object]
    warnings: list[str]
    broken: Callable[[str], tuple[int, bytes] | None]

    def add(self, name: str, points: list[tuple[float, float | str]], **labels: str) -> None: ...


Make = Callable[..., PrometheusReader]


@pytest.fixture
def make(prometheus: Fake) -> Iterator[Make]:
    made: list[PrometheusReader] = []

    def build(**settings: object) -> PrometheusReader:
        known = {"url": prometheus.url, **settings}
        made.append(PrometheusReader(PrometheusSettings(**known)))  # type: ignore[arg-type]
        return made[-1]

    yield build
    for reader in made:
        reader.close()


def target(prometheus: Fake, instance: str, *points: tuple[float, float | str]) -> None:
    prometheus.add("up", list(points), job="dcgm", instance=instance)


def metric(
    prometheus: Fake,
    name: str,
    instance: str,
    card: str,
    *points: tuple[float, float | str],
    **labels: str,
) -> None:
    prometheus.add(
        name,
        list(points),
        job="dcgm",
        instance=instance,
        UUID=card,
        **{"Hostname": instance, **labels},
    )


def status(result: ScrapeRound, source: str = DCGM) -> SourceStatus:
    return next(one for one in result.statuses if one.source == source)


def cards(result: ScrapeRound) -> dict[str, dict[str, dict[str, float]]]:
    return {
        page.target: {card.card: dict(card.fields) for card in page.cards.values()}
        for page in result.dcgm
    }


def test_pages_of_two_endpoints(prometheus: Fake, make: Make) -> None:
    for instance, card in (("a", "GPU-1"), ("b", "GPU-2")):
        target(prometheus, instance, (10.0, 1), (25.0, 1))
        metric(prometheus, USED, instance, card, (10.0, 1), (25.0, 2))
        metric(prometheus, FREE, instance, card, (25.0, 3))
    result = make().read(1000.0)
    assert cards(result) == {
        "a": {"GPU-1": {"DEV_FB_USED": 2.0, "DEV_FB_FREE": 3.0}},
        "b": {"GPU-2": {"DEV_FB_USED": 2.0, "DEV_FB_FREE": 3.0}},
    }
    assert {page.at for page in result.dcgm} == {25.0}
    assert (status(result).up, status(result).targets) == (True, {"up": 2, "stale": 0, "down": 0})
    assert status(result).last_success_at == 25.0
    assert (status(result).read_seconds or 0) > 0
    assert status(result, HAMI_MONITOR).up is None
    assert result.silent == {}


def test_up_is_asked_first_and_each_field_once_with_all_its_names(
    prometheus: Fake, make: Make
) -> None:
    make(page_max_age=90.0, round_timeout=60.0).read(1000.0)
    first, *others = prometheus.queries
    assert first == "up{}[90s]"
    assert '{__name__=~"DCGM_FI_DEV_GPU_UTIL|DCGM_FI_DEV_GPU_UTIL_RATIO"}[150s]' in others
    assert f"{USED}{{}}[150s]" in others
    dcgm = [query for query in others if "DCGM" in query]
    assert len(dcgm) == len(set(dcgm)) == len(FIELDS)


def test_matchers_are_in_every_query(prometheus: Fake, make: Make) -> None:
    make(matchers={"cluster": "west"}).read(1000.0)
    assert all('cluster="west"' in query for query in prometheus.queries)


def test_an_empty_prometheus_has_no_sources(prometheus: Fake, make: Make) -> None:
    result = make().read(1000.0)
    assert [(one.up, one.error) for one in result.statuses] == [(None, "")] * 3
    assert (result.dcgm, result.silent) == ((), {})


def test_a_prometheus_that_is_not_there(make: Make) -> None:
    with socket.socket() as placeholder:
        placeholder.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{placeholder.getsockname()[1]}"
        result = make(url=url).read(1000.0)
    said = f"no answer from {url}/api/v1/query: Connection refused"
    assert result.silent == {(one, ""): said for one in (DCGM, HAMI_MONITOR, HAMI_SCHEDULER)}
    assert [(one.up, one.error) for one in result.statuses] == [(False, said)] * 3


def test_pages_outlive_a_failing_prometheus_until_they_are_too_old(
    prometheus: Fake, make: Make
) -> None:
    target(prometheus, "a", (10.0, 1))
    metric(prometheus, USED, "a", "GPU-1", (10.0, 1))
    reader = make(page_max_age=90.0)
    reader.read(1000.0)
    prometheus.broken = lambda _query: (503, b"starting up")
    kept = reader.read(1090.0)
    assert cards(kept) == {"a": {"GPU-1": {"DEV_FB_USED": 1.0}}}
    assert (status(kept).up, status(kept).targets) == (False, {"up": 0, "stale": 1, "down": 0})
    assert status(kept).error == f"HTTP 503 from {prometheus.url}: starting up"
    gone = reader.read(1091.0)
    assert gone.dcgm == ()
    assert status(gone).targets == {"up": 0, "stale": 0, "down": 1}
    assert gone.silent[DCGM, "a"] == gone.silent[DCGM, ""] == status(gone).error


def test_a_source_is_read_completely_or_not_at_all(prometheus: Fake, make: Make) -> None:
    target(prometheus, "a", (10.0, 1))
    metric(prometheus, USED, "a", "GPU-1", (10.0, 1))
    prometheus.broken = lambda query: (422, b"no") if query.startswith(FREE) else None
    result = make().read(1000.0)
    assert result.dcgm == ()
    assert status(result).up is False
    assert result.silent == {(DCGM, ""): f"HTTP 422 from {prometheus.url}: no"}
    assert status(result, HAMI_SCHEDULER).up is None  # was read all the same


def test_too_large_an_answer_costs_its_source_only(prometheus: Fake, make: Make) -> None:
    target(prometheus, "a", (10.0, 1))
    metric(prometheus, USED, "a", "GPU-1", (10.0, 1), text="x" * 5000)
    result = make(limit_bytes=4000).read(1000.0)
    assert list(result.silent) == [(DCGM, "")]


def test_an_endpoint_that_is_down_is_told_of(prometheus: Fake, make: Make) -> None:
    target(prometheus, "a", (10.0, 1), (25.0, 1))
    metric(prometheus, USED, "a", "GPU-1", (10.0, 1), (25.0, 1))
    reader = make()
    reader.read(1000.0)
    prometheus.series.clear()
    target(prometheus, "a", (25.0, 1), (40.0, 0))
    metric(prometheus, USED, "a", "GPU-1", (25.0, 1))
    stale = reader.read(1015.0)
    said = f"the Prometheus at {prometheus.url} cannot scrape a: its up is 0"
    assert [page.at for page in stale.dcgm] == [25.0]
    assert status(stale).targets == {"up": 0, "stale": 1, "down": 0}
    assert status(stale).error == f"1 of 1 endpoints fail, first a: {said}"
    prometheus.series.clear()
    target(prometheus, "a", (130.0, 0))
    down = reader.read(1105.0)
    assert down.dcgm == ()
    assert down.silent == {(DCGM, "a"): said}  # the host of its last page
    assert status(down).targets == {"up": 0, "stale": 0, "down": 1}


def test_an_endpoint_that_is_no_target_any_more_is_forgotten(prometheus: Fake, make: Make) -> None:
    target(prometheus, "a", (10.0, 1))
    metric(prometheus, USED, "a", "GPU-1", (10.0, 1))
    reader = make()
    reader.read(1000.0)
    prometheus.series.clear()
    result = reader.read(1015.0)
    assert (result.dcgm, result.silent, status(result).up) == ((), {}, None)


def test_series_that_ended_are_gone_at_once(prometheus: Fake, make: Make) -> None:
    target(prometheus, "a", (10.0, 1), (25.0, 1))
    metric(prometheus, USED, "a", "GPU-1", (10.0, 1), namespace="red", pod="old")
    metric(prometheus, USED, "a", "GPU-1", (25.0, 2), namespace="red", pod="new")
    (page,) = make().read(1000.0).dcgm
    assert {tenant.pod for tenant in page.cards["GPU-1"].tenants} == {"new"}
    assert page.cards["GPU-1"].fields == {"DEV_FB_USED": 2.0}


def test_a_metric_of_several_sources_tells_none(prometheus: Fake, make: Make) -> None:
    labels = {"job": "hami", "instance": "s"}
    prometheus.add("up", [(10.0, 1)], **labels)
    prometheus.add("hami_build_info", [(10.0, 1)], version="v2.10.0", **labels)
    prometheus.add("hami_gpu_memory_limit_bytes", [(10.0, 1e9)], **labels)
    assert {"hami_build_info", "hami_gpu_memory_limit_bytes"} <= SCHEDULER_NAMES
    result = make().read(1000.0)
    assert [page.version for page in result.schedulers] == ["v2.10.0"]
    assert result.monitors == ()
    assert status(result, HAMI_MONITOR).up is None


def test_two_jobs_that_scrape_one_exporter_give_one_page(prometheus: Fake, make: Make) -> None:
    for job, value in (("dcgm", 1), ("annotated", 2)):
        prometheus.add("up", [(10.0 + value, 1)], job=job, instance="a")
        prometheus.add(USED, [(10.0 + value, value)], job=job, instance="a", UUID="GPU-1")
    assert cards(make().read(1000.0)) == {"a": {"GPU-1": {"DEV_FB_USED": 2.0}}}


def test_a_card_of_two_instances_is_on_one_page(prometheus: Fake, make: Make) -> None:
    for instance, at in (("a", 10.0), ("b", 11.0)):
        target(prometheus, instance, (at, 1))
        metric(prometheus, USED, instance, "GPU-1", (at, at))
    assert cards(make().read(1000.0)) == {"b": {"GPU-1": {"DEV_FB_USED": 11.0}}}


def test_without_instances_pages_are_told_by_host(prometheus: Fake, make: Make) -> None:
    for host, card in (("gpu-a", "GPU-1"), ("gpu-b", "GPU-2")):
        prometheus.add(USED, [(10.0, 1)], UUID=card, Hostname=host)
    result = make().read(1000.0)
    assert cards(result) == {
        f"gpu-a by {prometheus.url}": {"GPU-1": {"DEV_FB_USED": 1.0}},
        f"gpu-b by {prometheus.url}": {"GPU-2": {"DEV_FB_USED": 1.0}},
    }


def test_several_clusters_are_refused(prometheus: Fake, make: Make) -> None:
    for cluster in ("east", "west"):
        labels = {"job": "dcgm", "instance": "a", "cluster": cluster}
        prometheus.add("up", [(10.0, 1)], **labels)
        prometheus.add(USED, [(10.0, 1)], UUID=f"GPU-{cluster}", **labels)
    result = make().read(1000.0)
    assert result.dcgm == ()
    assert result.silent[DCGM, ""].startswith(
        f"{prometheus.url} holds several clusters (east, west …): set a matcher"
    )


def test_refused_series_are_counted_once_for_each_scrape(prometheus: Fake, make: Make) -> None:
    target(prometheus, "a", (10.0, 1))
    metric(prometheus, USED, "a", "GPU-1", (10.0, "NaN"))
    reader = make()
    reader.read(1000.0)
    assert status(reader.read(1005.0)).rejected == {"not-a-number": 1}
    prometheus.series.clear()
    target(prometheus, "a", (25.0, 1))
    metric(prometheus, USED, "a", "GPU-1", (25.0, 4294967295.0))
    assert status(reader.read(1010.0)).rejected == {"not-a-number": 1, "out-of-range": 1}


def test_records_that_are_no_series_are_counted(prometheus: Fake, make: Make) -> None:
    body = b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":5}]}}'
    prometheus.broken = lambda query: (200, body) if query.startswith(USED) else None
    assert status(make().read(1000.0)).rejected == {"bad-record": 1}


def test_warnings_and_failures_are_logged_when_they_change(
    prometheus: Fake, make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="gpuatlas")
    reader = make()
    prometheus.warnings = ["a store did not answer"]
    for _ in range(2):
        reader.read(1000.0)
    prometheus.broken = lambda _query: (403, b"")
    for _ in range(2):
        reader.read(1000.0)
    prometheus.broken = lambda _query: None
    prometheus.warnings = []
    reader.read(1000.0)
    failed = f"HTTP 403 from {prometheus.url}"
    assert [record.getMessage() for record in caplog.records] == [
        f"{prometheus.url} warns: a store did not answer",
        *(f"no {one} pages: {failed}" for one in (DCGM, HAMI_MONITOR, HAMI_SCHEDULER)),
        *(f"the {one} pages can be read again" for one in (DCGM, HAMI_MONITOR, HAMI_SCHEDULER)),
    ]


def test_a_round_of_slow_queries_ends(prometheus: Fake, make: Make) -> None:
    result = make(round_timeout=0.0).read(1000.0)
    assert result.silent[DCGM, ""] == (
        f"the queries of {prometheus.url} take longer than 0 s together"
    )
